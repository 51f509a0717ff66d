// What training keeps of a layer between its forward and its backward pass.
#pragma once

#include "model/spec.hpp"

namespace shapelint::model {

// Bytes of one layer and micro-batch on one rank, what each operation needs for its gradient. Of GPT's layer
// that is sbh (10 + 24/t + 5 a s / (h t)), with sequence parallelism sbh/t (34 + 5 a s / h), and with full
// recomputation the layer's input, 2 sbh (Korthikanti et al. 2022, arXiv 2205.05198, equations 1 to 6);
// other layers have fewer keys, a wider MLP, latents, experts, or inputs that are kept in 8 bits. A run in
// fp32 keeps twice as much. Operation after operation (`eager`), RMSNorm keeps its input in fp32 beside what
// it puts out before the weight (Llama's `hidden_states.to(torch.float32)`), and a gated MLP also what the
// activation function puts out.
struct LayerActivations {
  double kept = 0;
  double scores = 0;  // beside them: the score matrices that attention keeps where it is not fused
  double again = 0;   // of the one layer whose forward pass runs again, while it does
};
LayerActivations layer_activations(const Setup& setup);

// Bytes of the tokens that sequence parallelism shares out, gathered for the product that reads them, and of
// their gradient before it is shared out again.
double gathered_sequence_bytes(const Setup& setup);

// Bytes of each logit at the loss's peak. unfused: the logits in 16 bits, and in fp32 their log-softmax, its
// gradient and theirs (PyTorch's cross_entropy of `logits.float()`, backward; 8,192 tokens of 256,000 logits
// are 28 GB, Cut Cross-Entropy, arXiv 2411.09009), over ranks of tensor parallelism one more (PyTorch,
// distributed/tensor/parallel/loss.py, _nll_loss_and_log_softmax_backward); vocab_parallel: the logits, and a
// copy in fp32 that exponentials, softmax and gradient are written over (Megatron-LM,
// tensor_parallel/cross_entropy.py); fused: the logits and their gradient; chunked: next to nothing. Of a run
// in fp32 the logits are, too, and vocab_parallel makes no copy.
double logit_bytes(const Plan& plan);

}  // namespace shapelint::model
