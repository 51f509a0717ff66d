// Commands of transformers and LLaMA-Factory with a file of DeepSpeed's beside them.
#include "formats/read.hpp"
#include "tests/catch.hpp"

using namespace shapelint;

namespace {

formats::ReadResult read_with(const std::string& deepspeed, const std::string& flags) {
  text::MemoryFileSystem files;
  files.files["run/train.sh"] =
      "deepspeed --num_gpus 8 train.py --model_name_or_path meta-llama/Llama-2-7b-hf --bf16 True "
      "--model_max_length 2048 --gradient_checkpointing True --learning_rate 1e-5 --deepspeed ds.json " +
      flags + "\n";
  if (!deepspeed.empty()) files.files["run/ds.json"] = deepspeed;
  return formats::read_any(files, "run/train.sh");
}

}  // namespace

TEST_CASE("what a DeepSpeed file says is read by the command that names it", "[formats]") {
  const formats::ReadResult read = read_with(
      R"({"zero_optimization": {"stage": 3}, "train_micro_batch_size_per_gpu": "auto", "gradient_accumulation_steps": 4})",
      "--per_device_train_batch_size 2");
  REQUIRE(read.readings.size() == 1);
  const model::Plan& plan = read.readings.front().setup.plan;
  CHECK(plan.zero == 3);
  CHECK(plan.data == 8);
  CHECK(plan.micro_batch_size == 2);
  CHECK(plan.gradient_accumulation == 4);
  CHECK(read.readings.front().origins[model::FieldId::zero].path == "run/ds.json");
}

TEST_CASE("what DeepSpeed's file and the trainer both state is kept apart", "[formats]") {
  const formats::ReadResult read = read_with(
      R"({"zero_optimization": {"stage": 2}, "train_micro_batch_size_per_gpu": 8, "gradient_accumulation_steps": "auto"})",
      "--per_device_train_batch_size 4 --gradient_accumulation_steps 2");
  REQUIRE(read.readings.size() == 1);
  const model::Reading& reading = read.readings.front();
  CHECK(reading.setup.plan.micro_batch_size == 4);
  CHECK(extra(reading, "own_micro_batch") == 4);
  CHECK(extra(reading, "deepspeed_micro_batch") == 8);
  CHECK(extra(reading, "own_accumulation") == 2);
  CHECK(extra(reading, "deepspeed_accumulation") == 0);
}

TEST_CASE("a stage that ZeRO does not have is an error", "[formats]") {
  const formats::ReadResult read =
      read_with(R"({"zero_optimization": {"stage": 5}})",
                "--per_device_train_batch_size 4 --gradient_accumulation_steps 2");
  REQUIRE(read.errors.size() == 1);
  CHECK(read.errors.front().message == "`zero_optimization.stage` is 5, but ZeRO has stages 0 to 3");
}
