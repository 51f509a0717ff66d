// Memory of one GPU by hand, and what of it proposals may have.
#include "suggest/edit/footprint.hpp"

#include <string>
#include <vector>

#include "model/lower/lower.hpp"
#include "rules/scope/memory.hpp"
#include "tests/catch.hpp"
#include "tests/rules/rules_support.hpp"

using namespace shapelint;
using namespace shapelint::suggest;
using tests::read;

namespace {

const std::string dense =
    "[model]\nhidden_size = 4096\nnum_layers = 32\nnum_attention_heads = 32\nvocab_size = 32000\n"
    "[run]\nsequence_length = 2048\n";

double parameters(const model::Setup& setup) {
  return static_cast<double>(model::parameter_count(setup));
}

}  // namespace

TEST_CASE("what a rank keeps is 16 bytes per parameter, less what ZeRO shares") {
  const auto state = [](const std::string& plan) {
    const model::Setup setup = read(dense + "[parallel]\n" + plan).setup;
    return footprint(setup).state_bytes / parameters(setup);
  };
  CHECK(state("") == Approx(16));
  CHECK(state("data = 8") == Approx(16));
  CHECK(state("data = 8\nzero = 1") == Approx(2 + 2 + 12.0 / 8));
  CHECK(state("data = 8\nzero = 2") == Approx(2 + 14.0 / 8));
  CHECK(state("data = 8\nzero = 3") == Approx(16.0 / 8));
  // The last of two stages has a table of its own for the head, which shares the embedding's.
  const model::Setup whole = read(dense).setup;
  const double table = static_cast<double>(whole.model.vocab_size * whole.model.hidden_size);
  CHECK(state("tensor = 4\npipeline = 2") ==
        Approx(16.0 / 8 * (1 + table / parameters(whole))).epsilon(1e-4));
  // Ranks that share a sequence hold the same parameters.
  CHECK(state("data = 2\ncontext = 4\nzero = 3") == Approx(16.0 / 8));
}

TEST_CASE("gradients that are kept in fp32 take 2 bytes more, which ZeRO shares from stage 2 on") {
  // Megatron-LM, theoretical_memory_usage.py: 18, and with the distributed optimizer 6 + 12 / ranks
  const auto state = [](const std::string& plan) {
    const model::Setup setup = read(dense + "gradient_bits = 32\n[parallel]\n" + plan).setup;
    return footprint(setup).state_bytes / parameters(setup);
  };
  CHECK(state("") == Approx(18));
  CHECK(state("data = 8") == Approx(18));
  CHECK(state("data = 8\nzero = 1") == Approx(6 + 12.0 / 8));
  CHECK(state("data = 8\nzero = 2") == Approx(2 + 16.0 / 8));
  CHECK(state("data = 8\nzero = 3") == Approx(18.0 / 8));
}

TEST_CASE("an engine may take its share of the memory, of which weights leave a share to the cache") {
  const std::string serve = dense + "mode = \"decode\"\ncontext_length = 4096\n";
  const auto usable = [&](const std::string& more) { return usable_bytes(80, read(serve + more).setup); };
  constexpr double gb = 1073741824.0;
  CHECK(usable("") == usable_bytes(80));
  CHECK(usable("memory_percent = 90\n") == Approx((72 * gb - 2e9) / 1.05));
  const double weights = model::served_weight_bytes(read(serve).setup);
  CHECK(usable("cache_percent = 90\n") == Approx(weights + 0.9 * (usable_bytes(80) - weights)));
  CHECK(usable_bytes(80, read(dense + "memory_percent = 50\n").setup) == usable_bytes(80));  // training
}

TEST_CASE("as many sequences are resident as the cache has room for, and one at least") {
  const auto resident = [](double gigabytes, const std::string& more) {
    const model::Setup setup = read(dense + "mode = \"decode\"\ncontext_length = 4096\n" + more).setup;
    return resident_sequences(gigabytes, setup);
  };
  for (const std::string more : {"", "memory_percent = 50\n"}) {
    model::Setup setup = read(dense + "mode = \"decode\"\ncontext_length = 4096\n" + more).setup;
    setup.plan.micro_batch_size = resident(80, more);
    CHECK(memory_bytes(setup) <= usable_bytes(80, setup));
    ++setup.plan.micro_batch_size;
    CHECK(memory_bytes(setup) > usable_bytes(80, setup));
  }
  CHECK(resident(8, "") == 1);  // the weights alone are larger
}

