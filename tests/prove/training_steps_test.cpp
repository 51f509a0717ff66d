// What training steps of transformers' models took on one H100, and what PyTorch's allocator held
// (measured/tables/h100-sxm5-2026-11-26.json, PyTorch 2.11, transformers 5.17), beside predictions. What
// modules read and write was counted with the first 13 models at hand, and what the host takes for a kernel
// fitted to them; the other models were measured afterwards.
#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "base/units.hpp"
#include "cost/stages.hpp"
#include "cost/step_interval.hpp"
#include "gpu/registry.hpp"
#include "model/lower/lower.hpp"
#include "model/memory/training.hpp"
#include "tests/catch.hpp"
#include "tests/formats/native/native_support.hpp"
#include "tests/rules/rules_support.hpp"
#include "text/json/json.hpp"

using namespace shapelint;
using text::NodeRef;

namespace {

const text::Document& tables() {
  static const text::Document document = [] {
    const std::string path = "measured/tables/h100-sxm5-2026-11-26.json";
    auto read = text::parse_json(path, tests::read_source_file(path));
    REQUIRE(read);
    return *std::move(read);
  }();
  return document;
}

struct MeasuredStep {
  std::string model;
  std::string weights;    // `half`: bf16 alone; `single`: fp32 under autocast
  std::string optimizer;  // `fused`, `foreach`
  std::string attention;
  std::string experts;
  bool compiled = false;
  bool adapts = false;
  bool is_later = false;  // of models that came when nothing was changed any more
  std::int64_t length = 0;
  double ms = 0;
  double peak_gib = 0;
  model::Setup setup;
};

// Those whose model shapelint reads as one file.
std::vector<MeasuredStep> measured_steps() {
  const NodeRef table = tables().root()["training"];
  std::map<std::string, std::size_t> columns;
  std::size_t column = 0;
  for (const NodeRef each : table["columns"]) columns[std::string(each.as_string().value())] = column++;
  const std::set<std::string> first{"llama-3.2-1b", "llama-3.2-3b", "llama-3.1-8b", "smollm2-360m",
                                    "smollm2-135m", "qwen3-0.6b",   "qwen3-1.7b",   "pythia-1b",
                                    "gpt2-medium",  "gemma-3-1b",   "qwen3-moe",    "vit-large",
                                    "bert-large"};
  std::vector<MeasuredStep> out;
  for (const NodeRef row : table["rows"]) {
    const auto word = [&](const char* name) {
      return std::string(row[columns.at(name)].as_string().value());
    };
    const auto number = [&](const char* name) { return row[columns.at(name)].as_number().value(); };
    MeasuredStep step;
    step.model = word("model");
    const NodeRef model = table["models"][step.model];
    if (!model.as_string()) continue;
    step.is_later = first.count(step.model) == 0;
    step.weights = word("weights");
    step.optimizer = word("optimizer");
    step.attention = word("attention");
    step.experts = word("experts");
    step.compiled = number("compiled") != 0;
    step.adapts = number("adapter_rank") != 0;
    step.length = static_cast<std::int64_t>(number("length"));
    step.ms = number("ms");
    step.peak_gib = number("peak_gib");
    // `num_layers` comes first, as tables of [model] may follow.
    std::string text = fmt::format(
        "[model]\nnum_layers = {}\n{}\n[run]\nmode = \"train\"\nmicro_batch_size = {}\nsequence_length = {}\n"
        "attention = \"{}\"\ngradient_storage = \"freed\"\n{}\n",
        number("layers"), model.as_string().value(), number("sequences"), step.length,
        step.attention == "sdpa" ? "cudnn" : "unfused", step.compiled ? "compiled = true" : "eager = true");
    if (step.adapts)
      text += fmt::format("adapter_rank = {}\nadapted = \"{}\"\n", number("adapter_rank"), word("adapted"));
    else
      text += fmt::format("weight_precision = \"{}\"\n", step.weights);
    if (number("checkpointing") != 0) text += "recompute = \"full\"\n";
    if (step.model == "gpt2-medium" || step.model == "bert-large") text += "dropout = true\n";
    step.setup = tests::read(text).setup;
    out.push_back(std::move(step));
  }
  return out;
}

struct StepErrors {
  std::vector<double> ratios;  // predicted / measured
  double mean() const {
    double sum = 0;
    for (const double each : ratios) sum += std::abs(each - 1);
    return sum / static_cast<double>(ratios.size());
  }
  double bias() const {
    double sum = 0;
    for (const double each : ratios) sum += std::log(each);
    return std::exp(sum / static_cast<double>(ratios.size()));
  }
};

// What is not priced as it runs: GPT-2's activation, of eight kernels (transformers' NewGELUActivation);
// experts in a loop, or in fp32, which autocast leaves them (_grouped_mm); windows, which PyTorch's attention
// computes by a mask; AdamW's foreach kernels.
bool is_priced(const MeasuredStep& step) {
  const bool is_mixture = step.model == "qwen3-moe";
  return step.model != "gpt2-medium" && step.experts.empty() && !(is_mixture && step.weights == "single") &&
         step.optimizer == "fused";
}

}  // namespace

