// Names of models.
#include "formats/dialect/named.hpp"

#include <algorithm>
#include <array>

#include "formats/dialect/paths.hpp"

namespace shapelint::formats {

using text::Kind;
using text::NodeRef;

std::string text_of(NodeRef node) {
  if (node.is(Kind::list)) node = node[0];
  return std::string(node.as_string().value_or(""));
}

NamedModel named_model(const std::string& pattern, const View& view, const Place& base,
                       std::span<const Place> scopes) {
  if (pattern.find('{') == std::string::npos) {
    const NodeRef node = view.find_first(parse_key_paths(pattern), base);
    if (node.is(Kind::unknown))
      return {{}, Unresolved{model::no_field, node, std::string(node.note()), true}};
    return {text_of(node), {}};
  }
  const auto find = [&](const KeyPath& path) -> NodeRef {
    for (const Place& scope : scopes) {
      if (const NodeRef node = view.find(path, scope)) return node;
    }
    return {};
  };
  std::string out;
  for (std::size_t at = 0; at < pattern.size();) {
    const auto open = pattern.find('{', at);
    out += pattern.substr(at, open - at);
    if (open == std::string::npos) break;
    const auto close = std::min(pattern.find('}', open), pattern.size());
    const std::string text = text_of(find(parse_key_path(pattern.substr(open + 1, close - open - 1))));
    if (text.empty()) return {};
    out += text;
    at = close + 1;
  }
  return {out, {}};
}

bool is_named_size(model::FieldId field) {
  using model::FieldId;
  constexpr std::array sizes{FieldId::hidden_size,         FieldId::num_layers,
                             FieldId::num_attention_heads, FieldId::num_key_value_heads,
                             FieldId::intermediate_size,   FieldId::vocab_size};
  return std::find(sizes.begin(), sizes.end(), field) != sizes.end();
}

}  // namespace shapelint::formats
