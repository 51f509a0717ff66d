// The lowering under tensor, context, pipeline and data parallelism.
#include "model/lower/lower.hpp"

#include "tests/catch.hpp"
#include "tests/model/workload_support.hpp"

using namespace shapelint;
using namespace shapelint::model;
using tests::example;
using tests::find;
using tests::replica;
using tests::table;

TEST_CASE("the vocabulary is padded as Megatron-LM does", "[model]") {
  Setup setup = replica("gpt3-2.7b");
  setup.model.vocab_padding_multiple = 128;
  CHECK(vocab_rows(setup) == 50304);
  setup.plan.tensor = 8;
  CHECK(vocab_rows(setup) == 51200);  // GPT-2's vocabulary on eight ranks
  CHECK(find(lower(setup), "head.logits")->n.value == 6400);
}

TEST_CASE("key-value heads are repeated where there are more tensor ranks", "[model]") {
  Setup setup = replica("llama-3-70b");
  setup.plan.tensor = 16;  // 64 query heads, 8 key-value heads
  const Workload workload = lower(setup);
  CHECK(find(workload, "layer.attention.flash")->attention.heads.value == 4);
  CHECK(find(workload, "layer.attention.flash")->attention.key_value_heads.value == 1);
  CHECK(find(workload, "layer.attention.qkv")->n.value == (4 + 2) * 128);
}

TEST_CASE("what does not divide is rounded up, so that it can be costed", "[model]") {
  Setup setup = replica("falcon-7b");
  setup.plan.tensor = 2;  // 71 heads
  const Workload workload = lower(setup);
  CHECK(find(workload, "layer.attention.flash")->attention.heads.value == 36);
  CHECK(find(workload, "layer.attention.qkv")->n.value == (36 + 2) * 64);
  CHECK(find(workload, "layer.attention.output")->k.value == 36 * 64);
}

TEST_CASE("a parallel block reduces once", "[model]") {
  Setup setup = replica("falcon-7b");
  setup.plan.tensor = 2;
  CHECK(table(lower(setup), OpKind::collective) == R"(
embedding.reduce  forward  all_reduce  18612224  2  *1
layer.attention.gather  backward  all_reduce  18612224  2  *32
layer.reduce  forward  all_reduce  18612224  2  *32
head.gather  backward  all_reduce  18612224  2  *1
head.loss_reduce  forward  all_reduce  8192  2  *3
)");
}

TEST_CASE("context parallelism splits the tokens and passes keys and values around", "[model]") {
  Setup setup = replica("llama-3-8b");
  setup.plan.context = 4;
  const Workload workload = lower(setup);
  CHECK(find(workload, "layer.attention.qkv")->m.value == 2048);
  CHECK(find(workload, "layer.attention.flash")->attention.query_length.value == 2048);
  CHECK(find(workload, "layer.attention.flash")->attention.key_length.value == 8192);
  const Op& ring = *find(workload, "layer.attention.ring");
  CHECK(ring.bytes == 8192.0 * 8 * 2 * 128 * 2);
  CHECK(ring.ranks == 4);
  CHECK(ring.overlapped);
}

TEST_CASE("a pipeline's stages share the layers, wait for each other and send", "[model]") {
  Setup setup = replica("llama-3-70b");
  setup.plan.tensor = 1;
  setup.plan.pipeline = 8;
  setup.plan.gradient_accumulation = 28;
  const Workload workload = lower(setup);
  CHECK(find(workload, "layer.mlp.down")->count == 10 * 28);
  CHECK(find(workload, "head.logits")->count == 28);  // on the last stage, which is the slowest
  CHECK(find(workload, "pipeline.send")->count == 28);
  CHECK(find(workload, "pipeline.send", Pass::backward)->bytes == 8192.0 * 8192 * 2);
  const double layer = (forward_flops_per_token(setup) - head_flops_per_token(setup)) / 80;
  const double last = 10 * layer + head_flops_per_token(setup);
  CHECK(workload.pipeline_bubble == Approx(70 * layer / last / 28));
  CHECK(workload.tokens_per_step == 28 * 8192);
}

TEST_CASE("data parallelism shares gradients; ZeRO shards the optimizer", "[model]") {
  Setup setup = example("gpt2-124m");  // 8 ranks, 5 micro-batches
  const double parameters = 124'439'808;
  Workload workload = lower(setup);
  const Op* reduce = find(workload, "gradients.reduce", Pass::backward);
  REQUIRE(reduce != nullptr);
  CHECK(reduce->collective == CollectiveKind::all_reduce);
  CHECK(reduce->bytes == Approx(0.8 * parameters * 4));  // a fifth is waited for
  CHECK(reduce->overlapped);
  CHECK(find(workload, "gradients.accumulate", Pass::backward)->count == 5);
  // read gradient, read and write master, momentum and variance in fp32, write the weight in bf16
  CHECK(find(workload, "optimizer.adam", Pass::update)->bytes == parameters * 30);
  setup.plan.zero = 1;
  workload = lower(setup);
  CHECK(find(workload, "gradients.reduce", Pass::backward)->collective == CollectiveKind::reduce_scatter);
  CHECK(find(workload, "parameters.gather", Pass::update)->bytes == Approx(0.8 * parameters * 2));
  CHECK(find(workload, "optimizer.adam", Pass::update)->bytes == parameters / 8 * 30);
  CHECK(find(workload, "gradients.reduce", Pass::backward)->count == 1);
  // 2 bytes of the new gradient, 4 of the sum in and out
  CHECK(find(workload, "gradients.accumulate", Pass::backward)->bytes == parameters * 10);
  setup.plan.zero = 3;
  workload = lower(setup);
  // Before each use, beside the pass that uses them.
  CHECK(find(workload, "parameters.gather", Pass::forward)->count == 5);
  CHECK(find(workload, "parameters.gather", Pass::backward)->count == 5);
  CHECK(find(workload, "gradients.reduce", Pass::backward)->count == 5);
  CHECK(find(workload, "gradients.accumulate", Pass::backward)->bytes == parameters / 8 * 10);
}

