// Whole training steps and peaks of memory as measured on one H200 (2026-11-26, PyTorch 2.11, CUDA 13.0):
// models of plain modules in bf16, weights and fused AdamW's states too, eager and compiled. Constants of
// eager mode are made of the differences between the two (docs/explanation/gpu-model.md, section 2); nothing
// else is fitted to them.
#include <string>

#include "base/units.hpp"
#include "cost/step.hpp"
#include "gpu/registry.hpp"
#include "model/lower/lower.hpp"
#include "model/memory/training.hpp"
#include "model/training_bytes.hpp"
#include "tests/catch.hpp"
#include "tests/rules/rules_support.hpp"

using namespace shapelint;

namespace {

struct MeasuredStep {
  std::string name;
  std::string model;  // its sizes, and batch and length
  double eager_ms = 0, compiled_ms = 0;
  double eager_gib = 0, compiled_gib = 0;  // that tensors took (max_memory_allocated)
};

const MeasuredStep measured_steps[] = {
    {"8 layers of 2048, gated",
     "hidden_size = 2048\nnum_layers = 8\nnum_attention_heads = 16\nintermediate_size = 5504\nmlp_gated = "
     "true\n"
     "vocab_size = 32000\n[run]\nmicro_batch_size = 4\nsequence_length = 2048\n",
     67.3, 47.7, 12.07, 8.01},
    {"12 layers of 768",
     "hidden_size = 768\nnum_layers = 12\nnum_attention_heads = 12\nintermediate_size = 3072\nvocab_size = "
     "50304\n"
     "[run]\nmicro_batch_size = 16\nsequence_length = 1024\n",
     61.1, 32.8, 16.21, 7.43},
    {"2 layers of 4096, gated, grouped heads",
     "hidden_size = 4096\nnum_layers = 2\nnum_attention_heads = 32\nnum_key_value_heads = "
     "8\nintermediate_size = "
     "14336\nmlp_gated = true\nvocab_size = 128256\n[run]\nmicro_batch_size = 1\nsequence_length = 8192\n",
     106.9, 90.1, 23.56, 13.69},
};

model::Setup setup_of_step(const std::string& model, const std::string& run) {
  return tests::read("[model]\nnorm = \"rmsnorm\"\ntie_word_embeddings = false\n" + model +
                     "weight_precision = \"half\"\ngradient_storage = \"freed\"\nattention = \"cudnn\"\n" +
                     run)
      .setup;
}

double step_ms(const model::Setup& setup) {
  const gpu::Gpu h200 = *gpu::find_gpu("h200");
  return cost::price(h200, model::lower(setup), setup.plan.dtype).time_us / 1e3;
}

double peak_gib(const model::Setup& setup) {
  const auto memory = model::training_memory(setup, 1, model::parameters_per_rank(setup));
  return (memory.weights + memory.gradients + memory.optimizer + memory.activations) / bytes_per_gib;
}

}  // namespace

TEST_CASE("training steps measured on an H200: time and memory, eager and compiled", "[training]") {
  for (const MeasuredStep& each : measured_steps) {
    INFO(each.name);
    const model::Setup eager = setup_of_step(each.model, "eager = true\n");
    // torch.compile makes one kernel of the loss.
    const model::Setup compiled = setup_of_step(each.model, "loss = \"fused\"\n");
    CHECK(step_ms(eager) == Approx(each.eager_ms).epsilon(0.12));
    CHECK(step_ms(compiled) == Approx(each.compiled_ms).epsilon(0.08));
    CHECK(peak_gib(eager) == Approx(each.eager_gib).epsilon(0.1));
    CHECK(peak_gib(compiled) == Approx(each.compiled_gib).epsilon(0.15));
  }
}

// 86.7 ms with 50,257 words, 61.1 with 50,304. torch.compile pads such products by itself: 34.6 and 32.8 ms.
TEST_CASE("an odd vocabulary costs an eager step what was measured on an H200", "[training]") {
  const std::string model = measured_steps[1].model;
  std::string odd = model;
  odd.replace(odd.find("50304"), 5, "50257");
  const double padded_ms = step_ms(setup_of_step(model, "eager = true\n"));
  const double odd_ms = step_ms(setup_of_step(odd, "eager = true\n"));
  CHECK(odd_ms - padded_ms == Approx(86.7 - 61.1).epsilon(0.16));
  const std::string compiled = "compiled = true\nloss = \"fused\"\n";
  CHECK(step_ms(setup_of_step(odd, compiled)) == Approx(34.6).epsilon(0.08));
  CHECK(step_ms(setup_of_step(odd, compiled)) > step_ms(setup_of_step(model, compiled)));
}
