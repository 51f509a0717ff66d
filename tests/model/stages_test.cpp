// The stage of a pipeline that sets the pace.
#include "model/stages.hpp"

#include <string>

#include <rapidcheck.h>

#include "model/lower/lower.hpp"
#include "tests/catch.hpp"
#include "tests/model/workload_support.hpp"

using namespace shapelint;
using namespace shapelint::model;
using tests::model_setup;

namespace {

const std::string decoder = R"(
hidden_size = 2560
num_layers = 32
num_attention_heads = 8
num_key_value_heads = 4
head_dim = 256
intermediate_size = 10240
mlp_gated = true
vocab_size = 262144
)";

Setup with(const std::string& parallel, const std::string& run = "") {
  return model_setup(
      decoder, "sequence_length = 4096\ngradient_accumulation = 32\n" + run + "[parallel]\n" + parallel);
}

}  // namespace

TEST_CASE("the last stage has the head whole, and the others wait for it", "[model]") {
  const SlowestStage stage = slowest_stage(with("pipeline = 4\n"));
  CHECK(stage.layers == 8);
  CHECK(stage.heads == 1);
  CHECK(stage.embeddings == 0);
  // Three stages of 8 layers as a share of one with 8 and the head.
  const Setup one = with("pipeline = 1\n");
  const double head = head_flops_per_token(one);
  const double layer = (forward_flops_per_token(one) - head) / 32;
  CHECK(stage.others == Approx(3 * 8 * layer / (8 * layer + head)));
  CHECK(pipeline_bubble(with("pipeline = 4\n").plan, stage) == Approx(stage.others / 32));
  CHECK(pipeline_bubble(with("pipeline = 4\nvirtual_pipeline = 2\n").plan, stage) ==
        Approx(stage.others / 32 / 2));
}

TEST_CASE("a schedule decides how much of the bubble of 1F1B is left", "[model]") {
  // Shares of (p - 1) (F + B) with F = W = B - W: arXiv 2401.10241, section 2.1 (ZB-H1, a third) and 6 (ZB-V,
  // none); 2412.19437, table 2, DualPipe: (p / 2 - 1) (F + B + B - 3 W) = 2 F for p = 4, of 9 F; DualPipeV
  // has 2 p stages half as long (github.com/deepseek-ai/DualPipe): 3 F of 9 F.
  const auto left = [](const std::string& schedule, const std::string& run = "") {
    const Setup setup = with("pipeline = 4\n" + schedule, run);
    const SlowestStage stage = slowest_stage(setup);
    return pipeline_bubble(setup.plan, stage) * 32 / stage.others;
  };
  CHECK(left("pipeline_schedule = \"1f1b\"\n") == Approx(1));
  CHECK(left("pipeline_schedule = \"gpipe\"\n") == Approx(1));
  CHECK(left("pipeline_schedule = \"zero_bubble\"\n") == Approx(1.0 / 3));
  CHECK(left("pipeline_schedule = \"zero_bubble\"\nvirtual_pipeline = 2\n") == Approx(1.0 / 6));
  CHECK(left("pipeline_schedule = \"zero_bubble_v\"\nvirtual_pipeline = 2\n") == 0);
  CHECK(left("pipeline_schedule = \"dualpipe\"\n") == Approx(2.0 / 9));
  CHECK(left("pipeline_schedule = \"dualpipe_v\"\nvirtual_pipeline = 2\n") == Approx(1.0 / 3));
  // Recomputed, F is in B again: F + B - 2 W is 2 of 4.
  CHECK(left("pipeline_schedule = \"zero_bubble\"\n", "recompute = \"full\"\n") == Approx(0.5));
}

TEST_CASE("few micro-batches have few weight gradients to fill a bubble with", "[model]") {
  const auto left = [](const std::string& schedule, std::int64_t micro_batches) {
    Setup setup = with("pipeline = 4\n" + schedule);
    setup.plan.gradient_accumulation = micro_batches;
    return waiting_share(setup.plan, 1);
  };
  CHECK(left("pipeline_schedule = \"zero_bubble\"\n", 4) == Approx(1.0 / 3));
  CHECK(left("pipeline_schedule = \"zero_bubble\"\n", 2) == Approx(1 - 2.0 / 3 / 2));
  CHECK(left("pipeline_schedule = \"dualpipe\"\n", 8) == Approx(2.0 / 9));
  CHECK(left("pipeline_schedule = \"dualpipe\"\n", 4) > left("pipeline_schedule = \"dualpipe\"\n", 8));
}

