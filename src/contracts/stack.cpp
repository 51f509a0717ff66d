// Packages and their versions: as they are written, and those with known contracts.
#include "contracts/stack.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <cstdint>

#include <fmt/format.h>

#include "base/strings.hpp"
#include "contracts/contract.hpp"
#include "model/spec.hpp"

namespace shapelint::contracts {

std::optional<Version> parse_version(std::string_view text) {
  if (text.starts_with('v')) text.remove_prefix(1);
  Version out;
  while (!text.empty()) {
    std::int64_t number = 0;
    const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (problem != std::errc{} || number < 0) break;
    out.push_back(number);
    text.remove_prefix(static_cast<std::size_t>(end - text.data()));
    if (!text.starts_with('.')) break;
    text.remove_prefix(1);
  }
  if (out.empty()) return std::nullopt;
  return out;
}

int compare(const Version& a, const Version& b) {
  for (std::size_t i = 0; i < std::min(a.size(), b.size()); ++i) {
    if (a[i] != b[i]) return a[i] < b[i] ? -1 : 1;
  }
  return 0;
}

namespace {

// As Python's packages are compared (PEP 503): `Flash_Attn` is `flash-attn`.
std::string normalised(std::string_view name) {
  std::string out;
  for (const char c : name) {
    const bool is_mark = c == '-' || c == '_' || c == '.';
    if (is_mark && out.ends_with('-')) continue;
    out += is_mark ? '-' : static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  }
  return out;
}

std::string_view find_package(const Book& book, std::string_view name) {
  const std::string wanted = normalised(name);
  for (const std::string_view each : book.packages()) {
    if (normalised(each) == wanted) return each;
  }
  return {};
}

bool is_name_character(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '-' || c == '_' || c == '.';
}

void add(Stack& stack, StackPackage package) {
  const auto same = [&](const StackPackage& other) { return other.name == package.name; };
  if (std::none_of(stack.begin(), stack.end(), same)) stack.push_back(std::move(package));
}

// `name==1.2`, `name>=1.2` (no version: it says only where it begins), `name[extra]==1.2 ; marker`.
void add_requirement(const Book& book, std::string_view line, Stack& out) {
  line = trimmed(line, " \t\r\"',");
  std::size_t end = 0;
  while (end < line.size() && is_name_character(line[end])) ++end;
  const std::string_view name = find_package(book, line.substr(0, end));
  if (name.empty()) return;
  line.remove_prefix(end);
  if (line.starts_with('[')) line.remove_prefix(std::min(line.size(), line.find(']') + 1));
  line = trimmed(line, " ");
  StackPackage package{std::string(name), {}, {}};
  if (line.starts_with("==")) {
    line.remove_prefix(2);
    line = trimmed(line.substr(0, line.find_first_of(" ;,\"'#")), " ");
    package.version = parse_version(line);
    if (package.version) package.version_text = std::string(line);
  }
  add(out, std::move(package));
}

// The text behind `key = "` on a line.
std::string_view quoted_after(std::string_view line, std::string_view key) {
  if (!line.starts_with(key)) return {};
  const std::size_t begin = line.find('"');
  if (begin == std::string_view::npos) return {};
  const std::string_view rest = line.substr(begin + 1);
  return rest.substr(0, rest.find('"'));
}

}  // namespace

Result<StackPackage> parse_package(const Book& book, std::string_view text) {
  text = trimmed(text, " ");
  const std::size_t equals = text.find("==");
  const std::string_view given = trimmed(text.substr(0, equals), " ");
  const std::string_view name = find_package(book, given);
  if (name.empty()) {
    const std::vector<std::string_view> known = book.packages();
    std::string hint = did_you_mean(given, known);
    if (hint.empty()) hint = fmt::format("packages with known requirements: {}", fmt::join(known, ", "));
    return with_code(
        Error{fmt::format("no requirements of package `{}` are known", given), std::move(hint), {}, {}},
        ErrorCode::unknown_name);
  }
  StackPackage out{std::string(name), {}, {}};
  if (equals == std::string_view::npos) return out;
  const std::string_view version = trimmed(text.substr(equals + 2), " ");
  out.version = parse_version(version);
  if (!out.version) {
    return Error{fmt::format("`{}` is not a version of {}", version, name), "such as `vllm==0.24`", {}, {}};
  }
  out.version_text = std::string(version);
  return out;
}

Stack parse_stack(const Book& book, std::span<const std::string> texts, std::vector<Error>& errors) {
  Stack out;
  for (const std::string& text : texts) {
    auto package = parse_package(book, text);
    if (package) {
      add(out, *std::move(package));
    } else {
      errors.push_back(package.error());
    }
  }
  return out;
}

Stack stack_of_lock(const Book& book, std::string_view file_name, std::string_view text) {
  Stack out;
  const bool is_lock = file_name.ends_with(".lock");
  std::string_view name;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = trimmed(text.substr(0, end), " \t\r");
    text.remove_prefix(std::min(text.size(), end + 1));
    if (!is_lock) {
      add_requirement(book, line, out);
      continue;
    }
    // uv.lock: `[[package]]`, `name = "vllm"`, `version = "0.24.0"`
    if (line == "[[package]]") name = {};
    if (const std::string_view found = quoted_after(line, "name ="); !found.empty() && name.empty())
      name = found;
    const std::string_view version = quoted_after(line, "version =");
    if (version.empty() || name.empty()) continue;
    const std::string_view package = find_package(book, name);
    if (!package.empty()) add(out, {std::string(package), parse_version(version), std::string(version)});
    name = {};
  }
  return out;
}

