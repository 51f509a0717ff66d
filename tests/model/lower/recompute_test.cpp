// What runs again in the backward pass, part by part.
#include <set>
#include <string>

#include "model/lower/lower.hpp"
#include "tests/catch.hpp"
#include "tests/model/workload_support.hpp"

using namespace shapelint;
using namespace shapelint::model;
using tests::find;
using tests::replica;

namespace {

// Names of the ops of a step that run again.
std::set<std::string> again(const Setup& setup) {
  std::set<std::string> out;
  for (const Op& op : lower(setup).ops)
    if (op.pass == Pass::recompute) out.insert(std::string(op.name));
  return out;
}

// How often an op runs again for each time that it runs.
double share(const Setup& setup, const std::string& name) {
  const Workload workload = lower(setup);
  const Op* op = find(workload, name, Pass::recompute);
  return op == nullptr ? 0 : op->count / find(workload, name)->count;
}

}  // namespace

TEST_CASE("each part of a layer runs its own operations again", "[model]") {
  const Setup setup = replica("deepseek-v3");
  CHECK(again(setup).empty());
  const auto with = [&](bool Plan::*part) {
    Setup changed = setup;
    changed.plan.*part = true;
    return again(changed);
  };
  using Names = std::set<std::string>;
  CHECK(with(&Plan::recompute_norms) == Names{"layer.norm"});
  CHECK(with(&Plan::recompute_up_projections) == Names{"layer.attention.kv_norm", "layer.attention.kv_up",
                                                       "layer.attention.q_norm", "layer.attention.q_up",
                                                       "layer.attention.rotary"});
  CHECK(with(&Plan::recompute_mlp) ==
        Names{"layer.mlp.activation", "layer.mlp.down", "layer.mlp.gate_up", "layer.mlp.quantize"});
  CHECK(with(&Plan::recompute_expert_activations) == Names{"layer.moe.activation"});
  CHECK(with(&Plan::recompute_shared_experts) == Names{"layer.moe.shared_activation", "layer.moe.shared_down",
                                                       "layer.moe.shared_gate_up",
                                                       "layer.moe.shared_quantize"});
  const Names experts = with(&Plan::recompute_experts);
  for (const char* part : {"layer.moe.router", "layer.moe.dispatch", "layer.moe.gate_up",
                           "layer.moe.activation", "layer.moe.shared_down"})
    CHECK(experts.count(part) == 1);
  CHECK(experts.count("layer.mlp.down") == 0);
}

TEST_CASE("every second product runs again, and attention does not", "[model]") {
  Setup setup = replica("llama-3-8b");
  setup.plan.recompute = Recompute::operations;
  // Of queries, keys and values (4096, 1024, 1024) the keys; then the output; of gate and branch the latter.
  CHECK(share(setup, "layer.attention.qkv") == Approx(1024.0 / 6144));
  CHECK(share(setup, "layer.attention.output") == 1);
  CHECK(share(setup, "layer.mlp.gate_up") == 0.5);
  CHECK(share(setup, "layer.mlp.down") == 0);
  CHECK(share(setup, "layer.attention.flash") == 0);
  CHECK(share(setup, "layer.norm") == 1);
  CHECK(share(setup, "layer.mlp.activation") == 1);
  CHECK(share(setup, "head.logits") == 0);
  setup.plan.recompute = Recompute::elementwise;
  CHECK(again(setup) == std::set<std::string>{"layer.attention.flash", "layer.attention.residual",
                                              "layer.attention.rotary", "layer.mlp.activation",
                                              "layer.mlp.residual", "layer.norm"});
}

TEST_CASE("of some layers, as many as are computed again run again", "[model]") {
  Setup setup = replica("llama-3-8b");
  setup.plan.recompute = Recompute::full;
  CHECK(share(setup, "layer.mlp.down") == 1);
  setup.plan.recompute_layers = 8;
  CHECK(share(setup, "layer.mlp.down") == 0.25);
  setup.plan.recompute_layers = 100;
  CHECK(share(setup, "layer.mlp.down") == 1);
  // Several together are each run once more, too.
  setup.plan.recompute_unit = 4;
  CHECK(share(setup, "layer.mlp.down") == 1);
}
