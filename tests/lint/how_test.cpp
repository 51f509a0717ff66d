// How each framework is told what a finding proposes: the first fix can be written, keeps the GPUs and the
// batch, and is the best of its kind.
#include <algorithm>

#include "formats/dialect/edit_instructions.hpp"
#include "formats/read.hpp"
#include "lint/edits.hpp"
#include "lint/fix.hpp"
#include "lint/phrases.hpp"
#include "lint/run.hpp"
#include "tests/catch.hpp"
#include "tests/cli/run_support.hpp"
#include "tests/lint/first_fix.hpp"

using namespace shapelint;
using tests::first_fix;

namespace {

struct Case {
  const char* path;
  std::string text;
  const char* code;
  const char* how;
  const char* gpu = "a100";
};

// What stands under `how` of the finding with this code; what else was found where it is not there.
std::string how_of(const Case& each) {
  text::MemoryFileSystem files;
  files.files[each.path] = each.text;
  project::Request request;
  request.gpus.names = {each.gpu};
  request.min_severity = rules::Severity::info;
  request.select = {each.code};
  lint::RunRequest run;
  run.paths = {each.path};
  const project::Project project(request, files);
  const lint::RunOutcome out = lint::lint_files(run, project);
  std::string others = "not found:";
  for (const lint::ModelReport& model : out.report.models) {
    for (const rules::Finding& finding : model.result.findings) {
      if (finding.code == each.code) return finding.how;
      others += " " + std::string(finding.code);
    }
  }
  return others;
}

const std::string padded = "; the new rows are never used, and the tokenizer stays as it is";

std::string config_json(const std::string& vocabulary, const std::string& more = {}) {
  return R"({"model_type": "gpt2", "architectures": ["GPT2LMHeadModel"], "n_embd": 1024, "n_layer": 24,)"
         R"( "n_head": 16, "n_positions": 1024, "vocab_size": )" +
         vocabulary + more + "}";
}

std::string megatron_sh(const std::string& more) {
  return "torchrun --nproc_per_node 8 pretrain_gpt.py --num-layers 24 --hidden-size 1024 "
         "--num-attention-heads 16 --seq-length 1024 --max-position-embeddings 1024 --micro-batch-size 4 "
         "--global-batch-size 64 --bf16 " +
         more + "\n";
}

// Of SmolLM's continued pretraining: a 3B model on 64 GPUs.
std::string nanotron(const std::string& parallelism, const std::string& accumulation) {
  return "model:\n  dtype: bfloat16\n  make_vocab_size_divisible_by: 1\n  model_config:\n"
         "    hidden_size: 3072\n    num_hidden_layers: 28\n    num_attention_heads: 24\n"
         "    num_key_value_heads: 8\n    intermediate_size: 8192\n    vocab_size: 128256\n"
         "    is_llama_config: true\n    tie_word_embeddings: true\noptimizer:\n  zero_stage: 1\n"
         "parallelism:\n" +
         parallelism +
         "  tp_mode: REDUCE_SCATTER\n  tp_linear_async_communication: true\ntokens:\n"
         "  batch_accumulation_per_replica: " +
         accumulation + "\n  micro_batch_size: 4\n  sequence_length: 4096\n";
}

// Llama 3 8B under fine-tuning.
std::string neox(const std::string& accumulation) {
  return "{\n  \"num_layers\": 32, \"hidden_size\": 4096, \"num_attention_heads\": 32,\n"
         "  \"num_kv_heads\": 8, \"seq_length\": 1024, \"max_position_embeddings\": 8192,\n"
         "  \"pos_emb\": \"rotary\", \"norm\": \"rmsnorm\", \"no_weight_tying\": true,\n"
         "  \"pipe_parallel_size\": 1, \"model_parallel_size\": 4,\n"
         "  \"make_vocab_size_divisible_by\": 1, \"vocab_size\": 128256,\n"
         "  \"attention_config\": [[[\"flash\"], 32]], \"checkpoint_activations\": true,\n"
         "  \"train_micro_batch_size_per_gpu\": 32, \"zero_optimization\": {\"stage\": 1},\n"
         "  \"bf16\": {\"enabled\": true}, \"precision\": \"bfloat16\",\n"
         "  \"gradient_accumulation_steps\": " +
         accumulation + "\n}\n";
}

}  // namespace

