// Recipes that frameworks publish, whose sizes are not where others keep theirs.
#include <string>

#include "formats/read.hpp"
#include "model/lower/lower.hpp"
#include "tests/catch.hpp"
#include "tests/formats/read_text.hpp"

using namespace shapelint;

namespace {

// A recipe of NeMo 2 whose model's class stands in `module`.
std::int64_t parameters_of(const std::string& module, const std::string& name, const std::string& fields) {
  text::MemoryFileSystem files;
  files.files["nemo/collections/llm/gpt/model/" + module + ".py"] =
      "from dataclasses import dataclass\n@dataclass\nclass " + name + ":\n" + fields;
  files.files["nemo/collections/llm/recipes/recipe.py"] =
      "import nemo_run as run\nfrom nemo import lightning as nl\n"
      "from nemo.collections.llm.api import pretrain\n"
      "from nemo.collections.llm.gpt.data.mock import MockDataModule\n"
      "from nemo.collections.llm.gpt.model." +
      module + " import " + name +
      "\n"
      "from nemo.collections.llm.gpt.model.base import GPTModel\n"
      "def pretrain_recipe():\n"
      "    return run.Partial(pretrain, model=run.Config(GPTModel, config=run.Config(" +
      name +
      ")),\n"
      "        trainer=run.Config(nl.Trainer, devices=8, num_nodes=1, "
      "strategy=run.Config(nl.MegatronStrategy)),\n"
      "        data=run.Config(MockDataModule, seq_length=8192, micro_batch_size=1))\n";
  const formats::ReadResult result = formats::read_any(files, "nemo/collections/llm/recipes/recipe.py");
  CHECK(result.dialect == "nemo-recipe");
  REQUIRE(result.readings.size() == 1);
  return model::parameter_count(result.readings.front().setup);
}

const std::string llama_fields =
    "    normalization: str = 'RMSNorm'\n    gated_linear_unit: bool = True\n"
    "    position_embedding_type: str = 'rope'\n    add_bias_linear: bool = False\n"
    "    share_embeddings_and_output_weights: bool = False\n    num_query_groups: int = 8\n"
    "    make_vocab_size_divisible_by: int = 128\n";

}  // namespace

// Evo 2 (arXiv 2502.12497): 7 B and 40 B; https://github.com/NVIDIA/NeMo, collections/llm/gpt/model/hyena.py.
TEST_CASE("of StripedHyena's letters `*` is attention, others Hyena, and all have an MLP", "[formats]") {
  const std::string same =
      "    make_vocab_size_divisible_by: int = 8\n    tokenizer_library: str = 'byte-level'\n"
      "    gated_linear_unit: bool = True\n    normalization: str = 'RMSNorm'\n"
      "    add_bias_linear: bool = False\n    position_embedding_type: str = 'rope'\n"
      "    share_embeddings_and_output_weights: bool = True\n";
  CHECK(static_cast<double>(parameters_of(
            "hyena", "Hyena7bConfig",
            same + "    hybrid_override_pattern: str = 'SDH*SDHSDH*SDHSDH*SDHSDH*SDHSDH*'\n"
                   "    num_layers: int = 32\n    hidden_size: int = 4096\n    num_groups_hyena: int = 4096\n"
                   "    ffn_hidden_size: int = 11008\n    num_attention_heads: int = 32\n")) ==
        Approx(6.5e9).epsilon(0.005));
  CHECK(static_cast<double>(parameters_of(
            "hyena", "Hyena40bConfig",
            same + "    hybrid_override_pattern: str = 'SDH*SDHSDH*SDHSDH*SDHSDH*SDHSDH*SDH*SDHSDH*SDHSDH*'\n"
                   "    num_layers: int = 50\n    hidden_size: int = 8192\n    num_groups_hyena: int = 8192\n"
                   "    ffn_hidden_size: int = 21888\n    num_attention_heads: int = 64\n")) ==
        Approx(40.3e9).epsilon(0.005));
}

