// Bytes of weights, gradients and optimizer states, by optimizer and precision.
#include "model/memory/training.hpp"

#include <string>

#include "tests/catch.hpp"
#include "tests/rules/rules_support.hpp"

using namespace shapelint;
using namespace shapelint::model;
using tests::read;

namespace {

// GPT's layers; the table is 32000 * 4096 of them.
const std::string tied_model =
    "[model]\nhidden_size = 4096\nnum_layers = 32\nnum_attention_heads = 32\nvocab_size = 32000\n"
    "[run]\nsequence_length = 2048\n";
constexpr double table = 32000.0 * 4096;

Setup setup_of(const std::string& more) {
  return read(tied_model + more).setup;
}

HeldStates held_by(const std::string& more) {
  const Setup setup = setup_of(more);
  return held_states(setup, static_cast<double>(setup.plan.data), parameters_per_rank(setup));
}

// Of one parameter, on the GPU.
double each(const std::string& more) {
  const HeldStates held = held_by(more);
  return (held.weights + held.gradients + held.optimizer) /
         static_cast<double>(parameter_count(setup_of(more)));
}

}  // namespace

TEST_CASE("bytes of a parameter follow what is kept of weights", "[memory]") {
  CHECK(each("") == Approx(2 + 2 + 12));                                // ZeRO, 1910.02054, section 3.1
  CHECK(each("weight_precision = \"single\"\n") == Approx(4 + 4 + 8));  // autocast
  CHECK(each("dtype = \"fp32\"\n") == Approx(4 + 4 + 8));
  CHECK(each("weight_precision = \"half\"\n") == Approx(2 + 2 + 2 + 2));  // torchtune, dtype: bf16
  CHECK(each("gradient_bits = 32\n") == Approx(2 + 4 + 12));  // Megatron-LM, theoretical_memory_usage.py
}

// verl, workers/engine/fsdp/utils.py, create_device_mesh: of 32 ranks, groups of `fsdp_size` share, and hold
// the same.
TEST_CASE("groups of ranks that share hold the same as each other", "[memory]") {
  const std::string sharded = "[parallel]\ndata = 32\nzero = 3\n";
  CHECK(each(sharded) == Approx(16.0 / 32));
  CHECK(each(sharded + "zero_ranks = 8\n") == Approx(16.0 / 8));
  CHECK(each(sharded + "zero_ranks = 64\n") == Approx(16.0 / 32));
  CHECK(each("[parallel]\ndata = 32\nzero_ranks = 8\n") == Approx(16));
}

TEST_CASE("states in 8 bits are a byte each, and a scale in fp32 for 256", "[memory]") {
  const double scales = 2 * 4.0 / 256;
  CHECK(each("optimizer_bits = 8\nweight_precision = \"half\"\n") == Approx(2 + 2 + 1 + 1 + scales));
  CHECK(each("optimizer_bits = 8\nweight_precision = \"single\"\n") == Approx(4 + 4 + 1 + 1 + scales));
  // transformers' Trainer: those of the embedding stay in 32 bits.
  const double all = held_by("optimizer_bits = 8\nweight_precision = \"half\"\n").optimizer;
  const double some =
      held_by("optimizer_bits = 8\nweight_precision = \"half\"\nwide_embedding_states = true\n").optimizer;
  CHECK(some - all == Approx((8 - 2 - scales) * table));
}

TEST_CASE("precision-aware Adam keeps the half that weights lack, and narrow moments", "[memory]") {
  // Megatron-LM: main parameters in fp32 by their remainders, moments in bf16.
  CHECK(each("master_bits = 16\noptimizer_bits = 16\n") == Approx(2 + 2 + 2 + 2 + 2));
}

