// `shapelint plan`: how many GPUs, which layout, which batch, and what it costs.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <shapelint/shapelint.hpp>

#include "base/dtype.hpp"
#include "base/error.hpp"
#include "chart/plan.hpp"
#include "cli/io.hpp"
#include "cli/option.hpp"
#include "cli/project_options.hpp"
#include "report/style.hpp"
#include "text/files.hpp"

namespace shapelint::cli {

struct PlanOptions {
  ProjectOptions project;
  std::string file;
  std::string model;
  api::PlanOptions asked;           // except for its file and GPUs
  std::string measured;             // step=20.3s, or the path of a measurement
  std::string plot;                 // the path of a picture
  std::string page;                 // and of a page
  std::vector<std::string> prices;  // h100=2.5
  std::int64_t top = 5;
  std::size_t format = 0;
  bool apply = false;
  bool diff = false;
  std::string output;
};

std::vector<Option> plan_options(PlanOptions& options);
ExitCode plan_run(const PlanOptions& options, Io& io);

// Microseconds of `step=20.3s`, or of the step that `profile --format json` or a script of `prove` measured.
Result<double> measured_step_us(const std::string& text, const text::FileSystem& files);

// `TP 8, PP 2, DP 4`.
std::string degree_words(const api::Parallel& run);
std::string recompute_words(const api::TrainingPlan& plan);
// What `--formats` and `--over` tried: `fp8:tensor, optimizer_bits 8`.
std::string over_words(const api::TrainingPlan& plan);
// The same with chunks and schedule: `TP 8, PP 2, DP 4, VPP 2, ZB-H1`.
std::string pipeline_words(const api::TrainingPlan& plan);

// `, TTFT at most 500 ms, 10 requests/s`; empty without bounds.
std::string bounds_words(const api::PlanOptions& asked);

// The Pareto front of serving; memory by part and the pipeline's timeline of training, on the GPU of that
// name.
chart::PlanFigure plan_figure(const api::PlanResult& result, const api::PlanOptions& asked,
                              const std::string& model, std::string_view gpu);

// For people, without the heading.
std::string plan_text(const api::PlanResult& result, const report::Style& style);

}  // namespace shapelint::cli
