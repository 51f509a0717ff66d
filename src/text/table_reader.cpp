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

void TableReader::look_up(NodeRef table, std::span<const std::string_view> known, std::span<NodeRef> values,
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

Error TableReader::missing(NodeRef table, std::string_view key) {
  return table.error(fmt::format("the key `{}` is missing", key));
}

std::string_view TableReader::text(NodeRef node) {
  if (const auto value = node.as_string()) return *value;
  errors_.push_back(node.error(fmt::format("expected a string, found {}", describe(node.kind()))));
  return {};
}

std::vector<NodeRef> TableReader::list(NodeRef node) {
  std::vector<NodeRef> out;
  if (node.is(Kind::list)) {
    for (const NodeRef item : node) out.push_back(item);
  } else {
    errors_.push_back(node.error(fmt::format("expected a list, found {}", describe(node.kind())),
                                 node.is(Kind::table) ? fmt::format("write `[[{}]]`", node.key()) : ""));
  }
  return out;
}

void TableReader::read_value(NodeRef node, std::vector<std::string_view>& into) {
  for (const NodeRef item : list(node)) into.push_back(text(item));
}

void TableReader::read_value(NodeRef node, bool& into) {
  if (const auto value = node.as_boolean()) {
    into = *value;
  } else {
    errors_.push_back(node.error("expected true or false"));
  }
}

std::optional<std::size_t> TableReader::choice(NodeRef node, std::string_view kind,
                                               std::span<const std::string_view> known) {
  const auto name = node.as_string();
  if (!name) {
    errors_.push_back(node.error(fmt::format("expected a string, found {}", describe(node.kind()))));
    return std::nullopt;
  }
  const auto found = std::find(known.begin(), known.end(), *name);
  if (found != known.end()) return static_cast<std::size_t>(found - known.begin());
  std::string hint = did_you_mean(*name, known);
  if (hint.empty()) hint = fmt::format("one of {}", fmt::join(known, ", "));
  errors_.push_back(with_code(node.error(fmt::format("`{}` is not a known {}", *name, kind), std::move(hint)),
                              ErrorCode::unknown_name));
  return std::nullopt;
}

}  // namespace shapelint::text
