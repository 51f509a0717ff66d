// Mistakes that public configurations were published with, each reduced to the values that make it, and what
// is said of it. The projects are named; several have corrected theirs since.
#include <map>
#include <string>
#include <vector>

#include "tests/catch.hpp"
#include "tests/cli/run_support.hpp"

using namespace shapelint;

namespace {

struct Mistake {
  const char* where;
  std::string file;  // the one that is linted
  std::map<std::string, std::string> files;
  int exit_code;
  std::vector<std::string> says;  // each is in the output or on the error stream
};

const std::vector<Mistake> mistakes{
    {"GPT-NeoX configs/mistral/7B.yml: a gated width from Hugging Face, not tripled, whose third is odd",
     "mistral/7B.yml",
     {{"mistral/7B.yml",
       "num_layers: 32\nhidden_size: 4096\nnum_attention_heads: 32\nnum_kv_heads: 8\n"
       "intermediate_size: 14336\nactivation: swiglu\nseq_length: 8192\n"
       "pipe_parallel_size: 1\nmodel_parallel_size: 1\n"}},
     1,
     {"mistral/7B.yml:5:20: error: `intermediate_size` 14336 is not a valid gated MLP width [SL905]",
      "warning: `intermediate_size` gives an MLP width of only 4778 (1.17x `hidden_size`)"}},
    {"GPT-NeoX configs/llama2/codellama_34B.yml: no width at all, 22016 was meant",
     "codellama_34B.yml",
     {{"codellama_34B.yml",
       "num_layers: 48\nhidden_size: 8192\nnum_attention_heads: 64\nnum_kv_heads: 8\n"
       "mlp_multiple_of: 256\nactivation: swiglu\nseq_length: 4096\n"
       "pipe_parallel_size: 1\nmodel_parallel_size: 8\n"}},
     1,
     {"warning: `intermediate_size` gives an MLP width of only 11008 (1.34x `hidden_size`)"}},
    {"GPT-NeoX configs/llama2/codellama_7B.yml: no width at all, 11008 was meant",
     "codellama_7B.yml",
     {{"codellama_7B.yml",
       "num_layers: 32\nhidden_size: 4096\nnum_attention_heads: 32\nmlp_multiple_of: 256\n"
       "activation: swiglu\nseq_length: 4096\npipe_parallel_size: 1\n"
       "model_parallel_size: 2\n"}},
     1,
     {"warning: `intermediate_size` gives an MLP width of only 5632 (1.38x `hidden_size`)"}},
    {"Pythia models/12B/pythia-12b.yml: a comma is missing behind a key",
     "pythia-12b.yml",
     {{"pythia-12b.yml",
       "{\n  \"pipe-parallel-size\": 1,\n  \"model-parallel-size\": 4,\n  \"num-layers\": 36,\n"
       "  \"hidden-size\": 5120,\n  \"num-attention-heads\": 40,\n"
       "  \"attention-config\": [[[\"flash\"], 36]]\n  \"seq-length\": 2048,\n"
       "  \"pos-emb\": \"rotary\"\n}\n"}},
     2,
     {"error: ", "pythia-12b.yml:8:", "GPT-NeoX"}},
    {"Pythia models/12B/pythia-12b-deduped.yml: layers and heads exchanged",
     "pythia-12b-deduped.yml",
     {{"pythia-12b-deduped.yml",
       "{\n  \"pipe-parallel-size\": 1,\n  \"model-parallel-size\": 4,\n"
       "  \"num-layers\": 40,\n  \"hidden-size\": 5120,\n"
       "  \"num-attention-heads\": 36,\n  \"seq-length\": 2048\n}\n"}},
     1,
     {"pythia-12b-deduped.yml:4:17: warning: `num_layers` 40, but 36 in Pythia 12B",
      "pythia-12b-deduped.yml:6:26: error: `hidden_size` 5120 is not divisible by `num_attention_heads` 36 "
      "[SL401]"}},
    {"Primus qwen3_32B.yaml: no kv_channels, so that heads are 80 wide instead of 128",
     "qwen3_32B.yaml",
     {{"base.yaml", "tensor_model_parallel_size: 1\nseq_length: 4096\n"},
      {"qwen3_32B.yaml",
       "extends: [base.yaml]\nnum_layers: 64\nhidden_size: 5120\nffn_hidden_size: 25600\n"
       "num_attention_heads: 64\ngroup_query_attention: true\nnum_query_groups: 8\n"
       "swiglu: true\nqk_layernorm: true\n"}},
     1,
     {"warning: `head_dim` 80, but 128 in Qwen/Qwen3-32B"}},
    {"Primus qwen3_4B.yaml: the same",
     "qwen3_4B.yaml",
     {{"qwen3_4B.yaml",
       "num_layers: 36\nhidden_size: 2560\nffn_hidden_size: 9728\nnum_attention_heads: 32\n"
       "group_query_attention: true\nnum_query_groups: 8\nswiglu: true\nqk_layernorm: true\n"
       "extends: [base.yaml]\n"},
      {"base.yaml", "seed: 1\n"}},
     1,
     {"warning: `head_dim` 80, but 128 in Qwen/Qwen3-4B"}},
    {"Primus zebra_llama_8B.yaml: a digit of Llama 3 8B's width, in a model of another depth",
     "zebra_llama_8B.yaml",
     {{"zebra_llama_8B.yaml",
       "bases: [base.yaml]\nnum_layers: 64\nhidden_size: 4096\nffn_hidden_size: 14436\n"
       "num_attention_heads: 32\nswiglu: true\nis_hybrid_model: true\n"
       "hybrid_attention_ratio: 0.25\nmamba_state_dim: 128\n"}},
     1,
     {"zebra_llama_8B.yaml:4:18: warning: `intermediate_size` 14436, but 14336 in Llama 3 8B"}},
    {"calculon models/gpt3-13B.json: 5140 for 5120, a misprint in the paper's table",
     "gpt3-13B.json",
     {{"gpt3-13B.json", R"({"hidden": 5140, "feedforward": 20560, "seq_size": 2048, "attn_heads": 40,
 "attn_size": 128, "num_blocks": 40})"}},
     1,
     {"gpt3-13B.json:1:12: warning: `hidden_size` 5140, but 5120 in GPT-3 13B"}},
    {"open_lm open_lm_87m.json: 488 / 12 is rounded down to 40, and 8 columns are lost",
     "open_lm_87m.json",
     {{"open_lm_87m.json", R"({"hidden_dim": 488, "n_layers": 24, "n_heads": 12, "seq_len": 2048,
 "vocab_size": 50432, "post_embed_norm": false, "weight_tying": false})"}},
     1,
     {"open_lm_87m.json:1:48: warning: `hidden_size` 488 is not divisible by 12 heads [SL918]"}},
    {"axolotl examples: 8096 for 8192",
     "lora.yml",
     {{"lora.yml",
       "base_model: NousResearch/Llama-2-7b-hf\ndatasets: [{path: x, type: alpaca}]\n"
       "sequence_len: 8096\nmicro_batch_size: 2\ngradient_checkpointing: true\n"}},
     0,
     {"lora.yml:3:15: info: `sequence_length` 8096 differs from 8192 by 96"}},
    {"axolotl examples: two tokens added, and the embedding is 32002 rows",
     "chatml.yml",
     {{"chatml.yml",
       "base_model: NousResearch/Llama-2-7b-hf\ndatasets: [{path: x, type: alpaca}]\n"
       "sequence_len: 4096\nmicro_batch_size: 2\ntokens: [\"<|im_start|>\", \"<|im_end|>\"]\n"}},
     0,
     {"info: 2 added tokens may grow the vocabulary to 32002"}},
    {"Qwen2-72B GPTQ: 231 groups of 128, which eight ranks do not divide",
     "config.json",
     {{"config.json", R"({"model_type": "qwen2", "hidden_size": 8192, "intermediate_size": 29568,
 "num_attention_heads": 64, "num_hidden_layers": 80, "num_key_value_heads": 8, "vocab_size": 152064,
 "quantization_config": {"quant_method": "gptq", "bits": 4, "group_size": 128}})"}},
     1,
     {"config.json:1:67: error: `intermediate_size` 29568 / `tensor` 8 = 3696, not a multiple of the "
      "group size 128"}},
    {"nanotron examples/config_qwen_with_moe.yaml: `moe_config` is null first, and a table below",
     "moe.yaml",
     {{"moe.yaml",
       "parallelism: {dp: 1, pp: 1, tp: 1}\nmodel:\n  model_config:\n    is_qwen2_config: true\n"
       "    hidden_size: 1024\n    num_hidden_layers: 8\n    num_attention_heads: 8\n"
       "    intermediate_size: 4096\n    vocab_size: 32768\n    moe_config: null\n"
       "    moe_config: {num_experts: 8, top_k: 2}\ntokens: {sequence_length: 4096, "
       "micro_batch_size: 2}\n"}},
     1,
     {"moe.yaml:11:5: warning: duplicate key `moe_config`: `null` on line 10 is ignored"}},
    {"GPT-NeoX: a learning rate that PyYAML reads as a string",
     "small.yml",
     {{"small.yml",
       "num_layers: 12\nhidden_size: 768\nnum_attention_heads: 12\nseq_length: 2048\n"
       "pipe_parallel_size: 1\nmodel_parallel_size: 1\n"
       "optimizer: {type: Adam, params: {lr: 6e-4}}\n"}},
     1,
     {"small.yml:7:38: warning: `lr: 6e-4` is parsed as a string, not as a number [SL910]"}},
    {"Megatron scripts: a size that comes with the command, said once",
     "pretrain.sh",
     {{"pretrain.sh",
       "#!/bin/bash\ntorchrun pretrain_gpt.py --num-layers 32 --hidden-size $1 \\\n"
       "  --num-attention-heads 32 --seq-length 2048 --micro-batch-size 1\n"}},
     0,
     {"pretrain.sh:2:56: info: `hidden_size`: not known statically"}},
};

}  // namespace

TEST_CASE("mistakes of public configurations are found", "[formats][mistakes]") {
  for (const Mistake& each : mistakes) {
    text::MemoryFileSystem files;
    for (const auto& [path, content] : each.files) files.files[path] = content;
    const std::string tensor = each.file == "config.json" ? "8" : "1";
    std::vector<std::string> args{each.file, "--gpu",          "h100", "--format",
                                  "concise", "--min-severity", "info"};
    if (tensor != "1") args.insert(args.end(), {"--tensor", tensor});
    const tests::Ran ran = tests::run(args, files);
    CAPTURE(each.where);
    INFO(ran.out << ran.err);
    CHECK(ran.code == each.exit_code);
    for (const std::string& part : each.says) {
      CAPTURE(part);
      CHECK((ran.out + ran.err).find(part) != std::string::npos);
    }
  }
}
