// Experts over the same GPUs as attention: who holds what, who computes what for whom, and what is sent.
#include <cmath>

#include <rapidcheck.h>

#include "model/lower/lower.hpp"
#include "model/stages.hpp"
#include "tests/catch.hpp"
#include "tests/model/workload_support.hpp"

using namespace shapelint;
using namespace shapelint::model;
using tests::decoding_deepseek_v3;
using tests::example;
using tests::find;
using tests::table;

namespace {

// A small mixture in training on 8 tensor-parallel ranks and 4 data-parallel ones.
Setup training() {
  Setup setup = example("mixtral-8x7b");
  setup.plan.micro_batch_size = 1;
  setup.plan.sequence_length = 4096;
  setup.plan.sequence_parallel = true;
  setup.plan.tensor = 8;
  setup.plan.data = 4;
  return setup;
}

}  // namespace

TEST_CASE(
    "tensor and expert parallelism over the same eight GPUs hold the model once, except for what is whole",
    "[model]") {
  const Setup setup = decoding_deepseek_v3();
  const double parameters = static_cast<double>(parameter_count(setup));
  CHECK(parameters == Approx(671.03e9).epsilon(1e-4));
  const RankParameters held = parameters_per_rank(setup);
  // Each rank has the products down to the latents of 61 layers (vLLM, deepseek_v2.py: ReplicatedLinear).
  const double again = 7 * 61.0 * 7168 * (1536 + 512 + 64);
  CHECK(8 * (held.dense + held.expert) == Approx(parameters + again).epsilon(1e-12));
  // fp8, except for the embedding and the head
  const double wide = 2.0 * 129280 * 7168;
  CHECK(8 * served_weight_bytes(setup) == Approx(parameters + again + wide).epsilon(1e-4));
}

TEST_CASE("ranks of one tensor-parallel group hold the same tokens, and exchange none", "[model]") {
  const Workload workload = lower(decoding_deepseek_v3());
  CHECK(find(workload, "layer.moe.all_to_all") == nullptr);
  CHECK(find(workload, "layer.moe.reduce")->collective == CollectiveKind::all_reduce);
  CHECK(find(workload, "layer.moe.reduce")->ranks == 8);
  CHECK(find(workload, "layer.moe.reduce")->bytes == 64.0 * 7168 * 2);
  // 256 (1 - (1 - 8/256)^64) = 222.4 experts have work, 27.75 of a rank's 32; each is whole
  const Op& up = *find(workload, "layer.moe.gate_up");
  CHECK(up.batch.value == 28);
  CHECK(up.m.value == 3);
  CHECK(up.n.value == 2 * 2048);
}

TEST_CASE("attention data parallelism brings tokens of its own to the experts", "[model]") {
  Setup setup = decoding_deepseek_v3();
  setup.plan.tensor = 1;
  setup.plan.data = 8;
  const Workload spread = lower(setup);
  const Op& exchange = *find(spread, "layer.moe.all_to_all");
  CHECK(exchange.ranks == 8);
  CHECK(exchange.bytes == 64.0 * 8 * 7168 * 2);
  CHECK(exchange.copies == TokenDispatch{8});
  CHECK(find(spread, "layer.moe.reduce") == nullptr);
  CHECK(find(spread, "layer.moe.gate_up")->batch.value == 32);
  CHECK(find(spread, "layer.moe.gate_up")->m.value == 16);  // 8 x 64 tokens, 8 choices, 256 experts

  // Two groups of four ranks: each rank hands out a quarter of its group's tokens.
  setup.plan.tensor = 4;
  setup.plan.data = 2;
  const Workload both = lower(setup);
  CHECK(find(both, "layer.moe.all_to_all")->bytes == 64.0 / 4 * 8 * 7168 * 2);
  CHECK(find(both, "layer.moe.all_to_all")->ranks == 8);
  CHECK(find(both, "layer.moe.gate_up")->m.value == 5);  // 128 tokens, 8 choices, 252 experts with work
}

