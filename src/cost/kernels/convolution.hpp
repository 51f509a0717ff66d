// A matrix product, or the convolution that it stands for, by the fastest algorithm that libraries have.
#pragma once

#include <cstdint>

#include "cost/kernels/gemm.hpp"
#include "cost/op_cost.hpp"
#include "gpu/gpu.hpp"
#include "model/op.hpp"

namespace shapelint::cost {

// implicit_gemm is every other product's too. Winograd's minimal filtering (Lavin & Gray 2015, arXiv
// 1509.09308, section 4) does a 3 x 3 kernel of stride 1 with 16 multiplications for 4 outputs, F(2x2,3x3),
// or with 36 for 16, F(4x4,3x3), where 36 and 144 are counted.
enum class Algorithm : std::uint8_t { implicit_gemm, winograd_2x2, winograd_4x4 };

struct ProductCost {
  OpCost cost;
  Algorithm algorithm = Algorithm::implicit_gemm;
  GemmShape shape;             // of the product that runs
  double transform_bytes = 0;  // that its further kernels move
};

// The model must be the GPU's for the op's dtype. Winograd is tried in fp32 on CUDA cores alone: cuDNN has it
// there (cuDNN API reference, cudnnConvolutionFwdAlgo_t: WINOGRAD, WINOGRAD_NONFUSED, and the like for both
// gradients), and tensor cores multiply faster than its transformations add.
ProductCost predict_product(const gpu::Gpu& gpu, const GemmModel& model, const model::Op& op);

}  // namespace shapelint::cost
