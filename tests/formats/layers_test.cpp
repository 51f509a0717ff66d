// Parameters of models whose layers are not all alike, or have no softmax attention, or read images, as
// published. Each configuration is reduced to the keys that decide the shape.
#include <cmath>
#include <string>
#include <vector>

#include "formats/read.hpp"
#include "model/lower/lower.hpp"
#include "model/mixer.hpp"
#include "tests/catch.hpp"
#include "tests/formats/published_counts.hpp"
#include "tests/formats/read_text.hpp"
#include "text/files.hpp"

using namespace shapelint;
using tests::billion;
using tests::check_parameters;
using tests::million;
using tests::Published;

namespace {

const std::vector<Published> uneven_models{
    // flash-linear-attention 999585572, fla/layers/moba.py and fla/models/moba: two tables of 32000 x 2048;
    // each of 24
    // layers 4 x 2048^2 and a gate of 2 x 2048 x 64, an MLP of 3 x 2048 x 5632 and two norms; one more norm
    {"MoBA by its defaults", 1370.589184, 6, million,
     R"({"model_type":"moba", "hidden_size":2048, "num_hidden_layers":24, "num_heads":32, "vocab_size":32000})"},
    // https://huggingface.co/apple/OpenELM-270M: 271,527,168 elements
    {"OpenELM 270M", 271.527168, 6, million,
     R"({"model_type":"openelm", "model_dim":1280, "num_transformer_layers":16, "head_dim":64,
         "ffn_dim_divisor":256, "ffn_with_glu":true, "normalize_qk_projections":true,
         "share_input_output_layers":true, "vocab_size":32000,
         "ffn_multipliers":[0.5,0.73,0.97,1.2,1.43,1.67,1.9,2.13,2.37,2.6,2.83,3.07,3.3,3.53,3.77,4.0],
         "num_query_heads":[12,12,12,12,12,16,16,16,16,16,16,16,20,20,20,20],
         "num_kv_heads":[3,3,3,3,3,4,4,4,4,4,4,4,5,5,5,5]})"},
    // arXiv 2312.00752; sizes: state-spaces/mamba-*
    {"Mamba 130M", 0.13, 2, billion,
     R"({"model_type":"mamba", "hidden_size":768, "num_hidden_layers":24, "vocab_size":50280,
         "state_size":16, "expand":2, "conv_kernel":4})"},
    {"Mamba 370M", 0.37, 2, billion,
     R"({"model_type":"mamba", "hidden_size":1024, "num_hidden_layers":48, "vocab_size":50280,
         "state_size":16, "expand":2, "conv_kernel":4})"},
    {"Mamba 790M", 0.79, 2, billion,
     R"({"model_type":"mamba", "hidden_size":1536, "num_hidden_layers":48, "vocab_size":50280,
         "state_size":16, "expand":2, "conv_kernel":4})"},
    {"Mamba 1.4B", 1.4, 1, billion,
     R"({"model_type":"mamba", "hidden_size":2048, "num_hidden_layers":48, "vocab_size":50280,
         "state_size":16, "expand":2, "conv_kernel":4})"},
    {"Mamba 2.8B", 2.8, 1, billion,
     R"({"model_type":"mamba", "hidden_size":2560, "num_hidden_layers":64, "vocab_size":50280,
         "state_size":16, "expand":2, "conv_kernel":4})"},
    // arXiv 2405.21060; sizes: state-spaces/mamba2-*
    {"Mamba-2 130M", 0.13, 2, billion,
     R"({"model_type":"mamba2", "hidden_size":768, "num_hidden_layers":24, "vocab_size":50288,
         "state_size":128, "n_groups":1, "num_heads":24, "head_dim":64, "conv_kernel":4,
         "tie_word_embeddings":true})"},
    {"Mamba-2 370M", 0.37, 2, billion,
     R"({"model_type":"mamba2", "hidden_size":1024, "num_hidden_layers":48, "vocab_size":50288,
         "state_size":128, "n_groups":1, "num_heads":32, "head_dim":64, "conv_kernel":4,
         "tie_word_embeddings":true})"},
    {"Mamba-2 780M", 0.78, 2, billion,
     R"({"model_type":"mamba2", "hidden_size":1536, "num_hidden_layers":48, "vocab_size":50288,
         "state_size":128, "n_groups":1, "num_heads":48, "head_dim":64, "conv_kernel":4,
         "tie_word_embeddings":true})"},
    {"Mamba-2 1.3B", 1.3, 1, billion,
     R"({"model_type":"mamba2", "hidden_size":2048, "num_hidden_layers":48, "vocab_size":50288,
         "state_size":128, "n_groups":1, "num_heads":64, "head_dim":64, "conv_kernel":4,
         "tie_word_embeddings":true})"},
    {"Mamba-2 2.7B", 2.7, 1, billion,
     R"({"model_type":"mamba2", "hidden_size":2560, "num_hidden_layers":64, "vocab_size":50288,
         "state_size":128, "n_groups":1, "num_heads":80, "head_dim":64, "conv_kernel":4,
         "tie_word_embeddings":true})"},
    // arXiv 2410.05355
    {"Falcon-Mamba 7B", 7.27, 2, billion,
     R"({"model_type":"falcon_mamba", "hidden_size":4096, "num_hidden_layers":64, "vocab_size":65024,
         "state_size":16, "intermediate_size":8192, "conv_kernel":4, "time_step_rank":256,
         "tie_word_embeddings":false})"},
    // arXiv 2408.12570
    {"Jamba 1.5 Mini", 52, 0, billion,
     R"({"model_type":"jamba", "attn_layer_offset":4, "attn_layer_period":8, "expert_layer_offset":1,
         "expert_layer_period":2, "hidden_size":4096, "intermediate_size":14336, "mamba_d_conv":4,
         "mamba_d_state":16, "mamba_dt_rank":256, "mamba_expand":2, "num_attention_heads":32,
         "num_experts":16, "num_experts_per_tok":2, "num_hidden_layers":32, "num_key_value_heads":8,
         "tie_word_embeddings":false, "vocab_size":65536})"},
    // ibm-granite/granite-4.0-h-small, model card
    {"Granite 4.0 H Small", 32, 0, billion,
     R"({"model_type":"granitemoehybrid", "hidden_size":4096, "num_hidden_layers":40,
         "num_attention_heads":32, "num_key_value_heads":8, "num_local_experts":72,
         "num_experts_per_tok":10, "shared_intermediate_size":1536, "intermediate_size":768,
         "mamba_d_state":128, "mamba_d_conv":4, "mamba_expand":2, "mamba_n_heads":128,
         "mamba_d_head":64, "mamba_n_groups":1, "tie_word_embeddings":true, "vocab_size":100352,
         "layer_types":["mamba", "mamba", "mamba", "mamba", "mamba", "mamba", "mamba", "mamba", "mamba",
         "mamba", "mamba", "mamba", "mamba", "mamba", "mamba", "mamba", "mamba", "mamba", "mamba",
         "mamba", "mamba", "mamba", "mamba", "mamba", "mamba", "mamba", "mamba", "mamba", "mamba",
         "mamba", "mamba", "mamba", "mamba", "mamba", "mamba", "mamba", "attention", "attention",
         "attention", "attention"]})"},
    // arXiv 2510.26692; sizes: moonshotai/Kimi-Linear-48B-A3B
    {"Kimi Linear 48B", 49.1, 1, billion,
     R"({"model_type":"kimi_linear", "hidden_size":2304, "num_hidden_layers":27, "vocab_size":163840,
         "num_attention_heads":32, "num_key_value_heads":32, "head_dim":72, "num_experts":256,
         "num_experts_per_token":8, "moe_intermediate_size":1024, "num_shared_experts":1,
         "intermediate_size":9216, "kv_lora_rank":512, "qk_nope_head_dim":128, "qk_rope_head_dim":64,
         "v_head_dim":128, "first_k_dense_replace":1, "tie_word_embeddings":false,
         "linear_attn_config":{"full_attn_layers":[4, 8, 12, 16, 20, 24, 27], "kda_layers":[1, 2, 3, 5,
         6, 7, 9, 10, 11, 13, 14, 15, 17, 18, 19, 21, 22, 23, 25, 26], "head_dim":128, "num_heads":32,
         "short_conv_kernel_size":4}})"},
    // arXiv 2507.22448
    {"Falcon-H1 0.5B", 0.52, 2, billion,
     R"({"model_type":"falcon_h1", "hidden_size":1024, "num_hidden_layers":36, "num_attention_heads":8,
         "num_key_value_heads":2, "head_dim":64, "mamba_n_heads":24, "mamba_d_head":64,
         "mamba_d_state":128, "mamba_n_groups":1, "mamba_d_ssm":1536, "mamba_d_conv":4,
         "intermediate_size":2048, "vocab_size":32784, "tie_word_embeddings":false})"},
    {"Falcon-H1 7B", 7.59, 2, billion,
     R"({"model_type":"falcon_h1", "hidden_size":3072, "num_hidden_layers":44,
         "num_attention_heads":12, "num_key_value_heads":2, "head_dim":128, "mamba_n_heads":24,
         "mamba_d_head":128, "mamba_d_state":256, "mamba_n_groups":1, "mamba_d_ssm":3072,
         "mamba_d_conv":4, "intermediate_size":12288, "vocab_size":130049, "tie_word_embeddings":false})"},
    {"Falcon-H1 34B", 33.6, 1, billion,
     R"({"model_type":"falcon_h1", "hidden_size":5120, "num_hidden_layers":72,
         "num_attention_heads":20, "num_key_value_heads":4, "head_dim":128, "mamba_n_heads":32,
         "mamba_d_head":128, "mamba_d_state":256, "mamba_n_groups":2, "mamba_d_ssm":4096,
         "mamba_d_conv":4, "intermediate_size":21504, "vocab_size":261120, "tie_word_embeddings":false})"},
    // arXiv 2511.23404
    {"LFM2 350M", 354, 0, million,
     R"({"model_type":"lfm2", "hidden_size":1024, "num_hidden_layers":16, "num_attention_heads":16,
         "num_key_value_heads":8, "block_ff_dim":6656, "block_auto_adjust_ff_dim":true,
         "block_multiple_of":256, "block_ffn_dim_multiplier":1.0, "conv_L_cache":3, "conv_bias":false,
         "vocab_size":65536, "layer_types":["conv", "conv", "full_attention", "conv", "conv",
         "full_attention", "conv", "conv", "full_attention", "conv", "full_attention", "conv",
         "full_attention", "conv", "full_attention", "conv"]})"},
    {"LFM2 700M", 742, 0, million,
     R"({"model_type":"lfm2", "hidden_size":1536, "num_hidden_layers":16, "num_attention_heads":24,
         "num_key_value_heads":8, "block_ff_dim":10240, "block_auto_adjust_ff_dim":true,
         "block_multiple_of":256, "block_ffn_dim_multiplier":1.0, "conv_L_cache":3, "conv_bias":false,
         "vocab_size":65536, "layer_types":["conv", "conv", "full_attention", "conv", "conv",
         "full_attention", "conv", "conv", "full_attention", "conv", "full_attention", "conv",
         "full_attention", "conv", "full_attention", "conv"]})"},
    {"LFM2 1.2B", 1.17, 2, billion,
     R"({"model_type":"lfm2", "hidden_size":2048, "num_hidden_layers":16, "num_attention_heads":32,
         "num_key_value_heads":8, "block_ff_dim":12288, "block_auto_adjust_ff_dim":true,
         "block_multiple_of":256, "block_ffn_dim_multiplier":1.0, "conv_L_cache":3, "conv_bias":false,
         "vocab_size":65536, "layer_types":["conv", "conv", "full_attention", "conv", "conv",
         "full_attention", "conv", "conv", "full_attention", "conv", "full_attention", "conv",
         "full_attention", "conv", "full_attention", "conv"]})"},
    // arXiv 2501.08313
    {"MiniMax-Text-01", 456, 0, billion,
     R"({"model_type":"minimax_text_01", "hidden_size":6144, "num_hidden_layers":80,
         "num_attention_heads":64, "num_key_value_heads":8, "head_dim":128, "intermediate_size":9216,
         "num_local_experts":32, "num_experts_per_tok":2, "vocab_size":200064, "attn_type_list":[0, 0,
         0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0,
         0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0,
         0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 1], "tie_word_embeddings":false})"},
    // arXiv 2404.07839
    {"RecurrentGemma 2B", 2.7, 1, billion,
     R"({"model_type":"recurrent_gemma", "hidden_size":2560, "num_hidden_layers":26,
         "num_attention_heads":10, "num_key_value_heads":1, "intermediate_size":15360, "lru_width":2560,
         "vocab_size":256000, "block_types":["recurrent", "recurrent", "attention"], "conv1d_width":4,
         "head_dim":256})"},
    // arXiv 2503.14456
    {"RWKV-7 World 2.9B", 2.9, 1, billion,
     R"({"model_type":"rwkv7", "hidden_size":2560, "num_hidden_layers":32, "head_dim":64,
         "decay_low_rank_dim":96, "gate_low_rank_dim":320, "a_low_rank_dim":96, "v_low_rank_dim":64,
         "vocab_size":65536, "hidden_ratio":4.0})"},
    {"RWKV-7 World 1.5B", 1.5, 1, billion,
     R"({"model_type":"rwkv7", "hidden_size":2048, "num_hidden_layers":24, "head_dim":64,
         "decay_low_rank_dim":96, "gate_low_rank_dim":256, "a_low_rank_dim":96, "v_low_rank_dim":64,
         "vocab_size":65536, "hidden_ratio":4.0})"},
    {"RWKV-7 World 0.4B", 0.45, 2, billion,
     R"({"model_type":"rwkv7", "hidden_size":1024, "num_hidden_layers":24, "head_dim":64,
         "decay_low_rank_dim":64, "gate_low_rank_dim":128, "a_low_rank_dim":64, "v_low_rank_dim":32,
         "vocab_size":65536, "hidden_ratio":4.0})"},
    // arXiv 2305.13048, table of sizes; 2404.05892 (Eagle, Finch)
    {"RWKV-4 169M", 169.34, 2, million,
     R"({"model_type":"rwkv", "hidden_size":768, "num_hidden_layers":12, "vocab_size":50277,
         "tie_word_embeddings":false})"},
    {"RWKV-4 1.5B", 1.515, 3, billion,
     R"({"model_type":"rwkv", "hidden_size":2048, "num_hidden_layers":24, "vocab_size":50277,
         "tie_word_embeddings":false})"},
    {"Eagle 1.5B", 1.58, 2, billion,
     R"({"model_type":"rwkv5", "hidden_size":2048, "num_hidden_layers":24, "head_size":64,
         "vocab_size":65536, "tie_word_embeddings":false})"},
    {"Eagle 7B", 7.52, 2, billion,
     R"({"model_type":"rwkv5", "hidden_size":4096, "num_hidden_layers":32, "head_size":64,
         "vocab_size":65536, "tie_word_embeddings":false})"},
    {"Finch 1.6B", 1.60, 2, billion,
     R"({"model_type":"rwkv6", "hidden_size":2048, "num_hidden_layers":24, "head_size":64,
         "vocab_size":65536, "tie_word_embeddings":false})"},
    {"Finch 3B", 3.10, 2, billion,
     R"({"model_type":"rwkv6", "hidden_size":2560, "num_hidden_layers":32, "head_size":64,
         "vocab_size":65536, "tie_word_embeddings":false})"},
    // arXiv 2503.13427
    {"xLSTM 7B", 6.87, 2, billion,
     R"({"model_type":"xlstm", "hidden_size":4096, "num_hidden_layers":32, "num_heads":8,
         "vocab_size":50304, "tie_word_embeddings":false})"},
    // the models' names
    {"Qwen3.5 27B", 27, 0, billion,
     R"({"model_type":"qwen3_5_text", "hidden_size":5120, "num_hidden_layers":64,
         "num_attention_heads":24, "num_key_value_heads":4, "head_dim":256, "intermediate_size":17408,
         "vocab_size":248320, "linear_num_key_heads":16, "linear_num_value_heads":48,
         "linear_key_head_dim":128, "linear_value_head_dim":128, "linear_conv_kernel_dim":4,
         "full_attention_interval":4, "tie_word_embeddings":false})"},
    {"Qwen3.5 9B", 9, 0, billion,
     R"({"model_type":"qwen3_5_text", "hidden_size":4096, "num_hidden_layers":32,
         "num_attention_heads":16, "num_key_value_heads":4, "head_dim":256, "intermediate_size":12288,
         "vocab_size":248320, "linear_num_key_heads":16, "linear_num_value_heads":32,
         "linear_key_head_dim":128, "linear_value_head_dim":128, "linear_conv_kernel_dim":4,
         "full_attention_interval":4, "tie_word_embeddings":false})"},
    {"Qwen3.5 4B", 4, 0, billion,
     R"({"model_type":"qwen3_5_text", "hidden_size":2560, "num_hidden_layers":32,
         "num_attention_heads":16, "num_key_value_heads":4, "head_dim":256, "intermediate_size":9216,
         "vocab_size":248320, "linear_num_key_heads":16, "linear_num_value_heads":32,
         "linear_key_head_dim":128, "linear_value_head_dim":128, "linear_conv_kernel_dim":4,
         "full_attention_interval":4, "tie_word_embeddings":true})"},
    {"Qwen3.5 0.8B", 0.8, 1, billion,
     R"({"model_type":"qwen3_5_text", "hidden_size":1024, "num_hidden_layers":24,
         "num_attention_heads":8, "num_key_value_heads":2, "head_dim":256, "intermediate_size":3584,
         "vocab_size":248320, "linear_num_key_heads":16, "linear_num_value_heads":16,
         "linear_key_head_dim":128, "linear_value_head_dim":128, "linear_conv_kernel_dim":4,
         "full_attention_interval":4, "tie_word_embeddings":true})"},
    // arXiv 2504.03624
    {"Nemotron-H 8B", 8.1, 1, billion,
     R"({"model_type":"nemotron_h",
         "hybrid_override_pattern":"M-M-M-M*-M-M-M-M-M*-M-M-M-M-M*-M-M-M-M-M*-M-M-M-M-M-",
         "hidden_size":4096, "intermediate_size":21504, "num_attention_heads":32,
         "num_key_value_heads":8, "head_dim":128, "mamba_num_heads":128, "mamba_head_dim":64,
         "ssm_state_size":128, "n_groups":8, "conv_kernel":4, "vocab_size":131072,
         "num_hidden_layers":52, "tie_word_embeddings":false})"},
    // model card
    {"Nemotron 3 Nano 30B-A3B", 31.6, 1, billion,
     R"({"model_type":"nemotron_h", "hidden_size":2688, "intermediate_size":1856,
         "num_hidden_layers":52, "num_attention_heads":32, "num_key_value_heads":2, "head_dim":128,
         "vocab_size":131072, "tie_word_embeddings":false,
         "hybrid_override_pattern":"MEMEM*EMEMEM*EMEMEM*EMEMEM*EMEMEM*EMEMEMEM*EMEMEMEME",
         "mamba_num_heads":64, "mamba_head_dim":64, "ssm_state_size":128, "n_groups":8, "conv_kernel":4,
         "chunk_size":128, "n_routed_experts":128, "num_experts_per_tok":6,
         "moe_intermediate_size":1856, "moe_shared_expert_intermediate_size":3712, "n_shared_experts":1,
         "attention_bias":false})"},
    {"Nemotron 3 Super 120B-A12B", 120.7, 1, billion,
     R"({"model_type":"nemotron_h", "hidden_size":4096, "intermediate_size":2688,
         "num_hidden_layers":88, "num_attention_heads":32, "num_key_value_heads":2, "head_dim":128,
         "vocab_size":131072, "tie_word_embeddings":false,
         "hybrid_override_pattern":"MEMEMEM*EMEMEMEM*EMEMEMEM*EMEMEMEMEM*EMEMEMEMEM*EMEMEMEMEM*EMEMEMEMEM*EMEMEMEM*EMEMEMEME",
         "mamba_num_heads":128, "mamba_head_dim":64, "ssm_state_size":128, "n_groups":8,
         "conv_kernel":4, "chunk_size":128, "n_routed_experts":512, "num_experts_per_tok":22,
         "moe_intermediate_size":2688, "moe_shared_expert_intermediate_size":5376, "n_shared_experts":1,
         "moe_latent_size":1024, "attention_bias":false})"},
    {"Nemotron 3 Ultra 550B-A55B", 549, 0, billion,
     R"({"model_type":"nemotron_h", "hidden_size":8192, "intermediate_size":5120,
         "num_attention_heads":64, "num_key_value_heads":2, "head_dim":128, "vocab_size":131072,
         "tie_word_embeddings":false, "layers_block_type":["mamba", "moe", "mamba", "moe", "mamba",
         "moe", "mamba", "attention", "moe", "mamba", "moe", "mamba", "moe", "mamba", "attention",
         "moe", "mamba", "moe", "mamba", "moe", "mamba", "moe", "mamba", "attention", "moe", "mamba",
         "moe", "mamba", "moe", "mamba", "moe", "mamba", "attention", "moe", "mamba", "moe", "mamba",
         "moe", "mamba", "attention", "moe", "mamba", "moe", "mamba", "moe", "mamba", "moe", "mamba",
         "attention", "moe", "mamba", "moe", "mamba", "moe", "mamba", "moe", "mamba", "attention",
         "moe", "mamba", "moe", "mamba", "moe", "mamba", "attention", "moe", "mamba", "moe", "mamba",
         "moe", "mamba", "moe", "mamba", "attention", "moe", "mamba", "moe", "mamba", "moe", "mamba",
         "moe", "mamba", "attention", "moe", "mamba", "moe", "mamba", "moe", "mamba", "attention",
         "moe", "mamba", "moe", "mamba", "moe", "mamba", "moe", "mamba", "attention", "moe", "mamba",
         "moe", "mamba", "moe", "mamba", "moe", "mamba", "moe"], "mamba_num_heads":256,
         "mamba_head_dim":64, "ssm_state_size":128, "n_groups":8, "conv_kernel":4, "chunk_size":128,
         "n_routed_experts":512, "num_experts_per_tok":22, "moe_intermediate_size":5120,
         "moe_shared_expert_intermediate_size":10240, "n_shared_experts":1, "moe_latent_size":2048,
         "attention_bias":false})"},
    // arXiv 2508.10925
    {"gpt-oss-120b", 116.83, 2, billion,
     R"({"model_type":"gpt_oss", "hidden_size":2880, "intermediate_size":2880, "num_hidden_layers":36,
         "num_attention_heads":64, "num_key_value_heads":8, "head_dim":64, "vocab_size":201088,
         "tie_word_embeddings":false, "num_experts_per_tok":4, "num_local_experts":128,
         "layer_types":["sliding_attention", "full_attention", "sliding_attention", "full_attention",
         "sliding_attention", "full_attention", "sliding_attention", "full_attention",
         "sliding_attention", "full_attention", "sliding_attention", "full_attention",
         "sliding_attention", "full_attention", "sliding_attention", "full_attention",
         "sliding_attention", "full_attention", "sliding_attention", "full_attention",
         "sliding_attention", "full_attention", "sliding_attention", "full_attention",
         "sliding_attention", "full_attention", "sliding_attention", "full_attention",
         "sliding_attention", "full_attention", "sliding_attention", "full_attention",
         "sliding_attention", "full_attention", "sliding_attention", "full_attention"],
         "sliding_window":128, "attention_bias":true})"},
    {"gpt-oss-20b", 20.91, 2, billion,
     R"({"model_type":"gpt_oss", "hidden_size":2880, "intermediate_size":2880, "num_hidden_layers":24,
         "num_attention_heads":64, "num_key_value_heads":8, "head_dim":64, "vocab_size":201088,
         "tie_word_embeddings":false, "num_experts_per_tok":4, "num_local_experts":32,
         "layer_types":["sliding_attention", "full_attention", "sliding_attention", "full_attention",
         "sliding_attention", "full_attention", "sliding_attention", "full_attention",
         "sliding_attention", "full_attention", "sliding_attention", "full_attention",
         "sliding_attention", "full_attention", "sliding_attention", "full_attention",
         "sliding_attention", "full_attention", "sliding_attention", "full_attention",
         "sliding_attention", "full_attention", "sliding_attention", "full_attention"],
         "sliding_window":128, "attention_bias":true})"},
    // arXiv 2602.15763
    {"GLM-5", 744, 0, billion,
     R"({"model_type":"glm_moe_dsa", "hidden_size":6144, "intermediate_size":12288,
         "num_hidden_layers":78, "num_attention_heads":64, "num_key_value_heads":64, "head_dim":64,
         "vocab_size":154880, "tie_word_embeddings":false, "n_routed_experts":256,
         "num_experts_per_tok":8, "moe_intermediate_size":2048, "n_shared_experts":1,
         "attention_bias":false, "q_lora_rank":2048, "kv_lora_rank":512, "qk_nope_head_dim":192,
         "qk_rope_head_dim":64, "v_head_dim":256, "first_k_dense_replace":3, "index_topk":2048,
         "index_n_heads":32, "index_head_dim":128, "topk_method":"noaux_tc"})"},
    // the model's name
    {"Qwen3-Next 80B-A3B", 80, 0, billion,
     R"({"model_type":"qwen3_next", "hidden_size":2048, "intermediate_size":5120,
         "num_hidden_layers":48, "num_attention_heads":16, "num_key_value_heads":2, "head_dim":256,
         "vocab_size":151936, "tie_word_embeddings":false, "num_experts_per_tok":10,
         "moe_intermediate_size":512, "num_experts":512, "shared_expert_intermediate_size":512,
         "linear_num_key_heads":16, "linear_num_value_heads":32, "linear_key_head_dim":128,
         "linear_value_head_dim":128, "linear_conv_kernel_dim":4, "full_attention_interval":4,
         "decoder_sparse_step":1})"},
    // Diffusion transformers; sizes: defaults of diffusers' classes, and the models' own config.json
    // arXiv 2212.09748, table 1
    {"DiT-XL/2", 675, 0, million, R"({"_class_name":"DiTTransformer2DModel", "num_embeds_ada_norm":1000})"},
    // arXiv 2310.00426
    {"PixArt-alpha", 0.6, 1, billion,
     R"({"_class_name":"PixArtTransformer2DModel", "caption_channels":4096, "sample_size":128})"},
    // the models' pages
    {"FLUX.1 dev", 12, 0, billion,
     R"({"_class_name":"FluxTransformer2DModel", "guidance_embeds":true, "num_layers":19,
         "num_single_layers":38, "attention_head_dim":128, "num_attention_heads":24,
         "joint_attention_dim":4096, "in_channels":64})"},
    {"FLUX.2 dev", 32, 0, billion,
     R"({"_class_name":"Flux2Transformer2DModel", "num_layers":8, "num_single_layers":48,
         "attention_head_dim":128, "num_attention_heads":48, "joint_attention_dim":15360,
         "in_channels":128, "mlp_ratio":3.0})"},
    {"Stable Diffusion 3.5 Large", 8.1, 1, billion,
     R"({"_class_name":"SD3Transformer2DModel", "num_layers":38, "num_attention_heads":38,
         "attention_head_dim":64, "qk_norm":"rms_norm", "sample_size":128, "joint_attention_dim":4096})"},
    {"Qwen-Image", 20, 0, billion,
     R"({"_class_name":"QwenImageTransformer2DModel", "num_layers":60, "attention_head_dim":128,
         "num_attention_heads":24, "joint_attention_dim":3584, "in_channels":64, "out_channels":16})"},
    {"AuraFlow", 6.8, 1, billion,
     R"({"_class_name":"AuraFlowTransformer2DModel", "num_mmdit_layers":4, "num_single_dit_layers":32,
         "attention_head_dim":256, "num_attention_heads":12, "joint_attention_dim":2048})"},
    {"CogView4", 6, 0, billion,
     R"({"_class_name":"CogView4Transformer2DModel", "num_layers":28, "num_attention_heads":32,
         "attention_head_dim":128, "text_embed_dim":4096, "time_embed_dim":512})"},
    {"Z-Image", 6, 0, billion,
     R"({"_class_name":"ZImageTransformer2DModel", "dim":3840, "n_layers":30, "n_refiner_layers":2,
         "n_heads":30, "cap_feat_dim":2560})"},
    // arXiv 2412.03603
    {"HunyuanVideo", 13, 0, billion,
     R"({"_class_name":"HunyuanVideoTransformer3DModel", "num_layers":20, "num_single_layers":40,
         "attention_head_dim":128, "num_attention_heads":24, "mlp_ratio":4.0, "patch_size":2,
         "text_embed_dim":4096})"},
    // arXiv 2503.20314
    {"Wan 2.1 14B", 14, 0, billion,
     R"({"_class_name":"WanModel", "dim":5120, "ffn_dim":13824, "freq_dim":256, "in_dim":16,
         "model_type":"t2v", "num_heads":40, "num_layers":40, "out_dim":16, "text_len":512})"},
    // arXiv 2501.00103
    {"LTX-Video", 1.9, 1, billion,
     R"({"_class_name":"LTXVideoTransformer3DModel", "num_layers":28, "num_attention_heads":32,
         "attention_head_dim":64, "cross_attention_dim":2048, "caption_channels":4096})"},
};

