// What a file says of its run's memory: whether a plan is stated, and what is certain.
#include "rules/scope/memory.hpp"

#include <string>

#include <fmt/format.h>

#include "formats/read.hpp"
#include "model/lower/lower.hpp"
#include "tests/catch.hpp"
#include "text/files.hpp"

using namespace shapelint;

namespace {

model::Reading reading_of(const std::string& path, const std::string& source) {
  formats::ReadResult file = formats::read(text::MemoryFileSystem{}, formats::parse(path, source));
  REQUIRE(file.readings.size() == 1);
  return std::move(file.readings.front());
}

model::Reading native(const std::string& run) {
  return reading_of("model.toml",
                    "[model]\nhidden_size = 4096\nnum_layers = 32\nnum_attention_heads = 32\n"
                    "vocab_size = 32000\n[run]\nsequence_length = 2048\n" +
                        run);
}

model::Reading launch(const std::string& flags) {
  return reading_of("train.sh",
                    "torchrun pretrain_gpt.py --num-layers 32 --hidden-size 4096 --num-attention-heads 32 "
                    "--seq-length 2048 --micro-batch-size 1 --vocab-size 32000 " +
                        flags + "\n");
}

// A Llama of 6.6 B parameters that decodes, with more keys.
model::Reading decoding(const std::string& keys) {
  model::Reading reading = reading_of(
      "config.json", R"({"architectures": ["LlamaForCausalLM"], "model_type": "llama", "hidden_size": 4096,
                         "num_hidden_layers": 32, "num_attention_heads": 32, "vocab_size": 32000,
                         "torch_dtype": "bfloat16")" +
                         keys + "}");
  reading.setup.plan.mode = model::Mode::decode;
  return reading;
}

// Bytes per parameter that a GPU keeps for certain.
double least_state(const model::Reading& reading) {
  return rules::min_footprint(reading, reading.setup).state_bytes /
         static_cast<double>(model::parameter_count(reading.setup));
}

}  // namespace