TEST_CASE("an H100's training steps of transformers' models: time, by what sets it", "[prove]") {
  const gpu::Gpu h100 = *gpu::find_gpu("h100");
  std::map<std::string, StepErrors> errors;
  std::size_t held = 0;
  std::size_t all = 0;
  for (const MeasuredStep& step : measured_steps()) {
    if (!is_priced(step)) continue;
    const cost::StepCost priced = cost::price_step(h100, step.setup);
    const std::string kind = step.is_later              ? "later"
                             : step.compiled            ? "compiled"
                             : priced.host_wait_us > 0  ? "host"
                             : step.adapts              ? "adapters"
                             : step.weights == "single" ? "autocast"
                                                        : "bf16";
    errors[kind].ratios.push_back(priced.time_us / 1e3 / step.ms);
    const cost::StepInterval interval = cost::step_interval(h100, step.setup, priced.time_us);
    ++all;
    if (interval.low_us <= 1e3 * step.ms && 1e3 * step.ms <= interval.high_us) ++held;
  }
  // Before eager steps had casts, gradients of biases, norms of queries and keys and their host: 0.28 of all,
  // and 0.21 of the later ones.
  const std::map<std::string, double> most{{"bf16", 0.08},     {"autocast", 0.1}, {"adapters", 0.1},
                                           {"compiled", 0.12}, {"host", 0.3},     {"later", 0.08}};
  for (const auto& [kind, of] : errors) {
    INFO(kind << ": " << of.ratios.size() << " steps, error " << of.mean() << ", bias " << of.bias());
    CHECK(of.mean() < most.at(kind));
  }
  INFO(held << " of " << all << " within their intervals");
  CHECK(static_cast<double>(held) >= 0.7 * static_cast<double>(all));
}

TEST_CASE("an H100's training steps of transformers' models: peaks of memory", "[prove]") {
  std::map<std::string, StepErrors> errors;
  for (const MeasuredStep& step : measured_steps()) {
    // GPT-2's activation keeps what each of its kernels needs.
    if (step.model == "gpt2-medium") continue;
    const auto memory = model::training_memory(step.setup, 1, model::parameters_per_rank(step.setup));
    const double gib =
        (memory.weights + memory.gradients + memory.optimizer + memory.activations) / bytes_per_gib;
    const bool recomputes = step.setup.plan.recompute == model::Recompute::full;
    const std::string kind = step.is_later               ? "later"
                             : step.compiled             ? "compiled"
                             : step.adapts               ? "adapters"
                             : recomputes                ? "recomputed"
                             : step.attention == "eager" ? "unfused"
                                                         : step.weights;
    errors[kind].ratios.push_back(gib / step.peak_gib);
  }
  REQUIRE(errors.size() == 7);
  for (const auto& [kind, of] : errors) {
    INFO(kind << ": " << of.ratios.size() << " steps, error " << of.mean() << ", bias " << of.bias());
    CHECK(of.mean() < 0.05);
  }
}