// PyTorch, FSDP, ShardingStrategy.HYBRID_SHARD: gradients are scattered within a group, then summed between
// groups.
TEST_CASE("groups of ranks that share gradients add their parts up", "[model]") {
  Setup setup = example("gpt2-124m");  // 8 ranks, 5 micro-batches
  const double parameters = 124'439'808;
  setup.plan.zero = 3;
  setup.plan.zero_ranks = 4;
  const Workload workload = lower(setup);
  const Op* reduce = find(workload, "gradients.reduce", Pass::backward);
  REQUIRE(reduce != nullptr);
  CHECK(reduce->ranks == 4);
  const Op* between = find(workload, "gradients.group_reduce", Pass::backward);
  REQUIRE(between != nullptr);
  CHECK(between->collective == CollectiveKind::all_reduce);
  CHECK(between->ranks == 2);
  CHECK(between->stride == 4);
  CHECK(between->bytes == parameters);  // 4 bytes each of a quarter
  CHECK(find(workload, "parameters.gather")->ranks == 4);
  CHECK(find(workload, "optimizer.adam", Pass::update)->bytes == parameters / 4 * 30);
}

// NCCL holds an SM for each of its 24 channels while it gathers a layer's weights (`24 coll channels` in its
// log, on eight A100 or H100), a fifth of an A100's 108 or an H100's 132.
TEST_CASE("what NCCL gathers and reduces beside computation takes SMs from it", "[model]") {
  Setup setup = example("gpt2-124m");  // 8 ranks
  const double parameters = 124'439'808;
  setup.plan.zero = 3;
  const auto bytes = [&](std::string_view name, Pass pass) {
    const Workload workload = lower(setup);
    const Op* op = find(workload, name, pass);
    return op == nullptr ? 0 : op->bytes;
  };
  for (const Pass pass : {Pass::forward, Pass::backward}) {
    CHECK(bytes("parameters.gather", pass) == Approx(0.8 * 2 * parameters));
    CHECK(bytes("parameters.gather.waited", pass) == Approx(0.2 * 2 * parameters));
  }
  CHECK(bytes("gradients.reduce.waited", Pass::backward) == Approx(0.2 * 4 * parameters));
  CHECK_FALSE(find(lower(setup), "parameters.gather.waited")->overlapped);
  setup.plan.zero = 1;  // once a step
  CHECK(bytes("parameters.gather.waited", Pass::update) == Approx(0.2 * 2 * parameters));
  CHECK(bytes("gradients.reduce.waited", Pass::backward) == Approx(0.2 * 4 * parameters));
  setup.plan.zero = 3;  // Megatron Bridge's
  setup.plan.fused_gradient_accumulation = true;
  CHECK(bytes("parameters.gather.waited", Pass::forward) == 0);
  CHECK(bytes("parameters.gather", Pass::forward) == 2 * parameters);
}

// torch/distributed/fsdp/_fully_shard/_fsdp_collectives.py, foreach_all_gather_copy_out and
// foreach_reduce_scatter_copy_in: gathered weights are read and written once more before each use, and
// gradients of 2 bytes are written in 4 before they are reduced.
TEST_CASE("compiled FSDP copies what it gathered and what it reduces", "[model]") {
  Setup setup = example("gpt2-124m");  // 8 ranks, 5 micro-batches
  const double parameters = 124'439'808;
  setup.plan.zero = 3;
  CHECK(find(lower(setup), "parameters.copy") == nullptr);  // whose it is, nobody says
  setup.plan.eager = true;
  CHECK(find(lower(setup), "parameters.copy") == nullptr);  // FSDP's first version has views
  setup.plan.eager = false;
  setup.plan.compiled = true;
  const Workload workload = lower(setup);
  for (const Pass pass : {Pass::forward, Pass::backward}) {
    REQUIRE(find(workload, "parameters.copy", pass) != nullptr);
    CHECK(find(workload, "parameters.copy", pass)->bytes == 4 * parameters);
    CHECK(find(workload, "parameters.copy", pass)->count == 5);
  }
  CHECK(find(workload, "gradients.copy", Pass::backward)->bytes == 6 * parameters);
  setup.plan.data = 1;
  CHECK(find(lower(setup), "parameters.copy") == nullptr);
}

TEST_CASE("products that add to the gradients as they write them need no pass for it", "[model]") {
  Setup setup = example("gpt2-124m");  // 5 micro-batches
  setup.plan.fused_gradient_accumulation = true;
  const Workload workload = lower(setup);
  CHECK(find(workload, "gradients.accumulate", Pass::backward) == nullptr);
  CHECK(find(workload, "gradients.reduce", Pass::backward)->count == 1);
}

TEST_CASE("a version of FlashAttention goes with each attention op", "[model]") {
  Setup setup = example("gpt2-124m");
  const auto version = [&](Attention attention) {
    setup.plan.attention = attention;
    return find(lower(setup), "layer.attention.flash")->attention.kernel_version;
  };
  CHECK(version(Attention::flash) == 0);
  CHECK(version(Attention::flash1) == 1);
  CHECK(version(Attention::flash2) == 2);
  CHECK(version(Attention::cudnn) == 0);
  CHECK(find(lower(setup), "layer.attention.flash")->attention.library == AttentionLibrary::cudnn);
}
