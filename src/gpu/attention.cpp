// Table [attention] of an architecture or a profile.
#include "gpu/attention.hpp"

#include <fmt/format.h>

#include "gpu/fields.hpp"

namespace shapelint::gpu {
namespace {

using text::NodeRef;

// A kernel slower than 1 % of the peak is a typing mistake.
constexpr double min_efficiency = 0.01;
constexpr double max_prologue_keys = 4096;

constexpr Field<AttentionKernels> kernel_fields[] = {
    {"", "name", "", Type::text, &AttentionKernels::name, 0, 0, "the library's name"},
    {"", "head_dim_multiple", "elements", Type::integer, &AttentionKernels::head_dim_multiple, 1, max_rows,
     "other head dims are padded in memory"},
    {"", "prologue_keys", "keys", Type::number, &AttentionKernels::prologue_keys, 0, max_prologue_keys,
     "start and end of a query tile, as keys that it might have processed"},
    {"", "wave_softness", "", Type::number, &AttentionKernels::wave_softness, 0, 1,
     "0: whole waves; 1: SMs never idle"},
};

constexpr Field<AttentionBucket> bucket_fields[] = {
    {"", "head_dim", "elements", Type::integer, &AttentionBucket::head_dim, 1, max_rows,
     "of queries and keys; smaller ones are padded to it"},
    {"", "value_head_dim", "elements", Type::integer, &AttentionBucket::value_head_dim, 1, max_rows,
     "of values; `head_dim` if not stated"},
    {"", "query_tile", "rows", Type::integer, &AttentionBucket::query_tile, 1, max_rows, "forward"},
    {"", "key_tile", "columns", Type::integer, &AttentionBucket::key_tile, 1, max_rows, "forward"},
    {"", "backward_query_tile", "rows", Type::integer, &AttentionBucket::backward_query_tile, 1, max_rows,
     "backward"},
    {"", "backward_key_tile", "columns", Type::integer, &AttentionBucket::backward_key_tile, 1, max_rows,
     "backward"},
    {"", "forward_efficiency", "", Type::number, &AttentionBucket::forward_efficiency, min_efficiency, 1,
     "share of the peak on whole tiles of a long sequence without a mask"},
    {"", "backward_efficiency", "", Type::number, &AttentionBucket::backward_efficiency, min_efficiency, 1,
     "the same for the five GEMMs of the backward pass"},
    {"", "causal_efficiency", "", Type::number, &AttentionBucket::causal_efficiency, min_efficiency, 1,
     "speed of the masked kernels on the tiles that they do compute"},
    {"", "decode_only", "", Type::boolean, &AttentionBucket::decode_only, 0, 0,
     "one latent shared by K and V (MLA)"},
    {"", "estimated", "", Type::boolean, &AttentionBucket::estimated, 0, 0,
     "no measurement of this bucket on this architecture was found"},
};

constexpr Field<OlderKernels> older_fields[] = {
    {"", "version", "", Type::integer, &OlderKernels::version, 1, 100, "of FlashAttention"},
    {"", "forward_speed", "", Type::number, &OlderKernels::forward_speed, min_efficiency, 1,
     "relative to the newest"},
    {"", "backward_speed", "", Type::number, &OlderKernels::backward_speed, min_efficiency, 1,
     "relative to the newest"},
};

constexpr std::string_view kernel_keys[] = {"sources", "note", "buckets", "older", "cudnn"};
constexpr std::string_view older_keys[] = {"sources", "note"};

bool ascends(const AttentionBucket& before, const AttentionBucket& after) {
  if (after.head_dim != before.head_dim) return after.head_dim > before.head_dim;
  return after.value_head_dim > before.value_head_dim;
}

}  // namespace

AttentionKernels read_attention(NodeRef table, std::vector<Error>& errors) {
  AttentionKernels kernels;
  if (!table) return kernels;
  if (!table.is(text::Kind::table)) {
    errors.push_back(
        table.error(fmt::format("`{}` is {}, expected a table", table.path(), text::describe(table.kind()))));
    return kernels;
  }
  read_fields<AttentionKernels>(table, "", kernel_fields, kernel_keys, kernels, errors);
  kernels.sources = read_strings(table["sources"], errors);
  for (const NodeRef item : table["buckets"]) {
    if (!item["head_dim"])
      errors.push_back(item.error(fmt::format("`{}` states no `head_dim`", item.path())));
    AttentionBucket bucket;
    read_fields<AttentionBucket>(item, "", bucket_fields, {}, bucket, errors);
    if (bucket.value_head_dim == 0) bucket.value_head_dim = bucket.head_dim;
    if (!kernels.buckets.empty() && !ascends(kernels.buckets.back(), bucket)) {
      errors.push_back(
          item.error(fmt::format("`{}` is not sorted by `head_dim`, then `value_head_dim`", item.path())));
    }
    kernels.buckets.push_back(bucket);
  }
  for (const NodeRef item : table["older"]) {
    if (!item["version"]) errors.push_back(item.error(fmt::format("`{}` states no `version`", item.path())));
    OlderKernels older;
    read_fields<OlderKernels>(item, "", older_fields, older_keys, older, errors);
    kernels.older.push_back(older);
  }
  if (const NodeRef cudnn = table["cudnn"]) kernels.cudnn.push_back(read_attention(cudnn, errors));
  return kernels;
}

}  // namespace shapelint::gpu