TEST_CASE("a plan is stated by a degree, ZeRO or the micro-batch, not by a model alone") {
  CHECK_FALSE(rules::states_plan(native("")));
  CHECK(rules::states_plan(native("micro_batch_size = 1\n")));
  CHECK(rules::states_plan(native("[parallel]\ntensor = 1\n")));
  CHECK(rules::states_plan(native("[parallel]\nzero = 1\n")));
  CHECK(rules::states_plan(launch("")));
  CHECK_FALSE(rules::states_plan(
      reading_of("config.json",
                 R"({"architectures": ["LlamaForCausalLM"], "model_type": "llama", "hidden_size": 4096,
                     "num_hidden_layers": 32, "num_attention_heads": 32, "vocab_size": 32000})")));
}

TEST_CASE("a degree that only the run knows leaves the plan open") {
  CHECK_FALSE(
      rules::states_plan(launch("--tensor-model-parallel-size $SLURM_GPUS_ON_NODE --train-iters 10")));
}

TEST_CASE("a native plan counts its ranks; a launch does not, so what is shared there takes nothing") {
  CHECK(least_state(native("micro_batch_size = 1\n")) == Approx(16));
  CHECK(least_state(native("[parallel]\nzero = 1\n")) == Approx(4));  // over ranks that are not counted
  CHECK(least_state(native("[parallel]\ndata = 1\nzero = 1\n")) == Approx(16));
  CHECK(least_state(native("[parallel]\ndata = 4\nzero = 1\n")) == Approx(7));
  CHECK(least_state(launch("--train-iters 10")) == Approx(16));
  CHECK(least_state(launch("--train-iters 10 --use-distributed-optimizer")) == Approx(4));
  CHECK(least_state(launch("--train-iters 10 --zero-stage 2")) == Approx(2));
  CHECK(least_state(launch("--train-iters 10 --use-torch-fsdp2")) == 0);
}

TEST_CASE("a launch of Megatron in bf16 has gradients in fp32, unless it reduces them in bf16") {
  CHECK(least_state(launch("--train-iters 10 --bf16")) == Approx(18));
  CHECK(least_state(launch("--train-iters 10 --bf16 --use-distributed-optimizer")) == Approx(6));
  CHECK(least_state(launch("--train-iters 10 --bf16 --grad-reduce-in-bf16")) == Approx(16));
  CHECK(least_state(launch("--train-iters 10 --fp16")) == Approx(16));
  CHECK(least_state(launch("--train-iters 10 --fp16 --accumulate-allreduce-grads-in-fp32")) == Approx(18));
}

TEST_CASE("weights in fewer bits count as what they take, and are not certain where that is not known") {
  const auto served = [](const std::string& quantization) { return least_state(decoding(quantization)); };
  CHECK(served("") == 2);  // sequences that have no room wait
  CHECK(served(R"(, "quantization_config": {"quant_method": "mxfp4"})") < 0.8);
  CHECK(served(R"(, "quantization_config": {"quant_method": "awq", "bits": 4, "group_size": 128})") < 0.8);
  CHECK(served(R"(, "quantization_config": {"quant_method": "bitsandbytes", "load_in_8bit": true})") < 1.3);
  CHECK(served(R"(, "quantization_config": {"quant_method": "compressed-tensors"})") == 0);
}

TEST_CASE("of a cache that all layers keep for a window, what the window holds is certain") {
  const auto served = [](const std::string& window) {
    model::Reading reading = decoding(window);
    reading.setup.plan.micro_batch_size = 64;
    reading.setup.plan.context_length = 4096;
    for (const model::FieldId said : {model::FieldId::micro_batch_size, model::FieldId::context_length})
      reading.origins[said].kind = model::Origin::Kind::command_line;
    return least_state(reading);
  };
  const double whole = served("");
  CHECK(whole > 10);
  CHECK(served(R"(, "sliding_window": null)") == whole);
  CHECK(served(R"(, "sliding_window": 4096, "use_sliding_window": false)") == whole);
  // of the 4096 tokens before the next one, and of that
  CHECK(served(R"(, "sliding_window": 128)") - 2 == Approx((whole - 2) * 128 / 4097));
}

TEST_CASE("a launcher that says how many GPUs there are says over how many ZeRO shares") {
  const auto launched = [](const std::string& launcher) {
    return least_state(reading_of(
        "train.sh", launcher + " pretrain_gpt.py --num-layers 32 --hidden-size 4096 --num-attention-heads 32 "
                               "--seq-length 2048 --micro-batch-size 1 --vocab-size 32000 --train-iters 10 "
                               "--tensor-model-parallel-size 4 --use-distributed-optimizer\n"));
  };
  CHECK(launched("torchrun --nproc_per_node 4") == Approx(16.0 / 4));
  CHECK(launched("torchrun --nproc_per_node 8 --nnodes 2") == Approx((4 + 12.0 / 4) / 4));
  CHECK(launched("torchrun --nproc_per_node 8 --nnodes $NODES") == Approx(4.0 / 4));
  CHECK(launched("python") == Approx(4.0 / 4));
}

TEST_CASE("where a launch keeps its optimizer elsewhere, or is no training, nothing is certain") {
  CHECK(least_state(launch("--train-iters 10 --optimizer sgd")) == 0);
  CHECK(least_state(launch("--train-iters 10 --optimizer adam")) == Approx(16));
  // What stays on the GPU: weights and gradients.
  CHECK(least_state(launch("--train-iters 10 --optimizer-cpu-offload")) == Approx(4));
  CHECK(least_state(launch("--train-iters 10 --optimizer-cpu-offload --optimizer-offload-fraction 0.5")) ==
        Approx(10));
  CHECK(least_state(launch("--train-iters 10 --deepspeed_config ds.json")) == 0);
  // DeepSpeed's optimizer for bf16 shares its states whatever the stage is.
  CHECK(least_state(launch("--train-iters 10 --deepspeed --zero-stage 0 --bf16")) == 0);
  CHECK(least_state(launch("--train-iters 10 --deepspeed --zero-stage 0 --fp16")) == Approx(16));
  CHECK(least_state(launch("--train-iters 10 --deepspeed --zero-stage 1 --bf16")) == Approx(4));
  CHECK(least_state(launch("")) == 0);  // text generation, conversion of checkpoints
}

TEST_CASE("a script that starts nothing may be part of a command with more flags") {
  // As Megatron-LM's examples/rl/model_configs at d98e8a6.
  const model::Reading part = reading_of(
      "model.sh",
      "MODEL_OPTIONS=\"--num-layers 32 --hidden-size 4096 --num-attention-heads 32 --seq-length 2048 "
      "--micro-batch-size 1 --vocab-size 32000 --tensor-model-parallel-size 1 --lr 1e-6\"\n");
  CHECK(least_state(part) == 0);
  CHECK(least_state(launch("--train-iters 10 --model-provider llava_vlm")) == 0);  // examples/mimo
}

TEST_CASE("of prompts that nobody describes weights alone are certain") {
  const model::Reading served = reading_of(
      "generate.sh",
      "torchrun generate_samples_gpt.py --num-layers 32 --hidden-size 4096 --num-attention-heads 32 "
      "--seq-length 2048 --micro-batch-size 400 --vocab-size 32000 --fp16 --tensor-model-parallel-size 1\n");
  CHECK(served.setup.plan.mode == model::Mode::prefill);
  CHECK(least_state(served) == Approx(2));
}
