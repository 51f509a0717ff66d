// Rows of attention, over heads or over a latent.
#include <algorithm>
#include <array>

#include "cost/engines/kernels.hpp"
#include "cost/engines/rows.hpp"
#include "cost/kernels/attention.hpp"

namespace shapelint::cost {
namespace {

using namespace detail;

model::AttentionShape shape_of(const KernelAttention& attention) {
  const auto dim = [](double value) { return model::Dim{static_cast<std::int64_t>(value), ""}; };
  model::AttentionShape shape;
  shape.sequences = dim(attention.sequences);
  shape.heads = dim(attention.heads);
  shape.key_value_heads = dim(attention.key_value_heads);
  shape.query_length = dim(attention.tokens);
  const double keys = attention.cached + attention.tokens;
  shape.key_length =
      dim(attention.window > 0 ? std::min(keys, std::max(attention.window, attention.tokens)) : keys);
  shape.head_dim = dim(attention.head_dim);
  shape.value_head_dim = dim(attention.value_head_dim);
  shape.cache_bytes = bytes_of(attention.cache);
  return shape;
}

std::optional<OpCost> price_row(const gpu::Gpu& gpu, std::string_view kind, Row row) {
  const std::optional<AttentionRow> read = attention_row(kind, row);
  if (!read) return std::nullopt;
  const KernelAttention& attention = read->attention;
  if (!can_multiply(gpu, attention.dtype)) return std::nullopt;
  const std::string& architecture = gpu.architecture.id;
  if (kind.ends_with("decode")) {
    if (const auto* known = gpu::closest(gpu::decode_kernels(kind), architecture, read->names)) {
      return price_decode(gpu, *known, attention);
    }
  } else if (const auto* known = gpu::closest(gpu::prefill_kernels(kind), architecture, read->names)) {
    return price_prefill(gpu, *known, attention);
  }
  return price_attention(gpu, shape_of(attention), model::Pass::forward, attention.dtype);
}

// False where a kernel of such a format cannot be priced.
bool read_formats(std::string_view scores, std::string_view cached, KernelAttention& attention) {
  const auto dtype = dtype_of(scores, DType::bf16);
  const auto cache = dtype_of(cached, DType::bf16);
  if (!dtype || !cache) return false;
  attention.dtype = *dtype;
  attention.cache = *cache;
  return true;
}

// Attention proper, over keys and values of heads.
constexpr std::array attention_columns{
    size("batch_size", "sequences"),
    size("isl", "new tokens per sequence"),
    size("num_heads", "query heads per rank"),
    size("num_key_value_heads", "KV heads per rank"),
    size("head_dim", "head dimension"),
    size_or("step", 0, "cached tokens per sequence"),
    size_or("window_size", 0, "sliding window in tokens; 0 or empty: full attention"),
    word("attn_dtype", "dtype of the scores: bfloat16, fp8", is_dtype),
    word("kv_cache_dtype", "dtype of the KV cache", is_dtype),
    word("framework", "engine: vllm, sglang, trtllm"),
    word("kernel_source", "kernel of the engine"),
};

std::optional<OpCost> price_attention_prefill(const gpu::Gpu& gpu, Row row) {
  return price_row(gpu, "attention-prefill", row);
}
std::optional<OpCost> price_attention_decode(const gpu::Gpu& gpu, Row row) {
  return price_row(gpu, "attention-decode", row);
}

// Multi-head latent attention with the sizes of DeepSeek-V3 (arXiv 2412.19437, section 4.2): a latent of 512
// and 64 rotated dimensions, 128 per head otherwise.
constexpr double latent_dim = 512;
constexpr double rotated_dim = 64;
constexpr double latent_head_dim = 128;

constexpr std::array latent_columns{
    size("batch_size", "sequences"),
    size("isl", "new tokens per sequence"),
    size("num_heads", "heads per rank"),
    size_or("step", 0, "cached tokens per sequence"),
    word("mla_dtype", "dtype of the scores", is_dtype),
    word("kv_cache_dtype", "dtype of the cached latent", is_dtype),
    word("framework", "engine: vllm, sglang, trtllm"),
    word("kernel_source", "kernel of the engine"),
};

std::optional<OpCost> price_mla_prefill(const gpu::Gpu& gpu, Row row) {
  return price_row(gpu, "mla-prefill", row);
}
std::optional<OpCost> price_mla_decode(const gpu::Gpu& gpu, Row row) {
  return price_row(gpu, "mla-decode", row);
}

constexpr std::array attention_kind_table{
    KernelKind{"attention-prefill", "prefill attention of one layer", attention_columns,
               price_attention_prefill},
    KernelKind{"attention-decode", "decode attention of one layer", attention_columns,
               price_attention_decode},
    KernelKind{"mla-prefill", "prefill MLA of one layer", latent_columns, price_mla_prefill},
    KernelKind{"mla-decode", "decode MLA of one layer", latent_columns, price_mla_decode},
};

}  // namespace

std::optional<AttentionRow> attention_row(std::string_view kind, Row row) {
  AttentionRow out;
  KernelAttention& attention = out.attention;
  attention.sequences = number(row, 0);
  attention.tokens = number(row, 1);
  attention.heads = number(row, 2);
  std::size_t formats = 0;
  if (kind.starts_with("mla")) {
    // While decoding all heads read the latent itself; before, it is unfolded into keys and values of each.
    attention.latent = kind.ends_with("decode");
    attention.cached = number(row, 3);
    attention.key_value_heads = attention.latent ? 1 : attention.heads;
    attention.head_dim = (attention.latent ? latent_dim : latent_head_dim) + rotated_dim;
    attention.value_head_dim = attention.latent ? latent_dim : latent_head_dim;
    formats = 4;
  } else {
    attention.key_value_heads = std::min(number(row, 3), attention.heads);
    attention.head_dim = attention.value_head_dim = number(row, 4);
    attention.cached = number(row, 5);
    attention.window = number(row, 6);
    formats = 7;
  }
  if (!read_formats(row[formats].word, row[formats + 1].word, attention)) return std::nullopt;
  out.names = {row[formats + 2].word,
               row[formats + 3].word,
               name(attention.dtype),
               name(attention.cache),
               {},
               {},
               static_cast<std::int64_t>(attention.heads)};
  if (out.names.kernel.empty() && kind == "mla-prefill") {
    out.names.kernel = latent_prompt_kernel(out.names.engine, attention.sequences * attention.cached);
  }
  return out;
}

namespace {

// Where keys and values are unfolded from this many cached tokens on, or where none is cached; between, heads
// multiply with the latent itself, 3.4 times the FLOPs (SGLang, srt/models/deepseek_common/
// attention_backend_handler.py, _handle_attention_backend; SGL_CHUNKED_PREFIX_CACHE_THRESHOLD in
// deepseek_v2.py).
constexpr double unfolded_from = 8192;

}  // namespace

std::string_view latent_prompt_kernel(std::string_view engine, double cached_tokens) {
  if (engine != "sglang") return {};
  return cached_tokens > 0 && cached_tokens < unfolded_from ? "flash_attention" : "fa3_unfolded";
}

std::span<const KernelKind> detail::attention_kinds() {
  return attention_kind_table;
}

}  // namespace shapelint::cost
