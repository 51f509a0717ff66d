// Which stage of a pipeline is the slowest.
#include "model/stages.hpp"

#include <algorithm>
#include <cmath>
#include <string_view>

#include <fmt/format.h>

#include "base/counted.hpp"
#include "base/number.hpp"
#include "model/arithmetic.hpp"
#include "model/lower/emit.hpp"
#include "model/lower/lower.hpp"
#include "model/weights.hpp"

namespace shapelint::model {

namespace {

// Micro-batches for which a stage with the head has it: with DualPipe half of them start there,
// and half end there.
double share_of_ends(const Plan& plan) {
  return runs_both_ways(plan) ? 0.5 : 1;
}

// Layers that all stages could have in addition to the model's, were each as full as the fullest.
double spared_layers(const Setup& setup) {
  return std::max(0.0,
                  real(layers_of_stage(setup)) * real(setup.plan.pipeline) - real(setup.model.num_layers));
}

// What counts as a layer takes one's place on the last stage. Layers that do not divide are shared out by
// choice (Megatron-LM, pipeline_model_parallel_layout; vLLM, distributed/utils.py, get_pp_indices): those
// that are too few for all stages are left out of the last as far as it would be the slowest. `each` and
// `behind`: arithmetic of a layer, and of the head and of layers that predict further tokens.
double layers_of_last(const Setup& setup, double each, double behind) {
  const double needed = each > 0 ? std::ceil(behind / each) : 0;
  const double counted = ends_share_a_stage(setup.plan) ? real(setup.plan.embedding_stages) : 1.0;
  const double left_out = setup.plan.embedding_stages > 0 ? counted : std::min(spared_layers(setup), needed);
  return std::max(0.0, real(layers_of_stage(setup)) - share_of_ends(setup.plan) * left_out);
}

// An engine computes the logits of some tokens only.
double share_of_logits(const Setup& setup) {
  const LoweringContext shared(setup);
  return real(logit_tokens(shared).value) / real(shared.tokens.value);
}

}  // namespace

SlowestStage slowest_stage(const Setup& setup, double layer_flops, double further_flops, double head_flops) {
  const Plan& plan = setup.plan;
  const double layers = real(std::max<std::int64_t>(1, setup.model.num_layers));
  SlowestStage out;
  if (plan.pipeline <= 1) return {real(layers_of_stage(setup)), 1, 1, 0};
  head_flops *= share_of_logits(setup);
  const double most = real(layers_of_stage(setup));
  const double each = layer_flops / layers;
  const double behind = further_flops + head_flops;
  const double last = layers_of_last(setup, each, behind);
  const bool is_priced = plan.pace != Pace::by_arithmetic;
  const double ends = share_of_ends(plan);
  const bool is_last = is_priced ? plan.pace == Pace::last : last * each + ends * behind >= most * each;
  out.layers = is_last ? last : most;
  const bool has_embedding = ends_share_a_stage(plan) ? is_last : !is_last && plan.embedding_stages <= 1;
  out.embeddings = has_embedding ? ends : 0;
  out.heads = is_last ? ends : 0;
  const double own = out.layers * each + out.heads * behind;
  const double all = layer_flops + behind;
  if (is_priced)
    out.others = plan.other_stages;
  else
    out.others = own > 0 ? std::max(0.0, all - own) / own : real(plan.pipeline - 1);
  return out;
}

std::string stage_text(const Plan& plan, const SlowestStage& stage) {
  const std::string_view ends = stage.heads > 0 && stage.embeddings > 0 ? ", the embedding and the head"
                                : stage.heads > 0                       ? " and the head"
                                : stage.embeddings > 0                  ? " and the embedding"
                                                                        : "";
  // Where layers go forth and back, the first is the last, too.
  const bool is_first = (stage.heads > 0) == ends_share_a_stage(plan);
  return fmt::format("the {} of {} stages sets the pace, with {}{}", is_first ? "first" : "last",
                     plan.pipeline, counted(static_cast<std::int64_t>(stage.layers), "layer"), ends);
}

namespace {

// Arithmetic per token of a model's own layers, of those that predict further tokens, and of the head.
struct PartFlops {
  double layers = 0;
  double further = 0;
  double head = 0;
};

PartFlops flops_of_parts(const Setup& setup) {
  const double head = head_flops_per_token(setup);
  if (setup.model.mtp_layers <= 0) return {forward_flops_per_token(setup) - head, 0, head};
  Setup plain = setup;
  plain.model.mtp_layers = 0;
  PartFlops out;
  out.layers = forward_flops_per_token(plain) - head;
  if (mtp_layers(setup) > 0) out.further = forward_flops_per_token(setup) - head - out.layers;
  out.head = (1 + mtp_layers(setup)) * head;
  return out;
}

}  // namespace

SlowestStage slowest_stage(const Setup& setup) {
  if (setup.plan.pipeline <= 1) return slowest_stage(setup, 1, 0, 0);
  const PartFlops flops = flops_of_parts(setup);
  return slowest_stage(setup, flops.layers, flops.further, flops.head);
}

StageLayers stage_layers(const Setup& setup) {
  const double most = real(layers_of_stage(setup));
  if (setup.plan.pipeline <= 1) return {most, most};
  const double first = most - (setup.plan.embedding_stages > 1 && !ends_share_a_stage(setup.plan) ? 1 : 0);
  if (setup.plan.embedding_stages > 0 || spared_layers(setup) <= 0)
    return {std::max(0.0, first), layers_of_last(setup, 0, 0)};
  const PartFlops flops = flops_of_parts(setup);
  return {first, layers_of_last(setup, flops.layers / real(std::max<std::int64_t>(1, setup.model.num_layers)),
                                flops.further + flops.head * share_of_logits(setup))};
}

std::string stages_text(const Setup& setup) {
  if (setup.plan.pipeline <= 1 || !setup.model.conv.empty()) return {};
  return stage_text(setup.plan, slowest_stage(setup));
}

EndParameters end_parameters(const Setup& setup) {
  const ModelSpec& model = setup.model;
  EndParameters out{static_cast<double>(embedding_parameters(model)),
                    static_cast<double>(head_parameters(model)), 0};
  if (setup.plan.pipeline > 1 && model.lm_head && model.tie_word_embeddings &&
      !ends_share_a_stage(setup.plan))
    out.repeated = static_cast<double>(times(vocab_rows(setup), model.hidden_size));
  return out;
}

StageParameters stage_parameters(const Setup& setup, RankParameters held, const StageLayers& layers) {
  const Plan& plan = setup.plan;
  const double stages = real(std::max<std::int64_t>(1, plan.pipeline));
  const double tensor = real(std::max<std::int64_t>(1, plan.tensor));
  const EndParameters ends = end_parameters(setup);
  const RankParameters all = mtp_parameters(setup);
  const RankParameters further{all.dense / tensor, all.expert / real(std::max<std::int64_t>(1, plan.expert)) /
                                                       real(std::max<std::int64_t>(1, plan.expert_tensor))};
  // For one of the model's own layers.
  const double per_layer = stages / real(std::max<std::int64_t>(1, setup.model.num_layers));
  const RankParameters each{
      std::max(0.0, held.dense - ((ends.embedding + ends.head) / tensor + further.dense) / stages) *
          per_layer,
      std::max(0.0, held.expert - further.expert / stages) * per_layer};
  const double embedding = ends.embedding / tensor;
  const bool is_shared = ends_share_a_stage(plan);
  const double copies = runs_both_ways(plan) ? 2 : 1;
  const double first = copies * layers.first;
  const double last = copies * layers.last;
  return {
      {first * each.dense + (is_shared ? 0 : embedding), first * each.expert},
      {last * each.dense + (ends.head + ends.repeated) / tensor + further.dense + (is_shared ? embedding : 0),
       last * each.expert + further.expert}};
}

bool comes_back(PipelineSchedule schedule) {
  return schedule == PipelineSchedule::zero_bubble_v || schedule == PipelineSchedule::dualpipe_v;
}

bool runs_both_ways(const Plan& plan) {
  return plan.pipeline > 1 && plan.pipeline_schedule == PipelineSchedule::dualpipe;
}

bool ends_share_a_stage(const Plan& plan) {
  return runs_both_ways(plan) || (plan.pipeline > 1 && comes_back(plan.pipeline_schedule));
}

bool has_free_chunks(PipelineSchedule schedule) {
  return schedule == PipelineSchedule::one_forward_one_backward || schedule == PipelineSchedule::gpipe ||
         schedule == PipelineSchedule::zero_bubble;
}

namespace {

// Each stage is waited for once (GPipe, 1811.06965), or with chunks a chunk of each (Narayanan et al. 2021,
// 2104.04473, section 2.2). Weight gradients (W) that fill the bubble leave F + B - 2 W of F + B, forward and
// whole backward pass (ZB-H1, 2401.10241), DualPipe (p / 2 - 1) (F + B + B - 3 W) of (p - 1) (F + B)
// (2412.19437, table 2), DualPipeV the same of 2 p stages half as long, and ZB-V nothing as long as
// W + 2 F >= B - W and so on (2405.15362). Here F = W = B - W, and F is in B again with full recomputation:
// then ZB-V in the order for equal passes, which PyTorch keeps (schedules.py, ScheduleZBVZeroBubble), waits
// for B - W - F of each other stage.
double full_waiting_share(const Plan& plan, double chunks) {
  const double again = plan.recompute == Recompute::full && plan.recompute_layers <= 0 ? 1 : 0;
  const double left = (1 + again) / (3 + again);
  const double stages = real(plan.pipeline);
  switch (plan.pipeline_schedule) {
    case PipelineSchedule::one_forward_one_backward:
    case PipelineSchedule::gpipe:
      return 1 / chunks;
    case PipelineSchedule::zero_bubble:
      return left / chunks;
    case PipelineSchedule::zero_bubble_v:
      return again / (3 + again);
    case PipelineSchedule::dualpipe:
      return stages > 2 ? left * (stages - 2) / (stages - 1) : 0;
    case PipelineSchedule::dualpipe_v:
      return left;
    case PipelineSchedule::in_turn:  // for each micro-batch
      return real(std::max<std::int64_t>(1, plan.gradient_accumulation));
  }
  return 1 / chunks;
}

}  // namespace

// Each micro-batch has its weight gradients: fewer of them than stages fill as much less of the bubble, fewer
// than twice as many where micro-batches start at both ends, or come back.
double waiting_share(const Plan& plan, double chunks) {
  using enum PipelineSchedule;
  const PipelineSchedule schedule = plan.pipeline_schedule;
  if (schedule == one_forward_one_backward || schedule == gpipe || schedule == in_turn)
    return full_waiting_share(plan, chunks);
  const double unfilled = 1 / chunks;
  const double needed = (schedule == zero_bubble ? 1 : 2) * real(std::max<std::int64_t>(1, plan.pipeline));
  const double filled = std::min(1.0, real(std::max<std::int64_t>(1, plan.gradient_accumulation)) / needed);
  return unfilled - filled * (unfilled - full_waiting_share(plan, chunks));
}

double pipeline_bubble(const Plan& plan, const SlowestStage& slowest) {
  if (plan.mode != Mode::train || plan.pipeline <= 1) return 0;
  return slowest.others * waiting_share(plan, real(pipeline_chunks(plan))) /
         real(std::max<std::int64_t>(1, plan.gradient_accumulation));
}

double step_bubble(const Setup& setup) {
  return pipeline_bubble(setup.plan, slowest_stage(setup)) + straggler_fraction(setup.plan);
}

}  // namespace shapelint::model