TEST_CASE("of offloaded activations two layers are in memory at a time") {
  const auto activations = [](const std::string& more) {
    return footprint(read(dense + "recompute = \"full\"\n" + more).setup).activation_bytes;
  };
  const double logits = 2048.0 * 32000 * 12;
  const double layer = 2.0 * 2048 * 4096;
  CHECK(activations("") == Approx(32 * layer + logits));
  CHECK(activations("offload_activations = true") == Approx(2 * layer + logits));
}

TEST_CASE("weights beside adapters that learn are 2 bytes per parameter, or fewer") {
  const auto state = [](const std::string& more) {
    const model::Setup setup = read(dense + "adapters = true\n" + more).setup;
    return footprint(setup).state_bytes / parameters(setup);
  };
  CHECK(state("") == Approx(2));
  CHECK(state("[parallel]\ndata = 8\nzero = 2") == Approx(2));
  CHECK(state("[parallel]\ndata = 8\nzero = 3") == Approx(2.0 / 8));
  // QLoRA: half a byte and a scale for each 64, and embedding and head as they are.
  const model::Setup packed =
      read(dense + "adapters = true\nweight_bits = 4\nweight_group_size = 64\n").setup;
  const double wide = 32000.0 * 4096;
  CHECK(footprint(packed).state_bytes ==
        Approx(2 * wide + (parameters(packed) - wide) * (0.5 + 2.0 / 64)).epsilon(0.001));
}

TEST_CASE("adapters of known rank have 16 bytes for each of their own parameters, which ZeRO shares") {
  const auto state = [](const std::string& more) {
    return footprint(read(dense + "adapter_rank = 16\n" + more).setup).state_bytes;
  };
  const model::Setup frozen = read(dense + "adapters = true\n").setup;
  // queries, keys, values and output; an MLP of 4 * 4096
  const double adapters = 32 * 16.0 * (4 * 2 * 4096 + 2 * 5 * 4096);
  CHECK(state("") - footprint(frozen).state_bytes == Approx(16 * adapters));
  CHECK(state("[parallel]\ndata = 8\nzero = 2\n") - footprint(frozen).state_bytes ==
        Approx((2 + 14.0 / 8) * adapters));
}

TEST_CASE("Muon spares the variance of matrices, Shampoo keeps statistics and roots of both sides") {
  const auto state = [](const std::string& more) { return footprint(read(dense + more).setup).state_bytes; };
  const double square = 4096.0 * 4096;
  const double matrices = 32 * 12 * square;
  CHECK(state("") - state("optimizer = \"muon\"\n") == Approx(4 * matrices));
  CHECK(state("[parallel]\ndata = 8\nzero = 1\n") -
            state("optimizer = \"muon\"\n[parallel]\ndata = 8\nzero = 1\n") ==
        Approx(4 * matrices / 8));
  // Four square matrices, and two of 4096 x 16384, whose longer side is two blocks: of each 2 x 4096^2 + 2 x
  // 8192^2.
  const double preconditioners = 32 * (4 * 2 * square + 2 * 2 * (square + 4 * square));
  CHECK(state("optimizer = \"shampoo\"\n") - state("") == Approx(8 * preconditioners));
}

TEST_CASE("ZeRO shares an expert over the ranks that hold the same expert") {
  const model::Setup setup =
      read(
          "[model]\nhidden_size = 4096\nnum_layers = 32\nnum_attention_heads = 32\nvocab_size = 32000\n"
          "mlp_gated = true\nintermediate_size = 14336\n[model.moe]\nnum_experts = 8\nexperts_per_token = 2\n"
          "[run]\nsequence_length = 4096\n[parallel]\nexpert = 8\ndata = 16\nzero = 1\n")
          .setup;
  const double experts = static_cast<double>(model::expert_parameter_count(setup));
  const double rest = parameters(setup) - experts;
  CHECK(footprint(setup).state_bytes == Approx(rest * (4 + 12.0 / 16) + experts / 8 * (4 + 12.0 / 2)));
}

TEST_CASE("over any number of ranks what ZeRO shares takes nothing") {
  const auto least = [](const std::string& plan) {
    const model::Setup setup = read(dense + "[parallel]\n" + plan).setup;
    return min_footprint(setup).state_bytes / parameters(setup);
  };
  CHECK(least("") == Approx(16));
  CHECK(least("zero = 1") == Approx(4));
  CHECK(least("zero = 2") == Approx(2));
  CHECK(least("zero = 3") == 0);
}

