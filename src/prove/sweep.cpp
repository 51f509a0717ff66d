// Results of sweeps: read, priced, and looked at for what cannot be.
#include "prove/sweep.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <set>

#include <fmt/format.h>

#include "base/counted.hpp"
#include "base/number.hpp"
#include "cost/step.hpp"
#include "gpu/registry.hpp"
#include "model/arithmetic.hpp"
#include "prove/plan.hpp"
#include "prove/result.hpp"
#include "text/json/json.hpp"

namespace shapelint::prove {

namespace {

using text::NodeRef;

constexpr std::size_t min_rows = 20;
// No GEMM is faster than the tensor cores, and nothing in DRAM than its bandwidth, at the clocks of the
// data sheet and what they are exceeded by.
constexpr double most_of_peak = 1.05;
// Half of a sweep's kernels: predictions err by less on every GPU that was measured.
constexpr double min_median_ratio = 0.5;
constexpr double max_median_ratio = 2.5;
constexpr double widest_interval = 0.05;
constexpr std::size_t max_examples = 3;
// Elements of 16 bits in 16 bytes (PyTorch's create_grouped_gemm_output_tensor).
constexpr std::int64_t grouped_row = 8;

bool is_date(std::string_view text) {
  if (text.size() != 10 || text[4] != '-' || text[7] != '-') return false;
  return std::all_of(text.begin(), text.end(), [](char c) { return c == '-' || (c >= '0' && c <= '9'); });
}

struct Row {
  double measured_us = 0;
  double predicted_us = 0;
  double half_width = 0;
};

class SweptReader {
 public:
  SweptReader(NodeRef root, std::span<const text::Document> own) : root_(root), own_(own) {}

  Result<SweepResult> read() {
    const NodeRef plan = root_["plan"];
    if (!root_["rows"].is(text::Kind::list) || !plan["sweeps"].is(text::Kind::list))
      return root_.error("not a result of a `shapelint prove --sweeps` script");
    if (root_["version"].as_integer() != result_version || plan["version"].as_integer() != result_version)
      return root_.error(fmt::format("only version {} of a result is understood", result_version));
    out_.gpu = text_of(plan["gpu"]["id"]);
    auto gpu = gpu::find_gpu(out_.gpu, own_);
    if (!gpu) return plan["gpu"]["id"].error(gpu.error().message, gpu.error().hint);
    gpu_ = *std::move(gpu);
    out_.device = text_of(root_["device"]["name"]);
    out_.date = text_of(root_["date"]);
    for (const NodeRef each : root_["software"]) out_.software.emplace(each.key(), text_of(each));
    for (const NodeRef row : root_["rows"]) {
      if (auto error = read_row(row)) return *std::move(error);
    }
    out_.planned =
        static_cast<std::size_t>(std::max<std::int64_t>(0, root_["planned"].as_integer().value_or(0)));
    summarize();
    doubt();
    return std::move(out_);
  }

 private:
  std::optional<Error> read_row(NodeRef node) {
    if (node["skipped"]) {
      count_left_out(out_.left_out, text_of(node["skipped"]));
      return std::nullopt;
    }
    const std::string sweep = text_of(node["sweep"]);
    if (std::find(sweep_names.begin(), sweep_names.end(), sweep) == sweep_names.end())
      return node["sweep"].error(fmt::format("`{}` is not a sweep", sweep),
                                 fmt::format("{}", fmt::join(sweep_names, ", ")));
    const auto us = node["us"].as_number();
    const auto half_width = node["half_width"].as_number();
    if (!us || !(*us > 0) || *us > 1e12) return node.error("a measured kernel needs a time above 0");
    if (half_width && *half_width < 0) return node.error("a half width is not negative");
    Row row{*us, 0, half_width.value_or(1)};
    if (auto error = price(node["kernel"], 1, row)) return error;
    if (auto line = product_row(node["kernel"], *us)) {
      if (out_.products.empty()) out_.products = fmt::format("{}\n", product_columns);
      out_.products += *line + '\n';
    }
    rows_[sweep].push_back(row);
    ++out_.measured;
    return std::nullopt;
  }