TEST_CASE("a finding says how its framework is told what is proposed", "[lint]") {
  const Case cases[] = {
      {"config.json", config_json("50257"), "SL101",
       "`model.resize_token_embeddings(len(tokenizer), pad_to_multiple_of=64)`"},
      {"train.sh", megatron_sh("--vocab-size 50257 --make-vocab-size-divisible-by 1"), "SL101",
       "`--make-vocab-size-divisible-by 64`"},
      {"model_config.yaml",
       "MODEL_ARGS:\n  --num-layers: 24\n  --hidden-size: 1024\n  --num-attention-heads: 16\n"
       "  --seq-length: 1024\n  --micro-batch-size: 4\n  --vocab-size: 50257\n"
       "  --make-vocab-size-divisible-by: 1\n",
       "SL101", "`--make-vocab-size-divisible-by: 64`"},
      {"neox.yml",
       "{\"num_layers\": 24, \"hidden_size\": 1024, \"num_attention_heads\": 16, \"seq_length\": 1024,\n"
       "\"pos_emb\": \"rotary\", \"pipe_parallel_size\": 1, \"model_parallel_size\": 1,\n"
       "\"train_micro_batch_size_per_gpu\": 4, \"vocab_size\": 50257, \"make_vocab_size_divisible_by\": 1}\n",
       "SL101", "`make_vocab_size_divisible_by: 64`"},
  };
  for (const Case& each : cases) {
    INFO(each.path);
    CHECK(how_of(each) == each.how + padded);
  }
}

TEST_CASE("where a file calls a field otherwise, or leaves it out, its own key is named", "[lint]") {
  const Case cases[] = {
      {"train.sh", megatron_sh("--vocab-size 50304 --ffn-hidden-size 4001"), "SL103",
       "`--ffn-hidden-size 4032`"},
      {"train.sh", megatron_sh("--vocab-size 50304 --tensor-model-parallel-size 3"), "SL403",
       "`--tensor-model-parallel-size 4`"},
      {"config.json", config_json("50304", R"(, "n_inner": 4001)"), "SL103", "`\"n_inner\": 4032`"},
      // The file says what the field is called already.
      {"model.toml",
       "[model]\nhidden_size = 1024\nnum_layers = 4\nnum_attention_heads = 16\nvocab_size = 50304\n"
       "intermediate_size = 4001\n[run]\nmicro_batch_size = 4\nsequence_length = 1024\n",
       "SL103", ""},
      {"model.toml",
       "[model]\nhidden_size = 1024\nnum_layers = 4\nnum_attention_heads = 16\nvocab_size = 50304\n"
       "[run]\nsequence_length = 512\n",
       "SL501", "`micro_batch_size = 16` under `[run]`"},
      // Of two changes both are told, though the file calls one of them by the field's name.
      {"axolotl.yaml",
       "base_model: meta-llama/Llama-3.2-1B\nmicro_batch_size: 1\ngradient_accumulation_steps: 4\n"
       "sequence_len: 512\nbf16: true\ndatasets: []\n",
       "SL501", "`micro_batch_size: 4` and `gradient_accumulation_steps: 1`"},
      // How many micro-batches a batch comes to follows from it, on the ranks of the launch.
      {"train.sh",
       "torchrun --nproc_per_node 8 pretrain_gpt.py --num-layers 4 --hidden-size 1024 --num-attention-heads "
       "16 "
       "--seq-length 512 --micro-batch-size 1 --global-batch-size 32 --vocab-size 50304 --bf16\n",
       "SL501", ""},
      // Where nobody knows how many ranks share it.
      {"train.sh",
       "python pretrain_gpt.py --num-layers 4 --hidden-size 1024 --num-attention-heads 16 --seq-length 512 "
       "--micro-batch-size 1 --global-batch-size 32 --vocab-size 50304 --bf16\n",
       "SL501", "`--global-batch-size` must be divisible by 32 x the data-parallel ranks"},
      // Written as this file is, of the two syntaxes that there are.
      {"neox.json",
       R"({"num_layers": 24, "hidden_size": 1024, "num_attention_heads": 16, "seq_length": 512, )"
       R"("pos_emb": "rotary", "pipe_parallel_size": 1, "model_parallel_size": 1, "vocab_size": 50304, )"
       R"("train_micro_batch_size_per_gpu": 1})",
       "SL501", "`\"train_micro_batch_size_per_gpu\": 16`"},
  };
  for (const Case& each : cases) {
    INFO(each.path << " " << each.code);
    CHECK(how_of(each) == each.how);
  }
}

