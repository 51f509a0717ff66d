// Predicted products, whole or in the parts that frameworks call.
#include "trace/expected.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <tuple>

#include <fmt/format.h>

#include "trace/classify.hpp"

namespace shapelint::trace {

namespace {

using model::Op;
using model::Pass;

// The dimension that is the layer's outputs, in each pass.
std::int64_t& outputs(Product& product, Pass pass) {
  switch (pass) {
    case Pass::grad_input:
      return product.k;
    case Pass::grad_weight:
      return product.m;
    default:
      return product.n;
  }
}

Product whole(const Op& op) {
  return {op.batch.value, op.m.value, op.n.value, op.k.value};
}

// Outputs of the layers that are called one after the other; empty: it is one layer in any framework.
std::vector<std::int64_t> parts_of(const model::Setup& setup, const Op& op) {
  Product product = whole(op);
  const std::int64_t all = outputs(product, op.pass);
  if (op.name.ends_with(".gate_up") || op.name.ends_with("shared_gate_up") ||
      op.name.ends_with(".key_value")) {
    if (all % 2 == 0) return {all / 2, all / 2};
    return {};
  }
  if (!op.name.ends_with(".qkv")) return {};
  const model::ModelSpec& model = setup.model;
  const std::int64_t groups = model.num_attention_heads + 2 * model.num_key_value_heads;
  if (groups <= 0 || all * model.num_key_value_heads % groups != 0) return {};
  const std::int64_t keys = all * model.num_key_value_heads / groups;
  return {all - 2 * keys, keys, keys};
}

}  // namespace

bool ProductLess::operator()(const Product& a, const Product& b) const {
  return std::tie(a.batch, a.m, a.n, a.k) < std::tie(b.batch, b.m, b.n, b.k);
}

std::vector<Expected> expected_products(const model::Setup& setup, const model::Workload& workload,
                                        const Seen& seen) {
  std::vector<Expected> out;
  for (std::size_t i = 0; i < workload.ops.size(); ++i) {
    const Op& op = workload.ops[i];
    if (op.kind != model::OpKind::gemm || op.implicit.a_elements > 0) continue;
    const Product one = canonical(whole(op));
    std::vector<std::int64_t> parts = parts_of(setup, op);
    const auto part_product = [&](std::int64_t size) {
      Product part = whole(op);
      outputs(part, op.pass) = size;
      return canonical(part);
    };
    const bool in_parts = !parts.empty() && !seen.contains(one) &&
                          std::all_of(parts.begin(), parts.end(),
                                      [&](std::int64_t size) { return seen.contains(part_product(size)); });
    if (!in_parts) {
      out.push_back({i, one, op.count});
      continue;
    }
    for (const std::int64_t size : parts) out.push_back({i, part_product(size), op.count});
  }
  return out;
}

std::vector<std::size_t> order_of(const model::Workload& workload, const std::vector<Expected>& expected) {
  std::vector<std::size_t> order;  // of one micro-batch
  const double batches = std::max(1.0, workload.micro_batches);
  for (const bool backward : {false, true}) {
    std::vector<const Expected*> side;
    double most = 0;
    for (const Expected& each : expected) {
      const Pass pass = workload.ops[each.op].pass;
      if ((pass == Pass::forward) == backward) continue;
      side.push_back(&each);
      most = std::max(most, each.calls / batches);
    }
    const auto rounds = static_cast<std::size_t>(std::llround(std::min(most, 1e6)));
    if (backward) std::reverse(side.begin(), side.end());
    for (std::size_t round = 0; round < rounds; ++round) {
      for (const Expected* each : side) {
        // What runs once, and not in each layer, stands at its end of the step.
        const double place = workload.ops[each->op].name.starts_with("head") == backward
                                 ? static_cast<double>(round)
                                 : static_cast<double>(rounds - 1 - round);
        if (place < each->calls / batches) order.push_back(each->op);
      }
    }
  }
  return order;
}

std::string text_of(const Product& product) {
  std::string out = fmt::format("{} x {} x {}", product.m, product.n, product.k);
  if (product.batch > 1) out = fmt::format("{} of {}", product.batch, out);
  return out;
}

// The predicted product that has all but one of the sizes, the nearest in that.
std::string closest_product(const model::Workload& workload, const Product& product) {
  std::string out;
  double nearest = 2;  // times as large or small
  for (const Op& op : workload.ops) {
    if (op.kind != model::OpKind::gemm) continue;
    const Product other = canonical({op.batch.value, op.m.value, op.n.value, op.k.value});
    const Product own = canonical(product);
    const std::pair<std::int64_t, std::int64_t> sizes[] = {
        {own.batch, other.batch}, {own.m, other.m}, {own.n, other.n}, {own.k, other.k}};
    double ratio = 1;
    int differing = 0;
    for (const auto& [a, b] : sizes) {
      if (a == b) continue;
      ++differing;
      ratio = static_cast<double>(std::max(a, b)) /
              static_cast<double>(std::max<std::int64_t>(1, std::min(a, b)));
    }
    if (differing != 1 || ratio >= nearest) continue;
    nearest = ratio;
    out = fmt::format("{} is predicted as {}", op.name,
                      text_of({op.batch.value, op.m.value, op.n.value, op.k.value}));
  }
  return out;
}

bool is_within(const model::AttentionShape& shape, const Product& product) {
  const std::int64_t batches = shape.sequences.value * shape.heads.value;
  const std::int64_t grouped = shape.sequences.value * shape.key_value_heads.value;
  if (product.batch != batches && product.batch != grouped) return false;
  for (const std::int64_t head : {shape.head_dim.value, shape.value_head_dim.value}) {
    std::array<std::int64_t, 3> wanted{shape.query_length.value, shape.key_length.value, head};
    std::array<std::int64_t, 3> is{product.m, product.n, product.k};
    std::sort(wanted.begin(), wanted.end());
    std::sort(is.begin(), is.end());
    if (wanted == is) return true;
  }
  return false;
}

}  // namespace shapelint::trace
