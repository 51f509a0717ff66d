// Reading tables of data files.
#include "text/table_reader.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "base/names.hpp"

namespace shapelint::text {

void check_keys(NodeRef table, std::span<const std::string_view> known, std::vector<Error>& errors,
                std::string_view also) {
  for (const NodeRef child : table) {
    const std::string_view key = child.key();
    if (std::find(known.begin(), known.end(), key) != known.end() || (!also.empty() && key == also)) continue;
    std::vector<std::string_view> all(known.begin(), known.end());
    if (!also.empty()) all.push_back(also);
    errors.push_back(with_code(child.key_error(fmt::format("unknown key `{}`", key), did_you_mean(key, all)),
                               ErrorCode::unknown_name));
  }
}

std::string_view TableReader::string_or(NodeRef node, std::string_view fallback) {
  if (!node) return fallback;
  if (const auto value = node.as_string()) return *value;
  errors_.push_back(node.error(fmt::format("expected a string, found {}", describe(node.kind()))));
  return fallback;
}

std::string_view TableReader::required(NodeRef table, std::string_view key) {
  const NodeRef node = table[key];
  if (!node) errors_.push_back(table.error(fmt::format("the key `{}` is missing", key)));
  return string_or(node, {});
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
