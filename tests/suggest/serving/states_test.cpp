// Blocks of states against what vLLM reports.
#include "suggest/serving/states.hpp"

#include <cmath>
#include <string>

#include "model/lower/lower.hpp"
#include "suggest/serving/capacity.hpp"
#include "tests/catch.hpp"
#include "tests/formats/read_text.hpp"
#include "tests/suggest/serving/serving_support.hpp"

using namespace shapelint;

namespace {

struct Served {
  suggest::Capacity capacity;
  suggest::StateRoom room;
};

Served served(const std::string& command, std::string_view gpu) {
  const model::Setup setup = tests::one_setup("serve.sh", command + "\n");
  return {suggest::capacity_of(tests::gpu_named(gpu), setup),
          suggest::state_room(tests::gpu_named(gpu), setup)};
}

}  // namespace

// https://github.com/vllm-project/recipes/pull/551: 856 blocks of Qwen3.6-27B-FP8 on an H100, so that 1,024
// sequences are refused. 48 of its 64 layers keep a state, 48 heads of 128 x 128 in fp32 and the last 3
// inputs of a convolution over 10,240 channels: as much as 784 tokens of the other 16 layers' keys and
// values.
TEST_CASE("states take as many blocks of vLLM's cache as it reports", "[serving]") {
  const Served whole = served("vllm serve Qwen/Qwen3.6-27B-FP8 --gpu-memory-utilization 0.95", "h100");
  constexpr double block = 16.0 * 784 * 4096;
  CHECK(whole.room.blocks == std::floor(whole.capacity.cache_bytes / block));
  CHECK(whole.room.blocks == Approx(856).epsilon(0.1));
  CHECK(whole.room.most_blocks < 1024);
  CHECK(whole.room.sequences == 1024);
  // Half a state on each of two ranks, and keys and values of half the heads.
  const Served half = served("vllm serve Qwen/Qwen3.6-27B-FP8 -tp 2 --max-num-seqs 256", "h100");
  CHECK(half.room.blocks == std::floor(half.capacity.cache_bytes / (block / 2)));
  CHECK(half.room.sequences == 256);
  CHECK(served("vllm serve Qwen/Qwen3-32B -tp 2", "h100").room.blocks == 0);
  // Another engine has other rules.
  CHECK(served("python -m sglang.launch_server --model-path Qwen/Qwen3.6-27B-FP8", "h100").room.blocks == 0);
  // 256 sequences on GPUs below 70 GiB.
  CHECK(served("vllm serve Qwen/Qwen3.6-27B-FP8", "l40s").room.sequences == 256);
}