VersionMatch standing(const Contract& contract, const Stack& stack) {
  const auto find = [&](std::string_view name) {
    return std::find_if(stack.begin(), stack.end(),
                        [&](const StackPackage& each) { return each.name == name; });
  };
  const auto package = find(contract.package.name);
  if (package == stack.end()) return VersionMatch::absent;
  for (const std::string_view other : contract.with) {
    if (find(other) == stack.end()) return VersionMatch::absent;
  }
  for (const std::string_view other : contract.unless) {
    if (find(other) != stack.end()) return VersionMatch::absent;
  }
  const auto read = parse_version(contract.package.version);
  const auto since = parse_version(contract.since.empty() ? contract.package.version : contract.since);
  const auto until = parse_version(contract.until);
  if (!read || !since) return VersionMatch::absent;
  const Version& version = package->version ? *package->version : *read;
  if (compare(version, *since) < 0) return VersionMatch::older;
  if (until && compare(version, *until) >= 0) return VersionMatch::newer;
  return compare(version, *read) > 0 ? VersionMatch::newer : VersionMatch::holds;
}

std::string describe(const Book& book, const Stack& stack) {
  std::string out;
  for (const StackPackage& each : stack) {
    if (!out.empty()) out += ", ";
    out += is_newer_than_known(book, each) ? fmt::format("{} {} (checked as {}, the newest known)", each.name,
                                                         each.version_text, book.newest(each.name))
           : each.version                  ? fmt::format("{} {}", each.name, each.version_text)
                          : fmt::format("{} (newest known, {})", each.name, book.newest(each.name));
  }
  return out;
}

bool is_newer_than_known(const Book& book, const StackPackage& package) {
  const auto newest = parse_version(book.newest(package.name));
  return package.version && newest && compare(*package.version, *newest) > 0;
}

namespace {

// The first version that anything is known of.
std::string_view oldest(const Book& book, std::string_view package) {
  std::string_view out;
  for (const Contract& each : book.contracts()) {
    if (each.package.name != package) continue;
    const std::string_view since = each.since.empty() ? each.package.version : each.since;
    const auto here = parse_version(since);
    const auto best = parse_version(out);
    if (here && (!best || compare(*here, *best) < 0)) out = since;
  }
  return out;
}

bool binds_training(const Contract& contract) {
  constexpr auto train = static_cast<std::int64_t>(model::Mode::train);
  return contract.modes.empty() ||
         std::find(contract.modes.begin(), contract.modes.end(), train) != contract.modes.end();
}

}  // namespace

Stack at_known_versions(const Book& book, Stack stack) {
  for (StackPackage& each : stack) {
    if (is_newer_than_known(book, each)) each.version = parse_version(book.newest(each.name));
  }
  return stack;
}

std::vector<std::string> version_notes(const Book& book, const Stack& stack) {
  std::vector<std::string> out;
  for (const StackPackage& each : stack) {
    const auto first = parse_version(oldest(book, each.name));
    if (is_newer_than_known(book, each)) {
      out.push_back(
          fmt::format("{} {} is newer than {}, the newest with known requirements; those of {} were checked",
                      each.name, each.version_text, book.newest(each.name), book.newest(each.name)));
    } else if (each.version && first && compare(*each.version, *first) < 0) {
      out.push_back(
          fmt::format("{} {} is older than {}, the oldest with known requirements; none was checked",
                      each.name, each.version_text, oldest(book, each.name)));
    } else if (each.version) {
      std::size_t all = 0;
      std::size_t later = 0;
      for (const Contract& contract : book.contracts()) {
        if (contract.package.name != each.name) continue;
        const VersionMatch stands = standing(contract, stack);
        all += stands == VersionMatch::absent ? 0 : 1;
        later += stands == VersionMatch::older ? 1 : 0;
      }
      if (later > 0)
        out.push_back(fmt::format("{} of {} requirements of {} are known for versions later than {} only",
                                  later, all, each.name, each.version_text));
    }
  }
  return out;
}

std::string_view inference_only_package(const Book& book, const Stack& stack) {
  const bool any =
      std::any_of(book.contracts().begin(), book.contracts().end(), [&](const Contract& contract) {
        return binds_training(contract) &&
               std::any_of(stack.begin(), stack.end(),
                           [&](const StackPackage& each) { return each.name == contract.package.name; });
      });
  return any || stack.empty() ? std::string_view{} : std::string_view(stack.front().name);
}

}  // namespace shapelint::contracts