// 2405.15362, figure 1, and PyTorch's torch/distributed/pipelining,
// generate_stage_to_rank_mapping(style="v"): the first rank has the first chunk of layers and the last.
// DualPipe: ranks have a stage of each direction.
TEST_CASE("where layers go forth and back, one stage has the embedding and the head", "[model]") {
  const SlowestStage back =
      slowest_stage(with("pipeline = 4\npipeline_schedule = \"zero_bubble_v\"\nvirtual_pipeline = 2\n"));
  CHECK(back.layers == 8);
  CHECK(back.heads == 1);
  CHECK(back.embeddings == 1);
  const SlowestStage both = slowest_stage(with("pipeline = 4\npipeline_schedule = \"dualpipe\"\n"));
  CHECK(both.layers == 8);
  CHECK(both.heads == 0.5);
  CHECK(both.embeddings == 0.5);
  // The tied table is there once.
  CHECK(end_parameters(with("pipeline = 4\npipeline_schedule = \"zero_bubble_v\"\n")).repeated == 0);
}

TEST_CASE("a stage whose head counts as a layer need not be the slowest", "[model]") {
  Setup setup = with("pipeline = 4\n");
  setup.model.num_layers = 30;
  setup.model.vocab_size = 1024;
  setup.plan.embedding_stages = 2;
  const SlowestStage stage = slowest_stage(setup);
  CHECK(stage.layers == 8);
  CHECK(stage.heads == 0);
  setup.model.vocab_size = 262144;
  CHECK(slowest_stage(setup).heads == 1);
  CHECK(slowest_stage(setup).layers == 7);
}

TEST_CASE("layers that do not divide are left out where the head is", "[model]") {
  Setup setup = with("pipeline = 4\n");
  setup.model.num_layers = 30;  // two short of four stages of 8
  const double layer = (forward_flops_per_token(setup) - head_flops_per_token(setup)) / 30;
  CHECK(head_flops_per_token(setup) > 2 * layer);
  CHECK(slowest_stage(setup).layers == 6);
  setup.model.vocab_size = 1024;
  CHECK(slowest_stage(setup).layers == 8);
  CHECK(slowest_stage(setup).heads == 0);
}

TEST_CASE("without a pipeline all is on one stage", "[model]") {
  const SlowestStage stage = slowest_stage(with("pipeline = 1\n"));
  CHECK(stage.layers == 32);
  CHECK(stage.heads == 1);
  CHECK(stage.embeddings == 1);
  CHECK(stage.others == 0);
}

TEST_CASE("parameters of the ends are those of the model, and a table that is there twice", "[model]") {
  const EndParameters ends = end_parameters(with("pipeline = 4\n"));
  CHECK(ends.embedding == 262144.0 * 2560);
  CHECK(ends.repeated == 262144.0 * 2560);
  CHECK(end_parameters(with("pipeline = 1\n")).repeated == 0);
}

TEST_CASE("parameters of the stages add up to the model's", "[model]") {
  CHECK(rc::check([] {
    Setup setup = with("pipeline = 1\n");
    setup.plan.tensor = *rc::gen::element(1, 2, 4);
    setup.plan.pipeline = *rc::gen::element(2, 4, 8);
    setup.model.num_layers = setup.plan.pipeline * *rc::gen::inRange(1, 9);
    setup.model.tie_word_embeddings = *rc::gen::arbitrary<bool>();
    setup.model.mtp_layers = *rc::gen::inRange(0, 2);
    setup.plan.pipeline_schedule =
        *rc::gen::element(PipelineSchedule::one_forward_one_backward, PipelineSchedule::zero_bubble_v);
    if (*rc::gen::arbitrary<bool>()) setup.model.moe = {8, 2, 1024};
    const double ranks = static_cast<double>(setup.plan.tensor);
    const RankParameters held = parameters_per_rank(setup);
    const StageParameters stages = stage_parameters(setup, held, stage_layers(setup));
    const EndParameters ends = end_parameters(setup);
    // A stage between them has layers alone.
    const bool is_shared = setup.plan.pipeline_schedule == PipelineSchedule::zero_bubble_v;
    const double middle = stages.first.dense - (is_shared ? 0 : ends.embedding / ranks);
    const auto between = static_cast<double>(setup.plan.pipeline - 2);
    const double experts = stages.first.expert * (between + 1) + stages.last.expert;
    const double all = stages.first.dense + between * middle + stages.last.dense + experts;
    const double even = held.dense + held.expert;
    RC_ASSERT(all == Approx(even * static_cast<double>(setup.plan.pipeline) + ends.repeated / ranks));
  }));
}

TEST_CASE("a stage holds whole layers", "[model]") {
  // Kimi-K2's 61 layers on 4 stages are 16, 15, 15, 15 (vLLM, distributed/utils.py, get_pp_indices, leaves
  // the last stage's rest to those before it).
  Setup setup = with("pipeline = 4\n");
  setup.model.num_layers = 61;
  setup.model.vocab_size = 1024;
  CHECK(stage_layers(setup).first == 16);
  setup.plan.embedding_stages = 2;  // 63 places of 64
  CHECK(stage_layers(setup).first == 15);
  CHECK(stage_layers(setup).last == 15);
}
