// Stages of a pipeline, priced: the one that a step takes longest with sets the pace.
#pragma once

#include "cost/step.hpp"
#include "model/spec.hpp"

namespace shapelint::cost {

// Times of the stages for one micro-batch: the first and those behind it have as many layers as the fullest,
// the last the head in addition to the rest.
struct StageTimes {
  double first_us = 0;
  double middle_us = 0;  // the first without the embedding
  double last_us = 0;
};

// What of a stage's step repeats with each micro-batch, and of it the embedding.
struct StageSums {
  double time_us = 0;       // of the step without a bubble
  double each_us = 0;       // of all micro-batches together
  double embedding_us = 0;  // of these
  double layers = 0;        // of the model's own, on this stage
};
// From a stage's priced step.
StageSums stage_sums(const StepCost& step, const StepSums& sums, double micro_batches, double embedding_us,
                     double layers);
// The plan with the stage as its pace with which the step takes longest, of two that are priced: a first and
// a last one.
struct Paced {
  model::Pace pace = model::Pace::first;
  double other_stages = 0;
};
Paced pace_of(const model::Setup& setup, const StageSums& first, const StageSums& last);
StageTimes times_of(const model::Plan& plan, const StageSums& first, const StageSums& last);

// The setup with its pace; without a pipeline, or with a pace already, as it is.
model::Setup paced(PriceMemo& memo, const model::Setup& setup);
model::Setup paced(const gpu::Gpu& gpu, const model::Setup& setup);
// What the rank that sets the pace computes in a step, and what that costs.
model::Workload paced_workload(PriceMemo& memo, const model::Setup& setup);
model::Workload paced_workload(const gpu::Gpu& gpu, const model::Setup& setup);
void price_step(PriceMemo& memo, const model::Setup& setup, StepCost& step);
StepCost price_step(const gpu::Gpu& gpu, const model::Setup& setup);

}  // namespace shapelint::cost