TEST_CASE("in serving weights and the cache stay, and nothing else is counted") {
  const model::Setup setup =
      read(dense + "mode = \"decode\"\nmicro_batch_size = 16\ncontext_length = 1023\n").setup;
  const Footprint needs = footprint(setup);
  CHECK(needs.state_bytes ==
        Approx(model::served_weight_bytes(setup) + 16 * 1024 * model::cache_bytes_per_token(setup)));
  CHECK(needs.activation_bytes == 0);
}

TEST_CASE("the margin: 2 GB, and 5 % of what is left of 2^30 bytes per gigabyte") {
  CHECK(usable_bytes(80) == Approx((80 * 1073741824.0 - 2e9) / 1.05));
  CHECK(usable_bytes(80) / 1e9 == Approx(79.9).epsilon(0.001));
  CHECK(usable_bytes(24) / 1e9 == Approx(22.6).epsilon(0.002));
  CHECK(usable_bytes(0) > 1e30);  // not known
}

TEST_CASE("a run that fits goes on to fit; one that does not may grow a little, but not ask for more") {
  const model::Setup start = read(dense + "micro_batch_size = 2\n").setup;
  const double needs = memory_bytes(start);
  model::Setup wider = start;
  wider.model.vocab_size += 64;
  model::Setup larger_batch = start;
  larger_batch.plan.micro_batch_size = 4;
  model::Setup twice = start;
  twice.model.num_layers *= 2;
  model::Setup recomputed = wider;
  recomputed.plan.recompute = model::Recompute::full;
  const auto may = [&](const model::Setup& candidate, double usable) {
    return memory_allowed(candidate, memory_bytes(candidate), start, needs, usable);
  };
  CHECK(may(larger_batch, 10 * needs));
  CHECK_FALSE(may(larger_batch, needs));
  CHECK_FALSE(may(wider, needs));  // by a hair
  // Where the start does not fit either:
  CHECK(may(wider, needs / 2));
  CHECK(may(recomputed, needs / 2));
  CHECK_FALSE(may(twice, needs / 2));
  CHECK_FALSE(may(larger_batch, needs / 2));
  // Less than the slack, but it is the plan that asks for it.
  larger_batch.plan.micro_batch_size = 2;
  larger_batch.plan.sequence_length += 1;
  CHECK(memory_bytes(larger_batch) < 1.01 * needs);
  CHECK_FALSE(may(larger_batch, needs / 2));
  // A card that holds the weights and states, but not the activations, must hold them still.
  const double states = footprint(start).state_bytes;
  const double usable = (states * (1 + 1e-6) - context_bytes) / (1 + fragmentation);
  CHECK(footprint(wider).state_bytes > states * (1 + 1e-6));
  CHECK_FALSE(may(wider, usable));
}

// NeMo's T5 and Megatron's pretrain_t5.py hold both halves on every rank.
TEST_CASE("what lies beside a model in the same step takes its share of the memory") {
  std::vector<model::Reading> halves(2, read(dense));
  halves[1].setup.model.cross_attention = true;
  for (model::Reading& each : halves) each.runs_in_whole = 1;
  rules::note_memory_beside(halves);
  const model::Setup& start = halves[0].setup;
  const double needs = memory_bytes(start);
  CHECK(start.plan.beside_share == Approx(memory_bytes(halves[1].setup) / needs));
  CHECK(start.plan.beside_share > 1);
  CHECK(memory_allowed(start, needs, start, needs, (1.01 + start.plan.beside_share) * needs));
  CHECK_FALSE(memory_allowed(start, 1.5 * needs, start, needs, 2.5 * needs));
  // Plans of one model take turns, and models of other steps are not there.
  std::vector<model::Reading> plans(2, read(dense));
  for (model::Reading& each : plans) each.runs_in_whole = 1;
  rules::note_memory_beside(plans);
  CHECK(plans[0].setup.plan.beside_share == 0);
  halves[0].runs_in_whole = halves[1].runs_in_whole = 0;
  halves[0].setup.plan.beside_share = 0;
  rules::note_memory_beside(halves);
  CHECK(halves[0].setup.plan.beside_share == 0);
}