TEST_CASE("other optimizers have fewer states", "[memory]") {
  const std::string half = "weight_precision = \"half\"\noptimizer = ";
  CHECK(each(half + "\"lion\"\n") == Approx(2 + 2 + 2));
  CHECK(each(half + "\"momentum\"\n") == Approx(2 + 2 + 2));
  CHECK(each(half + "\"sgd\"\n") == Approx(2 + 2));
  CHECK(each(half + "\"adafactor\"\n") == Approx(2 + 2));
  // GaLore, 2403.03507, table 1: mn of the weight, mr and 2 nr of projection and moments.
  const double square = 4096.0 * 4096;
  const double full = 32 * 12 * square;
  const double low = 32 * (4 * 3 * 128 * 4096.0 + 2 * (128 * 4096.0 + 2 * 128 * 16384.0));
  const double adam = held_by("weight_precision = \"half\"\n").optimizer;
  const double galore = held_by(half + "\"low_rank\"\noptimizer_rank = 128\n").optimizer;
  CHECK(adam - galore == Approx(2 * (2 * full - low)));
}

TEST_CASE("what is offloaded or paged is in the host's memory", "[memory]") {
  const double parameters = static_cast<double>(parameter_count(setup_of("")));
  const HeldStates half = held_by("offload_optimizer = 50\n");
  CHECK(half.optimizer == Approx(6 * parameters));
  CHECK(half.host == Approx(6 * parameters));
  const HeldStates all = held_by(
      "offload_optimizer = 100\noffload_gradients = true\noffload_weights = true\n[parallel]\ndata = 8\nzero "
      "= 3\n");
  CHECK(all.weights + all.gradients + all.optimizer == 0);
  CHECK(all.host ==
        Approx((2 + 4 + 12) * parameters / 8));  // gradients in fp32, as DeepSpeed's CPUAdam reads them
  const HeldStates paged = held_by("paged_optimizer = true\n");
  CHECK(paged.optimizer == Approx(4 * parameters));  // the copy of weights
  CHECK(paged.host == Approx(8 * parameters));
}

TEST_CASE("a step in the backward pass keeps no gradients", "[memory]") {
  CHECK(held_by("gradient_storage = \"in_backward\"\n").gradients == 0);
  CHECK(held_by("gradient_storage = \"freed\"\n").gradients > 0);
}

TEST_CASE("of layers that learn alone all else is frozen: 2 bytes, and no states", "[memory]") {
  // LLaMA-Factory, model/adapter.py, _setup_freeze_tuning: what learns is cast to fp32.
  const Setup setup = setup_of("weight_precision = \"single\"\nlearning_layers = 2\n");
  const double all = static_cast<double>(parameter_count(setup));
  const double learning = (all - table - 4096) * 2 / 32;  // tied, and a norm behind the layers
  const HeldStates held = held_by("weight_precision = \"single\"\nlearning_layers = 2\n");
  CHECK(held.gradients == Approx(4 * learning).epsilon(1e-3));
  CHECK(held.optimizer == Approx(8 * learning).epsilon(1e-3));
  CHECK(held.weights == Approx(4 * learning + 2 * (all - learning)).epsilon(1e-3));
  CHECK(each("learning_layers = 32\n") == Approx(16));
  // LISA freezes layers alone (arXiv 2403.17919, algorithm 1; ms-swift, swift/callbacks/lisa.py).
  const HeldStates lisa =
      held_by("weight_precision = \"single\"\nlearning_layers = 2\nlearning_tables = 1\n");
  CHECK(lisa.gradients - held.gradients == Approx(4 * table).epsilon(1e-3));
  CHECK(lisa.optimizer - held.optimizer == Approx(8 * table).epsilon(1e-3));
}

TEST_CASE("a reference is a copy in 16 bits, which ZeRO 3 shares", "[memory]") {
  CHECK(each("reference_models = 1\n") == Approx(16 + 2));
  CHECK(each("reference_models = 1\n[parallel]\ndata = 4\nzero = 3\n") == Approx(18.0 / 4));
  CHECK(each("reference_models = 1\n[parallel]\ndata = 4\nzero = 2\n") == Approx(2 + 14.0 / 4 + 2));
}
