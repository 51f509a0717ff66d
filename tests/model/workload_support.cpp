// Workloads as text.
#include "tests/model/workload_support.hpp"

#include "base/number.hpp"
#include "model/op.hpp"
#include "tests/formats/native/native_support.hpp"

namespace shapelint::tests {

using namespace model;

std::string table(const Workload& workload, OpKind kind) {
  std::string out = "\n";
  const auto n = [](const Dim& dim) { return std::to_string(dim.value); };
  for (const Op& op : workload.ops) {
    if (op.kind != kind) continue;
    out += std::string(op.name) + "  " + std::string(name(op.pass)) + "  ";
    if (kind == OpKind::gemm) {
      out += n(op.batch) + " x " + n(op.m) + " x " + n(op.n) + " x " + n(op.k) + "  " +
             std::string(name(op.layout));
    } else if (kind == OpKind::attention) {
      const AttentionShape& a = op.attention;
      out += n(a.sequences) + ", " + n(a.heads) + "/" + n(a.key_value_heads) + ", " + n(a.query_length) +
             "/" + n(a.key_length) + ", " + n(a.head_dim) + "/" + n(a.value_head_dim) +
             (a.causal ? " causal" : "");
    } else if (kind == OpKind::collective) {
      out += std::string(name(op.collective)) + "  " + exact(op.bytes) + "  " + std::to_string(op.ranks);
      if (op.overlapped) out += " overlapped";
    } else {
      out += exact(op.bytes);
    }
    out += "  *" + exact(op.count) + "\n";
  }
  return out;
}

Setup model_setup(const std::string& model, const std::string& run) {
  return setup_of("[model]\n" + model, run);
}

Setup example(const std::string& name) {
  return native_file("examples/" + name + ".toml").readings[0].setup;
}

Setup with_plain_exchange(Setup setup) {
  setup.plan.overlap = model::Overlap::none;
  setup.plan.dispatch_bits = 0;
  return setup;
}

Setup replica(const std::string& name) {
  Setup setup = with_plain_exchange(example(name));
  setup.plan.recompute = model::Recompute::none;
  setup.plan.recompute_norms = false;
  setup.plan.recompute_up_projections = false;
  setup.plan.recompute_expert_activations = false;
  setup.plan.gradient_accumulation = 1;
  setup.plan.pipeline = 1;
  setup.plan.data = setup.plan.expert;
  setup.plan.zero = 0;
  return setup;
}

Setup decoding_deepseek_v3() {
  Setup setup = with_plain_exchange(example("deepseek-v3"));
  setup.plan.mode = Mode::decode;
  setup.plan.micro_batch_size = 64;
  setup.plan.context_length = 4096;
  setup.plan.pipeline = 1;
  setup.plan.data = 1;
  setup.plan.tensor = 8;
  setup.plan.expert = 8;
  return setup;
}

const Op* find(const Workload& workload, std::string_view name, Pass pass) {
  for (const Op& op : workload.ops) {
    if (op.name == name && op.pass == pass) return &op;
  }
  return nullptr;
}

}  // namespace shapelint::tests
