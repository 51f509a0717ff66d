// GPUs that a path names.
#include "gpu/in_path.hpp"
#include "tests/catch.hpp"

using namespace shapelint;

TEST_CASE("a word of a path names a GPU", "[gpu]") {
  const auto named = [](const char* path) {
    const auto found = gpu::gpu_in_path(path);
    return found ? found->id : "";
  };
  CHECK(named("configs/gb300/llama-70b.yaml") == "gb300");
  CHECK(named("recipes/llama3_8b_H100.yaml") == "h100-sxm5");
  CHECK(named("examples/megatron/configs/MI355X/qwen3-pretrain.yaml") == "mi355x");
  // Twice the same is no doubt; two different ones are.
  CHECK(named("h100/h100_tp8.yaml") == "h100-sxm5");
  CHECK(named("h100/b200_tp8.yaml").empty());
  // Words that name other things as well.
  CHECK(named("spark/thor/t4/config.yaml").empty());
  CHECK(named("runs/4090/config.yaml").empty());
  CHECK(named("phi3/qwen3/llama4.yaml").empty());
  CHECK(named("").empty());
}