TEST_CASE("the key of every change of a proposal is named, and the one that a value was read from",
          "[lint]") {
  const std::string lora =
      "model_name_or_path: Qwen/Qwen2.5-7B-Instruct\nfinetuning_type: lora\nlora_rank: 8\ntemplate: qwen\n"
      "cutoff_len: 512\nbf16: true\nper_device_train_batch_size: 1\ngradient_accumulation_steps: 8\n";
  const std::string verl =
      "python3 -m verl.trainer.main_ppo data.train_batch_size=1000 data.max_prompt_length=1024 "
      "data.max_response_length=3000 actor_rollout_ref.model.path=Qwen/Qwen2.5-7B-Instruct "
      "actor_rollout_ref.actor.ppo_mini_batch_size=256 actor_rollout_ref.rollout.name=vllm "
      "trainer.n_gpus_per_node=8 actor_rollout_ref.rollout.tensor_model_parallel_size=";
  const Case cases[] = {
      {"lora.yaml", lora + "stage: sft\n", "SL501",
       "`per_device_train_batch_size: 8` and `gradient_accumulation_steps: 1`"},
      // Two sequences of each pair run together.
      {"pairs.yaml", lora + "stage: dpo\n", "SL501",
       "`per_device_train_batch_size: 8` and `gradient_accumulation_steps: 1`"},
      // `sdpa` is no newer kernel than FlashAttention-2.
      {"sft.yaml",
       "model_name_or_path: HuggingFaceTB/SmolLM3-3B-Base\nattn_implementation: flash_attention_2\nbf16: "
       "true\n"
       "max_length: 65536\nper_device_train_batch_size: 1\nlearning_rate: 2.0e-5\n",
       "SL608", "`attn_implementation: flash_attention_3` on Hopper", "h100"},
      // The actor and the engine of the rollouts have a degree each.
      {"run.sh", verl + "8\n", "SL403", "`actor_rollout_ref.rollout.tensor_model_parallel_size=4`"},
  };
  for (const Case& each : cases) {
    INFO(each.path << " " << each.code);
    CHECK(how_of(each) == each.how);
  }
}

TEST_CASE("what the file states is what is left out, and truth is Python's in Python", "[lint]") {
  const std::string small =
      "torchrun --nproc_per_node 1 pretrain_gpt.py --num-layers 4 --hidden-size 1024 --num-attention-heads 8 "
      "--seq-length 1024 --max-position-embeddings 1024 --micro-batch-size 1 --global-batch-size 1 --fp16 ";
  const Case cases[] = {
      {"train.sh", small + "--checkpoint-activations --deepspeed\n", "SL507",
       "leave out `--checkpoint-activations`"},
      {"train.sh",
       small + "--recompute-granularity full --recompute-method uniform --recompute-num-layers 1\n", "SL507",
       "leave out `--recompute-granularity`"},
      {"pixart.py",
       "image_size = 512\nmodel = \"PixArtMS_XL_2\"\ntrain_batch_size = 12\ngrad_checkpointing = True\n",
       "SL507", "`grad_checkpointing = False`"},
      // open_clip's ratio: 2.75 * 512 = 1408.
      {"ViT-B-32.json",
       "{\"embed_dim\": 512, \"text_cfg\": {\"vocab_size\": 49408, \"width\": 512, \"heads\": 8, \"layers\": "
       "12, "
       "\"mlp_ratio\": 2.6666667}}\n",
       "SL103", "`\"mlp_ratio\": 2.75`"},
  };
  for (const Case& each : cases) {
    INFO(each.text);
    CHECK(how_of(each).starts_with(each.how));
  }
}

// torchtitan, distributed/pipeline_parallel.py: a step has local_batch_size /
// pipeline_parallel_microbatch_size micro-batches.
TEST_CASE("micro-batches of a pipeline are told by its own key", "[lint]") {
  const std::string text =
      "[job]\nconfig_file = \"x\"\n[model]\nname = \"llama3\"\nflavor = \"8B\"\n[training]\nlocal_batch_size "
      "= 1\n"
      "seq_len = 8192\n[parallelism]\npipeline_parallel_degree = 4\ntensor_parallel_degree = 1\n";
  CHECK(how_of({"train.toml", text, "SL506", "", "h100"}).find("x `pipeline_parallel_microbatch_size`") !=
        std::string::npos);
}

TEST_CASE("`sdpa` is no newer FlashAttention than version 2", "[lint]") {
  const Case cases[] = {
      {"config.json", config_json("50304", R"(, "attn_implementation": "flash_attention_2")"), "SL608",
       "`attn_implementation=\"flash_attention_3\"` in `from_pretrained` on Hopper", "h100"},
      {"axolotl.yaml",
       "base_model: NousResearch/Meta-Llama-3.1-8B\ndatasets: [{path: a, type: b}]\nsequence_len: 8192\n"
       "micro_batch_size: 2\nattn_implementation: flash_attention_2\n",
       "SL608", "`attn_implementation: flash_attention_3` on Hopper", "h100"},
      {"train.yaml",
       "model_name_or_path: meta-llama/Llama-3.1-8B\nfinetuning_type: full\nstage: sft\ncutoff_len: 8192\n"
       "per_device_train_batch_size: 2\nflash_attn: fa2\nbf16: true\n",
       "SL608", "`flash_attn: fa3` on Hopper", "h100"},
  };
  for (const Case& each : cases) {
    INFO(each.path);
    CHECK(how_of(each) == each.how);
  }
}