  // Adds what the kernel is predicted to take, and notes what is faster than the GPU.
  std::optional<Error> price(NodeRef kernel, double runs, Row& row) {
    if (kernel["kind"].as_string() == "sequence") {
      for (const NodeRef run : kernel["runs"]) {
        if (run[0]["kind"].as_string() == "sequence") return run.error("a sequence is made of kernels");
        Row part;
        part.measured_us = row.measured_us;  // none of its kernels takes longer than all
        if (auto error = price(run[0], run[1].as_number().value_or(1), part)) return error;
        row.predicted_us += part.predicted_us;
      }
      return std::nullopt;
    }
    auto op = op_of(kernel);
    if (!op) return kernel.error("the kernel cannot be predicted");
    if (op->kind == model::OpKind::gemm && !gpu::can_multiply(gpu_, op->dtype))
      return kernel.error(fmt::format("{} cannot multiply {}", gpu_.name, name(op->dtype)));
    // What the script runs: flash-attn where it is installed, else what PyTorch has.
    if (out_.software.count("flash_attn") == 0) op->attention.library = model::AttentionLibrary::cudnn;
    // PyTorch's grouped GEMMs pad the rows of their output, and reject operands that would need padding.
    if (kernel["grouped"].as_boolean().value_or(false) && op->layout == model::Layout::tn)
      op->n.value = model::ceil_to(op->n.value, grouped_row);
    const cost::OpCost cost = cost::price(gpu_, *op);
    row.predicted_us += runs * cost.time_us;
    const double min_us = runs * fastest_us(*op) / most_of_peak;
    if (row.measured_us < min_us) {
      ++too_fast_;
      if (examples_.size() < max_examples)
        examples_.push_back(fmt::format("{}: {:.4g} us, where {} needs {:.4g}", key_of(*op), row.measured_us,
                                        gpu_.name, min_us));
    }
    return std::nullopt;
  }

  double fastest_us(const model::Op& op) const {
    if (op.kind == model::OpKind::gemm) {
      const double flops = 2.0 * static_cast<double>(op.batch.value) * static_cast<double>(op.m.value) *
                           static_cast<double>(op.n.value) * static_cast<double>(op.k.value);
      return flops / (gpu::peak_tflops(gpu_, op.dtype) * 1e6);
    }
    // Small passes may stay in L2.
    const bool is_large = op.bytes > 4 * gpu_.l2_size_mib * 1048576;
    return op.kind == model::OpKind::elementwise && is_large ? op.bytes / (gpu_.dram_bandwidth_gb_s * 1e3)
                                                             : 0;
  }

  void summarize() {
    for (const auto& [name, rows] : rows_) {
      SweepSummary sum;
      sum.name = name;
      sum.rows = rows.size();
      std::vector<double> ratios;
      std::vector<double> widths;
      for (const Row& row : rows) {
        sum.error += std::abs(row.predicted_us / row.measured_us - 1) / static_cast<double>(rows.size());
        ratios.push_back(row.measured_us / row.predicted_us);
        widths.push_back(row.half_width);
      }
      sum.median_ratio = median(std::move(ratios));
      sum.half_width = median(std::move(widths));
      out_.sweeps.push_back(std::move(sum));
    }
  }

  void doubt() {
    const NodeRef device = root_["device"];
    std::vector<std::string>& doubts = out_.doubts;
    if (device["kind"].as_string() != "cuda" || !device["expected"].as_boolean().value_or(false))
      doubts.push_back(fmt::format("it was measured on {}, and the plan is for {}", out_.device, gpu_.name));
    if (!is_date(out_.date)) doubts.push_back("it has no date");
    if (!out_.software.contains("torch")) doubts.emplace_back("it does not name the PyTorch version");
    for (const NodeRef reason : device["throttled"])
      doubts.push_back(
          fmt::format("the GPU was throttled ({}): measure again when it is cool", text_of(reason)));
    if (device["clocks_locked_mhz"].as_string())
      doubts.push_back(fmt::format("clocks were held at {} MHz: times are not those of a run",
                                   text_of(device["clocks_locked_mhz"])));
    if (out_.measured < min_rows)
      doubts.push_back(fmt::format("{} too few: at least {} are needed",
                                   counted(out_.measured, "kernel is|kernels are"), min_rows));
    if (too_fast_ > 0)
      doubts.push_back(fmt::format("{} faster than the GPU ({})", counted(too_fast_, "kernel is|kernels are"),
                                   fmt::join(examples_, "; ")));
    for (const SweepSummary& sweep : out_.sweeps) {
      if (sweep.median_ratio < min_median_ratio || sweep.median_ratio > max_median_ratio)
        doubts.push_back(
            fmt::format("{}: half of its kernels take {:.2f} times the prediction or {}: another GPU, or "
                        "one that others used",
                        sweep.name, sweep.median_ratio, sweep.median_ratio < 1 ? "less" : "more"));
      if (sweep.half_width > widest_interval)
        doubts.push_back(
            fmt::format("{}: half of its times are known to {:.0f} % or worse: the machine was "
                        "not idle",
                        sweep.name, 100 * sweep.half_width));
    }
  }

  NodeRef root_;
  std::span<const text::Document> own_;
  gpu::Gpu gpu_;
  SweepResult out_;
  std::map<std::string, std::vector<Row>> rows_;
  std::size_t too_fast_ = 0;
  std::vector<std::string> examples_;
};

}  // namespace

bool is_swept(std::string_view content) {
  // The script writes this key, and that of a plan of findings has none.
  return content.find("\"planned\":") != std::string_view::npos;
}

Result<SweepResult> read_swept(std::string path, std::string content, std::span<const text::Document> own) {
  const auto document = text::parse_json(std::move(path), std::move(content));
  if (!document) return document.error();
  return SweptReader(document->root(), own).read();
}

}  // namespace shapelint::prove
