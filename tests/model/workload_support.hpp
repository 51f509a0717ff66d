// Workloads as text, for tests that read as tables.
#pragma once

#include <string>
#include <string_view>

#include "model/op.hpp"

namespace shapelint::tests {

// The setup of what stands under [model], run as `run` says.
model::Setup model_setup(const std::string& model, const std::string& run = "sequence_length = 4096\n");
// The setup of examples/NAME.toml.
model::Setup example(const std::string& name);
// Its tokens go to experts as wide as activations, and beside nothing.
model::Setup with_plain_exchange(model::Setup setup);
// The example on as few GPUs as hold its tensor-parallel ranks and its experts: one micro-batch, nothing
// shared by ZeRO, nothing computed again.
model::Setup replica(const std::string& name);

// DeepSeek-V3 as its inference engines decode it: 64 sequences on eight GPUs.
model::Setup decoding_deepseek_v3();

// One line per op of one kind, after an empty first line:
//   gemm         name  pass  batch x m x n x k  layout  *count
//   attention    name  pass  sequences, heads/key-value heads, queries/keys, width/width of values  *count
//   elementwise  name  pass  bytes  *count
//   collective   name  pass  kind  bytes  ranks  *count
std::string table(const model::Workload& workload, model::OpKind kind);

// The op, or nullptr.
const model::Op* find(const model::Workload& workload, std::string_view name,
                      model::Pass pass = model::Pass::forward);

}  // namespace shapelint::tests
