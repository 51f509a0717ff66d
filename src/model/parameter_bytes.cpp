// Bytes of a parameter.
#include "model/parameter_bytes.hpp"

#include <algorithm>

#include "base/dtype.hpp"

namespace shapelint::model {

namespace {

// Of states in few bits.
constexpr double block_elements = 256;

double bytes_or(std::int64_t bits, double otherwise) {
  return bits > 0 ? static_cast<double>(bits) / bits_per_byte : otherwise;
}

double scale_bytes(const Plan& plan) {
  const auto bits = static_cast<double>(plan.optimizer_bits);
  return bits > 0 && bits <= bits_per_byte ? fp32_bytes / block_elements : 0;
}

}  // namespace

double number_of_states(Optimizer optimizer) {
  switch (optimizer) {
    case Optimizer::sgd:
    case Optimizer::adafactor:  // a row and a column of each matrix
      return 0;
    case Optimizer::momentum:
    case Optimizer::lion:
      return 1;
    case Optimizer::adam:
    case Optimizer::muon:
    case Optimizer::shampoo:
    case Optimizer::low_rank:
      break;
  }
  return 2;
}

ParameterBytes parameter_bytes(const Plan& plan) {
  const bool is_wide = bytes_of(plan.dtype) >= fp32_bytes;
  const WeightPrecision kept = is_wide ? WeightPrecision::fp32 : plan.weight_precision;
  ParameterBytes out;
  out.weight = kept == WeightPrecision::fp32 ? fp32_bytes : half_bytes;
  out.master = kept == WeightPrecision::mixed ? bytes_or(plan.master_bits, fp32_bytes) : 0;
  out.gradient = bytes_or(plan.gradient_bits, out.weight);
  const double state = bytes_or(plan.optimizer_bits, kept == WeightPrecision::half ? half_bytes : fp32_bytes);
  out.states = number_of_states(plan.optimizer) * (state + scale_bytes(plan));
  return out;
}

double wide_bytes(const Plan& plan) {
  return std::max(half_bytes, bytes_of(plan.dtype));
}

double stream_bytes(const Plan& plan) {
  const bool is_whole = plan.weight_precision == WeightPrecision::fp32 && plan.zero < 3 && !plan.adapters;
  return is_whole ? fp32_bytes : wide_bytes(plan);
}

}  // namespace shapelint::model