// NeMo's encoders, as the heads of its configuration files print them; the projection to 128 classes of CTC,
// which is not in them, has 0.1 M at most. (Medium has 30.5 M and is printed as 30.)
const std::vector<Published> conformers{
    {"Conformer-CTC small", 13, 0, million, "{n_layers: 16, d_model: 176, n_heads: 4, conv_kernel_size: 31"},
    {"Conformer-CTC large", 121, 0, million, "{n_layers: 18, d_model: 512, n_heads: 8, conv_kernel_size: 31"},
    {"Conformer-CTC XLarge", 635, 0, million,
     "{n_layers: 24, d_model: 1024, n_heads: 8, conv_kernel_size: 5"}};

}  // namespace

// arXiv 2411.19146: blocks without attention or an MLP, and with widths and heads of their own.
TEST_CASE("blocks have heads and widths of their own, or lack one of the two", "[formats]") {
  const std::string config = R"({"model_type":"nemotron-nas", "hidden_size":1024, "num_hidden_layers":4,
    "num_attention_heads":16, "vocab_size":32000, "tie_word_embeddings":false, "block_configs":[
    {"attention":{"n_heads_in_group":4, "no_op":false}, "ffn":{"ffn_mult":1.5, "no_op":false}},
    {"attention":{"n_heads_in_group":null, "no_op":true}, "ffn":{"ffn_mult":3.0, "no_op":false}},
    {"attention":{"n_heads_in_group":8, "no_op":false}, "ffn":{"ffn_mult":null, "no_op":true}},
    {"attention":{"n_heads_in_group":null, "no_op":true, "replace_with_linear":true},
     "ffn":{"ffn_mult":1.5, "no_op":false}}]})";
  text::MemoryFileSystem files;
  files.files["config.json"] = config;
  const formats::ReadResult result = formats::read_any(files, "config.json");
  REQUIRE(result.readings.size() == 1);
  REQUIRE(result.readings[0].complete);
  const std::int64_t hidden = 1024;
  const std::int64_t head = hidden / 16;
  const std::int64_t attention = 2 * hidden * hidden + 2 * hidden * head * 4;  // 4 key-value heads
  const std::int64_t fewer = 2 * hidden * hidden + 2 * hidden * head * 2;      // 2 of them
  const std::int64_t narrow = 3 * hidden * 1024;                               // 2 * 1.5 * 1024 / 3
  const std::int64_t wide = 3 * hidden * 2048;
  const std::int64_t norms = hidden * (2 + 1 + 1 + 1 + 1);
  CHECK(model::parameter_count(result.readings[0].setup) ==
        attention + fewer + 2 * narrow + wide + norms + 2 * 32000 * hidden);
}

