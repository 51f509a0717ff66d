// The step as a stack runs it: padded sizes, longer layers, other kernels.
#include "contracts/price.hpp"

#include <string>
#include <vector>

#include <fmt/format.h>

#include "gpu/registry.hpp"
#include "model/lower/lower.hpp"
#include "tests/catch.hpp"
#include "tests/contracts/own_book_support.hpp"
#include "tests/formats/native/native_support.hpp"

using namespace shapelint;

namespace {

const std::string trained_gpt2 = R"([model]
hidden_size = 768
num_layers = 12
num_attention_heads = 12
vocab_size = 50257
[run]
mode = "train"
attention = "flash2"
micro_batch_size = 8
sequence_length = 1024
)";

const std::string demand = R"([[contract]]
name = "demand"
summary = "a demand"
issues = ["us/ours#1"]
)";

contracts::AsRun run(const std::string& config, const std::string& contract) {
  const model::Reading reading = test::read_config(config);
  const auto gpu = gpu::find_gpu("h100");
  REQUIRE(gpu);
  const contracts::Book book = test::book_of(demand + contract);
  contracts::Checker checker(book);
  return contracts::run(reading.setup, checker.check(reading, reading.setup, *gpu), *gpu);
}

std::string summary(const contracts::AsRun& run) {
  return fmt::format("{} rows; padding {}, other kernels {}", run.setup.model.vocab_size,
                     run.price.padding_us > 0   ? "costs"
                     : run.price.padding_us < 0 ? "saves"
                                                : "none",
                     run.price.slower_us > 0 ? "cost" : "none");
}

}  // namespace

TEST_CASE("padded sizes are what is lowered and priced", "[contracts]") {
  const auto padded_to = [](const std::string& multiple) {
    return run(trained_gpt2,
               fmt::format("layer = \"embedding\"\ncondition = \"vocab_size % {0} == 0\"\n"
                           "outcome = \"pads\"\nset = {{ vocab_size = \"ceil_to(vocab_size, {0})\" }}\n",
                           multiple));
  };
  // Aligned rows are faster than 50257 of them; a great many more are not.
  CHECK(summary(padded_to("64")) == "50304 rows; padding saves, other kernels none");
  CHECK(summary(padded_to("262144")) == "262144 rows; padding costs, other kernels none");
  CHECK(summary(padded_to("1")) == "50257 rows; padding none, other kernels none");
  // Zeros are no work of the model.
  const contracts::AsRun wide = padded_to("262144");
  CHECK(wide.workload.model_flops == wide.workload_as_written.model_flops);
  CHECK(wide.workload.hardware_flops > wide.workload_as_written.hardware_flops);
  CHECK(wide.step.mfu < wide.step_as_written.mfu);
}

TEST_CASE("a layer that takes twice as long does so in the step, and nothing else does", "[contracts]") {
  const contracts::AsRun all = run(trained_gpt2,
                                   "layer = \"any\"\ncondition = \"num_layers > 12\"\n"
                                   "outcome = \"slower\"\nfactor = \"2\"\n");
  CHECK_THAT(all.step.time_us, Catch::Matchers::WithinRel(2 * all.step_as_written.time_us, 1e-9));
  CHECK(all.price.padding_us == 0);
  CHECK_THAT(all.price.slower_us, Catch::Matchers::WithinRel(all.step_as_written.time_us, 1e-9));
  const contracts::AsRun attention = run(trained_gpt2,
                                         "layer = \"attention\"\ncondition = \"num_layers > 12\"\n"
                                         "outcome = \"pads\"\nfactor = \"2\"\n");
  double own_us = 0;
  for (std::size_t i = 0; i < attention.workload.ops.size(); ++i) {
    if (contracts::is_of(attention.workload.ops[i], "attention"))
      own_us += attention.step_as_written.ops[i].time_us * attention.workload.ops[i].count;
  }
  CHECK(own_us > 0);
  CHECK_THAT(attention.price.padding_us, Catch::Matchers::WithinRel(own_us, 1e-9));
  CHECK(attention.price.slower_us == 0);
}

TEST_CASE("a contract may be about what a kernel computes, without what is beside it", "[contracts]") {
  const auto names = [](const std::string& layer) {
    const contracts::AsRun out = run(trained_gpt2, "layer = \"" + layer +
                                                       "\"\ncondition = \"num_layers > 12\"\n"
                                                       "outcome = \"slower\"\nfactor = \"2\"\n");
    std::string all;
    for (std::size_t i = 0; i < out.workload.ops.size(); ++i) {
      const model::Op& op = out.workload.ops[i];
      if (op.pass != model::Pass::forward || out.step.ops[i].time_us == out.step_as_written.ops[i].time_us)
        continue;
      all += fmt::format("{}{}", all.empty() ? "" : " ", op.name);
    }
    return all;
  };
  CHECK(names("attention") ==
        "layer.attention.qkv layer.attention.rotary layer.attention.flash layer.attention.output "
        "layer.attention.residual");
  CHECK(names("attention.kernel") == "layer.attention.flash");
}

TEST_CASE("another kernel is what is priced", "[contracts]") {
  const contracts::AsRun out = run(trained_gpt2,
                                   "layer = \"attention\"\ncondition = \"head_dim > 64\"\n"
                                   "outcome = \"falls-back\"\ninstead = \"unfused attention\"\n"
                                   "set = { attention = \"unfused\" }\n");
  CHECK(summary(out) == "50257 rows; padding none, other kernels cost");
}

TEST_CASE("every layer that a contract may name has operations of its own", "[contracts]") {
  const model::Setup setup = tests::setup_of(
      "[model]\nhidden_size = 1024\nnum_layers = 8\nnum_attention_heads = 8\nmlp_gated = true\nvocab_size = "
      "32000\nlayers_without_attention = 4\nmixer = { kind = \"mamba2\" }\nmoe = { num_experts = 8, "
      "experts_per_token = 2, num_shared_experts = 1, first_dense_layers = 2 }\n[parallel]\ntensor = 2\n",
      "sequence_length = 2048\n");
  const model::Workload work = model::lower(setup);
  const auto named = [&](std::string_view layer) {
    std::string names;
    for (const model::Op& op : work.ops) {
      const bool is_forward = op.pass == model::Pass::forward || op.pass == model::Pass::update;
      if (is_forward && contracts::is_of(op, layer)) names += std::string(op.name) + " ";
    }
    return names;
  };
  CHECK(named("attention") ==
        "layer.attention.qkv layer.attention.rotary layer.attention.flash layer.attention.output "
        "layer.attention.residual ");
  CHECK(named("attention.kernel") == "layer.attention.flash ");
  CHECK(named("state-space") ==
        "layer.mamba2.in layer.mamba2.conv layer.mamba2.chunk layer.mamba2.gated "
        "layer.mamba2.out ");
  CHECK(named("mlp") == "layer.mlp.gate_up layer.mlp.activation layer.mlp.down layer.mlp.residual ");
  CHECK(named("experts.kernel") == "layer.moe.gate_up layer.moe.activation layer.moe.down ");
  CHECK(named("optimizer") == "optimizer.gradient_norm optimizer.adam ");
  CHECK(named("embedding").starts_with("embedding.lookup "));
}
