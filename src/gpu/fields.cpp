// The tables of fields, and the untyped half of the reader.
#include "gpu/fields.hpp"

#include <fmt/format.h>
#include <array>

#include "base/number.hpp"
#include "base/strings.hpp"

namespace shapelint::gpu {

namespace {

using text::Kind;
using text::NodeRef;

template <DType dtype>
double& tensor_peak(Gpu& gpu) {
  return gpu.tensor_tflops[static_cast<std::size_t>(dtype)];
}
template <double Measured::*member>
double& measured(Gpu& gpu) {
  return gpu.measured.*member;
}

constexpr std::monostate shown_only{};

// Bounds are generous: ten times beyond anything built, so that only slips of unit or sign are caught.
constexpr double max_sms = 4096;
constexpr double max_mhz = 10'000;
constexpr double max_tflops = 1e6;
constexpr double max_gb_s = 1e6;
constexpr double max_gb = 1e5;

constexpr Field<Gpu> gpu_table[] = {
    {"", "name", "", Type::text, &Gpu::name, 0, 0, "the vendor's name"},
    {"", "vendor", "", Type::text, &Gpu::vendor, 0, 0, "NVIDIA, AMD …"},
    {"", "chip", "", Type::text, shown_only, 0, 0, "the silicon"},
    {"", "compute_capability", "", Type::text, &Gpu::compute_capability, 0, 0,
     "if it differs from the architecture's"},
    {"", "sm_count", "", Type::integer, &Gpu::sm_count, 1, max_sms, "SMs (compute units on AMD) enabled"},
    {"", "sm_count_full_die", "", Type::integer, &Gpu::sm_count_full_die, 1, max_sms, "SMs of the full die"},
    {"", "boost_clock_mhz", "MHz", Type::number, &Gpu::boost_clock_mhz, 100, max_mhz,
     "highest rated clock of the CUDA cores"},
    {"", "tensor_clock_mhz", "MHz", Type::number, &Gpu::tensor_clock_mhz, 100, max_mhz,
     "clock of the rated tensor peaks, if it is not the boost clock"},
    {"", "fp16_flops_per_clock_per_sm", "FLOP", Type::integer, &Gpu::fp16_flops_per_clock_per_sm, 1, 1e6,
     "dense fp16 with fp32 accumulation, tensor cores"},
    {"", "peak_fp16_tensor_tflops", "TFLOP/s", Type::number, tensor_peak<DType::fp16>, 0.01, max_tflops,
     "dense, fp32 accumulation"},
    {"", "peak_bf16_tensor_tflops", "TFLOP/s", Type::number, tensor_peak<DType::bf16>, 0.01, max_tflops,
     "dense, fp32 accumulation"},
    {"", "peak_tf32_tensor_tflops", "TFLOP/s", Type::number, tensor_peak<DType::tf32>, 0.01, max_tflops,
     "dense"},
    {"", "peak_fp8_tensor_tflops", "TFLOP/s", Type::number, tensor_peak<DType::fp8>, 0.01, max_tflops,
     "dense, fp32 accumulation"},
    {"", "peak_int8_tensor_tops", "TOPS", Type::number, tensor_peak<DType::int8>, 0.01, max_tflops, "dense"},
    {"", "peak_fp4_tensor_tflops", "TFLOP/s", Type::number, tensor_peak<DType::fp4>, 0.01, max_tflops,
     "dense"},
    {"", "peak_fp32_tensor_tflops", "TFLOP/s", Type::number, tensor_peak<DType::fp32>, 0.01, max_tflops,
     "full fp32 on matrix cores (AMD)"},
    {"", "peak_fp6_tensor_tflops", "TFLOP/s", Type::number, shown_only, 0.01, max_tflops, "dense"},
    {"", "peak_int4_tensor_tops", "TOPS", Type::number, shown_only, 0.01, max_tflops, "dense"},
    {"", "peak_fp64_tensor_tflops", "TFLOP/s", Type::number, shown_only, 0.01, max_tflops, "dense"},
    {"", "peak_fp16_fp16acc_tensor_tflops", "TFLOP/s", Type::number, shown_only, 0.01, max_tflops,
     "dense, fp16 accumulation, which training frameworks do not use"},
    {"", "peak_fp8_fp16acc_tensor_tflops", "TFLOP/s", Type::number, shown_only, 0.01, max_tflops,
     "dense, fp16 accumulation"},
    {"", "peak_fp32_cuda_tflops", "TFLOP/s", Type::number, &Gpu::peak_fp32_cuda_tflops, 0.01, max_tflops,
     "outside tensor cores"},
    {"", "peak_fp16_cuda_tflops", "TFLOP/s", Type::number, &Gpu::peak_fp16_cuda_tflops, 0.01, max_tflops,
     "outside tensor cores"},
    {"", "peak_fp64_cuda_tflops", "TFLOP/s", Type::number, shown_only, 0.001, max_tflops,
     "outside tensor cores"},
    {"", "fp32_accumulate_half_rate", "", Type::boolean, &Gpu::fp32_accumulate_half_rate, 0, 0,
     "fp32 accumulation halves the tensor cores' rate"},
    {"", "dram_size_gb", "GB", Type::number, &Gpu::dram_size_gb, 0.1, max_gb, "memory"},
    {"", "memory_mib", "MiB", Type::number, &Gpu::memory_mib, 1, 1e9,
     "memory that PyTorch or nvidia-smi reports, if it differs from `dram_size_gb` in GiB"},
    {"", "dram_type", "", Type::text, shown_only, 0, 0, "kind of memory"},
    {"", "dram_bandwidth_gb_s", "GB/s", Type::number, &Gpu::dram_bandwidth_gb_s, 1, max_gb_s, "peak"},
    {"", "l2_size_mib", "MiB", Type::number, &Gpu::l2_size_mib, 0.01, max_gb, "last cache of the SMs' chip"},
    {"", "l2_bandwidth_gb_s", "GB/s", Type::number, &Gpu::l2_bandwidth_gb_s, 1, max_gb_s,
     "read [default: measured]"},
    {"", "infinity_cache_mib", "MiB", Type::number, shown_only, 0.01, max_gb, "AMD's cache behind L2"},
    {"", "link_gb_s", "GB/s", Type::number, &Gpu::link_gb_s, 0.1, max_gb_s,
     "NVLink or xGMI, per direction and GPU"},
    {"", "link_gpus", "", Type::integer, &Gpu::link_gpus, 2, 1e6, "GPUs in a link domain [default: 8]"},
    {"", "pcie", "", Type::text, shown_only, 0, 0, "generation and width"},
    {"", "pcie_gb_s", "GB/s", Type::number, &Gpu::pcie_gb_s, 0.1, max_gb_s, "per direction"},
    {"", "host_link_gb_s", "GB/s", Type::number, &Gpu::host_link_gb_s, 0.1, max_gb_s,
     "host memory, if not over PCIe (NVLink-C2C), per direction and GPU"},
    {"", "network_gb_s", "GB/s", Type::number, &Gpu::network_gb_s, 0.1, max_gb_s,
     "per direction and GPU, between nodes [default: 50, one 400 Gb/s adapter]"},
    {"", "tdp_w", "W", Type::number, &Gpu::tdp_w, 1, 1e5, "power limit"},
    {"measured", "dram_read_gb_s", "GB/s", Type::number, measured<&Measured::dram_read_gb_s>, 1, max_gb_s,
     "read kernel"},
    {"measured", "dram_copy_gb_s", "GB/s", Type::number, measured<&Measured::dram_copy_gb_s>, 1, max_gb_s,
     "copy, bytes read and written"},
    {"measured", "dram_triad_gb_s", "GB/s", Type::number, measured<&Measured::dram_triad_gb_s>, 1, max_gb_s,
     "triad"},
    {"measured", "dram_lbm_gb_s", "GB/s", Type::number, measured<&Measured::dram_lbm_gb_s>, 1, max_gb_s,
     "lattice Boltzmann stencil, 153 B per cell: below what a copy reaches"},
    {"measured", "l1_bytes_per_clock_per_sm", "B", Type::number, shown_only, 1, 4096, "global loads from L1"},
    {"measured", "infinity_cache_gb_s", "GB/s", Type::number, shown_only, 1, max_gb_s, "read"},
    {"measured", "gemm_bf16_p99_tflops", "TFLOP/s", Type::number, measured<&Measured::gemm_bf16_p99_tflops>,
     0.01, max_tflops, "99th percentile over m >= 2048, n and k >= 4096, random data"},
    {"measured", "gemm_bf16_best_tflops", "TFLOP/s", Type::number, shown_only, 0.01, max_tflops,
     "best of another campaign, whose inputs probably draw less power"},
    {"measured", "gemm_bf16_mamf_tflops", "TFLOP/s", Type::number, measured<&Measured::gemm_bf16_mamf_tflops>,
     0.01, max_tflops, "maximum achievable matmul FLOP/s"},
    {"measured", "gemm_bf16_community_tflops", "TFLOP/s", Type::number,
     measured<&Measured::gemm_bf16_community_tflops>, 0.01, max_tflops, "contributed by users"},
    {"measured", "gemm_bf16_8192_random_tflops", "TFLOP/s", Type::number, shown_only, 0.01, max_tflops,
     "m = n = k = 8192, random data"},
    {"measured", "gemm_bf16_8192_zeros_tflops", "TFLOP/s", Type::number, shown_only, 0.01, max_tflops,
     "m = n = k = 8192, all zeros"},
    {"measured", "gemm_fp16_tflops", "TFLOP/s", Type::number, measured<&Measured::gemm_fp16_tflops>, 0.01,
     max_tflops, "contributed by users"},
    {"measured", "gemm_fp8_p99_tflops", "TFLOP/s", Type::number, measured<&Measured::gemm_fp8_p99_tflops>,
     0.01, max_tflops, "99th percentile, as gemm_bf16_p99_tflops"},
    {"measured", "gemm_fp8_best_tflops", "TFLOP/s", Type::number, shown_only, 0.01, max_tflops,
     "best, as gemm_bf16_best_tflops"},
    {"measured", "gemm_fp8_mamf_tflops", "TFLOP/s", Type::number, measured<&Measured::gemm_fp8_mamf_tflops>,
     0.01, max_tflops, "maximum achievable matmul FLOP/s"},
    {"measured", "gemm_int8_p99_tops", "TOPS", Type::number, measured<&Measured::gemm_int8_p99_tops>, 0.01,
     max_tflops, "99th percentile, as gemm_bf16_p99_tflops"},
    {"measured", "gemm_nvfp4_p99_tflops", "TFLOP/s", Type::number, measured<&Measured::gemm_nvfp4_p99_tflops>,
     0.01, max_tflops, "99th percentile, as gemm_bf16_p99_tflops"},
    {"measured", "mma_fp16_fp32acc_tflops", "TFLOP/s", Type::number, shown_only, 0.01, max_tflops,
     "loop of mma instructions, no memory"},
    {"measured", "mma_fp16_fp16acc_tflops", "TFLOP/s", Type::number, shown_only, 0.01, max_tflops,
     "loop of mma instructions, no memory"},
    {"measured", "mma_fp8_fp32acc_tflops", "TFLOP/s", Type::number, shown_only, 0.01, max_tflops,
     "loop of mma instructions, no memory"},
    {"measured", "mma_fp8_fp16acc_tflops", "TFLOP/s", Type::number, shown_only, 0.01, max_tflops,
     "loop of mma instructions, no memory"},
};

constexpr Field<Architecture> architecture_table[] = {
    {"", "name", "", Type::text, &Architecture::name, 0, 0, "the vendor's name"},
    {"", "compute_capability", "", Type::text, &Architecture::compute_capability, 0, 0,
     "or AMD's gfx number"},
    {"", "mma_unit", "", Type::text, shown_only, 0, 0, "the instruction that multiplies matrices"},
    {"", "has_tensor_cores", "", Type::boolean, &Architecture::has_tensor_cores, 0, 0, "or matrix cores"},
    {"", "has_wgmma", "", Type::boolean, &Architecture::has_wgmma, 0, 0, "Hopper's warpgroup MMA"},
    {"", "has_tcgen05", "", Type::boolean, &Architecture::has_tcgen05, 0, 0,
     "data-centre Blackwell's MMA into tensor memory"},
    {"", "has_tma", "", Type::boolean, &Architecture::has_tma, 0, 0, "tensor memory accelerator"},
    {"", "has_clusters", "", Type::boolean, &Architecture::has_clusters, 0, 0, "thread-block clusters"},
    {"", "array_depth", "elements", Type::integer, &Architecture::array_depth, 1, 65536,
     "of a systolic array: K is padded to multiples of it"},
    {"", "cluster_max_ctas", "", Type::integer, shown_only, 1, 1024, "portable limit"},
    {"", "tensor_cores_per_sm", "", Type::integer, shown_only, 0, 1024, ""},
    {"", "fp32_lanes_per_sm", "", Type::integer, &Architecture::fp32_lanes_per_sm, 1, 4096,
     "fused multiply-adds per clock"},
    {"", "warp_size", "", Type::integer, &Architecture::warp_size, 1, 1024, "wavefront on AMD"},
    {"", "l1_shared_combined_per_sm_kib", "KiB", Type::number, shown_only, 1, 65536, ""},
    {"", "l1_per_sm_kib", "KiB", Type::number, shown_only, 1, 65536, ""},
    {"", "shared_max_per_sm_kib", "KiB", Type::number, &Architecture::shared_max_per_sm_kib, 1, 65536,
     "LDS on AMD"},
    {"", "shared_max_per_block_kib", "KiB", Type::number, &Architecture::shared_max_per_block_kib, 1, 65536,
     "limit of one CTA"},
    {"", "register_file_per_sm_kib", "KiB", Type::number, &Architecture::register_file_per_sm_kib, 1, 65536,
     ""},
    {"", "tensor_memory_per_sm_kib", "KiB", Type::number, &Architecture::tensor_memory_per_sm_kib, 1, 65536,
     "TMEM"},
    {"", "max_threads_per_sm", "", Type::integer, &Architecture::max_threads_per_sm, 1, 65536, ""},
    {"", "max_blocks_per_sm", "", Type::integer, &Architecture::max_blocks_per_sm, 1, 65536, ""},
    {"", "shared_bytes_per_clock_per_sm", "B", Type::number, &Architecture::shared_bytes_per_clock_per_sm, 1,
     65536, ""},
    {"", "l2_bytes_per_clock_per_sm", "B", Type::number, &Architecture::l2_bytes_per_clock_per_sm, 0.1, 65536,
     "L2 to SM when all SMs read, as measured on GEMMs of the architecture"},
    {"", "l2_peak_bytes_per_clock_per_sm", "B", Type::number, &Architecture::l2_peak_bytes_per_clock_per_sm,
     0.1, 65536, "the same in theory, if known: upper bound of predictions"},
    {"", "mixture_stall_us", "us", Type::number, &Architecture::mixture_stall_us, 0, 1e6,
     "MoE training: host synchronization per layer and micro-batch"},
    {"", "mixture_stall_until", "", Type::text, &Architecture::mixture_stall_until, 0, 0,
     "month of the software that no longer does, such as `2026-06`"},
    {"tiles", "persistent", "", Type::boolean, &Architecture::persistent, 0, 0,
     "the usual kernels keep a CTA per SM and loop over tiles"},
};

constexpr double most_tile = 4096;

constexpr Field<Tile> tile_table[] = {
    {"", "m", "", Type::integer, &Tile::m, 1, most_tile, "rows of the output"},
    {"", "n", "", Type::integer, &Tile::n, 1, most_tile, "columns of the output"},
    {"", "k", "", Type::integer, &Tile::k, 1, most_tile, "depth of a stage, in 16-bit elements"},
    {"", "stages", "", Type::integer, &Tile::stages, 1, 64, "of the shared-memory pipeline"},
    {"", "ctas_per_sm", "", Type::integer, &Tile::ctas_per_sm, 1, 64, "that fit at the same time"},
    {"", "sms", "", Type::integer, &Tile::sms, 1, 16, "SMs that share one tile"},
};

constexpr double max_alignment = 65536;

constexpr Field<Alignment> alignment_table[] = {
    {"", "minimum_bytes", "B", Type::integer, &Alignment::minimum_bytes, 0, max_alignment,
     "below it the fastest kernels are lost"},
    {"", "efficient_bytes", "B", Type::integer, &Alignment::efficient_bytes, 0, max_alignment,
     "full-width loads"},
    {"", "best_bytes", "B", Type::integer, &Alignment::best_bytes, 0, max_alignment, "whole cache lines"},
};

std::string_view expected(Type type) {
  static constexpr std::array<std::string_view, 4> names{"an integer", "a number", "`true` or `false`",
                                                         "a string"};
  return names.at(static_cast<std::size_t>(type));
}

bool has_type(NodeRef value, Type type) {
  switch (type) {
    case Type::integer:
      return value.is(Kind::integer);
    case Type::number:
      return value.as_number().has_value();
    case Type::boolean:
      return value.is(Kind::boolean);
    case Type::text:
      return value.is(Kind::string);
  }
  return false;
}

}  // namespace

std::span<const Field<Gpu>> gpu_fields() {
  return gpu_table;
}
std::span<const Field<Architecture>> architecture_fields() {
  return architecture_table;
}
std::span<const Field<Tile>> tile_fields() {
  return tile_table;
}
std::span<const Field<Alignment>> alignment_fields() {
  return alignment_table;
}

void check_keys(NodeRef table, std::span<const std::string_view> known, std::vector<Error>& errors) {
  for (const NodeRef child : table) {
    bool found = false;
    for (const std::string_view key : known) found = found || key == child.key();
    if (found) continue;
    errors.push_back(with_code(
        child.key_error(fmt::format("unknown key `{}`", child.path()), did_you_mean(child.key(), known)),
        ErrorCode::unknown_name));
  }
}

std::vector<std::string> read_strings(NodeRef list, std::vector<Error>& errors) {
  std::vector<std::string> strings;
  if (!list) return strings;
  if (!list.is(Kind::list)) {
    errors.push_back(list.error(
        fmt::format("`{}` is {}, expected a list of strings", list.path(), text::describe(list.kind()))));
    return strings;
  }
  for (const NodeRef item : list) {
    if (const auto value = item.as_string()) {
      strings.emplace_back(*value);
    } else {
      errors.push_back(
          item.error(fmt::format("`{}` is {}, expected a string", item.path(), text::describe(item.kind()))));
    }
  }
  return strings;
}

void expect_table(NodeRef node, std::vector<Error>& errors) {
  if (!node || node.is(Kind::table)) return;
  errors.push_back(
      node.error(fmt::format("`{}` is {}, expected a table", node.path(), text::describe(node.kind()))));
}

// sources, notes and confidence: only shown, but their types are checked here.
void check_remarks(NodeRef root, std::vector<Error>& errors) {
  read_strings(root["sources"], errors);
  read_strings(root["notes"], errors);
  const NodeRef confidence = root["confidence"];
  if (confidence && !confidence.is(Kind::string)) {
    errors.push_back(confidence.error(
        fmt::format("`confidence` is {}, expected a string", text::describe(confidence.kind()))));
  }
}

NodeRef checked_value(NodeRef figure, Limits limits, std::vector<Error>& errors) {
  if (figure.is(Kind::table)) {
    check_keys(figure, figure_keys, errors);
    read_strings(figure["sources"], errors);
    for (const std::string_view key : {"note", "confidence"}) {
      const NodeRef words = figure[key];
      if (!words || words.is(Kind::string)) continue;
      errors.push_back(words.error(
          fmt::format("`{}` is {}, expected a string", words.path(), text::describe(words.kind()))));
    }
    if (!figure["value"]) {
      errors.push_back(figure.key_error(fmt::format("`{}` has no `value`", figure.path())));
      return {};
    }
  }
  const NodeRef value = value_of(figure);
  if (!has_type(value, limits.type)) {
    errors.push_back(value.error(fmt::format("`{}` is {}, expected {}", value.path(),
                                             text::describe(value.kind()), expected(limits.type))));
    return {};
  }
  if (limits.type == Type::integer || limits.type == Type::number) {
    const double number = *value.as_number();
    // The negation also refuses what is not a number at all.
    if (!(number >= limits.least && number <= limits.most)) {
      errors.push_back(
          value.error(fmt::format("`{}` is implausible: {}", value.path(), exact(number)),
                      fmt::format("expected between {} and {}", exact(limits.least), exact(limits.most))));
      return {};
    }
  }
  return value;
}

}  // namespace shapelint::gpu
