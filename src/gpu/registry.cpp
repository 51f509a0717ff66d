// Looks profiles up by name.
#include "gpu/registry.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <map>
#include <mutex>

#include <fmt/format.h>

#include "base/budget.hpp"
#include "base/number.hpp"
#include "base/strings.hpp"
#include "catalog/catalog.hpp"
#include "gpu/fields.hpp"

namespace shapelint::gpu {

namespace {

constexpr std::array<std::string_view, 6> vendors{"nvidia", "geforce", "tesla", "amd", "instinct", "radeon"};
constexpr std::array<std::string_view, 8> no_difference{"generation", "edition", "oam", "workstation",
                                                        "hbm3",       "hbm3e",   "ac",  "mba"};

std::string lower(std::string_view text) {
  std::string out(text);
  for (char& c : out) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return out;
}

bool is_separator(char c) {
  return c == ' ' || c == '-' || c == '_' || c == '/' || c == '(' || c == ')';
}

std::vector<std::string> words_of(std::string_view name) {
  std::vector<std::string> out;
  std::string word;
  for (const char c : name) {
    if (!is_separator(c)) {
      word += c;
      continue;
    }
    if (!word.empty()) out.push_back(lower(word));
    word.clear();
  }
  if (!word.empty()) out.push_back(lower(word));
  return out;
}

// `80gb`, `144g`: how much.
std::optional<double> memory_of(std::string_view word) {
  const std::size_t digits = word.find_first_not_of("0123456789");
  if (digits == 0 || digits == std::string_view::npos) return std::nullopt;
  const std::string_view unit = word.substr(digits);
  if (unit != "gb" && unit != "g") return std::nullopt;
  return parse_number(word.substr(0, digits));
}

std::string joined(const std::vector<std::string>& words) {
  std::string out;
  for (const std::string& each : words) out += (out.empty() ? "" : "-") + each;
  return out;
}

template <std::size_t size>
bool holds(const std::array<std::string_view, size>& list, std::string_view word) {
  return std::find(list.begin(), list.end(), word) != list.end();
}

}  // namespace

std::vector<ShorterName> without_vendor(std::string_view name) {
  std::vector<std::string> words = words_of(name);
  const std::size_t all = words.size();
  std::erase_if(words, [](const std::string& word) { return holds(vendors, word); });
  std::vector<ShorterName> out;
  if (words.empty()) return out;
  ShorterName now{joined(words), {}};
  if (words.size() < all) out.push_back(now);
  while (words.size() > 1) {
    const std::optional<double> memory = memory_of(words.back());
    if (!memory && !holds(no_difference, words.back())) break;
    if (memory) now.memory_gb = memory;
    words.pop_back();
    now.name = joined(words);
    out.push_back(now);
  }
  return out;
}

namespace {

using text::Document;
using text::NodeRef;

// What a file describes. The folder that it lies in says nothing.
enum class FileKind : std::uint8_t { gpu, architecture };

FileKind kind_of(const Document& document) {
  return document.root()["kind"].as_string() == "architecture" ? FileKind::architecture : FileKind::gpu;
}

// The first file of a kind that `is_meant`, a user's own before the built-in ones. Asked about every file, of
// either kind: what it is, is looked up of those alone.
template <class IsMeant>
const Document* find_file(FileKind kind, std::span<const Document> own, const IsMeant& is_meant) {
  const std::span<const Document> all[] = {own, catalog::builtin("gpus"),
                                           catalog::builtin("gpus/architectures")};
  for (const std::span<const Document> documents : all) {
    for (const Document& each : documents) {
      if (is_meant(each) && kind_of(each) == kind) return &each;
    }
  }
  return nullptr;
}

std::vector<std::string_view> ids_of(FileKind kind, std::span<const Document> own) {
  std::vector<std::string_view> ids;
  find_file(kind, own, [&](const Document& each) {
    if (kind_of(each) == kind) ids.push_back(id_of(each));
    return false;
  });
  return ids;
}

bool same_letter(char a, char b) {
  const auto lower = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; };
  return lower(a) == lower(b);
}

// Equal except for case, `-`, `_` and spaces; compares in place, because a look-up goes through every name.
bool same_name(std::string_view a, std::string_view b) {
  const auto skip = [](std::string_view& rest) {
    while (!rest.empty() && (rest[0] == '-' || rest[0] == '_' || rest[0] == ' ')) rest.remove_prefix(1);
  };
  while (true) {
    skip(a);
    skip(b);
    if (a.empty() || b.empty()) return a.empty() && b.empty();
    if (!same_letter(a[0], b[0])) return false;
    a.remove_prefix(1);
    b.remove_prefix(1);
  }
}

bool has_alias(const Document& document, std::string_view name) {
  for (const NodeRef alias : document.root()["aliases"]) {
    if (same_name(alias.as_string().value_or(""), name)) return true;
  }
  return false;
}

}  // namespace

std::string_view id_of(const Document& document) {
  std::string_view name = document.path();
  if (const std::size_t slash = name.rfind('/'); slash != std::string_view::npos)
    name.remove_prefix(slash + 1);
  if (name.ends_with(".toml")) name.remove_suffix(std::string_view(".toml").size());
  return name;
}

