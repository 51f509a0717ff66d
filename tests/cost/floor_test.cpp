// No step is faster than its data: weights are read once and the KV cache once, at the DRAM's bandwidth. The
// bytes are counted from the model, not from the operations.
#include <iterator>
#include <string>

#include "base/units.hpp"
#include "cost/step.hpp"
#include "gpu/registry.hpp"
#include "model/lower/lower.hpp"
#include "tests/catch.hpp"
#include "tests/rules/rules_support.hpp"

using namespace shapelint;

namespace {

struct Shape {
  const char* name;
  const char* config;
  double parameters;       // without the embedding, which is looked up and not read
  double cached_elements;  // keys and values of a token, all layers
};

// EleutherAI/pythia-1b, Llama-2-7B, Mistral-7B and Mixtral-8x7B: their config.json.
const Shape shapes[] = {
    {"pythia-1b",
     "hidden_size = 2048\nnum_layers = 16\nnum_attention_heads = 8\nintermediate_size = 8192\nvocab_size = "
     "50304\n"
     "tie_word_embeddings = false\n",
     16.0 * 12 * 2048 * 2048 + 50304.0 * 2048, 2.0 * 16 * 2048},
    {"Llama-2-7B",
     "hidden_size = 4096\nnum_layers = 32\nnum_attention_heads = 32\nintermediate_size = 11008\nmlp_gated = "
     "true\n"
     "vocab_size = 32000\ntie_word_embeddings = false\n",
     32.0 * (4 * 4096.0 * 4096 + 3 * 4096.0 * 11008) + 32000.0 * 4096, 2.0 * 32 * 4096},
    {"Mistral-7B",
     "hidden_size = 4096\nnum_layers = 32\nnum_attention_heads = 32\nnum_key_value_heads = 8\n"
     "intermediate_size = 14336\nmlp_gated = true\nvocab_size = 32000\ntie_word_embeddings = false\n",
     32.0 * (2.5 * 4096.0 * 4096 + 3 * 4096.0 * 14336) + 32000.0 * 4096, 2.0 * 32 * 1024},
    // Of eight experts the two of one token at least.
    {"Mixtral-8x7B",
     "hidden_size = 4096\nnum_layers = 32\nnum_attention_heads = 32\nnum_key_value_heads = 8\n"
     "mlp_gated = true\nvocab_size = 32000\ntie_word_embeddings = false\n"
     "moe = { num_experts = 8, experts_per_token = 2, intermediate_size = 14336 }\n",
     32.0 * (2.5 * 4096.0 * 4096 + 2 * 3 * 4096.0 * 14336) + 32000.0 * 4096, 2.0 * 32 * 1024},
};

}  // namespace

TEST_CASE("a decoding step takes at least what reading weights and cache takes", "[cost]") {
  constexpr double element_bytes = 2;
  std::size_t checked = 0;
  for (const std::string_view id : gpu::gpu_ids()) {
    const gpu::Gpu gpu = *gpu::find_gpu(id);
    REQUIRE(gpu::can_multiply(gpu, DType::fp16));
    for (const Shape& shape : shapes) {
      for (const std::int64_t batch : {1, 8, 64}) {
        for (const std::int64_t context : {128, 4096}) {
          const model::Reading reading = tests::read(
              std::string("[model]\n") + shape.config +
              "[run]\nmode = \"decode\"\ndtype = \"fp16\"\nmicro_batch_size = " + std::to_string(batch) +
              "\ncontext_length = " + std::to_string(context) + "\n");
          const cost::StepCost step = cost::price(gpu, model::lower(reading.setup), DType::fp16);
          const double bytes = element_bytes * (shape.parameters +
                                                static_cast<double>(batch * context) * shape.cached_elements);
          const double min_us = bytes / (gpu.dram_bandwidth_gb_s * bytes_per_us_per_gb_s);
          INFO(id << " " << shape.name << " x " << batch << " behind " << context);
          CHECK(step.time_us >= min_us);
          ++checked;
        }
      }
    }
  }
  CHECK(checked == gpu::gpu_ids().size() * std::size(shapes) * 3 * 2);
}

// The same silicon with 1.31 times the bandwidth (NVIDIA A100 data sheet).
TEST_CASE("an A100 of 80 GB decodes no slower than one of 40 GB", "[cost]") {
  for (const Shape& shape : shapes) {
    const model::Reading reading =
        tests::read(std::string("[model]\n") + shape.config +
                    "[run]\nmode = \"decode\"\ndtype = \"fp16\"\nmicro_batch_size = 1\n"
                    "context_length = 128\n");
    const model::Workload workload = model::lower(reading.setup);
    const auto time_us = [&](const char* id) {
      return cost::price(*gpu::find_gpu(id), workload, DType::fp16).time_us;
    };
    INFO(shape.name);
    CHECK(time_us("a100-sxm4-80gb") <= time_us("a100-sxm4-40gb"));
  }
}
