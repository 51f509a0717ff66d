// Kernels, as operations and as JSON.
#include "prove/kernel.hpp"

#include <string_view>

#include <fmt/format.h>

#include "base/dtype.hpp"
#include "base/recipe.hpp"
#include "model/op_names.hpp"
#include "prove/result.hpp"

namespace shapelint::prove {

namespace {

using text::NodeRef;

// Reads a size into `dim`; false where it is none.
bool read_size(NodeRef node, model::Dim& dim) {
  const auto value = node.as_integer();
  if (!value || *value < 1 || *value > 1'000'000'000'000) return false;
  dim.value = *value;
  return true;
}

std::optional<model::Op> product_of(NodeRef kernel) {
  model::Op op;
  const auto dtype = parse_dtype(kernel["dtype"].as_string().value_or(""));
  const auto layout = model::parse_layout(kernel["layout"].as_string().value_or(""));
  const auto recipe = parse_recipe(kernel["recipe"].as_string().value_or("none"));
  if (!dtype || !layout || !recipe) return std::nullopt;
  op.dtype = *dtype;
  op.layout = *layout;
  op.recipe = *recipe;
  if (!goes_with(op.recipe, op.dtype)) return std::nullopt;
  if (!read_size(kernel["batch"], op.batch) || !read_size(kernel["m"], op.m) ||
      !read_size(kernel["n"], op.n) || !read_size(kernel["k"], op.k))
    return std::nullopt;
  return op;
}

std::optional<model::Op> attention_of(NodeRef kernel) {
  model::Op op;
  op.kind = model::OpKind::attention;
  const auto dtype = parse_dtype(kernel["dtype"].as_string().value_or(""));
  if (!dtype) return std::nullopt;
  op.dtype = *dtype;
  op.pass = kernel["pass"].as_string() == "backward" ? model::Pass::backward : model::Pass::forward;
  model::AttentionShape& a = op.attention;
  a.causal = kernel["causal"].as_boolean().value_or(true);
  a.window = kernel["window"].as_integer().value_or(0);
  const bool good = read_size(kernel["sequences"], a.sequences) && read_size(kernel["heads"], a.heads) &&
                    read_size(kernel["key_value_heads"], a.key_value_heads) &&
                    read_size(kernel["query_length"], a.query_length) &&
                    read_size(kernel["key_length"], a.key_length) &&
                    read_size(kernel["head_dim"], a.head_dim) &&
                    read_size(kernel["value_head_dim"], a.value_head_dim) && a.window >= 0;
  return good ? std::optional(op) : std::nullopt;
}

}  // namespace

std::string text_of(NodeRef node) {
  return std::string(node.as_string().value_or(""));
}

bool is_grouped(const model::Op& op) {
  return op.kind == model::OpKind::gemm && op.batch.value > 1 && op.name.starts_with("layer.moe.");
}

std::string key_of(const model::Op& op) {
  switch (op.kind) {
    case model::OpKind::gemm:
      return fmt::format("{} {} {} {} {} {} {} {}", is_grouped(op) ? "grouped" : "gemm", name(op.dtype),
                         name(op.recipe), name(op.layout), op.batch.value, op.m.value, op.n.value,
                         op.k.value);
    case model::OpKind::attention: {
      const model::AttentionShape& a = op.attention;
      return fmt::format("attention {} {} {} {} {} {} {} {} {} {} {}", name(op.dtype), name(op.pass),
                         a.sequences.value, a.heads.value, a.key_value_heads.value, a.query_length.value,
                         a.key_length.value, a.head_dim.value, a.value_head_dim.value, a.causal, a.window);
    }
    default:
      return fmt::format("memory {:.0f}", op.bytes);
  }
}

std::optional<model::Op> op_of(NodeRef kernel) {
  const auto kind = kernel["kind"].as_string();
  if (kind == "gemm") return product_of(kernel);
  if (kind == "attention") return attention_of(kernel);
  const auto bytes = kernel["bytes"].as_number();
  if (kind != "memory" || !bytes || !(*bytes > 0) || *bytes > 1e15) return std::nullopt;
  model::Op op;
  op.kind = model::OpKind::elementwise;
  op.bytes = *bytes;
  return op;
}

std::optional<std::string> product_row(text::NodeRef kernel, double time_us) {
  if (kernel["kind"].as_string() != "gemm") return std::nullopt;
  const auto op = op_of(kernel);
  // Without a recipe, a product of bytes is predicted with the pass that quantizes, which was not timed.
  if (!op || (bytes_of(op->dtype) < 2 && op->recipe == Recipe::none)) return std::nullopt;
  return fmt::format("{},{},{},{},{},{},{},{:.4g}", name(op->dtype), name(op->recipe),
                     model::name(op->layout), op->batch.value, op->m.value, op->n.value, op->k.value,
                     time_us);
}

}  // namespace shapelint::prove