bool is_called(const Gpu& gpu, std::string_view name) {
  return same_name(gpu.id, name) || std::any_of(gpu.aliases.begin(), gpu.aliases.end(),
                                                [&](const auto& alias) { return same_name(alias, name); });
}

void add(std::vector<Gpu>& gpus, Gpu gpu) {
  const auto same = [&](const Gpu& each) { return each.id == gpu.id; };
  if (std::none_of(gpus.begin(), gpus.end(), same)) gpus.push_back(std::move(gpu));
}

std::vector<std::string_view> gpu_ids(std::span<const Document> own) {
  return ids_of(FileKind::gpu, own);
}

namespace {

const Document* find_called(std::string_view name, std::span<const Document> own) {
  const Document* found =
      find_file(FileKind::gpu, own, [&](const Document& each) { return same_name(id_of(each), name); });
  if (found != nullptr) return found;
  return find_file(FileKind::gpu, own, [&](const Document& each) { return has_alias(each, name); });
}

// Drivers' sizes are rounded, and products of one name have memories that differ by more.
bool has_memory(const Document& document, double memory_gb) {
  constexpr double rounding_gb = 4;
  const double own = value_of(document.root()["dram_size_gb"]).as_number().value_or(0);
  return std::abs(own - memory_gb) <= rounding_gb;
}

}  // namespace

Result<const Document*> find_profile(std::string_view name, std::span<const Document> own) {
  if (const Document* found = find_called(name, own)) return found;
  for (const ShorterName& each : without_vendor(name)) {
    const Document* found = find_called(each.name, own);
    if (found != nullptr && (!each.memory_gb || has_memory(*found, *each.memory_gb))) return found;
  }

  std::vector<std::string_view> names = gpu_ids(own);
  find_file(FileKind::gpu, own, [&](const Document& each) {
    if (kind_of(each) != FileKind::gpu) return false;
    for (const NodeRef alias : each.root()["aliases"]) names.push_back(alias.as_string().value_or(""));
    return false;
  });
  std::string hint = did_you_mean(name, names);
  if (hint.empty()) hint = "`shapelint gpus` lists the known ones; `--gpu-file` reads another";
  return Error{fmt::format("unknown GPU `{}`", name), std::move(hint), {}, {}, ErrorCode::unknown_name};
}

namespace {

// Of a file that is compiled in, read when it is first asked for: a run asks for each of its configurations,
// and again where it tries a fix. Several threads may ask.
const Gpu& builtin_gpu(const Document& file) {
  static std::mutex mutex;
  static auto& known = *new std::map<const Document*, Gpu>;
  const std::lock_guard lock(mutex);
  if (const auto found = known.find(&file); found != known.end()) return found->second;
  const Uncharged kept;
  std::vector<Error> errors;  // tests see to it that there are none
  return known.emplace(&file, read_gpu(file, errors)).first->second;
}

}  // namespace

Result<Gpu> find_gpu(std::string_view name, std::span<const Document> own) {
  const auto file = find_profile(name, own);
  if (!file) return file.error();
  if (own.empty()) return builtin_gpu(**file);
  std::vector<Error> errors;
  Gpu gpu = read_gpu(**file, errors, own);
  if (!errors.empty()) return errors.front();
  return gpu;
}

const Document* find_architecture_file(std::string_view id, std::span<const Document> own) {
  return find_file(FileKind::architecture, own, [&](const Document& each) { return id_of(each) == id; });
}

void check_architecture(text::NodeRef item, std::string_view id, std::vector<Error>& errors) {
  if (!find_architecture_file(id)) errors.push_back(item.error(fmt::format("unknown architecture `{}`", id)));
}

Result<Architecture> find_architecture(std::string_view id, std::span<const Document> own) {
  if (const Document* file = find_architecture_file(id, own)) {
    std::vector<Error> errors;
    Architecture architecture = read_architecture(*file, errors);
    if (!errors.empty()) return errors.front();
    return architecture;
  }
  const auto has_id = [&](const Document& each) { return id_of(each) == id; };
  const Document* profile = find_file(FileKind::gpu, own, has_id);
  std::string hint = profile != nullptr ? fmt::format("{} has no `kind = \"architecture\"`", profile->path())
                                        : did_you_mean(id, ids_of(FileKind::architecture, own));
  return Error{
      fmt::format("unknown architecture `{}`", id), std::move(hint), {}, {}, ErrorCode::unknown_name};
}

Error cannot_multiply(std::span<const Gpu> gpus, DType dtype) {
  std::string ids;
  for (const Gpu& each : gpus) ids += (ids.empty() ? "" : " and ") + each.id;
  return {fmt::format("`dtype` {} is not supported by {}", name(dtype), ids),
          "choose another GPU, or a dtype that it supports",
          {},
          {}};
}

const Gpu* find_by_id(std::span<const Gpu> gpus, std::string_view id) {
  const auto found = std::find_if(gpus.begin(), gpus.end(), [&](const Gpu& each) { return each.id == id; });
  return found == gpus.end() ? nullptr : &*found;
}

}  // namespace shapelint::gpu