TEST_CASE("an exchange beside another micro-batch takes the multiprocessors that send", "[model]") {
  // 20 of an H800's 132 (DeepSeek-V3, arXiv 2412.19437, section 3.2.2).
  Setup setup = decoding_deepseek_v3();
  setup.plan.tensor = 1;
  setup.plan.data = 8;
  const double runs = find(lower(setup), "layer.moe.all_to_all")->count;
  setup.plan.overlap = Overlap::micro_batches;
  const Workload beside = lower(setup);
  const Op& hidden = *find(beside, "layer.moe.all_to_all");
  const Op& waited = *find(beside, "layer.moe.all_to_all.waited");
  CHECK(hidden.overlapped);
  CHECK_FALSE(waited.overlapped);
  CHECK(waited.count == Approx(runs * 20 / 132));
  CHECK(hidden.count + waited.count == Approx(runs));
  CHECK(waited.bytes == hidden.bytes);
  CHECK(waited.copies == hidden.copies);
}

TEST_CASE("tokens may go to their experts in fewer bits than they come back in", "[model]") {
  Setup setup = decoding_deepseek_v3();
  setup.plan.tensor = 1;
  setup.plan.data = 8;
  const double wide = find(lower(setup), "layer.moe.all_to_all")->bytes;
  setup.plan.dispatch_bits = 8;
  CHECK(find(lower(setup), "layer.moe.all_to_all")->bytes == wide * (1 + 0.5) / 2);
  setup.plan.dispatch_bits = 32;  // never wider than activations
  CHECK(find(lower(setup), "layer.moe.all_to_all")->bytes == wide);
}

TEST_CASE("groups of experts that tokens choose first are those of the model", "[model]") {
  Setup setup = decoding_deepseek_v3();
  setup.plan.tensor = 1;
  setup.plan.data = 8;
  setup.model.moe.groups = 8;
  setup.model.moe.groups_per_token = 4;
  CHECK(find(lower(setup), "layer.moe.all_to_all")->copies == TokenDispatch{8, 8, 4});
}

TEST_CASE("ranks with sequences of their own that split every expert gather each token once", "[model]") {
  Setup setup = decoding_deepseek_v3();
  setup.plan.tensor = 1;
  setup.plan.data = 8;
  setup.plan.expert = 1;
  setup.plan.expert_tensor = 8;
  const Workload workload = lower(setup);
  CHECK(find(workload, "layer.moe.all_to_all") == nullptr);
  CHECK(find(workload, "layer.moe.expert_gather")->ranks == 8);
  CHECK(find(workload, "layer.moe.expert_gather")->bytes == 8 * 64.0 * 7168 * 2);
  CHECK(find(workload, "layer.moe.expert_reduce")->collective == CollectiveKind::reduce_scatter);
  CHECK(find(workload, "layer.moe.gate_up")->n.value == 2 * 2048 / 8);
}

TEST_CASE("experts that tensor-parallel ranks split are those of a model without expert parallelism",
          "[model]") {
  Setup setup = training();
  setup.plan.expert = 1;
  setup.plan.expert_tensor = 8;
  const Workload workload = lower(setup);
  CHECK(find(workload, "layer.moe.gate_up")->n.value == 2 * 14336 / 8);
  CHECK(find(workload, "layer.moe.gate_up")->m.value == 1024);
  CHECK(find(workload, "layer.moe.gather")->ranks == 8);
  CHECK(find(workload, "layer.moe.all_to_all") == nullptr);
}

