// What is to be measured so that findings can be judged: kernels before and after each proposal.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "gpu/gpu.hpp"
#include "model/op.hpp"
#include "model/reading.hpp"
#include "rules/finding.hpp"
#include "text/document.hpp"

namespace shapelint::prove {

inline constexpr std::int32_t none = -1;

// One kernel, once, however many operations run it.
struct Kernel {
  model::Op op;
  double predicted_us = 0;
};

// Two kernels that are timed in turn; the same one twice: an operation that the proposal leaves alone.
// `none`: there is no such operation on that side.
struct Pair {
  std::int32_t before = none;
  std::int32_t after = none;
  double weight_us = 0;  // predicted time that it changes; of what does not change, a little of its time
};

// An operation of the step before and after the proposal.
struct Item {
  std::string op;
  std::string_view pass;
  std::int32_t pair = none;  // `none`: it stays as predicted, because of `left_out`
  std::string_view left_out{};
  double before_count = 0;  // runs per step; 0: it is not there
  double after_count = 0;
  double before_us = 0;  // predicted, of one run
  double after_us = 0;
};

// A kernel, and how often it runs.
struct Run {
  std::int32_t kernel = none;
  std::int64_t runs = 1;
};

// What can be measured of a step, in its order: `layers` times `layer`, then `rest`.
struct StepItems {
  std::int64_t layers = 1;
  std::vector<Run> layer;
  std::vector<Run> rest;
};

// A finding with its best proposal.
struct Case {
  std::string code;
  std::string rule;
  std::vector<rules::Change> changes;
  double gain = 0;  // predicted, on this GPU
  double gain_error = 0;
  // gain = 1 - factor x (time of the step after / before): tokens, ranks and work of both.
  double factor = 1;
  double before_us = 0;  // predicted, of the step
  double after_us = 0;
  double before_bubble = 0;  // share of busy time
  double after_bubble = 0;
  std::vector<Item> items;
  StepItems before;
  StepItems after;
};

// The values that make the model and its run what they are: all that differ from a setup of which nothing is
// known, so that fields that a later version knows change nothing.
using Sizes = std::map<std::string, std::string>;
Sizes sizes_of(const model::Setup& setup);
// 16 hexadecimal digits that change with any of them.
std::string checksum_of(const Sizes& sizes);
// The first value that is another than in the file now: "num_layers was 4 and is 5"; empty: none is. What was
// not written down then (by a version that did not know it) is another only where the file states it.
std::string difference(const Sizes& then, const model::Reading& reading);
// Whether all of `then` is as in `now`, which may have more.
bool is_part_of(const Sizes& then, const Sizes& now);

struct MeasurementPlan {
  std::string file;
  std::string model;
  Sizes sizes;
  double budget_s = 120;
  gpu::Gpu gpu;
  std::vector<Kernel> kernels;
  std::vector<Pair> pairs;
  std::vector<Case> cases;
};

// Cases are the findings that gain something on this GPU and have a proposal. The budget and names are the
// caller's to fill in.
MeasurementPlan plan_of(const model::Reading& reading, const gpu::Gpu& gpu,
                        std::span<const rules::Finding> findings);

// Kernels as the script has them: from an operation of the model to JSON, and back.

// Kernels with the same key take the same time.
std::string key_of(const model::Op& op);

// Whether it is a grouped GEMM of an MoE layer.
bool is_grouped(const model::Op& op);

// The operation of a kernel in JSON; nothing if it is invalid.
std::optional<model::Op> op_of(text::NodeRef kernel);

// A string of the script's; empty if it is not a string.
std::string text_of(text::NodeRef node);

// A row of product_columns; nothing for anything but a GEMM that was timed as it is predicted.
std::optional<std::string> product_row(text::NodeRef kernel, double time_us);

}  // namespace shapelint::prove
