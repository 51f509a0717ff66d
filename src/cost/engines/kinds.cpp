// The table of kinds: those of each family, and the families of passes and scans.
#include "cost/engines/kinds.hpp"

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "cost/engines/kernels.hpp"
#include "cost/engines/rows.hpp"
#include "cost/kernels/collective.hpp"
#include "cost/kernels/memory.hpp"

namespace shapelint::cost {

namespace {

using namespace detail;

// Passes over m x k activations of 16 bits.
constexpr std::array pass_columns{
    size("m", "rows"),
    size("k", "columns"),
    word("framework", "engine: vllm, sglang, trtllm"),
    word("kernel_source", "kernel of the engine"),
};

std::optional<OpCost> price_matrix_pass(const gpu::Gpu& gpu, Row row, std::string_view kind, double bytes) {
  const double m = number(row, 0);
  const double k = number(row, 1);
  const gpu::EngineNames names{row[2].word, row[3].word, {}, {}, {}};
  const auto* known = gpu::closest(gpu::pass_kernels(kind), gpu.architecture.id, names);
  return known != nullptr ? price_pass(gpu, *known, m, k, bytes) : price_elementwise(gpu, bytes * m * k, 0);
}

std::optional<OpCost> price_quantize(const gpu::Gpu& gpu, Row row) {
  return price_matrix_pass(gpu, row, "fp8-quantize", 3);  // 2 bytes in, 1 out
}
std::optional<OpCost> price_scale(const gpu::Gpu& gpu, Row row) {
  return price_matrix_pass(gpu, row, "fp8-scale", 2);
}

struct Exchange {
  std::string_view name;
  model::CollectiveKind kind;
  double times;  // that each rank sends its share
};
constexpr std::array exchanges{Exchange{"all_reduce", model::CollectiveKind::all_reduce, 2},
                               Exchange{"all_gather", model::CollectiveKind::all_gather, 1},
                               Exchange{"reduce_scatter", model::CollectiveKind::reduce_scatter, 1},
                               Exchange{"alltoall", model::CollectiveKind::all_to_all, 1}};

std::optional<OpCost> price_message(const gpu::Gpu& gpu, std::string_view kind, const Exchange& exchange,
                                    double bytes, double ranks, const gpu::EngineNames& names) {
  const auto number = static_cast<std::int64_t>(ranks);
  const bool over_link = meet_over_link(gpu, number);
  const auto* known = exchange_kernel(gpu, kind, names, over_link);
  if (known != nullptr && number <= gpus_of_node(gpu)) {
    return price_exchange(gpu, *known, bytes, ranks, exchange.times * (ranks - 1) / ranks, over_link);
  }
  return price_collective(gpu, exchange.kind, bytes, number);
}

const Exchange* find_exchange(std::string_view name) {
  const auto* found = std::find_if(exchanges.begin(), exchanges.end(),
                                   [&](const Exchange& each) { return each.name == name; });
  return found != exchanges.end() ? found : nullptr;
}
bool is_exchange(std::string_view word) {
  return find_exchange(word) != nullptr;
}

constexpr std::array nccl_columns{
    word("op_name", "all_reduce, all_gather, reduce_scatter or alltoall", is_exchange),
    size("num_gpus", "ranks"),
    size("message_size", "elements of the whole buffer"),
    word("nccl_dtype", "dtype of an element", is_dtype),
};

std::optional<OpCost> price_nccl(const gpu::Gpu& gpu, Row row) {
  const auto dtype = dtype_of(row[3].word, DType::fp16);
  const Exchange* exchange = find_exchange(row[0].word);
  if (!dtype || exchange == nullptr) return std::nullopt;
  return price_message(gpu, "nccl", *exchange, number(row, 2) * bytes_of(*dtype), number(row, 1),
                       {{}, {}, {}, {}, exchange->name});
}

constexpr std::array all_reduce_columns{
    size("num_gpus", "ranks"),
    size("message_size", "elements of the buffer"),
    word("allreduce_dtype", "dtype of an element", is_dtype),
    word("framework", "engine: vllm, sglang, trtllm"),
    word("kernel_source", "kernel of the engine"),
};

std::optional<OpCost> price_all_reduce(const gpu::Gpu& gpu, Row row) {
  const auto dtype = dtype_of(row[2].word, DType::bf16);
  if (!dtype) return std::nullopt;
  return price_message(gpu, "all-reduce", exchanges.front(), number(row, 1) * bytes_of(*dtype),
                       number(row, 0), {row[3].word, row[4].word, {}, {}, exchanges.front().name});
}

constexpr std::array pass_kind_table{
    KernelKind{"fp8-quantize", "quantizing m x k activations to 8 bits", pass_columns, price_quantize},
    KernelKind{"fp8-scale", "the scale of m x k activations", pass_columns, price_scale},
    KernelKind{"all-reduce", "an engine's own all-reduce within a node", all_reduce_columns,
               price_all_reduce},
    KernelKind{"nccl", "a collective of NCCL", nccl_columns, price_nccl},
};

}  // namespace

std::span<const KernelKind> detail::pass_kinds() {
  return pass_kind_table;
}

namespace {

using namespace detail;

constexpr std::string_view phase_meaning =
    "context (many tokens), generation or verify (some, each with a state); unstated: by seq_len";

bool is_convolution(std::string_view kernel) {
  return kernel.find("conv") != std::string_view::npos;
}

std::string_view phase_of(std::string_view stated, double tokens) {
  return !stated.empty() ? stated : tokens > 1 ? "context" : "generation";
}

struct Timed {
  std::string_view kind;  // of gpus/engines
  std::string_view engine;
  std::string_view kernel;
  std::string_view phase;
};

std::optional<OpCost> price_timed(const gpu::Gpu& gpu, const Timed& timed, ScanKind kind, ScanSizes sizes) {
  const bool context = timed.phase == "context";
  const bool verifies = timed.phase == "verify";
  if (!context && !verifies && timed.phase != "generation") return std::nullopt;
  const bool convolves = is_convolution(timed.kernel);
  const ScanPass pass = context ? ScanPass::forward : ScanPass::decode;
  const std::string operation = std::string(convolves ? "convolution-" : "scan-").append(timed.phase);
  const auto* known = gpu::closest(gpu::scan_kernels(timed.kind), gpu.architecture.id,
                                   {timed.engine, timed.kernel, {}, {}, operation});
  if (convolves) {
    const double keys = sizes.key_heads * sizes.key_dim;
    sizes.value_dim =
        known != nullptr && known->keys_alone ? keys : 2 * keys + sizes.value_heads * sizes.value_dim;
    sizes.value_heads = sizes.key_heads = sizes.key_dim = 1;
    kind = ScanKind::short_convolution;
  } else {
    sizes.keeps_state = true;
  }
  if (known == nullptr) return price_layer_scan(gpu, kind, sizes, pass);
  return price_scan_kernel(gpu, *known, kind, sizes, pass, verifies);
}

// The columns that tables of layers begin with: sequences, tokens, heads and widths of keys and of values,
// taps.
ScanSizes first_sizes(Row row) {
  ScanSizes sizes;
  sizes.batch = number(row, 0);
  sizes.seq_len = number(row, 1);
  sizes.key_heads = number(row, 2);
  sizes.key_dim = number(row, 3);
  sizes.value_heads = number(row, 4);
  sizes.value_dim = number(row, 5);
  sizes.conv_width = number(row, 6);
  return sizes;
}

constexpr std::array delta_columns{
    size("batch_size", "sequences"),
    size("seq_len", "new tokens per sequence"),
    size("num_k_heads", "query and key heads per rank"),
    size("head_k_dim", "head dimension of Q and K"),
    size("num_v_heads", "value heads per rank, each with a state"),
    size("head_v_dim", "head dimension of V"),
    size_or("d_conv", 4, "taps of the convolution"),
    word("phase", phase_meaning),
    word("framework", "engine: vllm, sglang, trtllm"),
    word("kernel_source", "kernel: convolution if the name has conv, else scan"),
};

std::optional<OpCost> price_delta(const gpu::Gpu& gpu, Row row, std::string_view name, ScanKind kind) {
  const ScanSizes sizes = first_sizes(row);
  return price_timed(gpu, {name, row[8].word, row[9].word, phase_of(row[7].word, sizes.seq_len)}, kind,
                     sizes);
}

std::optional<OpCost> price_gated_delta(const gpu::Gpu& gpu, Row row) {
  return price_delta(gpu, row, "gated-delta-net", ScanKind::gated_delta);
}
std::optional<OpCost> price_kimi_delta(const gpu::Gpu& gpu, Row row) {
  return price_delta(gpu, row, "kimi-delta-attention", ScanKind::kimi_delta);
}

constexpr std::array mamba_columns{
    size("batch_size", "sequences"),
    size("seq_len", "new tokens per sequence"),
    size("n_groups", "groups of heads that share B and C, per rank"),
    size("d_state", "state size per head"),
    size("nheads", "heads per rank"),
    size("head_dim", "head dimension"),
    size_or("d_conv", 4, "taps of the convolution"),
    size_or("chunk_size", 256, "chunk length in tokens"),
    word("phase", phase_meaning),
    word("framework", "engine: vllm, sglang, trtllm"),
    word("kernel_source", "kernel: convolution if the name has conv, else scan"),
};

std::optional<OpCost> price_mamba2(const gpu::Gpu& gpu, Row row) {
  ScanSizes sizes = first_sizes(row);
  sizes.chunk = number(row, 7);
  return price_timed(gpu, {"mamba2", row[9].word, row[10].word, phase_of(row[8].word, sizes.seq_len)},
                     ScanKind::mamba2, sizes);
}

// Manifold-constrained hyper-connections (arXiv 2512.24880): `pre` mixes the streams into a layer's input,
// with weights made doubly stochastic by Sinkhorn's iterations, `post` spreads its output over them.
constexpr std::array stream_columns{
    size("num_tokens", "tokens per rank"),
    size("hidden_size", "elements of one residual stream"),
    size_or("hc_mult", 4, "residual streams"),
    size_or("num_sites", 1, "calls: a layer has two, around attention and the MLP"),
    word("framework", "engine: vllm, sglang, trtllm"),
    word("kernel_source", "kernel: before the layer (pre) or after it (post)"),
};

std::optional<OpCost> price_hyper_connections(const gpu::Gpu& gpu, Row row) {
  const double tokens = number(row, 0);
  const double hidden = number(row, 1);
  const double streams = number(row, 2);
  const double calls = number(row, 3);
  const std::string_view operation = row[5].word.find("pre") != std::string_view::npos ? "pre" : "post";
  const auto* known = gpu::closest(gpu::scan_kernels("hyper-connections"), gpu.architecture.id,
                                   {row[4].word, row[5].word, {}, {}, operation});
  if (known != nullptr) return price_streams(gpu, *known, tokens, hidden, streams, calls);
  return price_elementwise(gpu, calls * tokens * hidden * (2 * streams + 1) * bytes_of(DType::bf16), 0);
}

constexpr std::array scan_kind_table{
    KernelKind{"gated-delta-net", "gated delta rule of one layer, or its convolution", delta_columns,
               price_gated_delta},
    KernelKind{"kimi-delta-attention", "Kimi delta attention of one layer, or its convolutions",
               delta_columns, price_kimi_delta},
    KernelKind{"mamba2", "Mamba-2 scan of one layer, or its convolution", mamba_columns, price_mamba2},
    KernelKind{"hyper-connections", "hyper-connections before or after a layer", stream_columns,
               price_hyper_connections},
};

}  // namespace

std::span<const KernelKind> detail::scan_kinds() {
  return scan_kind_table;
}

std::span<const KernelKind> kernel_kinds() {
  static const std::vector<KernelKind> all = [] {
    std::vector<KernelKind> kinds;
    for (const auto family :
         {detail::attention_kinds(), detail::expert_kinds(), detail::scan_kinds(), detail::pass_kinds()}) {
      kinds.insert(kinds.end(), family.begin(), family.end());
    }
    return kinds;
  }();
  return all;
}

const KernelKind* find_kernel_kind(std::string_view name) {
  for (const KernelKind& kind : kernel_kinds()) {
    if (kind.name == name || (!name.empty() && kind.former_name == name)) return &kind;
  }
  return nullptr;
}

}  // namespace shapelint::cost