TEST_CASE("with sequence parallelism each rank hands out its part of the tokens", "[model]") {
  Setup setup = training();
  setup.plan.expert = 8;
  setup.plan.expert_tensor = 1;
  const Workload whole = lower(setup);
  CHECK(find(whole, "layer.moe.all_to_all")->bytes == 4096.0 / 8 * 2 * 4096 * 2);
  CHECK(find(whole, "layer.moe.gate_up")->m.value == 1024);  // of 4096 tokens, two choices, 8 experts
  CHECK(find(whole, "layer.moe.gate_up")->n.value == 2 * 14336);
  CHECK(find(whole, "layer.moe.gather") == nullptr);  // no rank needs another's tokens
  CHECK(find(whole, "layer.moe.router")->m.value == 512);

  // Each expert on two ranks: what they got from others is gathered.
  setup.plan.expert = 4;
  setup.plan.expert_tensor = 2;
  const Workload split = lower(setup);
  CHECK(find(split, "layer.moe.all_to_all")->ranks == 4);
  CHECK(find(split, "layer.moe.all_to_all")->stride == 2);
  CHECK(find(split, "layer.moe.expert_gather")->ranks == 2);
  CHECK(find(split, "layer.moe.expert_gather")->bytes == 4096.0 * 2 / 4 * 4096 * 2);
  CHECK(find(split, "layer.moe.gate_up")->batch.value == 2);
  CHECK(find(split, "layer.moe.gate_up")->n.value == 14336);
}

TEST_CASE("gradients of experts are summed over the groups that hold them, others over all replicas",
          "[model]") {
  Setup setup = training();
  setup.plan.zero = 0;
  setup.plan.context = 2;
  setup.plan.expert = 8;
  const Workload workload = lower(setup);  // 8 x 4 x 2 = 64 GPUs, in 8 groups
  CHECK(find(workload, "gradients.reduce", Pass::backward)->ranks == 8);
  CHECK(find(workload, "gradients.reduce", Pass::backward)->stride == 8);
  CHECK(find(workload, "gradients.expert_reduce", Pass::backward)->ranks == 8);
  CHECK(find(workload, "gradients.expert_reduce", Pass::backward)->stride == 8);
  setup.plan.expert_tensor = 2;
  CHECK(find(lower(setup), "gradients.expert_reduce", Pass::backward)->ranks == 4);
}

TEST_CASE("for every folding the ranks hold the whole model, as often as it is replicated", "[model]") {
  CHECK(rc::check("ranks times bytes", [] {
    const auto degree = [](int most) { return std::int64_t{1} << *rc::gen::inRange(0, most + 1); };
    Setup setup = example(*rc::gen::element<std::string>("mixtral-8x7b", "deepseek-v3"));
    Plan& plan = setup.plan;
    plan.tensor = degree(4);
    plan.context = degree(2);
    plan.data = degree(6);
    plan.pipeline = degree(4);
    const std::int64_t stage = plan.tensor * plan.context * plan.data;
    plan.expert = degree(8);
    plan.expert_tensor = degree(3);
    RC_PRE(plan.expert * plan.expert_tensor <= stage);
    plan.zero = *rc::gen::inRange<std::int64_t>(0, 4);
    const auto world = static_cast<double>(stage * plan.pipeline);
    const auto near = [](double a, double b) { return std::abs(a / b - 1) < 1e-12; };

    const RankParameters held = parameters_per_rank(setup);
    const Replicas same = replicas(plan);
    const auto expert = static_cast<double>(expert_parameter_count(setup));
    // On every rank of tensor parallelism are the products down to latents.
    const double dense =
        static_cast<double>(parameter_count(setup)) - expert +
        static_cast<double>(plan.tensor - 1) * static_cast<double>(whole_parameter_count(setup));
    RC_ASSERT(near(world * held.expert, expert * same.expert));
    RC_ASSERT(near(world * held.dense, dense * same.dense));
    RC_ASSERT(near(same.dense, static_cast<double>(plan.data * plan.context)));
    RC_ASSERT(near(same.expert, static_cast<double>(stage / (plan.expert * plan.expert_tensor))));

    // What the optimizer updates on all ranks together: the model, once where ZeRO shares it. Its passes move
    // 30 bytes a parameter.
    plan.mode = Mode::train;
    plan.gradient_accumulation = 1;
    plan.dtype = DType::bf16;
    plan.optimizer_bits = plan.gradient_bits = 0;
    const Workload workload = lower(setup);
    const double updated = world * find(workload, "optimizer.adam", Pass::update)->bytes / 30;
    RC_ASSERT(near(updated, plan.zero > 0 ? dense + expert : dense * same.dense + expert * same.expert));

    // And what is reduced, in fp32: each group's sum is one copy of the model's gradients.
    const auto reduced = [&](std::string_view name, double ranks) {
      double bytes = 0;
      for (const Op& op : workload.ops) {  // what is waited for beside it, too
        if (op.pass == Pass::backward && (op.name == name || op.name == std::string(name) + ".waited"))
          bytes += op.bytes;
      }
      return world * bytes / 4 / ranks;
    };
    if (same.expert > 1) RC_ASSERT(near(reduced("gradients.expert_reduce", same.expert), expert));
    if (same.dense > 1) RC_ASSERT(near(reduced("gradients.reduce", same.dense), dense));
  }));
}

