// Cross-attention: what a decoder's layer runs beside an encoder.
#include "model/lower/lower.hpp"

#include "tests/catch.hpp"
#include "tests/model/workload_support.hpp"

using namespace shapelint;
using namespace shapelint::model;

namespace {

// A layer of T5 base's decoder: 12 heads of 64 for 768, 1024 tokens over a source of 512.
Setup t5_decoder() {
  Setup setup;
  setup.model.hidden_size = 768;
  setup.model.num_layers = 12;
  setup.model.num_attention_heads = 12;
  setup.model.num_key_value_heads = 12;
  setup.model.head_dim = 64;
  setup.model.value_head_dim = 64;
  setup.model.intermediate_size = 3072;
  setup.model.vocab_size = 32128;
  setup.model.cross_attention = true;
  setup.model.qkv_bias = false;
  setup.model.attention_output_bias = false;
  setup.plan.mode = Mode::prefill;
  setup.plan.micro_batch_size = 4;
  setup.plan.sequence_length = 1024;
  setup.plan.source_length = 512;
  return setup;
}

}  // namespace

TEST_CASE("cross-attention: queries of the target, keys and values of the source", "[model]") {
  const Workload workload = lower(t5_decoder());
  CHECK(tests::table(workload, OpKind::gemm) == R"(
layer.attention.qkv  forward  1 x 4096 x 2304 x 768  tn  *12
layer.attention.output  forward  1 x 4096 x 768 x 768  tn  *12
layer.cross_attention.query  forward  1 x 4096 x 768 x 768  tn  *12
layer.cross_attention.key_value  forward  1 x 2048 x 1536 x 768  tn  *12
layer.cross_attention.output  forward  1 x 4096 x 768 x 768  tn  *12
layer.mlp.up  forward  1 x 4096 x 3072 x 768  tn  *12
layer.mlp.down  forward  1 x 4096 x 768 x 3072  tn  *12
head.logits  forward  1 x 4 x 32128 x 768  tn  *1
)");
  CHECK(tests::table(workload, OpKind::attention) == R"(
layer.attention.flash  forward  4, 12/12, 1024/1024, 64/64 causal  *12
layer.cross_attention.flash  forward  4, 12/12, 1024/512, 64/64  *12
)");
}

TEST_CASE("cross-attention: while decoding, the source's keys and values are in the cache", "[model]") {
  Setup setup = t5_decoder();
  setup.plan.mode = Mode::decode;
  setup.plan.context_length = 100;
  const Workload workload = lower(setup);
  CHECK(tests::find(workload, "layer.cross_attention.key_value") == nullptr);
  CHECK(tests::find(workload, "layer.cross_attention.query") != nullptr);
}

TEST_CASE("cross-attention: a layer has four more projections, and their arithmetic", "[model]") {
  Setup with = t5_decoder();
  Setup without = with;
  without.model.cross_attention = false;
  CHECK(parameter_count(with) - parameter_count(without) == std::int64_t{12} * 4 * 768 * 768);
  // One token: query and output (2 * 768^2), half a source token's keys and values (768^2), 512 keys twice.
  const double added = forward_flops_per_token(with) - forward_flops_per_token(without);
  CHECK(added == Approx(12 * 2.0 * (3 * 768.0 * 768.0 + 2 * 768.0 * 512.0)));
}
