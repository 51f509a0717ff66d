// Scripts in Python that make a model of transformers, or train a published one.
#include <string>

#include "formats/read.hpp"
#include "model/lower/lower.hpp"
#include "tests/catch.hpp"
#include "tests/formats/read_text.hpp"

using namespace shapelint;
using tests::read_text;

TEST_CASE("a configuration of transformers is a model, with the class's defaults", "[formats]") {
  // GPT-2 of 124 M parameters (the classes' defaults: transformers, configuration_gpt2.py).
  const auto result = read_text("train.py", R"(
from transformers import GPT2Config, GPT2LMHeadModel, Trainer, TrainingArguments
config = GPT2Config(n_positions=1024, n_layer=12)
model = GPT2LMHeadModel(config)
trainer = Trainer(model=model, args=TrainingArguments("out", per_device_train_batch_size=32, bf16=True))
)");
  CHECK(result.dialect == "transformers-python");
  REQUIRE(result.readings.size() == 1);
  const model::Setup& setup = result.readings.front().setup;
  CHECK(model::parameter_count(setup) == 124439808);
  CHECK(setup.plan.micro_batch_size == 32);
}

TEST_CASE("options of a command line are a model's sizes, and no model themselves", "[formats]") {
  // The sizes of https://github.com/jingyaogong/minimind, model/model_minimind.py: 63.91 M parameters.
  const auto result = read_text("train.py", R"(
import argparse, math
from transformers import PretrainedConfig

class MiniMindConfig(PretrainedConfig):
    model_type = "minimind"
    def __init__(self, hidden_size=768, num_hidden_layers=8, **kwargs):
        super().__init__(**kwargs)
        self.hidden_size = hidden_size
        self.num_hidden_layers = num_hidden_layers
        self.vocab_size = kwargs.get("vocab_size", 6400)
        self.num_attention_heads = kwargs.get("num_attention_heads", 8)
        self.num_key_value_heads = kwargs.get("num_key_value_heads", 4)
        self.hidden_act = kwargs.get("hidden_act", "silu")
        self.intermediate_size = kwargs.get("intermediate_size", math.ceil(hidden_size * math.pi / 64) * 64)
        self.tie_word_embeddings = kwargs.get("tie_word_embeddings", True)
        self.use_moe = False
        self.num_experts = kwargs.get("num_experts", 4)

if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--batch_size", type=int, default=32)
    parser.add_argument("--hidden_size", default=768, type=int)
    parser.add_argument("--num_hidden_layers", default=8, type=int)
    parser.add_argument("--max_seq_len", default=340, type=int)
    args = parser.parse_args()
    lm_config = MiniMindConfig(hidden_size=args.hidden_size, num_hidden_layers=args.num_hidden_layers)
)");
  CHECK(result.dialect == "transformers-python");
  for (const model::Reading& each : result.readings) {
    CHECK(each.setup.model.intermediate_size == 2432);
    CHECK(each.setup.model.head_dim == 96);
    CHECK(static_cast<double>(model::parameter_count(each.setup)) == Approx(63.91e6).epsilon(0.001));
  }
  REQUIRE_FALSE(result.readings.empty());
  CHECK(result.readings.back().setup.plan.micro_batch_size == 32);
  CHECK(result.readings.back().setup.plan.sequence_length == 340);
}

TEST_CASE("a trainer of TRL trains the model that it is given, by name or loaded", "[formats]") {
  const auto by_name = read_text("train.py", R"(
from peft import LoraConfig
from trl import SFTConfig, SFTTrainer
trainer = SFTTrainer(model="Qwen/Qwen2.5-0.5B", args=SFTConfig(per_device_train_batch_size=8, max_length=2048),
                     train_dataset=None, peft_config=LoraConfig(r=16, target_modules=["q_proj", "v_proj"]))
)");
  CHECK(by_name.dialect == "trl-python");
  REQUIRE(by_name.readings.size() == 1);
  CHECK(by_name.readings.front().setup.model.hidden_size == 896);
  CHECK(by_name.readings.front().setup.plan.sequence_length == 2048);
  CHECK(by_name.readings.front().setup.plan.adapters);
  CHECK(by_name.readings.front().setup.plan.adapter_rank == 16);

  const auto loaded = read_text("train.py", R"(
import torch
from transformers import AutoModelForCausalLM
from trl import SFTConfig, SFTTrainer
def main():
    model = AutoModelForCausalLM.from_pretrained("mistralai/Mistral-7B-v0.1", torch_dtype=torch.bfloat16,
                                                 attn_implementation="flash_attention_2")
    trainer = SFTTrainer(model, args=SFTConfig(per_device_train_batch_size=4, gradient_checkpointing=True))
    trainer.train()
main()
)");
  REQUIRE(loaded.readings.size() == 1);
  CHECK(loaded.readings.front().setup.model.num_layers == 32);
  CHECK(loaded.readings.front().setup.plan.weight_precision == model::WeightPrecision::half);
  // transformers, modeling_utils.py, from_pretrained: attn_implementation is the loaded model's.
  CHECK(loaded.readings.front().setup.plan.attention == model::Attention::flash2);
}

TEST_CASE("a model of Unsloth has four bits and adapters", "[formats]") {
  // https://github.com/unslothai/unsloth, unsloth/models/loader.py: load_in_4bit is on unless said otherwise.
  const auto result = read_text("train.py", R"(
from unsloth import FastLanguageModel
from trl import SFTTrainer, SFTConfig
model, tokenizer = FastLanguageModel.from_pretrained("unsloth/Llama-3.2-3B-Instruct", max_seq_length=2048)
model = FastLanguageModel.get_peft_model(model, r=16, target_modules=["q_proj", "gate_proj"])
trainer = SFTTrainer(model=model, args=SFTConfig(per_device_train_batch_size=2, optim="adamw_8bit"))
)");
  REQUIRE(result.readings.size() == 1);
  const model::Setup& setup = result.readings.front().setup;
  CHECK(setup.model.hidden_size == 3072);
  CHECK(setup.plan.weight_bits == 4);
  CHECK(setup.plan.adapter_rank == 16);
  CHECK(setup.plan.sequence_length == 2048);
}

TEST_CASE("engines of SGLang and TensorRT-LLM in Python are read as their servers", "[formats]") {
  const auto sglang = read_text(
      "train.py",
      "import sglang as sgl\nllm = sgl.Engine(model_path='Qwen/Qwen2.5-14B-Instruct', tp_size=2)\n");
  CHECK(sglang.dialect == "sglang-python");
  REQUIRE(sglang.readings.size() == 1);
  CHECK(sglang.readings.front().setup.plan.tensor == 2);
  CHECK(sglang.readings.front().setup.model.num_layers == 48);
  const auto trtllm = read_text(
      "train.py",
      "from tensorrt_llm import LLM\n"
      "llm = LLM(model='meta-llama/Llama-3.1-8B-Instruct', tensor_parallel_size=2, max_batch_size=64)\n");
  CHECK(trtllm.dialect == "trtllm-python");
  REQUIRE(trtllm.readings.size() == 1);
  CHECK(trtllm.readings.front().setup.plan.micro_batch_size == 64);
  // What makes an engine of the arguments is no second one.
  const auto vllm =
      read_text("train.py",
                "from vllm import AsyncLLMEngine, AsyncEngineArgs\n"
                "args = AsyncEngineArgs(model='Qwen/Qwen2.5-14B-Instruct', tensor_parallel_size=2)\n"
                "engine = AsyncLLMEngine.from_engine_args(args)\n");
  CHECK(vllm.readings.size() == 1);
}
