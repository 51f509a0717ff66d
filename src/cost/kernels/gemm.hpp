// Time of one matrix product; docs/explanation/cost-model.md has the equations and what the constants mean.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string_view>

#include "base/dtype.hpp"
#include "base/recipe.hpp"
#include "cost/kernels/tiles.hpp"
#include "cost/op_cost.hpp"
#include "gpu/gpu.hpp"
#include "model/op.hpp"

namespace shapelint::cost {

// C[m,n] = A[m,k] B[k,n] per batch element; sizes in elements, all at least 1.
struct GemmShape {
  std::int64_t batch = 1;
  std::int64_t m = 1;
  std::int64_t n = 1;
  std::int64_t k = 1;
  DType dtype = DType::bf16;
  model::Layout layout = model::Layout::tn;
  model::ImplicitGemm implicit{};  // of a convolution
  Recipe recipe = Recipe::none;
};

// The product that an op of that kind is.
GemmShape gemm_shape(const model::Op& op);

// What the time is of. In a step, kernels follow each other closely and weights come from DRAM. A benchmark
// may pay the host's launch each time, or find its few buffers in L2: the profile says which for the
// measurements that fitted it, so that predictions can be compared with them.
enum class Timing : std::uint8_t { in_step, as_measured };

// All that does not depend on the shape, worked out once per GPU and number format.
struct GemmModel {
  TileTable tiles;
  AlignmentTable alignment;
  DType dtype = DType::bf16;
  bool weights_are_cold = false;  // those of single products come from DRAM, however small
  double element_bytes = 2;       // of A, its scales included
  double weight_bytes = 2;        // of an element of B, which may be packed
  double result_bytes = 2;        // of C
  double unpack_us = 0;           // of one weight, by all SMs together; 0: not packed
  double peak_flops_per_us = 1;
  double roofline_bytes_per_us = 1;  // of the data sheet
  double dram_bytes_per_us = 1;      // achieved
  double sm_dram_bytes_per_us = 1;
  double l2_bytes = 1;
  double array_depth = 1;     // k that a systolic array takes at once; 1: any
  double resident_bytes = 1;  // operands of at most this much stay in L2
  double resident_bytes_per_us = 1;
  double us_per_feed_byte = 1;  // L2 to all SMs
  double us_per_dram_byte = 1;
  double few_rows_dram_speed = 1;  // how many times as fast for up to 64 rows, where none such were fitted
  double inverse_kept_bytes = 1;   // of what L2 keeps between the tiles that need it
  bool multicasts = false;         // two tiles of a cluster fetch the operand that they share once for both
  double us_per_l2_byte = 0;       // at best, to all SMs; 0: unknown, or this GPU's own rates were measured
  double us_per_shared_byte = 0;   // the same of shared memory
  double launch_us = 0;
  double quantize_launch_us = 0;  // 0: activations come converted
  double quantize_us_per_row = 0;
  gpu::GemmConstants constants;
};
// `weight_bytes`: of one element of B where it is stored packed and widened on the way to the tensor cores
// (weight-only quantization); 0: as dtype.
GemmModel gemm_model(const gpu::Gpu& gpu, DType dtype, Timing timing = Timing::in_step,
                     double weight_bytes = 0);

// Whether the activations of a product with a recipe come quantized, or a pass before it does that.
enum class Quantization : std::uint8_t { done_before, included };

// The model of products of a recipe, with results in 16 bits. The recipe must go with the dtype.
GemmModel gemm_model(const gpu::Gpu& gpu, DType dtype, Recipe recipe, Timing timing,
                     Quantization quantization = Quantization::done_before);

// Models of one GPU by number format and recipe, built when first asked for.
class GemmModels {
 public:
  explicit GemmModels(const gpu::Gpu& gpu, Timing timing = Timing::in_step,
                      Quantization quantization = Quantization::done_before)
      : gpu_(gpu), timing_(timing), quantization_(quantization) {}
  const GemmModel& of(const GemmShape& shape);

 private:
  const gpu::Gpu& gpu_;
  Timing timing_;
  Quantization quantization_;
  std::array<std::unique_ptr<GemmModel>, dtypes.size() * recipes.size()> models_;
};

// Predicted time and where it goes. Total: any sizes from 1 to 10^12 give finite, positive times. The dtype
// of the shape must be the model's.
OpCost predict_gemm(const GemmModel& model, const GemmShape& shape);

// Its time alone.
double predict_gemm_us(const GemmModel& model, const GemmShape& shape);

// The same for a single product: builds the model first, which takes longer than the prediction.
OpCost predict_gemm(const gpu::Gpu& gpu, const GemmShape& shape, Timing timing = Timing::in_step,
                    Quantization quantization = Quantization::done_before);

// What libraries demand of the sides of a product, else they refuse it.

// For a linear layer's weight: cuBLASLt takes fp8 in rows of 16 elements (its documentation of
// cublasLtMatmul), and packed fp4 in rows of 32 along the sum, which hold the scales of whole blocks in 16
// bytes. Rules SL802 and SL804 ask the same of a model. 1: any side runs.
constexpr std::int64_t demanded_multiple(DType dtype) {
  return dtype == DType::fp8 ? 16 : dtype == DType::fp4 ? 32 : 1;
}

// The sides that are no such multiple, so that the product is refused: `n`, `k`, `n k`; empty: it runs.
constexpr std::string_view unsupported_dims(const GemmShape& shape) {
  const std::int64_t multiple = demanded_multiple(shape.dtype);
  const bool refuses_n = shape.dtype == DType::fp8 && shape.n % multiple != 0;
  const bool refuses_k = shape.k % multiple != 0;
  return refuses_n && refuses_k ? "n k" : refuses_n ? "n" : refuses_k ? "k" : "";
}

}  // namespace shapelint::cost
