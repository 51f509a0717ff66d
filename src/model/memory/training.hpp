// Memory of one GPU in training, by what it is for, and what each of these is made of.
#pragma once

#include "model/lower/lower.hpp"
#include "model/spec.hpp"
#include "model/training_bytes.hpp"

namespace shapelint::model {

// What a rank keeps of its parameters: weights, gradients, and what the optimizer knows of them.

// Bytes on one rank.
struct HeldStates {
  double weights = 0;    // that learn, and of adapters also those that do not
  double gradients = 0;  // when all are there
  double optimizer = 0;  // states, and copies of weights
  double host = 0;       // of all these, what is in the host's memory, and not counted above
};
// For a rank with so many parameters, over `data` data-parallel ranks: ZeRO's stages share optimizer states,
// then gradients, then weights over the ranks that hold the same parameters.
HeldStates held_states(const Setup& setup, double data, RankParameters held);

// For a convolutional network with so many parameters.
HeldStates held_states(const Plan& plan, double data, double parameters);

// Weights that ranks share out and gather while they compute, and gradients on their way.

// Bytes apart from states and activations where ZeRO 3 or FSDP shards weights, and with ZeRO 2 the gradients'
// part of it: as FSDP wraps a model, each layer one unit, and what is behind the layers another. Weights that
// wait in the host's memory come and go the same way, and so do gradients that are not kept.
struct Gathered {
  // While a layer runs backward: its weights, those of the next one, which are gathered meanwhile, and its
  // gradients, as they were computed and as they are summed, in fp32 (PyTorch, FSDP2:
  // _fsdp_param_group.py, unshard() and _backward_prefetch(); _fsdp_collectives.py, foreach_reduce();
  // torchtitan's mixed_precision_reduce).
  double layer = 0;
  // While the loss does: the head's weights and gradients, and the weights of the layer before it.
  double head = 0;
};
// For a model of which each rank would hold so many parameters without sharding.
Gathered gathered(const Setup& setup, RankParameters held);

// Bytes. The three kinds of state are what must be there whatever the batch is, when the last gradient is;
// the fullest moment takes `activations` more.
struct TrainingMemory {
  double weights = 0;
  double gradients = 0;
  double optimizer = 0;    // states, and the copy of weights that it updates
  double activations = 0;  // in addition, at the peak
  double host = 0;         // in the host's memory, of this rank
  // The pipeline stage that has most of it, and the micro-batches whose activations it keeps at a time.
  bool is_last_stage = false;
  double micro_batches = 1;
};

// With `data` data-parallel ranks, of a model of which each rank holds so many parameters. The fullest moment
// is the more of two, each with weights and optimizer states: the loss, when the layers of as many
// micro-batches wait as a pipeline has in flight, with what the loss makes of the logits or the last layer of
// its own; and the end of the backward pass, when all gradients are there and one layer. Gradients are there
// in the first, too, where a buffer keeps them or a micro-batch came before. With weights in fp32, copies in
// 16 bits wait for the backward pass in the first (autocast's cache of casts). Of a CNN what every layer's
// gradient needs: a batch norm keeps its input and its output.
TrainingMemory training_memory(const Setup& setup, double data, RankParameters held);

}  // namespace shapelint::model