// llm-foundry, llmfoundry/models/hf/hf_causal_lm.py: `config_overrides`; ModernBERT, src/hf_bert.py:
// `model_config`.
TEST_CASE("a vocabulary of the Hub is set where the trainer takes changes of it", "[lint]") {
  const std::string trainer =
      "max_seq_len: 1024\ntrain_loader:\n  name: text\nglobal_train_batch_size: 16\n"
      "device_train_microbatch_size: 16\nprecision: amp_bf16\nmodel:\n  tokenizer_name: t\n";
  CHECK(
      how_of({"gpt2.yaml",
              trainer + "  name: hf_causal_lm\n  pretrained_model_name_or_path: gpt2\n  pretrained: false\n",
              "SL101", "", "h100"}) == "`vocab_size: 50304` under `config_overrides`" + padded);
  CHECK(how_of({"bert.yaml",
                trainer +
                    "  name: hf_bert\n  pretrained_model_name: bert-base-uncased\n  use_pretrained: false\n",
                "SL101", "", "h100"}) == "`vocab_size: 30528` under `model.model_config`" + padded);
}

// transformers, models/gpt_oss/modeling_gpt_oss.py (4.57): `_supports_sdpa` is false.
TEST_CASE("a model with attention sinks is not sent to `sdpa`", "[lint]") {
  const std::string run =
      "datasets: [{path: a, type: b}]\nsequence_len: 4096\nmicro_batch_size: 1\nattn_implementation: eager\n";
  CHECK(how_of({"axolotl.yaml", "base_model: openai/gpt-oss-20b\n" + run, "SL604", "", "h100"}) ==
        "`attn_implementation: flex_attention`");
  CHECK(how_of({"axolotl.yaml", "base_model: Qwen/Qwen3-8B\n" + run, "SL604", "", "h100"}) ==
        "`attn_implementation: sdpa`");
}

// LLaMA-Factory, hparams/model_args.py and extras/constants.py: AttentionFunction has auto, disabled, sdpa,
// fa2 and fa3; FlashAttention-3 is for Hopper (flash-attention, hopper/setup.py), so that no other GPU gets
// it.
TEST_CASE("an edit writes the word of several that the GPU runs", "[lint]") {
  const auto factory = [](const char* attention) {
    return std::string(
               "model_name_or_path: Qwen/Qwen2.5-1.5B-Instruct\nstage: sft\ndo_train: true\n"
               "finetuning_type: lora\nlora_rank: 8\ntemplate: qwen\ncutoff_len: 16384\n"
               "per_device_train_batch_size: 1\ngradient_accumulation_steps: 8\nbf16: true\nflash_attn: ") +
           attention + "\n";
  };
  CHECK(first_fix("sft.yaml", factory("disabled"), "SL604", "a100") ==
        "attention unfused → flash: flash_attn: sdpa, unsafe");
  CHECK(first_fix("sft.yaml", factory("fa2"), "SL611", "t4") ==
        "attention flash2 → flash: flash_attn: sdpa, by hand");
  CHECK(first_fix("sft.yaml", factory("fa2"), "SL608", "h100").ends_with("by hand"));
}

// Megatron-LM, training/arguments.py: expert_tensor_parallel_size is tensor_model_parallel_size unless it is
// given; core/transformer/transformer_block.py, get_num_layers_to_build: 61 layers less 5 of the last stage
// are 8 of seven.
TEST_CASE("Megatron is told the experts' own TP and the layers of the last stage", "[lint]") {
  const std::string mixture =
      "torchrun --nproc_per_node 8 --nnodes 8 pretrain_gpt.py --num-layers 61 --hidden-size 2048 "
      "--num-attention-heads 16 --ffn-hidden-size 8192 --swiglu --num-experts 64 --moe-router-topk 6 "
      "--moe-ffn-hidden-size 1408 --vocab-size 129280 --max-position-embeddings 4096 --seq-length 4096 "
      "--bf16 --micro-batch-size 1 --global-batch-size 256 --tensor-model-parallel-size 2 "
      "--sequence-parallel --use-distributed-optimizer ";
  CHECK(first_fix("train.sh", mixture + "--expert-model-parallel-size 64\n", "SL415") ==
        "expert_tensor 2 → 1: --expert-tensor-parallel-size 1, by hand");
  const std::string staged = mixture + "--pipeline-model-parallel-size 8 --expert-model-parallel-size 2\n";
  const std::string out = tests::run({"train.sh", "--gpu", "h100"}, tests::with({{"train.sh", staged}})).out;
  CHECK(out.find("= fix: --decoder-last-pipeline-num-layers 5\n") != std::string::npos);
}

