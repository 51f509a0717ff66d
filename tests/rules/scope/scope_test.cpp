// Scopes of rules: what each looks at, and that all that its rules may name is there.
#include "rules/scope/scope.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <string>
#include <vector>

#include "model/lower/lower.hpp"
#include "rules/scope/subjects.hpp"
#include "rules/scope/variables.hpp"
#include "tests/catch.hpp"
#include "tests/rules/rules_support.hpp"

using namespace shapelint;

namespace {

model::Reading transformer() {
  model::Reading reading = tests::read(R"(
[model]
hidden_size = 1024
num_layers = 2
num_attention_heads = 16
vocab_size = 32000
[run]
mode = "prefill"
sequence_length = 512
)");
  reading.remarks.emplace_back();
  return reading;
}

model::Reading network() {
  return tests::read(R"(
[model]
in_channels = 3
image = 32
[[conv]]
out_channels = 64
kernel = 3
[[conv]]
type = "linear"
out_channels = 10
)");
}

// What the scope looks at, in words; checks that each has a value for every variable that the scope sees.
std::string looked_at(const rules::ScopeInfo& scope, const model::Reading& reading,
                      std::vector<std::string_view> blame) {
  const gpu::Gpu gpu = tests::gpus({"a100"}).front();
  const model::Workload workload = model::lower(reading.setup);
  const cost::StepCost step = cost::price(gpu, workload, reading.setup.plan.dtype);
  const model::Network shapes = model::resolve(reading.setup.model);
  rules::DimensionBlames blames;
  const rules::Baseline baseline{&gpu, &workload, &step, &shapes, &blames};
  std::map<std::string, int> seen;
  for (const rules::Subject& subject : scope.subjects({reading, baseline, blame})) {
    for (const rules::LevelInfo& level : rules::levels()) {
      if (!rules::sees(scope.scope, level.level)) continue;
      for (const rules::Variable& variable : level.variables) {
        INFO(scope.name << " " << variable.name);
        CHECK(std::isfinite(variable.get(subject.context)));
      }
    }
    const rules::Context& c = subject.context;
    ++seen[c.layer.shape != nullptr    ? c.layer.shape->name
           : c.operation.op != nullptr ? std::string(c.operation.op->name) + " " + c.operation.letter
           : c.known.model != nullptr  ? "a known model"
           : c.remark != nullptr       ? "a remark"
                                       : "the model"];
  }
  std::string out;
  for (const auto& [what, count] : seen) out += what + (count > 1 ? " …\n" : "\n");
  return out;
}

}  // namespace

TEST_CASE("each scope looks at its subjects, and all that it sees of them has a value") {
  std::map<std::string_view, std::string> found;
  for (const rules::ScopeInfo& scope : rules::scopes()) {
    const bool of_network = scope.blames == rules::Blames::layer_numbers;
    const bool of_product = scope.blames == rules::Blames::fields_or_dimensions;
    std::vector<std::string_view> blame{of_network ? "out_channels" : "hidden_size"};
    if (of_product) blame = {"n", "k"};
    found[scope.name] = looked_at(scope, of_network ? network() : transformer(), blame);
  }
  const std::string once = "the model\n";
  const std::map<std::string_view, std::string> expected{
      {"model", once},
      {"parallel", once},
      {"step", once},
      {"file", once},
      {"gemm",
       "head.logits k\nhead.logits n\n"
       "layer.attention.output k\nlayer.attention.output n\n"
       "layer.attention.qkv k\nlayer.attention.qkv n\n"
       "layer.mlp.down k\nlayer.mlp.down n\n"
       "layer.mlp.up k\nlayer.mlp.up n\n"},
      {"attention", "layer.attention.flash n\n"},
      {"conv", "conv1\nlinear2\n"},
      {"remark", "a remark\n"},
      {"known", "a known model …\n"},
      {"comment", ""},
      {"contract", ""},
  };
  CHECK(found == expected);
}

TEST_CASE("a scope sees the model, the GPU where there is one, and what it looks at") {
  const auto seen = [](rules::Scope scope) {
    std::string out;
    for (const rules::LevelInfo& level : rules::levels()) {
      if (rules::sees(scope, level.level)) out += std::string(level.name) + "; ";
    }
    return out;
  };
  CHECK(seen(rules::Scope::model) == "the model; the GPU; ");
  CHECK(seen(rules::Scope::step) == "the model; the GPU; the predicted step; ");
  CHECK(seen(rules::Scope::gemm) == "the model; the GPU; the predicted step; one operation; one GEMM; ");
  CHECK(seen(rules::Scope::conv) ==
        "the model; the GPU; the predicted step; one operation; one GEMM; one layer of a "
        "convolutional network; ");
  CHECK(seen(rules::Scope::remark) == "the model; the file as written; ");
}

// A number of a field's choice would be taken for the variable.
TEST_CASE("no choice of a field is called as a variable of rules", "[rules]") {
  for (const rules::LevelInfo& level : rules::levels()) {
    for (const rules::Variable& variable : level.variables) {
      for (const model::FieldInfo& field : model::fields()) {
        CAPTURE(variable.name, field.name);
        CHECK(std::find(field.choices.begin(), field.choices.end(), variable.name) == field.choices.end());
      }
    }
  }
}
