// Reading and pricing a step through the library.
#include <shapelint/shapelint.hpp>

#include <algorithm>

#include "cost/step.hpp"
#include "formats/read.hpp"
#include "gpu/registry.hpp"
#include "model/lower/lower.hpp"
#include "tests/api/models_support.hpp"
#include "tests/catch.hpp"

using namespace shapelint;
using tests::llama;

namespace {

template <class T>
std::string errors_of(const T& errors) {
  std::string out;
  for (const api::Error& error : errors) out += error.code + " " + api::to_string(error) + "\n";
  return out;
}

const api::Value& value_of(const api::Model& model, std::string_view field) {
  return *std::find_if(model.values.begin(), model.values.end(),
                       [&](const api::Value& each) { return each.field == field; });
}

}  // namespace

TEST_CASE("a file is read with each value's origin", "[api]") {
  const auto files = api::memory_files({{"m/config.json", llama}});
  const api::ReadResult result = api::read(*files, {"m/config.json"}, {.settings = {{"dtype", "fp16"}}});
  CHECK(result.errors.empty());
  CHECK(result.recognised);
  REQUIRE(result.models.size() == 1);
  const api::Model& model = result.models.front();
  CHECK(model.type == "llama");
  CHECK(model.complete);
  CHECK(model.parameters > 1'000'000'000);
  CHECK(model.values.size() == api::fields().size());

  const api::Value& hidden = value_of(model, "hidden_size");
  CHECK(hidden.value == api::Scalar(std::int64_t{2048}));
  CHECK(hidden.origin == api::Origin::stated);
  CHECK(hidden.path == "m/config.json");
  CHECK(hidden.key_path == "hidden_size");
  REQUIRE(hidden.range);
  CHECK(hidden.range->start.line == 1);
  CHECK(std::string(llama).substr(static_cast<std::size_t>(hidden.range->start.byte), 4) == "2048");
  REQUIRE(hidden.key_range);
  CHECK(value_of(model, "dtype").value == api::Scalar("fp16"));
  CHECK(value_of(model, "dtype").origin == api::Origin::given);
  CHECK(value_of(model, "head_dim").value == api::Scalar(std::int64_t{64}));
  CHECK(value_of(model, "head_dim").origin == api::Origin::derived);
  CHECK(value_of(model, "mlp_gated").value == api::Scalar(true));
}

TEST_CASE("a file that is no configuration is no error, one that is gone is", "[api]") {
  const auto files = api::memory_files({{"data.json", "{\"a\": 1}"}});
  const api::ReadResult other = api::read(*files, {"data.json"});
  CHECK_FALSE(other.recognised);
  CHECK(other.models.empty());
  CHECK(other.errors.empty());
  CHECK(errors_of(api::read(*files, {"dato.json"}).errors) ==
        "not-found dato.json: error: cannot be read: No such file or directory; did you mean `data.json`?\n");
  CHECK(errors_of(api::read(*files, {"Qwen/Qwne3-8B"}).errors) ==
        "not-found Qwen/Qwne3-8B: error: no such file, and no model of this name in the local Hugging Face "
        "cache "
        "or in the table of published models; did you mean `Qwen/Qwen3-8B`? otherwise pass the model's "
        "config.json: "
        "its path, or `-` for standard input\n");
}

TEST_CASE("a step costs what the cost model says, operation by operation", "[api]") {
  const auto files = api::memory_files({{"config.json", llama}});
  const auto steps = api::price_step(
      *files, {"config.json"},
      {.read = {.settings = {{"mode", "train"}, {"micro_batch_size", "2"}, {"sequence_length", "4096"}}},
       .gpus = {{"a100", "h100"}}});
  REQUIRE(steps);
  REQUIRE(steps->size() == 2);
  const api::Step& step = steps->front();

  formats::ReadOptions options;
  options.overrides = {{model::find_field("mode"), 0, ""},
                       {model::find_field("micro_batch_size"), 2, ""},
                       {model::find_field("sequence_length"), 4096, ""}};
  const text::MemoryFileSystem none;
  const model::Reading reading =
      formats::read(none, formats::parse("config.json", llama), options).readings.front();
  const model::Workload workload = model::lower(reading.setup);
  const cost::StepCost expected = cost::price(*gpu::find_gpu("a100"), workload, reading.setup.plan.dtype);
  CHECK(step.gpu == "a100-sxm4-80gb");
  CHECK(step.step_us == expected.time_us);
  CHECK(step.mfu == expected.mfu);
  CHECK(step.tokens_per_step == 8192);
  CHECK(step.tokens_per_s_all_gpus == Approx(expected.tokens_per_s));
  CHECK(step.memory.capacity_bytes == std::int64_t{81920} * 1024 * 1024);
  CHECK(step.memory.total_bytes > 16'000'000'000);
  CHECK(step.compute_us + step.memory_us + step.communication_us + step.overhead_us + step.bubble_us ==
        Approx(step.step_us));
  REQUIRE(step.operations.size() == workload.ops.size());
  double shares = 0;
  for (const api::Operation& each : step.operations) shares += each.share;
  CHECK(shares == Approx(1));  // nothing overlaps on one GPU
  const auto up = std::find_if(
      step.operations.begin(), step.operations.end(),
      [](const api::Operation& each) { return each.name == "layer.mlp.gate_up" && each.pass == "forward"; });
  REQUIRE(up != step.operations.end());
  CHECK(up->kind == "gemm");
  CHECK(up->dtype == "bf16");
  CHECK(up->layout == "tn");
  CHECK(api::find_size(*up, "m")->value == 8192);
  CHECK(api::find_size(*up, "k")->value == 2048);
  CHECK(api::find_size(*up, "k")->expression == "hidden_size");
  CHECK(up->runs == 16);
  CHECK(up->total_us == 16 * up->run_us);
  CHECK(steps->back().gpu == "h100-sxm5");
}

TEST_CASE("a step that cannot be priced says why", "[api]") {
  const auto files = api::memory_files({{"config.json", llama}, {"data.json", "{\"a\": 1}"}});
  CHECK(errors_of(api::price_step(*files, {"config.json"},
                                  {.read = {.settings = {{"dtype", "fp8"}}}, .gpus = {{"a100"}}})
                      .errors()) ==
        "unable config.json: error: `dtype` fp8 is not supported by a100-sxm4-80gb; choose another "
        "GPU, or a dtype that it supports\n");
  CHECK(api::price_step(*files, {"data.json"}).errors().front().code == "no-model");
}

// nvidia/Qwen3.6-27B-NVFP4 has MLPs in NVFP4 and the rest in FP8: how many bits a weight has is not told.
TEST_CASE("the memory of weights in a format that nobody states is not known", "[api]") {
  const auto files = api::memory_files(
      {{"known.sh", "vllm serve Qwen/Qwen3-32B\n"}, {"unknown.sh", "vllm serve nvidia/Qwen3.6-27B-NVFP4\n"}});
  const auto memory = [&](const char* path) {
    const auto steps = api::price_step(*files, {path}, {.gpus = {.names = {"h100"}}});
    REQUIRE(steps);
    return steps->front().memory.total_bytes;
  };
  CHECK(memory("known.sh") > 64'000'000'000);  // 32.8 B parameters of two bytes
  CHECK(memory("unknown.sh") == 0);
}

// llama's positions are 4096: a server that decodes has a cache of as many tokens unless something says
// otherwise.
TEST_CASE("a model that decodes has a cache where nobody states its length", "[api]") {
  const auto files = api::memory_files({{"config.json", llama}});
  const auto time = [&](std::vector<api::Setting> settings) {
    settings.push_back({"mode", "decode"});
    const auto steps = api::price_step(*files, {"config.json"},
                                       {.read = {.settings = settings}, .gpus = {.names = {"h100"}}});
    REQUIRE(steps);
    return steps->front().step_us;
  };
  CHECK(time({}) == time({{"context_length", "4096"}}));
  CHECK(time({}) > time({{"context_length", "0"}}));
}