TEST_CASE("models whose layers are not all attention and an MLP have the parameters that are printed of them",
          "[formats][counts]") {
  for (const Published& each : uneven_models) check_parameters(each, "config.json", each.config);
}

TEST_CASE("conformers have the parameters that are printed of them", "[formats][counts]") {
  for (const Published& each : conformers) {
    check_parameters(
        each, "conformer.yaml",
        "model:\n  encoder: " + std::string(each.config) +
            ", _target_: nemo.collections.asr.modules.ConformerEncoder, feat_in: 80, subsampling: "
            "striding, subsampling_factor: 4, subsampling_conv_channels: -1}\n");
  }
}

// What their config.json leaves to the code.
TEST_CASE("models of 2025 have their published parameters by config.json", "[formats]") {
  const auto parameters = [](const std::string& config) {
    return model::parameter_count(tests::one_setup("config.json", config));
  };
  // https://huggingface.co/nomic-ai/nomic-embed-text-v2-moe: 475,292,928; experts in every second layer.
  CHECK(parameters(
            R"({"model_type": "nomic_bert", "vocab_size": 250048, "n_embd": 768, "n_head": 12, "n_layer": 12,
    "n_inner": 3072, "n_positions": 2048, "num_experts": 8, "moe_top_k": 2, "moe_every_n_layers": 2,
    "add_pooling_layer": false, "activation_function": "gelu", "qkv_proj_bias": true, "mlp_fc1_bias": true,
    "type_vocab_size": 1})") == Approx(475'292'928).epsilon(0.0005));
  // https://huggingface.co/Dream-org/Dream-v0-Base-7B: on Qwen2.5 7B, 7,615,616,512, without its mask.
  const std::string dream = R"({"model_type": "Dream", "hidden_size": 3584, "num_hidden_layers": 28,
    "num_attention_heads": 28, "num_key_value_heads": 4, "intermediate_size": 18944, "vocab_size": 152064,
    "tie_word_embeddings": false})";
  CHECK(parameters(dream) == 7'615'616'512);
  CHECK_FALSE(tests::one_setup("config.json", dream).model.causal);
  // https://huggingface.co/upstage/Solar-Open-100B: 102.6 B
  CHECK(parameters(R"({"model_type": "solar_open", "hidden_size": 4096, "num_hidden_layers": 48,
    "num_attention_heads": 64, "head_dim": 128, "num_key_value_heads": 8, "vocab_size": 196608,
    "intermediate_size": 10240, "moe_intermediate_size": 1280, "n_routed_experts": 128, "n_shared_experts": 1,
    "num_experts_per_tok": 8, "first_k_dense_replace": 0})") == Approx(102.6e9).epsilon(0.001));
  // transformers, docs/source/en/model_doc/zaya.md: 8.3 B, without the embedding
  CHECK(parameters(R"({"model_type": "zaya", "ffn_hidden_size": 4096, "hidden_size": 2048, "head_dim": 128,
    "moe_router_topk": 1, "num_attention_heads": 8, "num_experts": 16, "num_hidden_layers": 80,
    "num_key_value_heads": 2})") -
            262'272 * 2'048 ==
        Approx(8.3e9).epsilon(0.005));
}
