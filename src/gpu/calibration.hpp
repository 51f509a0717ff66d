// Constants of the cost model that were fitted to measurements, or carried over from a GPU where they were.
// One table says everything about each constant; reading, writing, documentation and the calibrator use it.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/dtype.hpp"
#include "base/error.hpp"
#include "base/recipe.hpp"
#include "text/document.hpp"

namespace shapelint::gpu {

// Constants of the time of a GEMM; docs/explanation/cost-model.md has the equations that they stand in. Rates
// are per SM, so that they carry over to a relative with another number of SMs.
struct GemmConstants {
  double launch_us = 2.5;
  double dram_efficiency = 0.80;
  double dram_ramp = 0.1;
  double dram_ramp_us = 10;
  double sm_dram_gb_s = 50;
  double resident_share = 0.1;
  double resident_sm_gb_s = 15;
  double reread_share = 0.2;
  double mainloop_efficiency = 0.9;
  double sm_feed_gb_s = 100;
  double l2_feed_sm_gb_s = 60;
  double prologue_k = 120;
  double k_step_ns = 50;
  double wave_softness = 0.2;
  double split_waves = 8;
  double split_us = 2.5;
  double split_traffic = 0.2;
  double power_drop = 0;
  double power_us = 1000;
  double power_reach_us = 0;
  double align_k_2b = 0.3;
  double align_k_4b = 0.6;
  double align_k_8b = 0.65;
  double align_k_16b = 1;
  double align_n_2b = 0.3;
  double align_n_4b = 0.6;
  double align_n_8b = 0.65;
  double align_n_16b = 1;
  double align_c_2b = 1;
  double prologue_2b = 0;
  double tile_2b = 0;
  double tile_8b = 0;
  double largest_tile = 131072;
  double batch_speed = 1;
  double quantize_us = 0;
  double quantize_row_us = 0.9;
  double quantize_bandwidth = 0.45;
  double host_us = 0;
  double rotation_reach = 0;
  double rotation_hits = 0;
  double rotation_least = 1;
  double rotation_most = 1e6;
};

// What a constant is: how it is written, what is plausible, what it means.
struct GemmConstant {
  std::string_view key;
  std::string_view unit;
  double GemmConstants::*member;
  double least;  // of plausible values
  double most;
  bool logarithmic;  // searched on a logarithmic scale
  std::string_view doc;
};
std::span<const GemmConstant> gemm_constants();

// Products on different units have constants of their own: tensor cores with 16-bit operands (tf32 too),
// tensor cores with operands of a byte or less, and CUDA cores in fp32. Those of a byte were measured with
// the pass that quantizes; products alone have constants by recipe.
enum class ConstantSet : std::uint8_t { half, byte, single, tensor, row, block128, mxfp8, nvfp4, mxfp4 };
inline constexpr std::array<std::string_view, 9> constant_set_names{
    "half", "byte", "single", "tensor", "row", "block128", "mxfp8", "nvfp4", "mxfp4"};
constexpr ConstantSet constant_set(DType dtype, Recipe recipe = Recipe::none) {
  if (recipe != Recipe::none) {
    return static_cast<ConstantSet>(static_cast<std::size_t>(ConstantSet::single) +
                                    static_cast<std::size_t>(recipe));
  }
  if (dtype == DType::fp32) return ConstantSet::single;
  return bytes_of(dtype) < 2 ? ConstantSet::byte : ConstantSet::half;
}
constexpr bool is_of_recipe(ConstantSet set) {
  return set > ConstantSet::single;
}

// Mean error that predictions had on (n, k) sites left out of the fit, as shares. 0: not measured.
struct GemmErrors {
  double all = 0;
  double train = 0;       // m >= 1024, n >= 512, k >= 512
  double decode = 0;      // m <= 64, n >= 1024, k >= 1024
  double misaligned = 0;  // n or k not a multiple of 8
};

struct GemmCalibration {
  std::string source;     // what data fitted it; empty: nothing, these are defaults
  std::string alignment;  // what data fitted the align_* constants; empty: carried over or assumed
  bool own = false;       // fitted to this GPU, not to a relative
  GemmConstants constants;
  GemmErrors errors;
};

struct Calibration {
  // "calibrated", "architecture" (another GPU's constants) or "uncalibrated"
  std::string status = "uncalibrated";
  std::string source;                      // what data fitted it
  bool fp32_accumulate_half_rate = false;  // holds as it is for such parts
  std::array<GemmCalibration, constant_set_names.size()> gemm;
};

inline const GemmCalibration& gemm_calibration(const Calibration& calibration, DType dtype) {
  return calibration.gemm[static_cast<std::size_t>(constant_set(dtype))];
}

// The constants for products of a recipe: its own or, without a fit, those of the nearest recipe
// that somebody did, down to those of the number format with its quantizing pass.
ConstantSet constants_for(const Calibration& calibration, DType dtype, Recipe recipe);

// Reads a `[calibration]` table of a profile or an architecture over `into`, all but the status. Errors
// (unknown keys, values outside the plausible range) are appended.
void read_calibration(text::NodeRef table, Calibration& into, std::vector<Error>& errors);

// The `[calibration]` tables as TOML, with a comment for the meaning of each constant: what the calibrator
// writes. Sets without a source are left out.
std::string write_calibration(const Calibration& calibration);

}  // namespace shapelint::gpu
