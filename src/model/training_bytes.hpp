// Bytes that training keeps: of each parameter, and of a layer between its forward and its backward pass.
#pragma once

#include "model/spec.hpp"

namespace shapelint::model {

// Bytes that training keeps of each parameter: they follow the optimizer and its precision. And those of an
// element of activations.

// Bytes of an element in 16 bits, and in fp32.
inline constexpr double half_bytes = 2;
inline constexpr double fp32_bytes = 4;
inline constexpr double bits_per_byte = 8;

// Bytes of one parameter that learns, before ranks share any of them.
struct ParameterBytes {
  double weight = 0;
  double master = 0;  // the copy that the optimizer updates
  double gradient = 0;
  double states = 0;  // the optimizer's, of a parameter that has all of them
};
// 2 + 4 + 2 + 8 of Adam in mixed precision (ZeRO, Rajbhandari et al. 2020, arXiv 1910.02054, section 3.1); 18
// with gradients of 32 bits (Megatron-LM, theoretical_memory_usage.py); 4 + 4 + 8 where weights are in fp32;
// 2 + 2 + 4 where all is in 16 bits, as PyTorch's optimizers keep states in their parameter's type. States of
// 8 bits or fewer have a scale in fp32 for each block of 256 (bitsandbytes, functional.py,
// quantize_blockwise; torchao, optim/subclass_8bit.py).
ParameterBytes parameter_bytes(const Plan& plan);

// Bytes of an element of activations: in the run's format, in 16 bits where that is a narrower one.
double wide_bytes(const Plan& plan);
// Bytes per element of the residual stream: the dtype's; 4 under autocast, which leaves what fp32 weights put
// out as it is (PyTorch, torch.amp: an embedding is no autocast operation), unless ranks gather these weights
// in 16 bits.
double stream_bytes(const Plan& plan);

// Whether PyTorch's modules run under autocast, with weights and the residual stream in fp32: each product
// narrows its input for itself (torch.autocast keeps casts of weights alone).
bool casts_apart(const Plan& plan);
// Whether queries, keys and values, and the branches of an MLP, are products of their own in eager mode, as
// transformers' modules of models with RMSNorm (Llama, Qwen, Gemma) and of encoders (BERT, ViT) have them;
// those of GPT-2, GPT-NeoX, Falcon and MPT join them.
bool splits_projections(const ModelSpec& model);

// Whether the loss reads logits in 16 bits: BERT's and RoBERTa's modules hand theirs on as they are
// (transformers, BertForMaskedLM), in the format of weights, where others widen them.
bool has_narrow_logits(const Setup& setup);

// States of a parameter that has all of them: Adam's two moments; fewer of other optimizers.
double number_of_states(Optimizer optimizer);

// Bytes of one layer and micro-batch on one rank, what each operation needs for its gradient. Of GPT's layer
// that is sbh (10 + 24/t + 5 a s / (h t)), with sequence parallelism sbh/t (34 + 5 a s / h), and with full
// recomputation the layer's input, 2 sbh (Korthikanti et al. 2022, arXiv 2205.05198, equations 1 to 6);
// other layers have fewer keys, a wider MLP, latents, experts, or inputs that are kept in 8 bits. A run in
// fp32 keeps twice as much. Operation after operation (`eager`), RMSNorm keeps its input in fp32 next to what
// it puts out before the weight (Llama's `hidden_states.to(torch.float32)`), and a gated MLP also what the
// activation function puts out.
struct LayerActivations {
  double kept = 0;
  double scores = 0;  // in addition: the score matrices that unfused attention keeps
  double again = 0;   // of the one layer whose forward pass runs again, while it does
};
LayerActivations layer_activations(const Setup& setup);

// Bytes of the tokens that sequence parallelism shares out, gathered for the product that reads them, and of
// their gradient before it is shared out again.
double gathered_sequence_bytes(const Setup& setup);

// Bytes of each logit at the loss's peak. unfused: in fp32 their log-softmax, its gradient and theirs
// (PyTorch's cross_entropy of `logits.float()`, backward; the logits themselves are gone by then: 12.0 bytes
// of six models of transformers, measured/tables/h100-sxm5-2026-11-26.json), over ranks of tensor parallelism
// one more, and the logits (PyTorch, distributed/tensor/parallel/loss.py,
// _nll_loss_and_log_softmax_backward); compiled with the model, which hands the logits out: logits, their
// gradient, and the zeros that AOTAutograd makes of what is handed out and not used (6.0 bytes of three
// models, same file); vocab_parallel: the logits, and a
// copy in fp32 that exponentials, softmax and gradient are written over (Megatron-LM,
// tensor_parallel/cross_entropy.py); vocab_parallel_fused: one copy more, as torch.compile writes nothing
// over its inputs (fusions/fused_cross_entropy.py; 10.1 bytes where vocab_parallel takes 6.1,
// NovaSky-AI/SkyRL#1841; 12 and 8 in fp32, linkedin/Liger-Kernel#1260); fused: the logits and their gradient;
// chunked: next to nothing. Of a run in fp32 the logits are, too, and vocab_parallel makes no copy.
double logit_bytes(const Plan& plan);

}  // namespace shapelint::model
