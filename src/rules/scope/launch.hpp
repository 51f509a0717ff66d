// What a file says of the GPUs that its run is launched on, and of the sequences that they share.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "rules/scope/context.hpp"

namespace shapelint::rules {

// What a dialect exports where its files tell how many GPUs a launch is for.
inline constexpr std::string_view world_name = "world_size";
// Above 0 where its nodes are what `${NNODES:-1}` falls back on: the launch may be of more.
inline constexpr std::string_view open_name = "open_nodes";

// GPUs that the launch starts; 0 where it does not say how many, or where the command line counts ranks of
// its own.
std::int64_t launched_gpus(const Context& c);

// Replicas of the model that a launch of so many GPUs makes; 0 where it does not say how many, or too few to
// be all.
std::int64_t launched_replicas(const Context& c);

// GPUs that run a stage of the pipeline; 0 where only the launch knows.
std::int64_t stage_ranks(const Context& c);

// What a framework's file states of its global batch gives their number only with that of the ranks.
bool knows_micro_batches(const Context& c);

// Whether a framework's file leaves open how many micro-batches a step has, so that a number is assumed.
bool assumes_micro_batches(const model::Reading& reading);

// Sequences of an optimizer step that the framework only takes as whole micro-batches of all ranks; 0 where
// the file does not say how many, or the framework takes others, too.
std::int64_t shared_batch(const Context& c);

// Sequences of which those must be a multiple: micro_batch_size times the data-parallel ranks and the
// micro-batches, as far as the file and its launch say how many there are; 0 without a micro-batch.
std::int64_t batch_unit(const Context& c);

// Sequences that a data-parallel rank takes in a step: its share of the batch that the file states, or what
// its micro-batches hold.
std::int64_t sequences_of_a_rank(const model::Reading& reading);

// Sequences that all ranks of a plan take in an optimizer step.
std::int64_t global_batch(const model::Plan& plan);

// Sequences of a step as the file states it; of a usual one where it states none (4 M tokens).
std::int64_t step_sequences(const model::Reading& reading);

// With as many micro-batches as such a usual step has, which every layout then shares out; a stated batch
// stays.
model::Reading with_usual_batch(const model::Reading& reading);

// Micro-batches in which a plan takes so many sequences in a step; nothing where they are no whole number.
std::optional<std::int64_t> whole_micro_batches(std::int64_t batch, const model::Plan& plan);

// GPUs of all replicas.
std::int64_t gpus_of_plan(const model::Plan& plan);

// Micro-batches that a rank has in a step by another plan, so that all ranks together take as many sequences
// as the file's own plan does, rounded up; the plan's own where the file does not fix their number
// (`fixes_batch`) or somebody asked for the micro-batches.
std::int64_t micro_batches_kept(const model::Reading& reading, const model::Plan& plan);

// batch_unit() as a product: "`micro_batch_size` 3 x 8 data-parallel ranks".
std::string batch_parts(const Context& c);

}  // namespace shapelint::rules
