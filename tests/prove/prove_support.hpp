// A model with one finding to be proved.
#pragma once

#include <string>

namespace shapelint::tests {

// A vocabulary that is no multiple of anything: SL101 alone.
inline const std::string misaligned_vocabulary = R"([model]
hidden_size = 1024
num_layers = 4
num_attention_heads = 16
vocab_size = 50257
[run]
micro_batch_size = 4
sequence_length = 1024
dtype = "bf16"
attention = "flash"
)";

}  // namespace shapelint::tests