TEST_CASE("where each dtype has a key of its own, one key is named in place of another", "[lint]") {
  const std::string run =
      "base_model: Qwen/Qwen2.5-1.5B\nsequence_len: 2048\nmicro_batch_size: 1\nbf16: true\n";
  CHECK(how_of({"axolotl.yaml", "datasets: [{path: a, type: b}]\n" + run, "SL810", "", "v100"}) ==
        "`fp16: true` in place of `bf16`");
  CHECK(how_of({"train.sh", megatron_sh("--vocab-size 50304"), "SL810", "", "v100"}) ==
        "`--fp16` in place of `--bf16`");
}

TEST_CASE("a setting of a Python class is written by its name, not its type", "[lint]") {
  text::MemoryFileSystem files;
  files.files["config.py"] =
      "from dataclasses import dataclass\n@dataclass\nclass VLMConfig:\n    lm_hidden_dim: int = 960\n"
      "    lm_inter_dim: int = 2560\n    lm_vocab_size: int = 49152\n    lm_n_heads: int = 15\n"
      "    lm_n_kv_heads: int = 5\n    lm_n_blocks: int = 32\n@dataclass\nclass TrainConfig:\n"
      "    batch_size: int = 1\n    gradient_accumulation_steps: int = 8\n    max_sample_length: int = "
      "1024\n";
  project::Request request;
  request.gpus.names = {"h100"};
  request.min_severity = rules::Severity::info;
  request.select = {"SL501"};
  lint::RunRequest run;
  run.paths = {"config.py"};
  const project::Project project(request, files);
  const lint::RunOutcome out = lint::lint_files(run, project);
  REQUIRE_FALSE(out.report.models.empty());
  REQUIRE_FALSE(out.report.models.front().result.findings.empty());
  const lint::ModelReport& model = out.report.models.front();
  const std::string text = lint::written(model.result.findings.front(), 0, model).text;
  CHECK(text.starts_with("batch_size = "));
}

TEST_CASE("what the dialects say of setting a field is whole", "[lint]") {
  std::size_t said = 0;
  for (const formats::Dialect* listed : formats::Dialects::builtin().all()) {
    const formats::Dialect& dialect = *listed;
    for (const formats::SettingInstruction& way : dialect.ways) {
      INFO(dialect.name << ' ' << way.field << ' ' << way.choice << ": " << way.text);
      const model::FieldId field = model::find_field(way.field);
      const auto choices = model::info(field).choices;
      const auto choice = std::find(choices.begin(), choices.end(), way.choice);
      std::int64_t to = 50304;
      if (choice != choices.end()) {
        to = choice - choices.begin();
      } else if (!way.choice.empty()) {
        to = way.choice == "true" ? 1 : way.choice == "false" ? 0 : std::stoll(way.choice);
      }
      model::Reading reading;
      reading.setup.plan.mode = way.for_serving ? model::Mode::decode : model::Mode::train;
      reading.setup.model.window.sinks = way.for_sinks;
      if (way.for_pipeline) reading.setup.plan.pipeline = 2;
      const std::string text = formats::setting_syntax(dialect, reading, field, 50257, to);
      CHECK(text.empty() == way.text.empty());  // empty: no key sets it
      CHECK(text.find_first_of("{}") == std::string::npos);
      CHECK(text.find("``") == std::string::npos);
      CHECK(std::count(text.begin(), text.end(), '`') % 2 == 0);
      ++said;
    }
  }
  CHECK(said > 0);
}

TEST_CASE("GPUs that smaller replicas leave over run further replicas, with the same batch", "[lint]") {
  CHECK(first_fix("smollm.yaml", nanotron("  dp: 32\n  pp: 1\n  tp: 2\n", "2"), "SL502") ==
        "gradient_accumulation 2 → 1, tensor 2 → 1, data 32 → 64: dp: 64, tp: 1, "
        "batch_accumulation_per_replica: 1, safe");
  // One micro-batch is none to share out, but its sequences are.
  CHECK(first_fix("smollm.yaml", nanotron("  dp: 2\n  pp: 2\n  tp: 1\n", "1"), "SL506")
            .starts_with("micro_batch_size 4 → 2, pipeline 2 → 1, data 2 → 4: "));
}

TEST_CASE("ranks that only the launch counts take fewer micro-batches each", "[lint]") {
  CHECK(first_fix("llama3-8b-sft.yml", neox("2"), "SL502") ==
        "gradient_accumulation 2 → 1, tensor 4 → 2: model_parallel_size: 2, "
        "gradient_accumulation_steps: 1, safe");
}