// https://github.com/NVIDIA/NeMo, collections/llm/gpt/model/llama_nemotron.py; what the models' config.json
// gives.
TEST_CASE("a class whose layers are listed in JSON is the published model", "[formats]") {
  CHECK(
      parameters_of("llama_nemotron", "Llama33NemotronSuper49BConfig",
                    llama_fields +
                        "    num_layers: int = 80\n    hidden_size: int = 8192\n"
                        "    ffn_hidden_size: int = 28672\n    num_attention_heads: int = 64\n"
                        "    heterogeneous_layers_config_encoded_json: str = '{\"block_configs\": []}'\n") ==
      49'867'145'216);
  CHECK(
      parameters_of("llama_nemotron", "Llama31NemotronUltra253BConfig",
                    llama_fields +
                        "    num_layers: int = 162\n    hidden_size: int = 16384\n"
                        "    ffn_hidden_size: int = 53248\n    num_attention_heads: int = 128\n"
                        "    heterogeneous_layers_config_encoded_json: str = '{\"block_configs\": []}'\n") ==
      253'401'268'224);
}

// NeMo, scripts/checkpoint_converters/convert_mixtral_hf_to_nemo.py: load_config writes the checkpoint's KV
// heads over the file's 32, and the trainer runs on the CPU.
TEST_CASE("a conversion of NeMo's launcher is no training run", "[formats]") {
  const auto result = tests::read_text("convert.yaml", R"(
run: {name: convert, huggingface_ckpt_path: /ckpt, nemo_file_name: a.nemo}
trainer: {devices: 1, num_nodes: 1, precision: 32}
exp_manager: {name: a}
model:
  micro_batch_size: 1
  global_batch_size: 8
  tensor_model_parallel_size: 1
  pipeline_model_parallel_size: 16
  encoder_seq_length: 4096
  num_layers: 56
  hidden_size: 6144
  ffn_hidden_size: 16384
  num_attention_heads: 48
  num_query_groups: 32
)");
  CHECK(result.readings.empty());
}

// verl-recipe, retool/run_qwen2_7b_sft_npu.sh: `engine` chooses a group of Hydra's, of which a key is
// changed.
TEST_CASE("a group of Hydra's that is chosen and changed keeps its changes", "[formats]") {
  const model::Setup setup = tests::one_setup(
      "sft.sh",
      "torchrun --nnodes=1 --nproc_per_node=8 -m verl.trainer.sft_trainer model.path=Qwen/Qwen2.5-7B "
      "data.train_files=a data.max_length=16384 data.train_batch_size=64 data.micro_batch_size_per_gpu=8 "
      "engine=fsdp "
      "trainer.default_local_dir=a engine.ulysses_sequence_parallel_size=2\n");
  CHECK(setup.plan.context == 2);
}

// verl, trainer/fsdp_sft_trainer.py (b178a3c) reads data.micro_batch_size_per_gpu alone, which is 4 in
// trainer/config/sft_trainer.yaml.
TEST_CASE("verl's fine-tuning has a micro-batch of four unless stated", "[formats]") {
  const model::Setup setup = tests::one_setup(
      "sft.sh",
      "torchrun --standalone --nnodes=1 --nproc_per_node=8 -m verl.trainer.fsdp_sft_trainer "
      "data.train_files=a data.micro_batch_size=16 model.partial_pretrain=Qwen/Qwen2.5-0.5B-Instruct "
      "trainer.default_local_dir=a ulysses_sequence_parallel_size=2\n");
  CHECK(setup.plan.micro_batch_size == 4);
}

// verl, examples/split_placement (b178a3c), main_ppo_split.py: actor and rollouts have half of the GPUs, the
// critic the other. 256 / 4 ranks are a micro-batch of 64 (SkyworkAI/Skywork-OR1, examples/split_placement).
TEST_CASE("half of the GPUs train the actor where verl's placement is split", "[formats]") {
  const formats::ReadResult result = tests::read_text(
      "split.sh",
      "python3 main_ppo_split.py algorithm.adv_estimator=gae data.train_files=a data.train_batch_size=1024 "
      "data.max_prompt_length=512 data.max_response_length=512 "
      "actor_rollout_ref.model.path=deepseek-ai/deepseek-llm-7b-chat "
      "actor_rollout_ref.actor.ppo_mini_batch_size=256 "
      "actor_rollout_ref.actor.ppo_micro_batch_size_per_gpu=64 "
      "actor_rollout_ref.rollout.tensor_model_parallel_size=4 "
      "critic.model.path=deepseek-ai/deepseek-llm-7b-chat "
      "critic.ppo_micro_batch_size_per_gpu=8 trainer.n_gpus_per_node=8 trainer.nnodes=1\n");
  REQUIRE(result.readings.size() == 3);
  CHECK(result.readings[0].setup.plan.data == 4);
  CHECK(result.readings[2].setup.plan.data == 4);
  CHECK(model::extra(result.readings[0], "colocated") == 1);
  CHECK(model::extra(result.readings[2], "colocated") == 0);
}

// verl, experimental/fully_async_policy/fully_async_rollouter.py (b178a3c): max_concurrent_samples is 16 for
// each server, and its shell scripts set data.train_batch_size=0.
TEST_CASE("an engine of verl's streaming rollouts has 16 prompts at a time", "[formats]") {
  const formats::ReadResult result = tests::read_text(
      "async.sh",
      "python -m recipe.fully_async_policy.fully_async_main data.train_files=a data.train_batch_size=0 "
      "data.gen_batch_size=1 data.max_prompt_length=2048 data.max_response_length=8192 "
      "actor_rollout_ref.model.path=Qwen/Qwen2.5-Math-7B actor_rollout_ref.hybrid_engine=False "
      "actor_rollout_ref.actor.use_dynamic_bsz=True actor_rollout_ref.actor.ppo_mini_batch_size=32 "
      "actor_rollout_ref.actor.ppo_max_token_len_per_gpu=20480 actor_rollout_ref.rollout.n=8 "
      "actor_rollout_ref.rollout.tensor_model_parallel_size=1 trainer.n_gpus_per_node=6 trainer.nnodes=2 "
      "rollout.n_gpus_per_node=2 rollout.nnodes=2 async_training.require_batches=4\n");
  REQUIRE(result.readings.size() == 2);
  CHECK(result.readings[0].setup.plan.micro_batch_size == 2);
  CHECK(result.readings[0].setup.plan.data == 12);
  CHECK(result.readings[1].setup.plan.micro_batch_size == 128);
}

// verl, examples/generation/run_deepseek_v2_lite_math.sh (b178a3c).
TEST_CASE("verl's generation is an engine alone", "[formats]") {
  const model::Setup setup = tests::one_setup(
      "generate.sh",
      "python3 -m verl.trainer.main_generation trainer.nnodes=1 trainer.n_gpus_per_node=8 data.path=a "
      "data.n_samples=1 model.path=deepseek-ai/deepseek-llm-7b-chat rollout.prompt_length=2048 "
      "rollout.response_length=1024 rollout.tensor_model_parallel_size=2 "
      "rollout.gpu_memory_utilization=0.8\n");
  CHECK(setup.plan.mode == model::Mode::decode);
  CHECK(setup.plan.tensor == 2);
  CHECK(setup.plan.memory_percent == 80);
  CHECK(setup.plan.context_length == 2048 + 512);
}

// alibaba/ChatLearn, scripts/mcore_vllm/train_mcore_vllm_qwen3_30b_grpo.sh with template/grpo_megatron.yaml;
// the cluster's GPUs are a variable of scripts/base_env.sh.
TEST_CASE("ChatLearn's policy is trained and generates", "[formats]") {
  const std::string script =
      "python chatlearn/entrypoint.py grpo --config-file template/grpo_megatron.yaml "
      "runtime_args.train_backend=megatron runtime_args.train_global_batch_size=2048 "
      "runtime_args.train_micro_batch_size=1 models.policy_trainer.packing=True "
      "models.policy_trainer.max_token_in_packing=8192 models.policy_trainer.sequence_parallel=True "
      "models.policy_trainer.use_distributed_optimizer=True "
      "models.policy_trainer.tensor_model_parallel_size=4 "
      "models.policy_trainer.pipeline_model_parallel_size=2 "
      "models.policy_trainer.expert_tensor_parallel_size=1 "
      "models.policy_trainer.expert_model_parallel_size=4 "
      "models.policy_trainer.load=/a/Qwen3-30B-A3B-to-mcore "
      "models.policy.load=/a/Qwen3-30B-A3B models.policy.generation_batch_size=512 "
      "models.policy.tensor_model_parallel_size=2 models.policy.max_prompt_tokens_length=1024 "
      "models.policy.max_response_tokens_length=2048 models.policy.gpu_memory_utilization=0.75 ";
  const formats::ReadResult result =
      tests::read_text("train.sh", script + "models.policy_trainer.num_gpu=16\n");
  CHECK(result.dialect == "chatlearn");
  REQUIRE(result.readings.size() == 2);
  const model::Plan& update = result.readings[0].setup.plan;
  CHECK(result.readings[0].setup.model.moe.num_experts == 128);
  CHECK(update.tensor == 4);
  CHECK(update.expert == 4);
  CHECK(update.data == 2);
  CHECK(update.sequence_length == 3072);
  CHECK(update.micro_batch_size == 2);
  CHECK(update.gradient_accumulation == 512);
  const model::Plan& rollout = result.readings[1].setup.plan;
  CHECK(rollout.mode == model::Mode::decode);
  CHECK(rollout.tensor == 2);
  CHECK(rollout.micro_batch_size == 512);
  CHECK(rollout.memory_percent == 75);
  const formats::ReadResult open =
      tests::read_text("train.sh", script + "models.policy_trainer.num_gpu=${num_device}\n");
  CHECK(open.readings[0].complete);
  CHECK(open.readings[0].setup.plan.data == 1);
}

// FunAudioLLM/CosyVoice, examples/libritts/cosyvoice/conf/cosyvoice.yaml and cosyvoice3/conf/cosyvoice3.yaml:
// 4 square matrices, that of the distances and an MLP in each of 14 layers of 1024.
TEST_CASE("CosyVoice's language model is an encoder of WeNet with a mask", "[formats]") {
  const formats::ReadResult result = tests::read_text("cosyvoice.yaml", R"(
llm_output_size: 1024
llm: !new:cosyvoice.llm.llm.TransformerLM
    text_token_size: 51866
    speech_token_size: 4096
    llm: !new:cosyvoice.transformer.encoder.TransformerEncoder
        input_size: 1024
        output_size: !ref <llm_output_size>
        attention_heads: 16
        linear_units: 4096
        num_blocks: 14
        pos_enc_layer_type: 'rel_pos_espnet'
flow: !new:cosyvoice.flow.flow.CausalMaskedDiffWithDiT
    vocab_size: 6561
    decoder: !new:cosyvoice.flow.flow_matching.CausalConditionalCFM
        estimator: !new:cosyvoice.flow.DiT.dit.DiT {dim: 1024, depth: 22, heads: 16, dim_head: 64, ff_mult: 2, mel_dim: 80}
)");
  CHECK(result.dialect == "cosyvoice");
  REQUIRE(result.readings.size() == 2);
  CHECK(result.readings[0].setup.model.hidden_size == 1024);
  CHECK(static_cast<double>(model::parameter_count(result.readings[0].setup)) ==
        Approx(14 * 13.63e6 + 2 * 4.2e6).epsilon(0.01));
  CHECK(result.readings[1].setup.model.intermediate_size == 2048);
  CHECK(result.readings[1].setup.model.num_layers == 22);
}

// simplescaling/s1, train/sft.sh.
TEST_CASE("a launch whose GPUs only the run knows leaves the rest to be predicted", "[formats]") {
  const formats::ReadResult result =
      tests::read_text("sft.sh",
                       "gpu_count=$(nvidia-smi -L | wc -l)\n"
                       "torchrun --nproc-per-node ${gpu_count} train/sft.py --block_size=32768 "
                       "--per_device_train_batch_size=1 "
                       "--gradient_accumulation_steps=1 --model_name=Qwen/Qwen2.5-32B-Instruct "
                       "--fsdp=\"full_shard auto_wrap\" "
                       "--bf16=True --gradient_checkpointing=True\n");
  REQUIRE(result.readings.size() == 1);
  CHECK(result.readings[0].complete);
  CHECK(model::unresolved(result.readings[0]).empty());
  CHECK(result.readings[0].setup.plan.data == 1);
  CHECK(result.readings[0].setup.plan.sequence_length == 32768);
}

// NeMo Automodel, examples/vlm_finetune/gemma4 (36044ad): packs of 16384, or texts padded to 4096.
TEST_CASE("Automodel's vision models state the length where texts are packed or padded", "[formats]") {
  const auto length = [](const std::string& more) {
    return tests::one_setup(
               "train.yaml",
               "step_scheduler: {global_batch_size: 64, local_batch_size: 1}\n"
               "model: {_target_: nemo_automodel.NeMoAutoModelForImageTextToText.from_pretrained, "
               "pretrained_model_name_or_path: google/gemma-4-31B-it}\n"
               "distributed: {strategy: fsdp2, tp_size: 1, cp_size: 1}\n" +
                   more)
        .plan.sequence_length;
  };
  CHECK(length("packed_sequence: {pack_size: 16384, max_length: 16384}\n") == 16384);
  CHECK(length("dataloader: {collate_fn: {_target_: a.gemma4_prefix_collate_fn, max_length: 4096}}\n") ==
        4096);
}

// dstack, examples/models/gpt-oss/amd/120b.dstack.yml (511c318): argparse takes the beginning of a flag.
TEST_CASE("vLLM's degree is read by the flag's beginning, too", "[formats]") {
  const model::Setup setup =
      tests::one_setup("run.sh", "vllm serve openai/gpt-oss-120b --tensor-parallel 8\n");
  CHECK(setup.plan.tensor == 8);
}

// transformers, models/gemma4/modeling_gemma4.py and gemma3n/modeling_gemma3n.py: embed_tokens_per_layer.
// Google's card of Gemma 4 has 2.3 B and 4.5 B "effective" parameters without that table.
TEST_CASE("embeddings that each layer reads are counted, and held in 16 bits", "[formats]") {
  const auto read = [](const std::string& text) {
    const auto result = tests::read_text("config.json", text);
    REQUIRE(result.readings.size() == 1);
    return result.readings.front().setup;
  };
  const std::string e2b =
      R"({"model_type": "gemma4_text", "hidden_size": 1536, "num_hidden_layers": 35, "intermediate_size": 6144,
          "num_attention_heads": 8, "num_key_value_heads": 1, "head_dim": 256, "global_head_dim": 512,
          "vocab_size": 262144, "sliding_window": 512, "num_kv_shared_layers": 20, "use_double_wide_mlp": true,
          "layer_types": [)";
  std::string types;
  for (int i = 0; i < 35; ++i)
    types += std::string(i > 0 ? ", " : "") + (i % 5 == 4 ? "\"full_attention\"" : "\"sliding_attention\"");
  const std::string with = R"(], "hidden_size_per_layer_input": 256, "vocab_size_per_layer_input": 262144})";
  const model::Setup stated = read(e2b + types + with);
  const double table = 262144.0 * 35 * 256;
  CHECK(static_cast<double>(model::parameter_count(stated)) == Approx(4.65e9).epsilon(0.01));
  CHECK(static_cast<double>(model::active_parameter_count(stated)) == Approx(2.3e9).epsilon(0.02));
  CHECK(static_cast<double>(model::parameter_count(stated) - model::active_parameter_count(stated)) == table);
  // A file that transformers wrote leaves out what its class has anyway; models without such a table state 0.
  CHECK(model::parameter_count(read(e2b + types + "]}")) == model::parameter_count(stated));
  const model::Setup without = read(e2b + types + R"(], "hidden_size_per_layer_input": 0})");
  const double layers = 35 * (2 * 1536.0 * 256 + 1536);
  CHECK(static_cast<double>(model::parameter_count(stated) - model::parameter_count(without)) ==
        table + layers + 1536.0 * 35 * 256 + 256);
  // Four bits are those of the layers' products: 4.7 GB of the table stay.
  model::Setup served = stated;
  served.plan.mode = model::Mode::decode;
  served.plan.weight_bits = 4;
  CHECK(model::served_weight_bytes(served) > 2 * (table + 262144.0 * 1536));
  CHECK(model::served_weight_bytes(served) < 7e9);

  // Widths of Gemma 3n's layers are a list.
  const model::Setup e4b = read(
      R"({"model_type": "gemma3n", "text_config": {"model_type": "gemma3n_text", "hidden_size": 2048,
          "num_hidden_layers": 35, "intermediate_size": [16384, 16384, 16384], "num_attention_heads": 8,
          "num_key_value_heads": 2, "head_dim": 256, "vocab_size": 262400, "num_kv_shared_layers": 15,
          "hidden_size_per_layer_input": 256, "vocab_size_per_layer_input": 262144}})");
  CHECK(static_cast<double>(model::parameter_count(e4b)) == Approx(6.87e9).epsilon(0.001));
}
