// Names of models.
#include "formats/dialect/named.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <string_view>

#include "base/strings.hpp"
#include "formats/dialect/known.hpp"
#include "formats/dialect/paths.hpp"
#include "formats/dialect/values.hpp"

namespace shapelint::formats {

namespace {

const ModelType* find_type(const Dialect& dialect, const std::string& name) {
  if (name.empty()) return nullptr;
  const auto exact_match = dialect.types.find(name);
  if (exact_match != dialect.types.end()) return &exact_match->second;
  // A name that is spelt out goes before a pattern that happens to match.
  const ModelType* by_pattern = nullptr;
  for (const auto& [patterns, type] : dialect.types) {
    std::string_view rest = patterns;
    while (!rest.empty()) {
      const std::string_view pattern = rest.substr(0, rest.find('|'));
      rest.remove_prefix(std::min(rest.size(), pattern.size() + 1));
      if (!glob_matches(pattern, name, Glob::name)) continue;
      if (pattern.find('*') == std::string_view::npos) return &type;
      if (by_pattern == nullptr) by_pattern = &type;
    }
  }
  return by_pattern;
}

}  // namespace

std::vector<const ModelType*> types_like(const Dialect& dialect, const std::string& name) {
  std::vector<const ModelType*> types;
  const ModelType* found = find_type(dialect, name);
  for (int links = 0; found != nullptr && links < max_likenesses; ++links) {
    types.push_back(found);
    found = found->like.empty() ? nullptr : find_type(dialect, found->like);
  }
  return types;
}

using text::Kind;
using text::NodeRef;

namespace {

// `{recipe._target_:last}`: of a path of Python, the function that it ends with.
constexpr std::string_view last_word = ":last";

}  // namespace

std::string text_of(NodeRef node) {
  if (node.is(Kind::list)) node = node[0];
  return std::string(node.as_string().value_or(""));
}

NamedModel named_model(const std::string& pattern, const View& view, const Place& base,
                       std::span<const Place> scopes) {
  if (!is_composed(pattern)) {
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
    std::string key = pattern.substr(open + 1, close - open - 1);
    const bool is_last = key.ends_with(last_word);
    if (is_last) key.resize(key.size() - last_word.size());
    const KeyPath path = parse_key_path(key);
    std::string text = text_of(find(path));
    if (is_last) text.erase(0, text.find_last_of('.') + 1);  // npos + 1: 0
    if (text.empty()) {
      // A file that is not there may name it.
      const Missing* missing = view.missing_at(path, base, model::FieldId::hidden_size);
      if (missing == nullptr) return {};
      return {{}, Unresolved{model::no_field, missing->node, missing->meaning, false}};
    }
    out += text;
    at = close + 1;
  }
  return {out, {}};
}

namespace {

// Words that say of what follows that it is another model.
constexpr std::array<std::string_view, 14> other_models = {"lora",    "adapter", "draft",  "eagle", "eagle3",
                                                           "medusa",  "mtp",     "pruned", "lite",  "mini",
                                                           "distill", "width",   "depth",  "tiny"};

// `7b`, `a3b`, `0.6b`, `350m`, `8x7b`.
bool is_size(std::string_view word) {
  if (word.size() < 2) return false;
  const char unit = word.back();
  const char before = word[word.size() - 2];
  return (unit == 'b' || unit == 'm' || unit == 'B' || unit == 'M') && before >= '0' && before <= '9';
}

bool changes_model(std::string_view rest) {
  while (!rest.empty()) {
    const auto end = std::min(rest.find_first_of("-_"), rest.size());
    std::string word(rest.substr(0, end));
    std::transform(word.begin(), word.end(), word.begin(),
                   [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    if (is_size(word) || std::find(other_models.begin(), other_models.end(), word) != other_models.end())
      return true;
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  return false;
}

// A GGUF file's name without its ending, its part of several, and how it is quantized:
// `Qwen3-8B-Q4_K_M.gguf`.
std::string_view without_file_endings(std::string_view name) {
  constexpr std::string_view ending = ".gguf";
  const bool is_file = name.ends_with(ending);
  if (is_file) name.remove_suffix(ending.size());
  const auto tag = name.find_last_of(':');
  if (tag != std::string_view::npos && tag > 1) return name.substr(0, tag);
  return name;
}

}  // namespace

BaseModel base_model(std::string_view asked) {
  const std::string_view name = without_file_endings(asked);
  if (name.size() != asked.size() && find_known_model(name) != nullptr) return {std::string(name), true};
  const std::size_t begin = name.find_last_of('/') + 1;  // npos + 1: 0
  for (std::size_t end = name.find_last_of("-_."); end != std::string_view::npos && end > begin;
       end = name.find_last_of("-_.", end - 1)) {
    const std::string_view head = name.substr(begin, end - begin);
    // A family alone (`llama`) has no size.
    const bool has_size = std::any_of(head.begin(), head.end(), [](char c) { return c >= '0' && c <= '9'; });
    if (!has_size) return {};
    if (find_known_model(head) != nullptr) return {std::string(head), !changes_model(name.substr(end + 1))};
  }
  return {};
}

bool is_named_size(model::FieldId field) {
  using model::FieldId;
  constexpr std::array sizes{FieldId::hidden_size,         FieldId::num_layers,
                             FieldId::num_attention_heads, FieldId::num_key_value_heads,
                             FieldId::intermediate_size,   FieldId::vocab_size};
  return std::find(sizes.begin(), sizes.end(), field) != sizes.end();
}

}  // namespace shapelint::formats