TEST_CASE("a pipeline that nothing needs is left out at once", "[lint]") {
  CHECK(first_fix("train.sh",
                  "torchrun --nproc_per_node 8 pretrain_gpt.py --num-layers 12 --hidden-size 512 "
                  "--num-attention-heads 8 --seq-length 1024 --max-position-embeddings 1024 "
                  "--vocab-size 32000 --micro-batch-size 4 --global-batch-size 32 --bf16 "
                  "--attention-backend unfused --pipeline-model-parallel-size 4\n",
                  "SL506")
            .starts_with("pipeline 4 → 1"));
}

// configs/mamba/mamba-130M.yml of GPT-NeoX: what its layers take, and keep, is not predicted.
TEST_CASE("nothing is said of a step most of whose layers are of no known type", "[lint]") {
  const auto layers = [](const std::string& kind) {
    return "{\"pipe_parallel_size\": 1, \"model_parallel_size\": 1, \"num_layers\": 24, \"hidden_size\": "
           "768, "
           "\"num_attention_heads\": 12, \"seq_length\": 2048, \"max_position_embeddings\": 2048, "
           "\"pos_emb\": \"rotary\", \"no_weight_tying\": true, \"attention_config\": [[[\"" +
           kind + "\"], 24]], \"train_micro_batch_size_per_gpu\": 1, \"precision\": \"fp16\"}\n";
  };
  CHECK(first_fix("mamba.yml", layers("flash"), "SL501") != "nothing");
  CHECK(first_fix("mamba.yml", layers("mamba"), "SL501") == "nothing");
}

TEST_CASE("no kernel is proposed in the place of one that the framework chooses", "[lint]") {
  CHECK(first_fix("config.json",
                  R"({"model_type": "llama", "architectures": ["LlamaForCausalLM"], "hidden_size": 4096,)"
                  R"( "intermediate_size": 14336, "num_hidden_layers": 32, "num_attention_heads": 8,)"
                  R"( "num_key_value_heads": 8, "head_dim": 512, "vocab_size": 128256})",
                  "SL610")
            .find("unfused") == std::string::npos);
}

// axolotl, examples/llama-3/3b-qat-nvfp4.yaml: 32 of 64 sequences still need more than the GPU has.
TEST_CASE("a smaller micro-batch has room beside the states", "[lint]") {
  CHECK(first_fix("axolotl.yaml",
                  "base_model: meta-llama/Llama-3.2-3B\ndatasets: [{path: a, type: alpaca}]\n"
                  "sequence_len: 8192\ngradient_accumulation_steps: 1\nmicro_batch_size: 64\n"
                  "optimizer: adamw_torch_fused\nbf16: true\nattn_implementation: flash_attention_2\n"
                  "gradient_checkpointing: true\nliger_fused_linear_cross_entropy: true\n",
                  "SL514")
            .starts_with("micro_batch_size 64 → 16, gradient_accumulation 1 → 4: "));
}

TEST_CASE("micro-batches follow from the global batch where the devices are stated", "[lint]") {
  const std::string run =
      "checkpoint_dir: checkpoints/meta-llama/Llama-3.2-1B\nout_dir: out\nprecision: bf16-true\nlora_r: 32\n"
      "data:\n  class_path: litgpt.data.Alpaca2k\ntrain:\n  global_batch_size: 8\n  micro_batch_size: 4\n"
      "  max_seq_length: 512\n";
  CHECK(first_fix("full.yaml", run + "devices: 1\nnum_nodes: 1\n", "SL501") ==
        "micro_batch_size 4 → 8, gradient_accumulation 2 → 1: micro_batch_size: 8 (gradient_accumulation 1), "
        "safe");
  // How many ranks share the eight is not known.
  CHECK(first_fix("full.yaml", run + "devices: auto\n", "SL501").ends_with(", by hand"));
}

// Lightning-AI/litgpt, config_hub/pretrain/tinyllama.yaml (`devices: auto`), and Megatron-LM's functional
// tests: the global batch size is the file's own whatever the launch is, and no rank's share of it is known.
TEST_CASE("a global batch size that ranks of an unknown number share stays as it is", "[lint]") {
  CHECK(how_of({"full.yaml",
                "checkpoint_dir: checkpoints/meta-llama/Llama-3.2-1B\nout_dir: out\nprecision: bf16-true\n"
                "lora_r: 32\ndata:\n  class_path: litgpt.data.Alpaca2k\ntrain:\n  global_batch_size: 8\n"
                "  micro_batch_size: 4\n  max_seq_length: 512\ndevices: auto\n",
                "SL501", "", "h100"}) ==
        "`global_batch_size` under `train` must be divisible by 8 x the data-parallel ranks");
  CHECK(how_of({"model_config.yaml",
                "MODEL_ARGS:\n  --num-layers: 12\n  --hidden-size: 512\n  --num-attention-heads: 8\n"
                "  --seq-length: 1024\n  --max-position-embeddings: 1024\n  --micro-batch-size: 4\n"
                "  --global-batch-size: 32\n  --vocab-size: 50304\n  --bf16: true\n",
                "SL302", "", "a100"}) ==
        "`--global-batch-size` must be divisible by 16 x the data-parallel ranks");
}

