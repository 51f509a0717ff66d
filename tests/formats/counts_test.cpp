// Parameters counted from Hugging Face configurations against the published counts. Each configuration is
// reduced to the keys that decide the shape; the model's class supplies the rest, as transformers does.
#include <cmath>
#include <string>
#include <vector>

#include "formats/read.hpp"
#include "model/lower/lower.hpp"
#include "tests/catch.hpp"
#include "text/files.hpp"

using namespace shapelint;

namespace {

struct Counted {
  const char* name;
  const char* config;
  double parameters;  // the model card's or the checkpoint's count, all parts of the file together
};

// Sources: the number of elements in each checkpoint on the Hugging Face hub, or the model's paper.
const std::vector<Counted> counted_models{
    {"Llama-2-7B",
     R"({"model_type":"llama","hidden_size":4096,"intermediate_size":11008,"num_attention_heads":32,
         "num_hidden_layers":32,"vocab_size":32000})",
     6738415616.0},
    {"Llama-2-70B",
     R"({"model_type":"llama","hidden_size":8192,"intermediate_size":28672,"num_attention_heads":64,
         "num_hidden_layers":80,"num_key_value_heads":8,"vocab_size":32000})",
     68976648192.0},
    {"Llama-3-8B",
     R"({"model_type":"llama","hidden_size":4096,"intermediate_size":14336,"num_attention_heads":32,
         "num_hidden_layers":32,"num_key_value_heads":8,"vocab_size":128256})",
     8030261248.0},
    {"Llama-3-70B",
     R"({"model_type":"llama","hidden_size":8192,"intermediate_size":28672,"num_attention_heads":64,
         "num_hidden_layers":80,"num_key_value_heads":8,"vocab_size":128256})",
     70553706496.0},
    {"Mistral-7B", R"({"model_type":"mistral","hidden_size":4096})", 7241732096.0},
    {"Mixtral-8x7B", R"({"model_type":"mixtral","hidden_size":4096})", 46702792704.0},
    {"Qwen2-0.5B",
     R"({"model_type":"qwen2","hidden_size":896,"intermediate_size":4864,"num_attention_heads":14,
         "num_hidden_layers":24,"num_key_value_heads":2,"tie_word_embeddings":true,"vocab_size":151936})",
     494032768.0},
    {"Qwen2.5-7B",
     R"({"model_type":"qwen2","hidden_size":3584,"intermediate_size":18944,"num_attention_heads":28,
         "num_hidden_layers":28,"num_key_value_heads":4,"vocab_size":152064})",
     7615616512.0},
    {"Qwen2.5-72B",
     R"({"model_type":"qwen2","hidden_size":8192,"intermediate_size":29568,"num_attention_heads":64,
         "num_hidden_layers":80,"num_key_value_heads":8,"vocab_size":152064})",
     72706203648.0},
    {"Qwen3-0.6B",
     R"({"model_type":"qwen3","hidden_size":1024,"intermediate_size":3072,"num_attention_heads":16,
         "num_hidden_layers":28,"num_key_value_heads":8,"tie_word_embeddings":true})",
     596049920.0},
    {"Qwen3-8B",
     R"({"model_type":"qwen3","hidden_size":4096,"intermediate_size":12288,"num_attention_heads":32,
         "num_hidden_layers":36,"num_key_value_heads":8})",
     8190735360.0},
    {"Qwen3-30B-A3B",
     R"({"model_type":"qwen3_moe","hidden_size":2048,"intermediate_size":6144,"moe_intermediate_size":768,
         "num_attention_heads":32,"num_hidden_layers":48,"num_key_value_heads":4,"num_experts":128,
         "num_experts_per_tok":8,"head_dim":128})",
     30532122624.0},
    {"Gemma-2-2B", R"({"model_type":"gemma2","hidden_size":2304})", 2614341888.0},
    {"Gemma-2-9B",
     R"({"model_type":"gemma2","hidden_size":3584,"intermediate_size":14336,"num_attention_heads":16,
         "num_hidden_layers":42,"num_key_value_heads":8,"head_dim":256})",
     9241705984.0},
    {"Gemma-3-1B",
     R"({"model_type":"gemma3_text","hidden_size":1152,"intermediate_size":6912,"num_attention_heads":4,
         "num_hidden_layers":26,"num_key_value_heads":1,"vocab_size":262144})",
     999885952.0},
    {"DeepSeek-V3", R"({"model_type":"deepseek_v3","hidden_size":7168})", 671026419200.0},
    {"GPT-NeoX-20B", R"({"model_type":"gpt_neox","hidden_size":6144})", 20554567680.0},
    {"Pythia-1.4B",
     R"({"model_type":"gpt_neox","hidden_size":2048,"intermediate_size":8192,"num_attention_heads":16,
         "num_hidden_layers":24,"vocab_size":50304})",
     1414647808.0},
    {"Pythia-12B",
     R"({"model_type":"gpt_neox","hidden_size":5120,"intermediate_size":20480,"num_attention_heads":40,
         "num_hidden_layers":36,"vocab_size":50688})",
     11846072320.0},
    {"OLMo-2-7B",
     R"({"model_type":"olmo2","hidden_size":4096,"intermediate_size":11008,"num_attention_heads":32,
         "num_hidden_layers":32,"vocab_size":100352})",
     7298617344.0},
    {"SmolLM2-135M",
     R"({"model_type":"llama","hidden_size":576,"intermediate_size":1536,"num_attention_heads":9,
         "num_hidden_layers":30,"num_key_value_heads":3,"tie_word_embeddings":true,"vocab_size":49152})",
     134515008.0},
    {"SmolLM2-1.7B",
     R"({"model_type":"llama","hidden_size":2048,"intermediate_size":8192,"num_attention_heads":32,
         "num_hidden_layers":24,"tie_word_embeddings":true,"vocab_size":49152})",
     1711376384.0},
    {"Falcon-7B", R"({"model_type":"falcon","hidden_size":4544})", 6921720704.0},
    {"BLOOM-176B",
     R"({"model_type":"bloom","hidden_size":14336,"n_head":112,"n_layer":70,"vocab_size":250880})",
     176247271424.0},
    {"BLOOM-560M", R"({"model_type":"bloom","n_embed":1024,"num_attention_heads":16,"n_layer":24})",
     559214592.0},
    {"OPT-125M", R"({"model_type":"opt","hidden_size":768})", 125239296.0},
    {"OPT-6.7B",
     R"({"model_type":"opt","hidden_size":4096,"ffn_dim":16384,"num_attention_heads":32,
         "num_hidden_layers":32,"max_position_embeddings":2048})",
     6658473984.0},
    {"GPT-2", R"({"model_type":"gpt2","n_embd":768})", 124439808.0},
    {"GPT-2 XL", R"({"model_type":"gpt2","n_embd":1600,"n_head":25,"n_layer":48})", 1557611200.0},
    {"BERT-base", R"({"model_type":"bert","architectures":["BertModel"],"hidden_size":768})", 109482240.0},
    {"BERT-large",
     R"({"model_type":"bert","hidden_size":1024,"intermediate_size":4096,"num_attention_heads":16,
         "num_hidden_layers":24})",
     335141888.0},
    {"T5-small", R"({"model_type":"t5","d_model":512})", 60506624.0},
    {"T5-base",
     R"({"model_type":"t5","d_model":768,"d_ff":3072,"d_kv":64,"num_layers":12,"num_heads":12,"vocab_size":32128})",
     222903552.0},
    {"T5-large",
     R"({"model_type":"t5","d_model":1024,"d_ff":4096,"d_kv":64,"num_layers":24,"num_heads":16,"vocab_size":32128})",
     737668096.0},
    {"T5-3B",
     R"({"model_type":"t5","d_model":1024,"d_ff":16384,"d_kv":128,"num_layers":24,"num_heads":32,"vocab_size":32128})",
     2851598336.0},
    {"T5 v1.1 XXL",
     R"({"model_type":"t5","d_model":4096,"d_ff":10240,"d_kv":64,"num_layers":24,"num_heads":64,"vocab_size":32128,
         "feed_forward_proj":"gated-gelu","tie_word_embeddings":false})",
     11135332352.0},
    {"BART-large",
     R"({"model_type":"bart","d_model":1024,"encoder_layers":12,"decoder_layers":12,"encoder_ffn_dim":4096,
         "decoder_ffn_dim":4096,"encoder_attention_heads":16,"decoder_attention_heads":16,
         "max_position_embeddings":1024,"vocab_size":50265})",
     406291456.0},
    {"Whisper large-v2",
     R"({"model_type":"whisper","d_model":1280,"encoder_layers":32,"decoder_layers":32,"encoder_ffn_dim":5120,
         "decoder_ffn_dim":5120,"encoder_attention_heads":20,"decoder_attention_heads":20,
         "max_source_positions":1500,"max_target_positions":448,"vocab_size":51865})",
     1543304960.0},
    // https://huggingface.co/arcee-ai/AFM-4.5B: 4.62 B. https://huggingface.co/rhymes-ai/Aria: 25.3 B, of
    // which the vision tower and its projector have 0.43 B. arXiv 2112.10668, table 2: 2.9 B and 564 M.
    {"AFM-4.5B",
     R"({"model_type":"arcee","hidden_size":2560,"intermediate_size":18432,"num_hidden_layers":36,"num_attention_heads":20,
         "num_key_value_heads":4,"head_dim":128,"hidden_act":"relu2","rms_norm_eps":1e-5,"vocab_size":128004,
         "tie_word_embeddings":false})",
     4.62e9},
    {"Aria",
     R"({"model_type":"aria_text","hidden_size":2560,"intermediate_size":13568,"moe_intermediate_size":1664,
         "moe_num_experts":64,"moe_topk":6,"num_attention_heads":20,"num_key_value_heads":20,"num_hidden_layers":28,
         "vocab_size":100352})",
     24.87e9},
    {"XGLM-564M",
     R"({"model_type":"xglm","d_model":1024,"ffn_dim":4096,"num_layers":24,"attention_heads":16,
         "activation_function":"gelu","vocab_size":256008,"max_position_embeddings":2048})",
     564.5e6},
    {"ViT-L/16",
     R"({"model_type":"vit","hidden_size":1024,"intermediate_size":4096,"num_attention_heads":16,
         "num_hidden_layers":24,"image_size":224,"patch_size":16})",
     303301632.0},
};

}  // namespace

TEST_CASE("parameters counted from config.json are the published ones", "[formats][counts]") {
  constexpr double tolerance =
      0.005;  // parts that no matrix product sees: patch embeddings, biases of routers
  for (const Counted& each : counted_models) {
    text::MemoryFileSystem files;
    files.files["config.json"] = each.config;
    const formats::ReadResult result = formats::read_any(files, "config.json");
    CAPTURE(each.name);
    REQUIRE(result.errors.empty());
    REQUIRE_FALSE(result.readings.empty());
    double parameters = 0;
    for (const model::Reading& reading : result.readings) {
      CHECK(reading.complete);
      // An encoder's are among its decoder's.
      const bool is_tower = model::extra(reading, "tower") > 0;
      parameters += is_tower ? 0 : static_cast<double>(model::parameter_count(reading.setup));
    }
    INFO("counted " << static_cast<std::int64_t>(parameters) << ", published "
                    << static_cast<std::int64_t>(each.parameters));
    CHECK(std::abs(parameters / each.parameters - 1) <= tolerance);
  }
}
