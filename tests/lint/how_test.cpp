// How each framework is told what a finding proposes.
#include <algorithm>

#include "formats/dialect/edit_instructions.hpp"
#include "formats/read.hpp"
#include "lint/phrases.hpp"
#include "lint/run.hpp"
#include "tests/catch.hpp"

using namespace shapelint;

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
       "SL501", "`micro_batch_size = 4` under `[run]`"},
      // Of two changes both are told, though the file calls one of them by the field's name.
      {"axolotl.yaml",
       "base_model: meta-llama/Llama-3.2-1B\nmicro_batch_size: 1\ngradient_accumulation_steps: 4\n"
       "sequence_len: 512\nbf16: true\ndatasets: []\n",
       "SL501", "`micro_batch_size: 4` and `gradient_accumulation_steps: 1`"},
      // How many micro-batches a batch comes to is told in words, be it one.
      {"train.sh",
       "torchrun --nproc_per_node 8 pretrain_gpt.py --num-layers 4 --hidden-size 1024 --num-attention-heads "
       "16 "
       "--seq-length 512 --micro-batch-size 1 --global-batch-size 32 --vocab-size 50304 --bf16\n",
       "SL501",
       "`--micro-batch-size 4` and set `--global-batch-size` to 1 x `--micro-batch-size` x the "
       "data-parallel ranks"},
      // Written as this file is, of the two syntaxes that there are.
      {"neox.json",
       R"({"num_layers": 24, "hidden_size": 1024, "num_attention_heads": 16, "seq_length": 512, )"
       R"("pos_emb": "rotary", "pipe_parallel_size": 1, "model_parallel_size": 1, "vocab_size": 50304, )"
       R"("train_micro_batch_size_per_gpu": 1})",
       "SL501", "`\"train_micro_batch_size_per_gpu\": 4`"},
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
       "`per_device_train_batch_size: 4` and `gradient_accumulation_steps: 2`"},
      // Two sequences of each pair run together.
      {"pairs.yaml", lora + "stage: dpo\n", "SL501",
       "`per_device_train_batch_size: 4` and `gradient_accumulation_steps: 2`"},
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

// transformers, models/gpt_oss/modeling_gpt_oss.py (4.57): `_supports_sdpa` is false.
TEST_CASE("a model with attention sinks is not sent to `sdpa`", "[lint]") {
  const std::string run =
      "datasets: [{path: a, type: b}]\nsequence_len: 4096\nmicro_batch_size: 1\nattn_implementation: eager\n";
  CHECK(how_of({"axolotl.yaml", "base_model: openai/gpt-oss-20b\n" + run, "SL604", "", "h100"}) ==
        "`attn_implementation: flex_attention`");
  CHECK(how_of({"axolotl.yaml", "base_model: Qwen/Qwen3-8B\n" + run, "SL604", "", "h100"}) ==
        "`attn_implementation: sdpa`");
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
