// Arithmetic and traffic of attention.
#include <algorithm>
#include <cmath>

#include "cost/kernels/attention.hpp"
#include "cost/kernels/attention_sizes.hpp"
#include "model/lower/attention/pairs.hpp"

namespace shapelint::cost {

namespace detail {

namespace {
// A step of decoding, with what it may check beside the next token.
constexpr double few_queries = 16;
}  // namespace

std::int64_t at_least_one(const model::Dim& dim) {
  return std::max<std::int64_t>(dim.value, 1);
}

bool is_backward(model::Pass pass) {
  return pass == model::Pass::backward || pass == model::Pass::grad_input || pass == model::Pass::grad_weight;
}

Sizes sizes_of(const model::AttentionShape& shape, bool backward) {
  Sizes s{};
  s.sequences = static_cast<double>(at_least_one(shape.sequences));
  s.heads = static_cast<double>(at_least_one(shape.heads));
  s.key_value_heads = std::min(static_cast<double>(at_least_one(shape.key_value_heads)), s.heads);
  s.query_length = static_cast<double>(at_least_one(shape.query_length));
  s.key_length = static_cast<double>(at_least_one(shape.key_length));
  s.head_dim = static_cast<double>(at_least_one(shape.head_dim));
  s.value_head_dim = static_cast<double>(at_least_one(shape.value_head_dim));
  s.causal = shape.causal;
  s.version = shape.kernel_version;
  s.library = shape.library;
  // Where one query's window is all that is read of the keys, there are no more of them.
  s.window = static_cast<double>(shape.window);
  if (s.window > 0 && s.window + s.query_length <= s.key_length && s.query_length < few_queries) {
    s.key_length = s.window + s.query_length - 1;
    s.window = 0;
  }
  if (s.window >= s.key_length) s.window = 0;
  s.cache_bytes = backward ? 0 : shape.cache_bytes;
  s.backward = backward;
  s.decodes = !backward && s.query_length < few_queries;
  // MLA's absorbed form: one latent is key and value of all heads (DeepSeek-V2, arXiv 2405.04434, 2.1).
  s.latent = shape.is_one_tensor || (s.key_value_heads == 1 && s.heads > 1 && s.head_dim > s.value_head_dim &&
                                     s.value_head_dim >= 256);
  return s;
}

double flops_per_pair(double head_dim, double value_head_dim, bool backward) {
  return backward ? 2.0 * (3.0 * head_dim + 2.0 * value_head_dim) : 2.0 * (head_dim + value_head_dim);
}

double visible_pairs(const Sizes& s) {
  return model::visible_pairs(s.query_length, s.key_length, s.causal, s.window);
}

double once_bytes(const Sizes& s, double element) {
  const double query_side = s.sequences * s.heads * s.query_length;
  const double key_side = s.sequences * s.key_value_heads * s.key_length;
  const double key_value_width = s.latent ? s.head_dim : s.head_dim + s.value_head_dim;
  const double query_width = s.head_dim + s.value_head_dim;  // q and o
  const double cached = s.cache_bytes > 0 ? s.cache_bytes : element;
  const double bytes = query_side * query_width * element + key_side * key_value_width * cached;
  return s.backward ? 2.0 * bytes : bytes;
}

}  // namespace detail

double attention_flops(const model::AttentionShape& shape, model::Pass pass) {
  const detail::Sizes s = detail::sizes_of(shape, detail::is_backward(pass));
  return s.sequences * s.heads * detail::visible_pairs(s) *
         detail::flops_per_pair(s.head_dim, s.value_head_dim, s.backward);
}

AttentionBytes attention_bytes(const gpu::Gpu& gpu, const model::AttentionShape& shape, model::Pass pass,
                               DType dtype) {
  const detail::Sizes s = detail::sizes_of(shape, detail::is_backward(pass));
  const BucketUse use =
      attention_bucket(gpu, detail::at_least_one(shape.head_dim), detail::at_least_one(shape.value_head_dim),
                       s.latent || s.decodes, s.library);
  return detail::kernel_bytes(s, use, dtype);
}

AttentionBytes detail::kernel_bytes(const Sizes& s, const BucketUse& use, DType dtype) {
  AttentionBytes bytes;
  bytes.once = detail::once_bytes(s, bytes_of(dtype));
  bytes.products = s.backward ? 5 : 2;
  if (use.bucket == nullptr) {
    // Scores out, softmax over them (backward reads two), and in again.
    const double passes = s.backward ? 7 : 4;
    bytes.scores = passes * s.sequences * s.heads * s.query_length * s.key_length * bytes_of(dtype);
    return bytes;
  }
  const double query_tile =
      static_cast<double>(s.backward ? use.bucket->backward_query_tile : use.bucket->query_tile);
  const double width = (s.latent ? s.head_dim : s.head_dim + s.value_head_dim) *
                       (s.cache_bytes > 0 ? s.cache_bytes : bytes_of(dtype));
  if (!s.backward && s.query_length < query_tile) {
    const double rows = s.query_length * s.heads / s.key_value_heads;
    bytes.tile_rows = std::min(rows, detail::decode_query_tile);
    const double passes = std::ceil(rows / detail::decode_query_tile);
    bytes.reloads = s.sequences * s.key_value_heads * s.key_length * width * (passes - 1);
    return bytes;
  }
  bytes.tile_rows = query_tile;
  const double outer_tile = s.backward ? static_cast<double>(use.bucket->backward_key_tile) : query_tile;
  const double inner_rows = s.sequences * s.heads * detail::visible_pairs(s) / outer_tile;
  const double inner_once =
      s.backward ? s.sequences * s.heads * s.query_length : s.sequences * s.key_value_heads * s.key_length;
  bytes.reloads = std::max(0.0, inner_rows - inner_once) * width;
  return bytes;
}

}  // namespace shapelint::cost
