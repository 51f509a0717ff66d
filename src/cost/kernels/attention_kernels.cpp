// Which kernel takes a head, and how many tiles a causal mask leaves it.
#include <algorithm>
#include <cmath>
#include <numeric>

#include "cost/kernels/attention.hpp"

namespace shapelint::cost {

namespace detail {

double causal_tiles(std::int64_t query_length, std::int64_t key_length, std::int64_t query_tile,
                    std::int64_t key_tile) {
  // Tile i of the queries ends at row (i + 1) * query_tile and sees `end` keys; it computes ceil(end /
  // key_tile).
  const std::int64_t offset = key_length - query_length;
  const std::int64_t tiles = (query_length + query_tile - 1) / query_tile;
  if (offset < 0) {
    // A key stands for several tokens (model::visible_pairs): tile j of the keys is seen from the queries on
    // that come behind its tokens.
    const double key_tiles = std::ceil(static_cast<double>(key_length) / static_cast<double>(key_tile));
    const double tokens = static_cast<double>(key_tile * query_length) / static_cast<double>(key_length);
    const double before = tokens / static_cast<double>(query_tile) * key_tiles * (key_tiles - 1) / 2;
    return static_cast<double>(tiles) * key_tiles - before;
  }
  const auto end = [&](std::int64_t i) { return (i + 1) * query_tile + offset; };
  const auto spare = [&](std::int64_t i) {  // columns computed beyond the end
    const std::int64_t rest = end(i) % key_tile;
    return rest == 0 ? std::int64_t{0} : key_tile - rest;
  };
  const auto whole = static_cast<double>(tiles - 1);  // all but the last, which the keys' end cuts short
  double columns = 0;
  if (whole > 0) {
    columns = whole * (static_cast<double>(end(0)) + static_cast<double>(end(tiles - 2))) / 2.0;
    // The spare columns repeat with this period.
    const std::int64_t period = key_tile / std::gcd(query_tile, key_tile);
    const auto count = static_cast<std::int64_t>(whole);
    double sum = 0;
    double partial = 0;
    for (std::int64_t i = 0; i < std::min(period, count); ++i) {
      if (i < count % period) partial += static_cast<double>(spare(i));
      sum += static_cast<double>(spare(i));
    }
    const std::int64_t periods = count / period;
    columns += static_cast<double>(periods) * sum + partial;
  }
  return columns / static_cast<double>(key_tile) +
         std::ceil(static_cast<double>(key_length) / static_cast<double>(key_tile));
}

}  // namespace detail

const gpu::AttentionKernels& attention_kernels(const gpu::Gpu& gpu, model::AttentionLibrary library) {
  return gpu::of_library(gpu.attention, library == model::AttentionLibrary::cudnn);
}

BucketUse attention_bucket(const gpu::Gpu& gpu, std::int64_t head_dim, std::int64_t value_head_dim,
                           bool decode, model::AttentionLibrary library) {
  BucketUse use;
  const gpu::AttentionKernels& kernels = attention_kernels(gpu, library);
  if (value_head_dim <= 0) value_head_dim = head_dim;
  const std::int64_t multiple = std::max<std::int64_t>(kernels.head_dim_multiple, 1);
  const auto round_up = [&](std::int64_t dim) { return (dim + multiple - 1) / multiple * multiple; };
  for (const gpu::AttentionBucket& bucket : kernels.buckets) {
    if (bucket.decode_only && !decode) continue;
    if (bucket.head_dim < round_up(head_dim) || bucket.value_head_dim < round_up(value_head_dim)) continue;
    use.bucket = &bucket;
    use.head_dim = bucket.head_dim;
    use.value_head_dim = bucket.value_head_dim;
    use.copies = round_up(head_dim) != head_dim || round_up(value_head_dim) != value_head_dim;
    break;
  }
  return use;
}

}  // namespace shapelint::cost
