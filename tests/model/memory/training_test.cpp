// The fullest moment of a training step, by hand and as torchtune measured it.
#include "model/memory/training.hpp"

#include <string>

#include "base/units.hpp"
#include "model/training_bytes.hpp"
#include "tests/catch.hpp"
#include "tests/rules/rules_support.hpp"

using namespace shapelint;
using namespace shapelint::model;
using tests::read;

namespace {

TrainingMemory memory_of(const std::string& text) {
  const Setup setup = read(text).setup;
  return training_memory(setup, static_cast<double>(setup.plan.data), parameters_per_rank(setup));
}

double peak(const TrainingMemory& memory) {
  return memory.weights + memory.gradients + memory.optimizer + memory.activations;
}

// Llama-3.2-3B as torchtune's README has it: batch 2, length 4096, pure bf16.
const std::string llama_3b =
    "[model]\nhidden_size = 3072\nnum_layers = 28\nnum_attention_heads = 24\nnum_key_value_heads = 8\n"
    "head_dim = 128\nintermediate_size = 8192\nmlp_gated = true\nnorm = \"rmsnorm\"\nvocab_size = 128256\n"
    "tie_word_embeddings = true\n[run]\nsequence_length = 4096\nmicro_batch_size = 2\n"
    "weight_precision = \"half\"\n";

const std::string small =
    "[model]\nhidden_size = 4096\nnum_layers = 32\nnum_attention_heads = 32\nvocab_size = 32000\n"
    "intermediate_size = 11008\nmlp_gated = true\nnorm = \"rmsnorm\"\n[run]\nsequence_length = 2048\n";

}  // namespace

TEST_CASE("torchtune's peaks of a 3B model are within 10 %", "[memory]") {
  const auto gib = [](const std::string& more) { return peak(memory_of(llama_3b + more)) / bytes_per_gib; };
  const std::string freed = "gradient_storage = \"freed\"\n";
  const std::string fused = "loss = \"fused\"\n";
  const std::string full = "recompute = \"full\"\n";
  const std::string backward = "gradient_storage = \"in_backward\"\n";
  const std::string away = "offload_activations = true\n";
  CHECK(gib(freed + "eager = true\n") == Approx(60.0).epsilon(0.1));
  CHECK(gib(freed) == Approx(51.0).epsilon(0.1));
  CHECK(gib(freed + fused) == Approx(42.9).epsilon(0.1));
  CHECK(gib(freed + fused + full) == Approx(24.9).epsilon(0.1));
  CHECK(gib(backward + fused + full) == Approx(23.1).epsilon(0.1));
  CHECK(gib(backward + fused + full + away) == Approx(21.8).epsilon(0.1));
  CHECK(gib(backward + fused + full + away + "optimizer_bits = 8\n") == Approx(17.6).epsilon(0.1));
}

TEST_CASE("a pipeline schedule decides how many micro-batches a stage keeps", "[memory]") {
  // Stages of 8 layers, 32 micro-batches. arXiv 2401.10241, section 2.1 and 6: ZB-H1 and ZB-V keep as many as
  // 1F1B's first stage; 2412.19437, table 2: DualPipe one more, and the weights twice.
  const auto of = [](const std::string& schedule) {
    return memory_of(small + "gradient_accumulation = 32\n[parallel]\npipeline = 4\n" + schedule);
  };
  const TrainingMemory in_turn = of("");
  CHECK(in_turn.micro_batches == 4);
  CHECK(of("pipeline_schedule = \"zero_bubble\"\n").micro_batches == 4);
  CHECK(of("pipeline_schedule = \"zero_bubble_v\"\nvirtual_pipeline = 2\n").micro_batches == 4);
  CHECK(of("pipeline_schedule = \"gpipe\"\n").micro_batches == 32);
  CHECK(of("pipeline_schedule = \"dualpipe_v\"\nvirtual_pipeline = 2\n").micro_batches == 4.5);
  const TrainingMemory both_ways = of("pipeline_schedule = \"dualpipe\"\n");
  CHECK(both_ways.micro_batches == 5);
  // The tied table of 32,000 rows is on the same rank as the embedding, and not again with the head.
  CHECK(both_ways.weights == Approx(2 * in_turn.weights - 2.0 * 32000 * 4096));
}

// Megatron-Core, transformer_config.py, activation_func_fp8_input_store; DeepSeek-V3, arXiv 2412.19437,
// section 3.3.3: inputs of SwiGLU are kept in FP8. Two branches of 11008 elements for each of 2048 tokens.
TEST_CASE("the inputs of an activation function may be kept in fewer bits", "[memory]") {
  const auto kept = [](const std::string& more) { return layer_activations(read(small + more).setup).kept; };
  CHECK(kept("") - kept("activation_input_bits = 8\n") == Approx(2048.0 * 2 * 11008));
  // What is computed again is not kept at all.
  CHECK(kept("recompute_mlp = true\n") == kept("recompute_mlp = true\nactivation_input_bits = 8\n"));
}

TEST_CASE("gradients that are freed are not there while activations are", "[memory]") {
  const TrainingMemory buffer = memory_of(llama_3b);
  const TrainingMemory freed = memory_of(llama_3b + "gradient_storage = \"freed\"\n");
  CHECK(peak(buffer) - peak(freed) == Approx(buffer.gradients));
  // A micro-batch before has left some.
  const std::string later = "gradient_accumulation = 2\n";
  CHECK(peak(memory_of(llama_3b + later)) ==
        peak(memory_of(llama_3b + later + "gradient_storage = \"freed\"\n")));
  // Where all is computed again and the logits are few, the end of the backward pass is the fullest.
  const TrainingMemory last =
      memory_of(small + "gradient_storage = \"freed\"\nrecompute = \"full\"\nloss = \"chunked\"\n");
  CHECK(last.gradients > 0);
  CHECK(last.activations > 0);
}

TEST_CASE("operation after operation RMSNorm keeps 4 bytes more, a gate its activation", "[memory]") {
  const double tokens = 2048;
  const auto kept = [](const std::string& more) { return layer_activations(read(small + more).setup).kept; };
  CHECK(kept("eager = true\n") - kept("") == Approx(tokens * (2 * 4 * 4096 + 2 * 11008)));
}

TEST_CASE("activations of a run in fp32 are twice those of one in 16 bits", "[memory]") {
  const auto kept = [](const std::string& more) { return layer_activations(read(small + more).setup).kept; };
  CHECK(kept("dtype = \"fp32\"\n") == Approx(2 * kept("dtype = \"bf16\"\n")));
  const auto bytes = [](const std::string& more) { return logit_bytes(read(small + more).setup.plan); };
  CHECK(bytes("dtype = \"fp32\"\n") == 12);
  CHECK(bytes("dtype = \"fp32\"\nloss = \"vocab_parallel\"\n") == 4);
  CHECK(bytes("dtype = \"fp32\"\nloss = \"vocab_parallel_fused\"\n") == 12);  // linkedin/Liger-Kernel#1260
  CHECK(bytes("dtype = \"fp32\"\nloss = \"fused\"\n") == 8);
}

TEST_CASE("weights in fp32 are cast, and the copies wait for the backward pass", "[memory]") {
  const Setup setup = read(small).setup;
  const double parameters = static_cast<double>(parameter_count(setup));
  const double stream =
      2.0 * 2048 * 2 * 4096 * 32;  // the residual stream in fp32, at two norms of each layer
  const double mixed = peak(memory_of(small));
  CHECK(peak(memory_of(small + "weight_precision = \"single\"\n")) - mixed ==
        Approx(2 * parameters + stream));
}