TEST_CASE("chunks of layers divide the pipeline's idle time, and are passed one after the other", "[model]") {
  Setup setup = example("llama-3-70b");
  setup.plan.mode = Mode::train;
  setup.plan.pipeline = 4;
  setup.plan.gradient_accumulation = 8;
  const double waits = 0.0223883195;                  // 2048 GPUs for the slowest of them
  const double others = slowest_stage(setup).others;  // three stages without a head
  CHECK(others < 3);
  CHECK(lower(setup).pipeline_bubble == Approx(others / 8 + waits));
  CHECK(find(lower(setup), "pipeline.send")->count == 8);
  setup.plan.virtual_pipeline = 5;
  CHECK(lower(setup).pipeline_bubble == Approx(others / 8 / 5 + waits));
  CHECK(find(lower(setup), "pipeline.send")->count == 8 * 5);
  CHECK(layers_of_stage(setup) == 20);
  setup.plan.virtual_pipeline = 3;  // 80 layers in 12 chunks: the fullest has 7
  CHECK(layers_of_stage(setup) == 21);
  setup.plan.pipeline = 1;
  CHECK(layers_of_stage(setup) == 80);
  CHECK(lower(setup).pipeline_bubble == Approx(0.017914753));  // 512 GPUs
  // 126 layers, embedding and head in 16 stages of 8 chunks: Llama 3.1 405B
  setup.model.num_layers = 126;
  setup.plan.pipeline = 16;
  setup.plan.virtual_pipeline = 8;
  setup.plan.embedding_stages = 2;
  CHECK(layers_of_stage(setup) == 8);
}

TEST_CASE("the exchange of tokens runs beside what the plan says", "[model]") {
  Setup setup = example("deepseek-v3");
  const auto exchange = [&](Overlap overlap) {
    setup.plan.overlap = overlap;
    return *find(lower(setup), "layer.moe.all_to_all");
  };
  CHECK_FALSE(exchange(Overlap::none).overlapped);
  CHECK_FALSE(exchange(Overlap::none).overlaps_shared_experts);
  CHECK(exchange(Overlap::micro_batches).overlapped);
  CHECK(exchange(Overlap::shared_experts).overlaps_shared_experts);
  CHECK_FALSE(exchange(Overlap::shared_experts).overlapped);
  const Workload workload = lower(setup);
  CHECK(find(workload, "layer.moe.shared_down")->overlaps_shared_experts);
  CHECK_FALSE(find(workload, "layer.moe.down")->overlaps_shared_experts);
  // Without shared experts nothing hides it.
  setup.model.moe.shared_intermediate_size = 0;
  CHECK_FALSE(exchange(Overlap::shared_experts).overlaps_shared_experts);
}
