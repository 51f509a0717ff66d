// Memory of weights that ranks share out and gather while they compute, and of gradients on their way.
#pragma once

#include "model/lower/lower.hpp"
#include "model/spec.hpp"

namespace shapelint::model {

// Bytes beside states and activations where ZeRO 3 or FSDP shares weights out, and with ZeRO 2 the gradients'
// part of it: as FSDP wraps a model, each layer one unit, and what is behind the layers another. Weights that
// wait in the host's memory come and go the same way, and so do gradients that are not kept.
struct Gathered {
  // While a layer runs backward: its weights, those of the next one, which are gathered beside it, and its
  // gradients, as they were computed and as they are summed, in fp32 (PyTorch, FSDP2:
  // _fsdp_param_group.py, unshard() and _backward_prefetch(); _fsdp_collectives.py, foreach_reduce();
  // torchtitan's mixed_precision_reduce).
  double layer = 0;
  // While the loss does: the head's weights and gradients, and the weights of the layer before it.
  double head = 0;
};
// Of a model of which each rank would hold so many parameters if none were shared out.
Gathered gathered(const Setup& setup, RankParameters held);

}  // namespace shapelint::model