// Megatron-LM, core/transformer/transformer_config.py: num_layers_in_last_pipeline_stage.
TEST_CASE("what an uneven split leaves to the last stage is told as a number", "[lint]") {
  CHECK(how_of({"model_config.yaml",
                "MODEL_ARGS:\n  --num-layers: 12\n  --hidden-size: 512\n  --num-attention-heads: 8\n"
                "  --seq-length: 1024\n  --max-position-embeddings: 1024\n  --micro-batch-size: 4\n"
                "  --global-batch-size: 32\n  --vocab-size: 65536\n  --bf16: true\n"
                "  --pipeline-model-parallel-size: 2\n",
                "SL513", "", "h100"}) == "`--decoder-last-pipeline-num-layers: 2`");
}

// huggingface/nanotron, examples/contributor-guide: a width of 16 makes no head that a kernel is compiled
// for. NVIDIA/ Megatron-LM, tests/functional_tests, multimodal_llava_mcore_te_tp1_pp1: 12 heads of 624.
TEST_CASE("heads that would be padded again are no answer to padded heads", "[lint]") {
  const auto model = [](const std::string& width, const std::string& heads) {
    return "[model]\nhidden_size = " + width + "\nnum_layers = 12\nnum_attention_heads = " + heads +
           "\nvocab_size = 50304\n[run]\nmicro_batch_size = 8\nsequence_length = 4096\n";
  };
  CHECK(first_fix("model.toml", model("16", "4"), "SL601") == "nothing");
  // Of 8 heads of 80, a multiple of 8 that is padded to 96, and 10 of 64.
  CHECK(first_fix("model.toml", model("624", "12"), "SL603").find("num_attention_heads 12 → 10") !=
        std::string::npos);
}

// NVIDIA/NeMo pull request 9188: flash attention is Transformer Engine's, whatever `use_flash_attention`
// says.
TEST_CASE("attention is not unfused where Transformer Engine chooses its kernel", "[lint]") {
  const auto nemo = [](const std::string& engine) {
    return "run:\n  name: gpt\ntrainer:\n  devices: 8\n  num_nodes: 1\n  precision: bf16\nmodel:\n"
           "  micro_batch_size: 1\n  global_batch_size: 64\n  tensor_model_parallel_size: 4\n"
           "  encoder_seq_length: 2048\n  max_position_embeddings: 2048\n  num_layers: 24\n"
           "  hidden_size: 4096\n  ffn_hidden_size: 16384\n  num_attention_heads: 32\n"
           "  use_flash_attention: false\n  transformer_engine: " +
           engine + "\n";
  };
  CHECK(first_fix("gpt.yaml", nemo("false"), "SL604").starts_with("attention unfused → flash"));
  CHECK(first_fix("gpt.yaml", nemo("true"), "SL604") == "nothing");
}

// EleutherAI/gpt-neox, configs/1-3B-transformer-engine.yml; megatron/model/transformer.py:
// TEMultiheadAttention.
TEST_CASE("GPT-NeoX's attention is not unfused where it is Transformer Engine's", "[lint]") {
  const std::string model =
      "{\"num_layers\": 24, \"hidden_size\": 2048, \"num_attention_heads\": 16, \"seq_length\": 2048,\n"
      "\"max_position_embeddings\": 2048, \"pipe_parallel_size\": 1, \"model_parallel_size\": 1,\n"
      "\"train_micro_batch_size_per_gpu\": 4, \"precision\": \"fp16\", \"te_mha\": ";
  CHECK(first_fix("neox.yml", model + "false}\n", "SL604").starts_with("attention unfused → flash"));
  CHECK(first_fix("neox.yml", model + "true}\n", "SL604") == "nothing");
}

