// What `shapelint roofline` found, as text and for programs.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "cost/roofline.hpp"
#include "cost/waterfall.hpp"
#include "gpu/gpu.hpp"
#include "model/op.hpp"
#include "model/spec.hpp"
#include "report/style.hpp"
#include "suggest/serving/capacity.hpp"
#include "suggest/serving/curve.hpp"
#include "suggest/serving/remedies.hpp"
#include "suggest/serving/serving.hpp"

namespace shapelint::report {

// What the packages of a stack make of a model: what is run is not what is written.
struct StackEffect {
  struct Unmet {
    std::string contract;  // id
    std::string outcome;   // `falls-back`
    std::string words;     // "falls back to Triton"
    std::string summary;   // the demand
    std::string formula;
    std::string numbers;  // `1536 / 8 = 192`
  };
  std::string packages;         // "vllm 0.24"
  model::Workload workload;     // of the sizes as they are written
  cost::StepCost step;          // of these
  double padding_us = 0;        // of the step as it is run: zeros
  double other_kernels_us = 0;  // and kernels that run instead or take longer
  std::vector<Unmet> unmet;
};

// One model on one GPU.
struct RooflineCase {
  std::string path;
  std::string model;
  gpu::Gpu gpu;
  model::Setup setup;
  model::Workload workload;
  cost::Roofline line;                      // its points are the workload's ops
  std::optional<suggest::Serving> serving;  // of a prefill or a decode
  std::optional<suggest::Generation> generation;
  std::optional<suggest::Capacity> capacity;  // of an engine that serves
  suggest::Launches launches;
  std::vector<suggest::Remedy> remedies;
  double memory_bytes = 0;  // that the plan needs
  // With a stack; `setup`, `workload` and `line` are what it runs.
  std::optional<StackEffect> stack;
  std::vector<std::string> notes;
};

// The same over one field.
struct RooflineCurve {
  std::string path;
  std::string model;
  std::string gpu_id;
  std::string gpu_name;
  std::string field;
  std::int64_t own = 0;  // the file's value; 0: not stated
  model::Mode mode = model::Mode::train;
  bool network = false;  // a convolutional one: its tokens are images
  suggest::Curve curve;
};

struct RooflineReport {
  std::vector<RooflineCase> cases;  // by file, then by GPU
  std::vector<RooflineCurve> curves;
  std::vector<RooflineCurve> sweeps;  // that the page's reader may choose among
};

// Where the step's time goes. With a stack the losses of the sizes as they are written, and what it adds.
cost::Waterfall losses_of(const RooflineCase& of);

// For people, within 100 columns. `top`: rows of the table of ops, the rest in one line; nothing: 15 for one
// case, none for several.
std::string roofline_text(const RooflineReport& report, std::optional<std::int64_t> top, const Style& style);
// One JSON object, indented; docs/schema/shapelint-roofline.schema.json describes it.
std::string roofline_json(const RooflineReport& report);
// The same of curves for the page: an array of columns, on one line.
std::string sweeps_json(const std::vector<RooflineCurve>& curves);
// One row per op and case; of curves one row per value.
std::string roofline_csv(const RooflineReport& report);

// "decode, 8 sequences with 4,096 tokens in the cache, bf16".
std::string plan_text(const model::Setup& setup);
// `train`, `prefill`, `decode`.
std::string_view mode_name(model::Mode mode);
// `fwd`, `re` (recomputed), `dx`, `dw`, `bwd`, `upd`.
std::string_view short_name(model::Pass pass);

}  // namespace shapelint::report
