// Adding values to a text.
#include "formats/edit.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "text/document.hpp"
#include "text/toml/toml.hpp"

namespace shapelint::formats {

namespace {

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

}  // namespace

bool can_add(const model::Reading& reading, model::FieldId field) {
  const model::Origin::Kind kind = model::origin(reading, field).kind;
  return reading.dialect == "native" && field != model::no_field && kind != model::Origin::Kind::stated &&
         kind != model::Origin::Kind::command_line;
}

std::string add_values(std::string source, std::span<const AddedValue> values) {
  for (const AddedValue& each : values) {
    const model::FieldInfo& field = model::info(each.field);
    const std::string_view quote = field.choices.empty() ? "" : "\"";
    const std::string line =
        fmt::format("{} = {}{}{}\n", field.key, quote, model::value_text(each.field, each.value), quote);
    const auto document = text::parse_toml("", source);
    const std::int64_t at = document ? place_in_table(source, *document, field.section) : -1;
    const bool is_last = at < 0 || at == static_cast<std::int64_t>(source.size());
    if (is_last && !source.empty() && source.back() != '\n') source += '\n';
    if (at < 0) source += fmt::format("\n[{}]\n", field.section);
    source.insert(is_last ? source.size() : static_cast<std::size_t>(at), line);
  }
  return source;
}

}  // namespace shapelint::formats
