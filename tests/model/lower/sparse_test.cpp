// Native sparse attention.
#include <rapidcheck.h>

#include "model/derive.hpp"
#include "model/lower/emit.hpp"
#include "tests/catch.hpp"
#include "tests/formats/native/native_support.hpp"
#include "tests/model/workload_support.hpp"

using namespace shapelint;
using namespace shapelint::model;
using tests::find;
using tests::table;

namespace {

// The sizes of 2502.11089, section 4.1, in one layer.
Setup sparse_setup(const std::string& run) {
  return tests::native("[run]\n" + run + R"([model]
hidden_size = 2560
num_layers = 1
num_attention_heads = 64
num_key_value_heads = 4
head_dim = 192
value_head_dim = 128
intermediate_size = 1024
vocab_size = 1024
[model.sparse]
blocks = 16
)")
      .readings[0]
      .setup;
}

}  // namespace

TEST_CASE("a query sees compressed, selected and last keys", "[model]") {
  const Setup setup = sparse_setup("sequence_length = 8192\nmode = \"prefill\"\n");
  CHECK(setup.model.sparse.block_size == 64);
  CHECK(setup.model.sparse.compressed_size == 32);
  CHECK(setup.model.sparse.compressed_stride == 16);
  CHECK(setup.model.sparse.window == 512);
  const Workload workload = lower(setup);
  // keys and values of three branches: 4 (192 + 128) in the first product, twice that in the second
  CHECK(table(workload, OpKind::gemm) == R"(
layer.attention.qkv  forward  1 x 8192 x 13568 x 2560  tn  *1
layer.attention.branch_kv  forward  1 x 8192 x 2560 x 2560  tn  *1
layer.attention.branch_gates  forward  1 x 8192 x 192 x 2560  tn  *1
layer.attention.compress_keys  forward  1 x 2048 x 192 x 6144  tn  *1
layer.attention.compress_values  forward  1 x 2048 x 128 x 4096  tn  *1
layer.attention.output  forward  1 x 8192 x 2560 x 8192  tn  *1
layer.mlp.up  forward  1 x 8192 x 1024 x 2560  tn  *1
layer.mlp.down  forward  1 x 8192 x 2560 x 1024  tn  *1
head.logits  forward  1 x 1 x 1024 x 2560  tn  *1
)");
  const Op* compressed = find(workload, "layer.attention.compressed_flash");
  const Op* selected = find(workload, "layer.attention.selected_flash");
  const Op* last = find(workload, "layer.attention.window_flash");
  REQUIRE(compressed != nullptr);
  REQUIRE(selected != nullptr);
  REQUIRE(last != nullptr);
  CHECK(compressed->attention.key_length.value == 512);
  CHECK(selected->attention.window == 1024);
  CHECK(last->attention.window == 512);
}

TEST_CASE("a compressed key begins with each stride", "[model]") {
  const Sparse sparse{16, 64, 32, 16, 512, false};
  CHECK(compressed_keys(sparse, 1) == 1);
  CHECK(compressed_keys(sparse, 32) == 2);
  CHECK(compressed_keys(sparse, 8192) == 512);
}

TEST_CASE("one projection for all branches makes no more keys and values", "[model]") {
  Setup setup = sparse_setup("sequence_length = 8192\n");
  const std::int64_t apart = parameter_count(setup);
  setup.model.sparse.shared = true;
  const std::int64_t two_branches = 2 * 2560 * 4 * (192 + 128);
  const std::int64_t compressing = 32 * (192 * 192 + 128 * 128);
  CHECK(apart - parameter_count(setup) == two_branches + compressing);
  CHECK(find(lower(setup), "layer.attention.branch_kv") == nullptr);
  CHECK(find(lower(setup), "layer.attention.compress") != nullptr);
}

TEST_CASE("a decoding step reads a sixteenth of the keys besides those that it selects", "[model]") {
  const Setup setup = sparse_setup("mode = \"decode\"\ncontext_length = 65536\n");
  CHECK(find(lower(setup), "layer.attention.compressed_flash")->attention.key_length.value == 4097);
  // keys and values that are selected from, compressed ones, and the last 512
  const double token = 4 * (192 + 128) * 2;
  CHECK(cache_bytes(setup, 65536) == (65536 + 65536 / 16 + 512) * token);
}

TEST_CASE("sparse attention of a long sequence computes less than attention over all keys", "[model]") {
  CHECK(rc::check([] {
    Setup sparse = sparse_setup("sequence_length = 8192\n");
    sparse.plan.sequence_length = 1024 * *rc::gen::inRange(8, 128);
    sparse.plan.tensor = *rc::gen::element(1, 2, 4);
    Setup dense = sparse;
    dense.model.sparse = {};
    RC_ASSERT(forward_flops_per_token(sparse) < forward_flops_per_token(dense));
    Setup more = sparse;
    more.model.sparse.blocks *= 2;
    RC_ASSERT(forward_flops_per_token(more) > forward_flops_per_token(sparse));
    RC_ASSERT(lower(more).hardware_flops > lower(sparse).hardware_flops);
  }));
}

namespace {

// A layer of Llama 3 8B as continued with MoBA for a million tokens (2502.13189, section 3.3): blocks of
// 4096, 12 of them for each query.
Setup moba_setup(const std::string& run) {
  return tests::native("[run]\n" + run + R"([model]
hidden_size = 4096
num_layers = 1
num_attention_heads = 32
num_key_value_heads = 8
intermediate_size = 14336
mlp_gated = true
vocab_size = 128256
[model.sparse]
kind = "moba"
blocks = 12
block_size = 4096
)")
      .readings[0]
      .setup;
}

}  // namespace

TEST_CASE("a query of MoBA sees the blocks that it scores highest, and nothing else", "[model]") {
  const Setup setup = moba_setup("sequence_length = 1048576\nmode = \"prefill\"\n");
  CHECK(setup.model.sparse.window == 0);
  CHECK(setup.model.sparse.compressed_stride == 4096);
  const Workload workload = lower(setup);
  CHECK(table(workload, OpKind::gemm).starts_with(R"(
layer.attention.qkv  forward  1 x 1048576 x 6144 x 4096  tn  *1
layer.attention.block_scores  forward  32 x 1048576 x 256 x 128  tn  *1
layer.attention.output)"));
  const Op* selected = find(workload, "layer.attention.selected_flash");
  REQUIRE(selected != nullptr);
  CHECK(selected->attention.window == 12 * 4096);
  CHECK(find(workload, "layer.attention.compressed_flash") == nullptr);
  CHECK(find(workload, "layer.attention.window_flash") == nullptr);
}

TEST_CASE("MoBA has the parameters and keys of full attention, and means of blocks beside them", "[model]") {
  const Setup moba = moba_setup("mode = \"decode\"\ncontext_length = 1048576\n");
  Setup dense = moba;
  dense.model.sparse = {};
  CHECK(parameter_count(moba) == parameter_count(dense));
  CHECK(cache_bytes(moba, 1048576) - cache_bytes(dense, 1048576) == 256 * 8 * 128 * 2);
}

TEST_CASE("what chooses MoBA's blocks has no backward pass", "[model]") {
  for (const Op& op : lower(moba_setup("sequence_length = 32768\n")).ops) {
    if (op.name == "layer.attention.block_scores" || op.name == "layer.attention.select")
      CHECK(op.pass == Pass::forward);
  }
}
