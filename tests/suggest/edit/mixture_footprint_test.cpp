// Memory of mixtures in training: that published runs fit, and how it grows.
#include <string>

#include "gpu/registry.hpp"
#include "suggest/edit/footprint.hpp"
#include "tests/catch.hpp"
#include "tests/rules/rules_support.hpp"

using namespace shapelint;
using namespace shapelint::suggest;
using tests::read;

namespace {

const std::string qwen3_30b =
    "[model]\nhidden_size = 2048\nnum_layers = 48\nnum_attention_heads = 32\nnum_key_value_heads = 4\n"
    "head_dim = 128\nqk_norm = true\nintermediate_size = 6144\nmlp_gated = true\nvocab_size = 151936\n"
    "tie_word_embeddings = false\n"
    "moe = { num_experts = 128, experts_per_token = 8, intermediate_size = 768 }\n"
    "[run]\nmode = \"train\"\ndtype = \"fp8\"\nrecipe = \"mxfp8\"\nsequence_length = 4096\n"
    "gradient_accumulation = 8\nfused_gradient_accumulation = true\nloss = \"fused\"\n";

double gigabytes(std::int64_t micro_batch, const std::string& parallel) {
  return memory_bytes(read(qwen3_30b + "micro_batch_size = " + std::to_string(micro_batch) +
                           "\n[parallel]\nzero = 1\n" + parallel)
                          .setup) /
         1e9;
}

}  // namespace

TEST_CASE("published runs of a mixture fit the GPUs that they ran on", "[published]") {
  // Megatron-Bridge, performance summary: Qwen3 30B A3B, releases 25.11 to 26.04.
  struct Row {
    const char* gpu;
    std::int64_t micro_batch;
    const char* parallel;
    double gigabytes;
  };
  constexpr Row rows[] = {
      {"gb300", 8, "data = 8\nexpert = 8", 234.35},
      {"gb200", 4, "data = 8\nexpert = 8", 150.40},
      {"b200", 1, "data = 8\nexpert = 8", 87.44},
      {"h100", 1, "data = 16\nexpert = 16", 57.30},
      {"h100", 2, "data = 8\nexpert = 8\npipeline = 2\nvirtual_pipeline = 24", 74.43},
  };
  for (const Row& row : rows) {
    INFO(row.gpu << ", " << row.parallel);
    const auto gpu = gpu::find_gpu(row.gpu);
    REQUIRE(gpu);
    const double needs = gigabytes(row.micro_batch, row.parallel);
    CHECK(needs == Approx(row.gigabytes).epsilon(1e-3));
    CHECK(needs * 1e9 < usable_bytes(gpu::memory_gib(*gpu)));
  }
}

TEST_CASE("activations of a mixture grow with its tokens alone, however its experts are divided") {
  const std::string wide = "data = 16\nexpert = 16";
  const std::string narrow = "data = 16\nexpert = 2";
  const double each = gigabytes(2, wide) - gigabytes(1, wide);
  CHECK(each == Approx(20.99).epsilon(1e-3));
  CHECK(gigabytes(8, wide) - gigabytes(1, wide) == Approx(7 * each));
  // Each rank's experts see as many rows, whoever holds them.
  CHECK(gigabytes(2, narrow) - gigabytes(1, narrow) == Approx(each));
  // Fewer on a rank, less of them to keep.
  CHECK(gigabytes(1, wide) < gigabytes(1, narrow));
}
