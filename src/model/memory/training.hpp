// Memory of one GPU in training, by what it is for.
#pragma once

#include "model/lower/lower.hpp"
#include "model/spec.hpp"

namespace shapelint::model {

// Bytes. The three kinds of state are what must be there whatever the batch is, when the last gradient is;
// the fullest moment takes `activations` more.
struct TrainingMemory {
  double weights = 0;
  double gradients = 0;
  double optimizer = 0;    // states, and the copy of weights that it updates
  double activations = 0;  // beside these, at the fullest moment
  double host = 0;         // in the host's memory, of this rank (model/memory/states.hpp)
  // Of a pipeline, the stage that has most of it, and micro-batches whose activations that keeps at a time.
  bool is_last_stage = false;
  double micro_batches = 1;
};

// With `data` data-parallel ranks, of a model of which each rank holds so many parameters. The fullest moment
// is the more of two, each with weights and optimizer states: the loss, when the layers of as many
// micro-batches wait as a pipeline has in flight, with what the loss makes of the logits or the last layer of
// its own; and the end of the backward pass, when all gradients are there and one layer. Gradients are there
// in the first, too, where a buffer keeps them or a micro-batch came before. With weights in fp32, copies in
// 16 bits wait for the backward pass in the first (autocast's cache of casts). Of a CNN what every layer's
// gradient needs: a batch norm keeps its input beside its output.
TrainingMemory training_memory(const Setup& setup, double data, RankParameters held);

}  // namespace shapelint::model
