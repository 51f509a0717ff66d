// Reads the table of ONNX operators.
#include "formats/onnx/operators.hpp"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "base/strings.hpp"
#include "catalog/catalog.hpp"

namespace shapelint::formats {

namespace {

constexpr std::array<std::string_view, 12> operator_uses{
    "nothing", "fused",  "memory",         "left out",  "conv",   "transposed conv",
    "gemm",    "matmul", "packed weights", "recurrent", "einsum", "attention"};
constexpr std::array<std::string_view, 6> shape_rules{"as input", "as operator", "matmul",
                                                      "columns",  "embedding",   "attention"};

class OperatorReader {
 public:
  explicit OperatorReader(std::vector<Error>& errors) : errors_(errors) {}

  void read(const text::Document& document) {
    for (const text::NodeRef entry : document.root()) {
      if (entry.key() == "source") continue;
      if (entry.key() != "lowered" && entry.key() != "shape") {
        errors_.push_back(with_code(entry.key_error(fmt::format("unknown key `{}`", entry.key())),
                                    ErrorCode::unknown_name));
        continue;
      }
      for (const text::NodeRef each : entry) entry.key() == "shape" ? shape(each) : lowered(each);
    }
  }

  GraphOperators operators;

 private:
  std::size_t choice(const text::NodeRef& node, std::span<const std::string_view> choices) {
    const std::string_view name = node.as_string().value_or("");
    const auto found = std::find(choices.begin(), choices.end(), name);
    if (found != choices.end()) return static_cast<std::size_t>(found - choices.begin());
    errors_.push_back(node.error(fmt::format("unknown rule `{}`", name), did_you_mean(name, choices)));
    return 0;
  }

  static void number(const text::NodeRef& node, std::string_view key, std::int64_t& target) {
    if (const auto value = node[key].as_integer()) target = *value;
  }

  template <class Rule>
  void add(const text::NodeRef& node, const Rule& rule, std::map<std::string, Rule, std::less<>>& rules) {
    if (node["operators"].size() == 0) errors_.push_back(node.error("`operators` is missing"));
    for (const text::NodeRef each : node["operators"]) {
      if (rules.try_emplace(std::string(each.as_string().value_or("")), rule).second) continue;
      errors_.push_back(each.error("the operator has a rule already"));
    }
  }

  void lowered(const text::NodeRef& node) {
    OperatorRule rule;
    rule.use = static_cast<OperatorUse>(choice(node["use"], operator_uses));
    number(node, "a", rule.a);
    number(node, "b", rule.b);
    number(node, "bias", rule.bias);
    number(node, "gates", rule.gates);
    rule.projected = node["projected"].as_boolean().value_or(false);
    rule.copies = node["copies"].as_boolean().value_or(false);
    add(node, rule, operators.rules);
  }

  void shape(const text::NodeRef& node) {
    ShapeRule rule;
    rule.kind = static_cast<ShapeRuleKind>(choice(node["rule"], shape_rules));
    number(node, "input", rule.input);
    number(node, "type_input", rule.type_input);
    rule.attribute = node["attribute"].as_string().value_or("");
    rule.op = node["operator"].as_string().value_or("");
    if (node["outputs"]) rule.outputs.clear();
    for (const text::NodeRef each : node["outputs"]) rule.outputs.push_back(each.as_integer().value_or(0));
    add(node, rule, operators.shapes);
  }

  std::vector<Error>& errors_;
};

}  // namespace

const OperatorRule& GraphOperators::rule(std::string_view op) const {
  static const OperatorRule nothing;
  const auto found = rules.find(op);
  return found == rules.end() ? nothing : found->second;
}

GraphOperators read_operators(std::span<const text::Document> documents, std::vector<Error>& errors) {
  OperatorReader reader(errors);
  for (const text::Document& each : documents) reader.read(each);
  return std::move(reader.operators);
}

const GraphOperators& builtin_operators() {
  static const GraphOperators operators = [] {
    std::vector<Error> errors;  // the data file is checked by a test
    return read_operators(catalog::builtin("formats/onnx"), errors);
  }();
  return operators;
}

}  // namespace shapelint::formats
