// Rows of passes over a matrix, and of collectives.
#include <algorithm>
#include <array>

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
    word("framework", "the engine: vllm, sglang, trtllm"),
    word("kernel_source", "its kernel"),
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
  const auto* known = exchange_kernel(gpu, kind, names);
  if (known != nullptr && ranks <= static_cast<double>(gpus_of_node(gpu))) {
    return price_exchange(gpu, *known, bytes, ranks, exchange.times * (ranks - 1) / ranks);
  }
  return price_collective(gpu, exchange.kind, bytes, static_cast<std::int64_t>(ranks));
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
    word("nccl_dtype", "of an element", is_dtype),
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
    word("allreduce_dtype", "of an element", is_dtype),
    word("framework", "the engine: vllm, sglang, trtllm"),
    word("kernel_source", "its kernel"),
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

}  // namespace shapelint::cost
