// The table of constants; reads and writes `[calibration]` tables.
#include "gpu/calibration.hpp"

#include <fmt/format.h>
#include <algorithm>

#include "base/number.hpp"
#include "gpu/fields.hpp"

namespace shapelint::gpu {

namespace {

using C = GemmConstants;

// Bounds are those of plausible hardware: efficiencies at most 1, rates of an SM at most those of its ports
// (128 B per clock at 2 GHz is 256 GB/s; clusters share loads, which doubles that at most).
constexpr GemmConstant constant_table[] = {
    {"launch_us", "us", &C::launch_us, 0.5, 10, true, "launch, first loads and drain of one kernel"},
    {"dram_efficiency", "share", &C::dram_efficiency, 0.5, 1, false,
     "of the data sheet's DRAM bandwidth, reached by long transfers"},
    {"dram_ramp", "share", &C::dram_ramp, 0.001, 0.6, true, "by how much short transfers are slower"},
    {"dram_ramp_us", "us", &C::dram_ramp_us, 1, 100, true, "its maximum cost"},
    {"sm_dram_gb_s", "GB/s", &C::sm_dram_gb_s, 5, 200, true, "DRAM bandwidth that one SM can draw"},
    {"resident_share", "share", &C::resident_share, 0.005, 1, true,
     "share of L2 that still holds operands of the previous kernel"},
    {"resident_sm_gb_s", "GB/s per SM", &C::resident_sm_gb_s, 2, 200, true, "read rate of operands in L2"},
    {"reread_share", "share", &C::reread_share, 0, 1, false,
     "of the operand reads beyond the first that miss L2, for operands larger than half of it"},
    {"mainloop_efficiency", "share", &C::mainloop_efficiency, 0.3, 1, false,
     "share of the peak of a main loop without stalls"},
    {"sm_feed_gb_s", "GB/s per SM", &C::sm_feed_gb_s, 10, 512, true, "operands into one SM's main loop"},
    {"l2_feed_sm_gb_s", "GB/s per SM", &C::l2_feed_sm_gb_s, 10, 512, true,
     "operands from L2 when all SMs load, divided by their number"},
    {"prologue_k", "elements of k", &C::prologue_k, 1, 400, true,
     "a tile's prologue and epilogue, as steps of its main loop"},
    {"k_step_ns", "ns per 32 of k", &C::k_step_ns, 1, 250, true,
     "latency of a main-loop step, however small"},
    {"wave_softness", "share", &C::wave_softness, 0, 1, false,
     "0: the last wave costs as much as a full one; 1: partial waves cost their share (persistent, "
     "stream-K)"},
    {"split_waves", "waves", &C::split_waves, 0.01, 16, true, "up to which the library splits k"},
    {"split_us", "us", &C::split_us, 0.1, 8, true, "launch of the reduction after a split of k"},
    {"split_traffic", "share", &C::split_traffic, 0.01, 4, true,
     "of the reduction's reads and writes (fp32) that reach DRAM"},
    {"power_drop", "share", &C::power_drop, 0, 0.4, false,
     "share of the clock lost to the power limit in long GEMMs"},
    {"power_us", "us", &C::power_us, 10, 20000, true, "ideal time at which half of that is lost"},
    {"power_reach_us", "us", &C::power_reach_us, 0, 1e6, false,
     "ideal time of the longest measured GEMMs, for the clock of a whole step; 0: unknown"},
    {"align_k_2b", "share", &C::align_k_2b, 0.05, 1, false,
     "speed of the main loop, k contiguous and odd (16 bit)"},
    {"align_k_4b", "share", &C::align_k_4b, 0.05, 1, false, "k a multiple of 4 B, not of 8 B"},
    {"align_k_8b", "share", &C::align_k_8b, 0.05, 1, false, "k a multiple of 8 B, not of 16 B"},
    {"align_k_16b", "share", &C::align_k_16b, 0.5, 1, false, "k a multiple of 16 B, not of 32 B"},
    {"align_n_2b", "share", &C::align_n_2b, 0.05, 1, false, "the same for n (and m where it is contiguous)"},
    {"align_n_4b", "share", &C::align_n_4b, 0.05, 1, false, "n a multiple of 4 B, not of 8 B"},
    {"align_n_8b", "share", &C::align_n_8b, 0.05, 1, false, "n a multiple of 8 B, not of 16 B"},
    {"align_n_16b", "share", &C::align_n_16b, 0.5, 1, false, "n a multiple of 16 B, not of 32 B"},
    {"align_c_2b", "share", &C::align_c_2b, 0.05, 1, false,
     "n odd where C's rows alone run along it (tn, tt)"},
    {"prologue_2b", "share", &C::prologue_2b, 0, 1, false,
     "speed of prologue and epilogue in kernels for odd rows; 0: that of their main loop"},
    {"tile_2b", "elements", &C::tile_2b, 0, 128, false,
     "least columns of the tiles of kernels for odd rows, whose sides are powers of two; 0: as of aligned "
     "ones"},
    {"tile_8b", "elements", &C::tile_8b, 0, 128, false, "the same for rows of a multiple of 4 or 8 B"},
    {"largest_tile", "elements of C", &C::largest_tile, 4096, 262144, true,
     "tiles that the library goes up to"},
    {"batch_speed", "share", &C::batch_speed, 0.1, 1, false,
     "relative speed of batched GEMMs; 1: as single GEMMs"},
    {"quantize_us", "us", &C::quantize_us, 0, 20, false,
     "launch of the pass that converts 16-bit activations; 0: they come converted"},
    {"quantize_row_us", "us", &C::quantize_row_us, 0.05, 10, true,
     "that an SM takes for a row in it, however short"},
    {"quantize_bandwidth", "share", &C::quantize_bandwidth, 0.1, 1, false,
     "of the DRAM bandwidth that it reaches"},
    {"host_us", "us", &C::host_us, 0, 80, false,
     "between kernels in the measurements alone (no CUDA graph); not part of a step"},
    {"rotation_reach", "share of L2", &C::rotation_reach, 0, 2, false,
     "measurements alone: rotated weights were found in L2 up to this footprint; 0: never"},
    {"rotation_hits", "share", &C::rotation_hits, 0, 1, false,
     "and this share of them at a footprint of L2's size"},
    {"rotation_least", "buffers", &C::rotation_least, 1, 1e6, false,
     "measurements alone: rotated at least, whatever fills L2"},
    {"rotation_most", "buffers", &C::rotation_most, 1, 1e6, false, "and at most"},
};

using G = GemmCalibration;
constexpr Field<G> text_fields[] = {
    {"", "source", "", Type::text, &G::source, 0, 0, "what data fitted it"},
    {"", "alignment", "", Type::text, &G::alignment, 0, 0, "what data fitted the alignment constants"},
};
constexpr Field<GemmErrors> gemm_error_fields[] = {
    {"", "all", "share", Type::number, &GemmErrors::all, 0, 100, "mean error on sites left out"},
    {"", "train", "share", Type::number, &GemmErrors::train, 0, 100, "m >= 1024, n >= 512, k >= 512"},
    {"", "decode", "share", Type::number, &GemmErrors::decode, 0, 100, "m <= 64, n >= 1024, k >= 1024"},
    {"", "misaligned", "share", Type::number, &GemmErrors::misaligned, 0, 100, "n or k not a multiple of 8"},
};
constexpr Field<Calibration> calibration_fields[] = {
    {"", "source", "", Type::text, &Calibration::source, 0, 0, "what data fitted it"},
    {"", "fp32_accumulate_half_rate", "", Type::boolean, &Calibration::fp32_accumulate_half_rate, 0, 0,
     "whether it holds as it is for parts that accumulate in fp32 at half rate"},
};

// VMEM into the MXU of a TPU: some 22 times its HBM (scaling-book, tpus.md); searches stay within the table.
constexpr double widest_port_gb_s = 100'000;

void read_set(text::NodeRef node, GemmCalibration& into, std::vector<Error>& errors) {
  std::vector<std::string_view> others{"errors"};
  for (const GemmConstant& each : constant_table) {
    others.push_back(each.key);
    const text::NodeRef figure = node[each.key];
    if (!figure) continue;
    // Ports of an array are as wide as those of many SMs.
    const double most = each.unit == "GB/s per SM" || each.unit == "GB/s" ? widest_port_gb_s : each.most;
    const text::NodeRef value = checked_value(figure, {Type::number, each.least, most}, errors);
    if (value) into.constants.*each.member = *value.as_number();
  }
  read_fields<G>(node, "", text_fields, others, into, errors);
  if (const auto child = node["errors"])
    read_fields<GemmErrors>(child, "", gemm_error_fields, {}, into.errors, errors);
}

}  // namespace

std::span<const GemmConstant> gemm_constants() {
  return constant_table;
}

ConstantSet constants_for(const Calibration& calibration, DType dtype, Recipe recipe) {
  const auto fitted = [&](ConstantSet set) {
    return !calibration.gemm[static_cast<std::size_t>(set)].source.empty();
  };
  if (recipe == Recipe::none || fitted(constant_set(dtype, recipe))) return constant_set(dtype, recipe);
  // By how much of the main loop they share.
  constexpr std::array eight_bits{ConstantSet::tensor, ConstantSet::row, ConstantSet::mxfp8};
  constexpr std::array four_bits{ConstantSet::mxfp4, ConstantSet::nvfp4};
  const auto nearest = info(recipe).operand_bits == 8 ? std::span<const ConstantSet>(eight_bits)
                                                      : std::span<const ConstantSet>(four_bits);
  const auto found = std::find_if(nearest.begin(), nearest.end(), fitted);
  return found == nearest.end() ? constant_set(dtype) : *found;
}

void read_calibration(text::NodeRef node, Calibration& into, std::vector<Error>& errors) {
  std::vector<std::string_view> others(constant_set_names.begin(), constant_set_names.end());
  for (const std::string_view key :
       {"borrowed", "estimated"}) {  // what they mean for the profile: profile.cpp
    others.push_back(key);
    if (const auto flag = node[key]) checked_value(flag, {Type::boolean, 0, 0}, errors);
  }
  read_fields<Calibration>(node, "", calibration_fields, others, into, errors);
  for (std::size_t set = 0; set < constant_set_names.size(); ++set) {
    if (const auto child = node[constant_set_names[set]]) read_set(child, into.gemm[set], errors);
  }
}

std::string write_calibration(const Calibration& calibration) {
  std::string out = "[calibration]\n";
  out += fmt::format("source = \"{}\"\n", calibration.source);
  const auto four_digits = [](double value) { return exact(std::stod(fmt::format("{:.4g}", value))); };
  for (std::size_t set = 0; set < constant_set_names.size(); ++set) {
    const GemmCalibration& gemm = calibration.gemm[set];
    if (gemm.source.empty()) continue;
    out += fmt::format("\n[calibration.{}]\nsource = \"{}\"\n", constant_set_names[set], gemm.source);
    if (!gemm.alignment.empty()) out += fmt::format("alignment = \"{}\"\n", gemm.alignment);
    const GemmErrors& e = gemm.errors;
    out +=
        fmt::format("errors = {{ all = {}, train = {}, decode = {}, misaligned = {} }}\n", four_digits(e.all),
                    four_digits(e.train), four_digits(e.decode), four_digits(e.misaligned));
    for (const GemmConstant& each : constant_table) {
      const std::string value = four_digits(gemm.constants.*each.member);
      out += fmt::format("{} = {}  # {}: {}\n", each.key, value, each.unit, each.doc);
    }
  }
  return out;
}

}  // namespace shapelint::gpu
