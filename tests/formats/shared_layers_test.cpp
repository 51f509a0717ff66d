// Parameters of models whose layers share weights or projections, and of encoders, as published. Each
// configuration is reduced to the keys that decide the shape.
#include <string>
#include <vector>

#include "tests/formats/published_counts.hpp"

using namespace shapelint;
using tests::billion;
using tests::million;
using tests::Published;

namespace {

const std::vector<Published> sharing_models{
    // arXiv 2405.16712; sizes: Zyphra/Zamba-7B-v1, whose class has them as defaults
    {"Zamba 7B", 7.2, 1, billion, R"({"model_type":"zamba", "hidden_size":3712, "num_hidden_layers":76})"},
    // arXiv 2411.15242; sizes: Zyphra/Zamba2-*
    {"Zamba2 1.2B", 1.2, 1, billion,
     R"({"model_type":"zamba2", "hidden_size":2048, "num_hidden_layers":38, "num_attention_heads":32,
         "intermediate_size":8192, "num_mem_blocks":1, "adapter_rank":128, "mamba_d_state":64,
         "mamba_ngroups":1, "n_mamba_heads":64, "use_shared_attention_adapter":true,
         "hybrid_layer_ids":[5, 11, 17, 23, 29, 35]})"},
    {"Zamba2 2.7B", 2.7, 1, billion,
     R"({"model_type":"zamba2", "hidden_size":2560, "num_hidden_layers":54, "num_attention_heads":32,
         "intermediate_size":10240, "num_mem_blocks":2, "adapter_rank":128, "mamba_d_state":64,
         "mamba_ngroups":1, "n_mamba_heads":80, "hybrid_layer_ids":[6, 12, 18, 24, 30, 36, 42, 47, 51]})"},
    {"Zamba2 7B", 7.4, 1, billion,
     R"({"model_type":"zamba2", "hidden_size":3584, "num_hidden_layers":81, "num_attention_heads":32,
         "intermediate_size":14336, "num_mem_blocks":2, "adapter_rank":128, "mamba_d_state":64,
         "mamba_ngroups":2, "n_mamba_heads":112,
         "hybrid_layer_ids":[6, 11, 17, 23, 29, 35, 41, 47, 53, 59, 65, 71, 77]})"},
    // arXiv 2411.13676; sizes: nvidia/Hymba-1.5B-Base
    {"Hymba 1.5B", 1.52, 2, billion,
     R"({"model_type":"hymba", "hidden_size":1600, "num_hidden_layers":32, "num_attention_heads":25,
         "num_key_value_heads":5, "intermediate_size":5504, "vocab_size":32001, "mamba_expand":2,
         "mamba_d_state":16, "mamba_d_conv":4, "mamba_dt_rank":100, "v_head_dim":128, "kq_head_dim":-1,
         "sliding_window":1024, "global_attn_idx":[0, 15, 31], "tie_word_embeddings":true,
         "kv_reuse_group":[[1, 2], [3, 4], [5, 6], [7, 8], [9, 10], [11, 12], [13, 14], [16, 17, 18],
         [19, 20], [21, 22], [23, 24], [25, 26], [27, 28], [29, 30]]})"},
    // arXiv 2508.10104
    {"DINOv3 ViT-7B", 6.716, 3, billion,
     R"({"model_type":"dinov3_vit", "hidden_size":4096, "num_hidden_layers":40, "num_attention_heads":32,
         "intermediate_size":8192, "use_gated_mlp":true, "num_register_tokens":4})"},
    // facebook/esm2_t33_650M_UR50D
    {"ESM-2 650M", 651, 0, million,
     R"({"model_type":"esm", "hidden_size":1280, "num_hidden_layers":33, "num_attention_heads":20,
         "intermediate_size":5120, "vocab_size":33, "position_embedding_type":"rotary",
         "emb_layer_norm_before":false})"},
    // arXiv 2312.05187
    {"w2v-BERT 2.0", 0.6, 1, billion,
     R"({"model_type":"wav2vec2-bert", "hidden_size":1024, "num_hidden_layers":24, "num_attention_heads":16,
         "intermediate_size":4096, "conv_depthwise_kernel_size":31})"},
};

}  // namespace

TEST_CASE("models that share blocks or projections have the parameters that are printed of them",
          "[formats][counts]") {
  for (const Published& each : sharing_models) tests::check_parameters(each, "config.json", each.config);
}
