// Reading tables of data files.
#include "text/table_reader.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "base/strings.hpp"

namespace shapelint::text {

namespace {

// The place of a key among others, or their number. Most differ in their length or first letter already.
std::size_t place_of(std::string_view key, std::span<const std::string_view> known) {
  const auto found = std::find_if(known.begin(), known.end(), [&](std::string_view each) {
    return each.size() == key.size() && (key.empty() || each.front() == key.front()) && each == key;
  });
  return static_cast<std::size_t>(found - known.begin());
}

Error unknown_key(NodeRef child, std::span<const std::string_view> known) {
  const std::string_view key = child.key();
  return with_code(child.key_error(fmt::format("unknown key `{}`", key), did_you_mean(key, known)),
                   ErrorCode::unknown_name);
}

}  // namespace

void check_keys(NodeRef table, std::span<const std::string_view> known, std::vector<Error>& errors,
                std::string_view also) {
  for (const NodeRef child : table) {
    const std::string_view key = child.key();
    if (place_of(key, known) < known.size() || (!also.empty() && key == also)) continue;
    std::vector<std::string_view> all(known.begin(), known.end());
    if (!also.empty()) all.push_back(also);
    errors.push_back(unknown_key(child, all));
  }
}

void read_values(NodeRef table, std::span<const std::string_view> known, std::span<NodeRef> values,
                 std::vector<Error>& errors) {
  for (const NodeRef child : table) {
    const std::size_t place = place_of(child.key(), known);
    if (place < known.size()) {
      values[place] = child;
    } else {
      errors.push_back(unknown_key(child, known));
    }
  }
}

std::string_view TableReader::string_or(NodeRef node, std::string_view fallback) {
  if (!node) return fallback;
  if (const auto value = node.as_string()) return *value;
  errors_.push_back(node.error(fmt::format("expected a string, found {}", describe(node.kind()))));
  return fallback;
}

std::string_view TableReader::required(NodeRef table, std::string_view key, NodeRef value) {
  if (!value) errors_.push_back(table.error(fmt::format("the key `{}` is missing", key)));
  return string_or(value, {});
}

std::vector<NodeRef> TableReader::list(NodeRef node) {
  std::vector<NodeRef> out;
  if (!node) return out;
  if (node.is(Kind::list)) {
    for (const NodeRef item : node) out.push_back(item);
  } else {
    errors_.push_back(node.error(fmt::format("expected a list, found {}", describe(node.kind())),
                                 node.is(Kind::table) ? fmt::format("write `[[{}]]`", node.key()) : ""));
  }
  return out;
}

}  // namespace shapelint::text
