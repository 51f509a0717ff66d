// What elementwise operations keep.
#include "model/memory/elementwise.hpp"

#include <algorithm>

#include "base/dtype.hpp"
#include "model/lower/lower.hpp"
#include "model/lower/whole.hpp"
#include "model/parameter_bytes.hpp"

namespace shapelint::model {

double wide_bytes(const Plan& plan) {
  return std::max(half_bytes, bytes_of(plan.dtype));
}

double stream_bytes(const Plan& plan) {
  const bool is_whole = plan.weight_precision == WeightPrecision::fp32 && plan.zero < 3 && !plan.adapters;
  return is_whole ? fp32_bytes : wide_bytes(plan);
}

ElementwiseBytes elementwise_bytes(const ModelSpec& model, const Plan& plan) {
  const double wide = wide_bytes(plan);
  const double layers = static_cast<double>(std::max<std::int64_t>(1, model.num_layers));
  const auto mlps = static_cast<double>(num_mlps(model));
  const auto mixtures = static_cast<double>(num_moe_layers(model));
  const double norms =
      static_cast<double>(num_attention_layers(model) + num_mixer_layers(model)) + mlps + mixtures;
  ElementwiseBytes out;
  const bool copies = plan.eager && model.norm == Norm::rmsnorm;
  const double beside = copies ? fp32_bytes : stream_bytes(plan) - wide;
  out.whole = beside * norms / layers * static_cast<double>(model.hidden_size);
  if (plan.eager && model.mlp_gated) {
    const Moe& moe = model.moe;
    const double experts =
        static_cast<double>(moe.experts_per_token) * static_cast<double>(moe.intermediate_size) +
        static_cast<double>(moe.shared_intermediate_size);
    out.split = wide * (mlps * static_cast<double>(model.intermediate_size) + mixtures * experts) / layers;
  }
  return out;
}

}  // namespace shapelint::model
