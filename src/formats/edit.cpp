// Replacing values in a text.
#include "formats/edit.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "base/number.hpp"
#include "text/document.hpp"
#include "text/toml/toml.hpp"

namespace shapelint::formats {

namespace {

using model::Origin;

struct Replacement {
  Span span;
  std::string text;
};

// The number that a literal spells: `50257`, `50_257`, and the same in quotes.
std::optional<std::int64_t> number_of(std::string_view literal) {
  std::string digits;
  for (const char c : literal) {
    if (c != '_' && c != '"' && c != '\'') digits += c;
  }
  return parse_integer(digits);
}

// The new literal in the manner of the old one: quotes stay.
std::string literal_of(std::string_view old, std::int64_t value) {
  const bool quoted =
      old.size() >= 2 && (old.front() == '"' || old.front() == '\'') && old.back() == old.front();
  return quoted ? fmt::format("{}{}{}", old.front(), value, old.back()) : fmt::format("{}", value);
}

void replace_stated(std::string_view source, const model::Reading& reading, const ValueEdit& edit,
                    const Origin& origin, std::vector<Replacement>& out, std::vector<Error>& errors) {
  const std::string_view name = model::info(edit.field).name;
  if (origin.path != reading.path) {
    errors.push_back({fmt::format("`{}` is stated in another file, {}", name, origin.path), "edit that file",
                      reading.path, std::nullopt});
    return;
  }
  const auto size = static_cast<std::int64_t>(source.size());
  const bool inside =
      origin.span.begin >= 0 && origin.span.begin < origin.span.end && origin.span.end <= size;
  const std::string_view literal =
      inside ? source.substr(static_cast<std::size_t>(origin.span.begin),
                             static_cast<std::size_t>(origin.span.end - origin.span.begin))
             : std::string_view{};
  if (number_of(literal) != edit.from) {
    errors.push_back({fmt::format("`{}` is {} here, but not written as that number", name, edit.from),
                      fmt::format("change it by hand so that `{}` becomes {}", name, edit.to), reading.path,
                      inside ? std::optional<Span>(origin.span) : std::nullopt});
    return;
  }
  const auto same =
      std::find_if(out.begin(), out.end(), [&](const Replacement& r) { return r.span == origin.span; });
  std::string text = literal_of(literal, edit.to);
  if (same == out.end()) {
    out.push_back({origin.span, std::move(text)});
  } else if (same->text != text) {
    errors.push_back(
        {fmt::format("one value gives `{}` and another field, and they need different ones", name),
         "edit it by hand", reading.path, origin.span});
  }
}

// Behind the last plain key of the native file's table `section`.
std::int64_t place_in_table(std::string_view source, const text::Document& document,
                            std::string_view section) {
  text::NodeRef table = document.root();
  while (!section.empty()) {
    const std::size_t dot = std::min(section.find('.'), section.size());
    table = table[section.substr(0, dot)];
    section.remove_prefix(std::min(dot + 1, section.size()));
  }
  std::int64_t end = -1;
  for (const text::NodeRef child : table) {
    if (child.kind() != text::Kind::table) end = std::max(end, child.span().end);
  }
  if (end < 0) return -1;
  const std::size_t line_end = source.find('\n', static_cast<std::size_t>(end));
  return line_end == std::string_view::npos ? static_cast<std::int64_t>(source.size())
                                            : static_cast<std::int64_t>(line_end + 1);
}

void add_to_native(std::string_view source, const ValueEdit& edit, std::vector<Replacement>& out,
                   std::string& appended) {
  const model::FieldInfo& field = model::info(edit.field);
  const std::string line = fmt::format("{} = {}\n", field.key, edit.to);
  const auto document = text::parse_toml("", std::string(source));
  const std::int64_t at = document ? place_in_table(source, *document, field.section) : -1;
  if (at >= 0) {
    const bool open = at == static_cast<std::int64_t>(source.size()) && !source.ends_with('\n');
    out.push_back({{at, at}, (open ? "\n" : "") + line});
    return;
  }
  const std::string heading = fmt::format("\n[{}]\n", field.section);
  const std::size_t known = appended.find(heading);
  if (known == std::string::npos) {
    appended += heading + line;
  } else {
    appended.insert(known + heading.size(), line);
  }
}

}  // namespace

std::optional<std::string> edit_values(std::string_view source, const model::Reading& reading,
                                       std::span<const ValueEdit> edits, std::vector<Error>& errors) {
  const std::size_t before = errors.size();
  std::vector<Replacement> replacements;
  std::string appended;
  for (const ValueEdit& edit : edits) {
    const Origin& origin = model::origin(reading, edit.field);
    if (origin.kind == Origin::Kind::stated) {
      replace_stated(source, reading, edit, origin, replacements, errors);
    } else if (origin.kind == Origin::Kind::command_line) {
      errors.push_back({fmt::format("`{}` is given on the command line", model::info(edit.field).name),
                        fmt::format("give {} there, or leave it to the file", edit.to), reading.path,
                        std::nullopt});
    } else if (reading.dialect == "native") {
      add_to_native(source, edit, replacements, appended);
    } else {
      errors.push_back({fmt::format("the file does not state `{}`", model::info(edit.field).name),
                        fmt::format("add it by hand with the value {}", edit.to), reading.path,
                        std::nullopt});
    }
  }
  if (errors.size() > before) return std::nullopt;
  std::stable_sort(replacements.begin(), replacements.end(),
                   [](const Replacement& a, const Replacement& b) { return a.span.begin < b.span.begin; });
  std::string out;
  std::size_t at = 0;
  for (const Replacement& each : replacements) {
    out += source.substr(at, static_cast<std::size_t>(each.span.begin) - at);
    out += each.text;
    at = static_cast<std::size_t>(each.span.end);
  }
  out += source.substr(at);
  if (!appended.empty() && !out.empty() && out.back() != '\n') out += '\n';
  return out + appended;
}

}  // namespace shapelint::formats
