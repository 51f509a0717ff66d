// Stages of a pipeline as frameworks cut it: so many layers each, the embedding on the first, the head and
// layers that predict further tokens on the last. The stage that takes longest sets the pace of all.
#pragma once

#include <cstdint>
#include <string>

#include "model/lower/lower.hpp"
#include "model/spec.hpp"

namespace shapelint::model {

// The slowest stage: the plan's, or without priced operations the one with more arithmetic.
struct SlowestStage {
  double layers = 0;      // of the model's own
  double embeddings = 1;  // 1: the embedding is on it; without a pipeline all is on one stage
  double heads = 1;
  double others = 0;  // time or arithmetic of all other stages, as a share of its own
};
// `layer_flops` of all layers but those that predict further tokens, `further_flops` of these, `head_flops`:
// per token. Only their ratios count.
SlowestStage slowest_stage(const Setup& setup, double layer_flops, double further_flops, double head_flops);
SlowestStage slowest_stage(const Setup& setup);

// `the last of 4 stages sets the pace, with 8 layers and the head`; empty without a pipeline.
std::string stages_text(const Setup& setup);

// The model's own layers on the first stage and on the last.
struct StageLayers {
  double first = 0;
  double last = 0;
};
StageLayers stage_layers(const Setup& setup);

// Parameters over all ranks, for searches over plans of one model: it decides them alone.
struct ModelParameters {
  double dense = 0;  // all but the routed experts
  double expert = 0;
  double whole = 0;  // of the dense ones, on every rank of tensor parallelism
};
ModelParameters model_parameters(const Setup& setup);
RankParameters parameters_per_rank(const Plan& plan, const ModelParameters& parameters);

// Parameters before the layers and behind them, over all ranks of a stage; `repeated`: of a head that shares
// the embedding's table, and has its own where these stand on different stages (Megatron-LM).
struct EndParameters {
  double embedding = 0;
  double head = 0;
  double repeated = 0;
};
EndParameters end_parameters(const Setup& setup);
// Of the first and of the last stage on one rank, where `held` is what an even share of everything would be:
// the first has the embedding whole, the last the head and the layers that predict further tokens. `layers`:
// stage_layers(setup).
struct StageParameters {
  RankParameters first;
  RankParameters last;
};
StageParameters stage_parameters(const Setup& setup, RankParameters held, const StageLayers& layers);

// Whether the layers go from the first to the last rank and back (ZB-V, DualPipeV).
bool comes_back(PipelineSchedule schedule);
// Whether each rank of a pipeline has a stage of both directions, and another rank the same two (DualPipe).
bool runs_both_ways(const Plan& plan);
// Whether one rank has both the embedding and the head, with either of these. It is the `last` stage here.
bool ends_share_a_stage(const Plan& plan);
// Whether a stage may hold any number of chunks; others have one, or two.
bool has_free_chunks(PipelineSchedule schedule);
// Share of the time that a micro-batch takes on the other stages that a stage waits, by its schedule.
double waiting_share(const Plan& plan, double chunks);
// Time that it waits, as a share of its busy time: until the first micro-batch has come through the stages
// before it and the last has gone through those behind it. 0 in serving, where other requests fill it.
double pipeline_bubble(const Plan& plan, const SlowestStage& slowest);
// With what synchronous ranks wait for the slowest: Workload::pipeline_bubble.
double step_bubble(const Setup& setup);

}  // namespace shapelint::model
