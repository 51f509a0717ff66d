// How far the ratio of the times of two products is from the predicted one: gpus/spreads, measured per GPU.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "gpu/calibration.hpp"
#include "gpu/gpu.hpp"
#include "text/document.hpp"

namespace shapelint::gpu {

// What 90 of 100 ratios keep to, as a share of the later time; by slice of the shapes. 0: not measured.
struct GemmSpread {
  double decode = 0;      // m <= 64
  double small = 0;       // m > 64, predicted to take less than 256 us
  double large = 0;       // m > 64, predicted to take more
  double misaligned = 0;  // n or k of one of the two is not a multiple of 8
};

inline constexpr double unknown_correlation = -1;

struct ProductSpread {
  std::string architecture;  // id
  std::string gpu;           // id of the profile that was measured
  std::string constants;     // name of the set that predicts these products
  std::int64_t pairs = 0;    // that were measured
  GemmSpread near;           // sizes almost the same
  GemmSpread doubled;        // one dimension of one product is twice that of the other
  // Correlation of the errors of different products that change at once; negative: too few were measured.
  double together = unknown_correlation;
};

// The spread of products of this set, slice by slice: this GPU's, or else one of its architecture's; 0 where
// nobody measured.
struct Spread {
  GemmSpread near;
  GemmSpread doubled;
  double together = unknown_correlation;
};
Spread spread_of(const Gpu& gpu, ConstantSet set);

// The same of fused attention of engines that serve.
struct AttentionSpread {
  std::string architecture;  // id
  std::string gpu;           // id of the profile that was measured
  std::string phase;         // prefill, or decode
  std::int64_t pairs = 0;    // that were measured
  double same_head_dim = 0;  // lengths, heads or sequences change
  double other_head_dim = 0;
  double same_width = 0;  // another head dimension, and so many heads that their sum stays
};

// This GPU's, or else one of its architecture's; 0 if not measured.
AttentionSpread attention_spread_of(const Gpu& gpu, bool decodes);

// The entries of a file. Mistakes are appended.
std::vector<ProductSpread> read_spreads(text::NodeRef root, std::vector<Error>& errors);
std::vector<AttentionSpread> read_attention_spreads(text::NodeRef root, std::vector<Error>& errors);

// As a file has them.
std::string write_spread(const ProductSpread& spread);
std::string write_spread(const AttentionSpread& spread);

}  // namespace shapelint::gpu
