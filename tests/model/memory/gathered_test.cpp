// Weights that are gathered and gradients that are summed, by hand.
#include "model/memory/training.hpp"

#include <string>

#include "suggest/edit/footprint.hpp"
#include "tests/catch.hpp"
#include "tests/rules/rules_support.hpp"

using namespace shapelint;
using namespace shapelint::model;
using tests::read;

namespace {

// GPT's layers of 12 h^2 weights, without biases.
const std::string untied_model =
    "[model]\nhidden_size = 4096\nnum_layers = 32\nnum_attention_heads = 32\nvocab_size = 32000\n"
    "tie_word_embeddings = false\nnorm = \"rmsnorm\"\n[run]\nsequence_length = 2048\n";
constexpr double layer = 12 * 4096.0 * 4096;
constexpr double head = 32000.0 * 4096;

Gathered of(const std::string& more) {
  const model::Setup setup = read(untied_model + more).setup;
  return gathered(setup, model::parameters_per_rank(setup));
}

}  // namespace

TEST_CASE("a layer is gathered beside the next, its gradients are there in 16 bits and in 32", "[memory]") {
  const Gathered whole = of("[parallel]\ndata = 8\nzero = 3\n");
  CHECK(whole.layer == Approx((2 * 2 + 2 + 4) * layer).epsilon(0.001));
  CHECK(whole.head == Approx((2 + 2 + 4) * head + 2 * layer).epsilon(0.001));
  // Weights that stay whole are no part of it.
  const Gathered gradients = of("[parallel]\ndata = 8\nzero = 2\n");
  CHECK(gradients.layer == Approx((2 + 4) * layer).epsilon(0.001));
  CHECK(gradients.head == Approx((2 + 4) * head).epsilon(0.001));
  CHECK(of("[parallel]\ndata = 8\ntensor = 2\nzero = 3\n").layer == Approx(whole.layer / 2));
}

TEST_CASE("nothing is gathered where nothing is shared out", "[memory]") {
  for (const std::string plan : {"", "[parallel]\nzero = 3\n", "[parallel]\ndata = 8\nzero = 1\n",
                                 "mode = \"prefill\"\n[parallel]\ndata = 8\n"}) {
    CHECK(of(plan).layer == 0);
    CHECK(of(plan).head == 0);
  }
}

TEST_CASE("weights that do not learn are gathered, and have no gradients", "[memory]") {
  const Gathered adapters = of("adapters = true\n[parallel]\ndata = 8\nzero = 3\n");
  CHECK(adapters.layer == Approx(2 * 2 * layer).epsilon(0.001));
  CHECK(adapters.head == Approx(2 * head + 2 * layer).epsilon(0.001));
}

TEST_CASE("a loss keeps bytes of each logit: the more of these and one layer's counts", "[memory]") {
  const auto activations = [](const std::string& more) {
    return suggest::footprint(read(untied_model + "recompute = \"full\"\n" + more).setup).activation_bytes;
  };
  const double inputs = 32 * 2.0 * 2048 * 4096;
  const double again = 32.0 * 2048 * 4096;  // of one layer, without masks
  const double logits = 2048.0 * 32000;
  CHECK(activations("") == Approx(inputs + 12 * logits));
  CHECK(activations("loss = \"vocab_parallel\"\n") == Approx(inputs + 6 * logits));
  // NovaSky-AI/SkyRL#1841: 262,144 tokens of 62,080 rows peak at 92.2 GiB, compiled at 152.8.
  CHECK(activations("loss = \"vocab_parallel_fused\"\n") == Approx(inputs + 10 * logits));
  CHECK(activations("loss = \"fused\"\n") == Approx(inputs + again));
  CHECK(activations("loss = \"chunked\"\n") == Approx(inputs + again));
  // Sharded by sequence, one layer's tokens and their gradient are gathered while it runs.
  CHECK(activations("loss = \"fused\"\n[parallel]\ntensor = 2\nsequence_parallel = true\n") ==
        Approx((inputs + again) / 2 + 2 * 2 * 2048.0 * 4096));
}
