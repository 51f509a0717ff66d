// A model and its step as a whole, from sizes of parts that are known: for sweeps over many similar setups.
#pragma once

#include <array>
#include <cstdint>

#include "model/lower/lower.hpp"

namespace shapelint::model {

using PartSizes = std::array<PartSize, part_count>;  // by StepPart; of what a model has none of, anything

// What the functions of the same names say without sizes, to the last bit. No CNNs.
std::int64_t parameter_count(const ModelSpec& model, const PartSizes& sizes);
std::int64_t expert_parameter_count(const ModelSpec& model, const PartSizes& sizes);
std::int64_t whole_parameter_count(const ModelSpec& model, const PartSizes& sizes);
void set_totals(const Setup& setup, const PartSizes& sizes, Workload& workload);

// Where the parameters of a rank are known.
double served_weight_bytes(const Setup& setup, RankParameters held);

namespace detail {
// With the multiply-adds per token of each part of one layer, and of the ends.
using PartProducts = std::array<double, part_count>;
double forward_flops_per_token(const Setup& setup, const PartProducts& products);
}  // namespace detail

}  // namespace shapelint::model