// Megatron-LM, functional tests: on how many GPUs a run is, and so what a rank's share of the batch is,
// stands nowhere.
TEST_CASE("replicas that nobody counts may not divide the batch", "[lint]") {
  const std::string run =
      "pretrain_gpt.py --num-layers 12 --hidden-size 512 --num-attention-heads 8 --seq-length 1024 "
      "--max-position-embeddings 1024 --vocab-size 32000 --micro-batch-size 4 --global-batch-size 32 --bf16 "
      "--tensor-model-parallel-size 2\n";
  CHECK(first_fix("train.sh", "python " + run, "SL502").ends_with(", unsafe"));
  CHECK(first_fix("train.sh", "torchrun --nproc_per_node 4 " + run, "SL502").ends_with(", safe"));
}

// NVIDIA/NeMo, collections/vision/modules/vit/vit_backbone.py: patches and class tokens are the sequence.
TEST_CASE("nobody is asked for another number of patches", "[lint]") {
  const std::string model =
      "run:\n  name: vit\ntrainer:\n  devices: 8\n  num_nodes: 1\n  precision: bf16\nmodel:\n"
      "  micro_batch_size: 64\n  global_batch_size: 512\n  num_layers: 32\n  hidden_size: 1280\n"
      "  ffn_hidden_size: 5120\n  num_attention_heads: 16\n  patch_dim: 14\n  img_h: 224\n  img_w: 224\n"
      "  encoder_seq_length: 196\n  max_position_embeddings: 196\n";
  for (const char* code : {"SL105", "SL201", "SL904"})
    CHECK(first_fix("vit.yaml", model, code, "a100") == "nothing");
}

// A degree of 1, which a file states for whom it may concern, divides nothing.
TEST_CASE("a degree of 1 is not to blame for the width of a GEMM", "[lint]") {
  const std::string fix =
      first_fix("base_test.yml",
                "base_config: base.yml\nper_device_batch_size: 1\nici_tensor_parallelism: 1\n"
                "base_emb_dim: 2048\nbase_num_query_heads: 16\nbase_num_kv_heads: 16\n"
                "base_num_decoder_layers: 16\nhead_dim: 128\nmax_target_length: 2048\nvocab_size: 32000\n",
                "SL301", "a100");
  INFO(fix);
  CHECK(fix.starts_with("intermediate_size 7168 → 6912"));
}

TEST_CASE("a proposal is told by the framework's own key and the number to write there", "[lint]") {
  const std::string sglang =
      "CUDA_VISIBLE_DEVICES=7 python3 -m sglang.launch_server --model-path Qwen/Qwen3-32B --tp 1 "
      "--mem-fraction-static 0.6\n";
  // FunAudioLLM/CosyVoice, cosyvoice/llm/llm.py: the head has speech_token_size + 1 rows.
  const std::string cosyvoice =
      "llm: !new:cosyvoice.llm.llm.TransformerLM\n  speech_token_size: 4096\n  text_encoder:\n"
      "    output_size: 1024\n    attention_heads: 16\n    linear_units: 4096\n    num_blocks: 6\n  llm:\n"
      "    output_size: 1024\n    attention_heads: 16\n    linear_units: 4096\n    num_blocks: 14\n"
      "flow:\n  decoder:\n    estimator:\n      in_channels: 320\n";
  const std::string align =
      "deepspeed --module align_anything.trainers.text_to_text.sft --model_name_or_path facebook/opt-125m\n";
  const std::string cosmos =
      "[train]\ntrain_batch_per_replica = 32\n[train.train_policy]\ntype = \"sft\"\nmini_batch = 8\n"
      "[policy]\nmodel_name_or_path = \"Qwen/Qwen3-32B\"\nmodel_max_length = 1024\n[policy.parallelism]\n"
      "tp_size = 8\ndp_shard_size = 1\n";
  // What is written for 32 says nothing of capitals.
  const std::string conformer =
      "name: Conformer\ntrainer:\n  precision: 32\nmodel:\n  train_ds:\n    batch_size: 16\n  encoder:\n"
      "    _target_: nemo.collections.asr.modules.ConformerEncoder\n    feat_in: 80\n    n_layers: 18\n"
      "    d_model: 512\n    n_heads: 8\n";
  CHECK(first_fix("serve.sh", sglang, "SL509") ==
        "memory_percent 60 → 90: --mem-fraction-static 0.9, by hand");
  CHECK(first_fix("cosyvoice.yaml", cosyvoice, "SL101") ==
        "vocab_size 4097 → 4160: speech_token_size: 4159, by hand");
  CHECK(first_fix("sft.sh", align, "SL507") ==
        "recompute full → none: --gradient_checkpointing False, by hand");
  CHECK(first_fix("sft.toml", cosmos, "SL501") ==
        "micro_batch_size 8 → 16, gradient_accumulation 4 → 2: mini_batch = 16 (gradient_accumulation 2), "
        "safe");
  CHECK(first_fix("conformer.yaml", conformer, "SL811") == "dtype fp32 → bf16: precision: bf16, unsafe");
}
