// Models that the tests of the library lint, price and search.
#pragma once

namespace shapelint::tests {

inline constexpr const char* gpt3 = R"([model]
name = "GPT-3 2.7B"
hidden_size = 2560
num_layers = 32
num_attention_heads = 32
intermediate_size = 10240
vocab_size = 50257

[run]
micro_batch_size = 4
sequence_length = 2048
)";

inline constexpr const char* llama =
    R"({"model_type": "llama", "hidden_size": 2048, "num_hidden_layers": 16, "num_attention_heads": 32,
        "num_key_value_heads": 8, "intermediate_size": 8192, "vocab_size": 128256,
        "max_position_embeddings": 4096})";

}  // namespace shapelint::tests
