// Does the model know which of two shapes is faster? Against published measurements: published_pairs.toml.
// `shapelint_tests "[.pairs]"` prints predicted and published ratios side by side.
#include <cmath>
#include <cstdio>
#include <stdexcept>

#include "cost/kernels/attention.hpp"
#include "cost/step.hpp"
#include "gpu/registry.hpp"
#include "model/derive.hpp"
#include "model/lower/lower.hpp"
#include "tests/catch.hpp"
#include "tests/formats/native/native_support.hpp"
#include "text/toml/toml.hpp"

using namespace shapelint;
using text::NodeRef;

namespace {

// Differences below this count as none.
constexpr double least_difference = 0.005;
constexpr double most_sameness = 0.05;

std::int64_t integer(const NodeRef& side, std::string_view key, std::int64_t otherwise) {
  return side[key] ? side[key].as_integer().value() : otherwise;
}

DType dtype_of(const NodeRef& side) {
  return parse_dtype(side["dtype"] ? side["dtype"].as_string().value() : "bf16").value();
}

model::Op product(const NodeRef& side) {
  model::Op op;
  op.batch.value = integer(side, "batch", 1);
  op.m.value = integer(side, "m", 1);
  op.n.value = integer(side, "n", 1);
  op.k.value = integer(side, "k", 1);
  op.dtype = dtype_of(side);
  const std::string_view layout = side["layout"].as_string().value();
  op.layout = layout == "tn" ? model::Layout::tn : layout == "nn" ? model::Layout::nn : model::Layout::nt;
  return op;
}

model::Op attention(const NodeRef& side) {
  model::Op op;
  op.kind = model::OpKind::attention;
  op.attention.sequences.value = integer(side, "sequences", 1);
  op.attention.heads.value = op.attention.key_value_heads.value = integer(side, "heads", 1);
  op.attention.query_length.value = op.attention.key_length.value = integer(side, "length", 1);
  op.attention.head_dim.value = op.attention.value_head_dim.value = integer(side, "head_dim", 1);
  op.attention.causal = side["causal"].as_boolean().value();
  return op;
}

double flops(const model::Op& op) {
  if (op.kind == model::OpKind::attention) return cost::attention_flops(op.attention, op.pass);
  if (op.kind != model::OpKind::gemm) return 0;
  return 2.0 * static_cast<double>(op.batch.value) * static_cast<double>(op.m.value) *
         static_cast<double>(op.n.value) * static_cast<double>(op.k.value);
}

// An example with some fields changed; what follows from them changes too.
model::Setup setup_of(const NodeRef& side) {
  const formats::NativeFile file =
      tests::native_file("examples/" + std::string(side["example"].as_string().value()) + ".toml");
  model::Setup setup = file.readings[0].setup;
  for (const NodeRef change : side) {
    if (change.key() == "example" || change.key() == "part") continue;
    const model::FieldId id = model::find_field(change.key());
    INFO(change.path());
    REQUIRE(id != model::no_field);
    const model::FieldInfo& field = model::info(id);
    if (const auto choice = change.as_string()) {
      for (std::size_t i = 0; i < field.choices.size(); ++i) {
        if (field.choices[i] == *choice) field.set(setup, static_cast<std::int64_t>(i));
      }
    } else {
      field.set(setup, change.as_integer().value());
    }
  }
  model::rederive(setup, file.readings[0].origins);
  return setup;
}

// What the ratio compares, the larger the faster.
double speed(const gpu::Gpu& gpu, const NodeRef& side, std::string_view measure) {
  if (!side["example"]) {
    const model::Op op = side["head_dim"] ? attention(side) : product(side);
    const double time_us = cost::price(gpu, op).time_us;
    return measure == "time" ? 1 / time_us : flops(op) / time_us;
  }
  const model::Setup setup = setup_of(side);
  const model::Workload workload = model::lower(setup);
  const cost::StepCost step = cost::price(gpu, workload, setup.plan.dtype);
  if (measure == "time") return 1 / step.time_us;
  if (measure == "tokens") return step.tokens_per_s;
  if (measure == "mfu") return step.mfu;
  // Throughput of a part's forward pass.
  const std::string_view part = side["part"].as_string().value();
  double work = 0;
  double time_us = 0;
  for (std::size_t i = 0; i < workload.ops.size(); ++i) {
    const model::Op& op = workload.ops[i];
    if (op.pass != model::Pass::forward || !op.name.starts_with(part)) continue;
    work += op.count * flops(op);
    time_us += op.count * step.ops[i].time_us;
  }
  return work / time_us;
}

struct Pair {
  std::string name;
  std::string gpu;
  double published = 1;
  double predicted = 1;
  std::string known_miss;
  bool right = false;
};

std::vector<Pair> evaluated_pairs() {
  const auto document =
      text::parse_toml("published_pairs.toml", tests::read_source_file("tests/cost/published_pairs.toml"));
  REQUIRE(document);
  std::vector<Pair> pairs;
  for (const NodeRef node : document->root()["pair"]) {
    Pair pair;
    pair.name = std::string(node["name"].as_string().value());
    pair.gpu = std::string(node["gpu"].as_string().value());
    pair.published = node["published"].as_number().value();
    pair.known_miss = std::string(node["known_miss"].as_string().value_or(""));
    INFO(pair.name);
    const auto gpu = gpu::find_gpu(pair.gpu);
    REQUIRE(gpu);
    const std::string_view measure = node["measure"].as_string().value_or("throughput");
    pair.predicted = speed(*gpu, node["faster"], measure) / speed(*gpu, node["slower"], measure);
    pair.right = pair.published == 1 ? std::abs(pair.predicted - 1) < most_sameness
                                     : pair.predicted > 1 + least_difference;
    pairs.push_back(std::move(pair));
  }
  return pairs;
}

}  // namespace

TEST_CASE("published pairs: the direction is right, except for the known misses") {
  for (const Pair& pair : evaluated_pairs()) {
    INFO(pair.name << " on " << pair.gpu << ": published " << pair.published << ", predicted "
                   << pair.predicted);
    if (pair.known_miss.empty()) {
      CHECK(pair.right);
    } else {
      INFO("a known miss that is right now: take it off the list");
      CHECK_FALSE(pair.right);
    }
  }
}

TEST_CASE("published pairs as a table", "[.pairs]") {
  std::printf("%-55s %-10s %9s %9s\n", "pair", "GPU", "published", "predicted");
  const std::vector<Pair> pairs = evaluated_pairs();
  REQUIRE_FALSE(pairs.empty());
  for (const Pair& pair : pairs) {
    std::printf("%-55s %-10s %9.3f %9.3f %s\n", pair.name.c_str(), pair.gpu.c_str(), pair.published,
                pair.predicted, !pair.right ? (pair.known_miss.empty() ? "WRONG" : "known miss") : "");
  }
}
