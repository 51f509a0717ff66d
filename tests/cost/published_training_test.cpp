// Predicted against published MFU of training runs: published_training.toml.
// `shapelint_tests "[.training]"` prints them side by side.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <functional>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "cost/step.hpp"
#include "gpu/registry.hpp"
#include "model/derive.hpp"
#include "model/lower/lower.hpp"
#include "tests/catch.hpp"
#include "tests/formats/native/native_support.hpp"
#include "tests/golden.hpp"
#include "text/toml/toml.hpp"

using namespace shapelint;
using text::NodeRef;

namespace {

struct TrainingRun {
  std::string name;
  std::string source;
  std::string gpu;
  std::string recompute;
  double published = 0;  // model FLOPs per second as a share of the peak
  double predicted = 0;
  double roofline = 0;  // of kernels that all reach their roofline, without communication
  double error() const { return predicted / published - 1; }
};

// Everything that a run says in the names of the model's fields.
void take_fields(NodeRef node, model::Reading& reading) {
  for (const model::FieldInfo& field : model::fields()) {
    const NodeRef value = node[field.key];
    if (!value) continue;
    reading.origins[field.id].kind = model::Origin::Kind::stated;
    if (const auto text = value.as_string()) {
      const auto choice = std::find(field.choices.begin(), field.choices.end(), *text);
      REQUIRE(choice != field.choices.end());
      field.set(reading.setup, choice - field.choices.begin());
    } else if (const auto flag = value.as_boolean()) {
      field.set(reading.setup, *flag ? 1 : 0);
    } else {
      field.set(reading.setup, value.as_integer().value());
    }
  }
}

std::vector<TrainingRun> evaluated_trainings() {
  const auto document = text::parse_toml("published_training.toml",
                                         tests::read_source_file("tests/cost/published_training.toml"));
  REQUIRE(document);
  std::vector<TrainingRun> runs;
  for (const NodeRef node : document->root()["run"]) {
    const auto text = [&](std::string_view key) { return std::string(node[key].as_string().value_or("")); };
    TrainingRun run{text("name"), text("source"), text("gpu"), text("recompute"), 0, 0, 0};
    INFO(run.source << ": " << run.name);
    model::Reading reading;
    reading.setup.plan.data = 8;
    reading.origins[model::FieldId::data].kind = model::Origin::Kind::stated;
    take_fields(node, reading);
    model::complete(reading);
    const auto gpu = gpu::find_gpu(run.gpu);
    REQUIRE(gpu);
    const model::Workload workload = model::lower(reading.setup);
    const cost::StepCost step = cost::price(*gpu, workload, reading.setup.plan.dtype);
    double ideal_us = 0;
    for (std::size_t i = 0; i < workload.ops.size(); ++i) {
      if (workload.ops[i].kind != model::OpKind::collective)
        ideal_us += workload.ops[i].count * step.ops[i].ideal_us;
    }
    run.predicted = step.mfu;
    run.roofline = step.mfu * step.time_us / ideal_us;
    run.published = node["step_s"] ? step.mfu * step.time_us / (node["step_s"].as_number().value() * 1e6)
                                   : node["mfu"].as_number().value();
    runs.push_back(std::move(run));
  }
  return runs;
}

struct TrainingSummary {
  int count = 0;
  double mean_absolute = 0;
  double mean = 0;
  double roofline = 0;  // mean absolute error of rooflines
};

TrainingSummary summary(const std::vector<TrainingRun>& runs,
                        const std::function<bool(const TrainingRun&)>& wanted) {
  TrainingSummary out;
  for (const TrainingRun& run : runs) {
    if (!wanted(run)) continue;
    ++out.count;
    out.mean_absolute += std::abs(run.error());
    out.mean += run.error();
    out.roofline += std::abs(run.roofline / run.published - 1);
  }
  if (out.count > 0) {
    out.mean_absolute /= out.count;
    out.mean /= out.count;
    out.roofline /= out.count;
  }
  return out;
}

// On Hopper and Blackwell, whose libraries were young in 2023.
bool of_today(const TrainingRun& run) {
  return run.gpu != "a100" && run.source != "llm-foundry";
}

}  // namespace

TEST_CASE("published MFU of training runs: how far off predictions are", "[training]") {
  const std::vector<TrainingRun> runs = evaluated_trainings();
  REQUIRE(runs.size() > 40);
  const auto of = [&](std::string_view source, std::string_view gpu, std::string_view recompute) {
    return summary(runs, [&](const TrainingRun& run) {
      return (source.empty() || run.source == source) && run.gpu == gpu &&
             (recompute.empty() || run.recompute == recompute);
    });
  };
  // Eight A100 or H100, dense models, as their sources say that they were run.
  CHECK(of("", "a100", "").mean_absolute < 0.09);
  CHECK(of("", "h100", "").mean_absolute < 0.17);
  CHECK(summary(runs, [](const TrainingRun&) { return true; }).mean_absolute < 0.12);
  // Software of today on H100 and B200.
  CHECK(summary(runs, of_today).mean_absolute < 0.05);
  // Predictions are of kernels alone: no run is more than a little faster.
  for (const TrainingRun& run : runs) {
    INFO(run.name << " on " << run.gpu << ": published " << run.published << ", predicted " << run.predicted);
    CHECK(run.error() > -0.07);
  }
}

TEST_CASE("the documented errors of published training runs are those of today", "[training][docs]") {
  const std::vector<TrainingRun> runs = evaluated_trainings();
  struct Row {
    const char* text;
    const char* source;  // as it begins
    const char* gpu;
  };
  constexpr Row rows[] = {
      {"FlashAttention-2's own, 1.3 and 2.7 B (arXiv 2307.08691, table 1)", "flash-attention-2-paper",
       "a100"},
      {"FlashAttention-1's own, 125 M to 2.7 B", "flash-attention-readme", "a100"},
      {"MPT 125 M to 30 B (llm-foundry), FlashAttention-1", "llm-foundry", "a100"},
      {"all of these", "", "a100"},
      {"MPT 760 M to 30 B in the first year of the H100 (llm-foundry)", "llm-foundry", "h100"},
      {"Llama 8 B, bf16 and fp8, NeMo 24.09 (dgxc-benchmarking)", "dgxc-benchmarking", "h100"},
      {"Llama 7 and 8 B, fp8, NeMo 24.07", "nemo", "h100"},
      {"Llama 8 B, fp8, FSDP, Megatron Bridge 25.09 and 25.11", "megatron-bridge", "h100"},
      {"runs on current software", "today", "h100"},
      {"all of these", "", "h100"},
      {"Llama 8 B, fp8, Megatron Bridge 25.09 and 25.11", "megatron-bridge", "b200"},
  };
  std::string table =
      "| training runs | 8 x | runs | mean absolute error of MFU | mean error | of a roofline "
      "|\n|---|---|---|---|---|---|\n";
  for (const Row& row : rows) {
    const TrainingSummary s = summary(runs, [&](const TrainingRun& run) {
      return run.gpu == row.gpu &&
             (row.source == std::string_view("today") ? of_today(run) : run.source.starts_with(row.source));
    });
    REQUIRE(s.count > 0);
    table += fmt::format("| {} | {} | {} | {:.1f} % | {:+.1f} % | {:.1f} % |\n", row.text, row.gpu, s.count,
                         100 * s.mean_absolute, 100 * s.mean, 100 * s.roofline);
  }
  const std::string text = tests::read_source_file("docs/benchmarks/training.md");
  const std::size_t begin = text.find("| training runs |");
  const std::size_t end = text.find("\n\n", begin);
  REQUIRE(end != std::string::npos);
  const std::string difference = tests::compare_with_file(
      "docs/benchmarks/training.md", text.substr(0, begin) + table + text.substr(end + 1));
  CHECK(difference == "");
}

TEST_CASE("published MFU of training runs as a table", "[.training]") {
  const std::vector<TrainingRun> runs = evaluated_trainings();
  REQUIRE_FALSE(runs.empty());
  for (const TrainingRun& run : runs) {
    std::printf("%-24s %-14s %-5s %-5s %5.1f %% %5.1f %% %+6.1f %%\n", run.source.c_str(), run.name.c_str(),
                run.gpu.c_str(), run.recompute.c_str(), 100 * run.published, 100 * run.predicted,
                100 * run.error());
  }
  for (const std::string gpu : {"a100", "h100", "b200"}) {
    for (const std::string source : {"flash-attention-2-paper", "flash-attention-readme", "llm-foundry"}) {
      for (const std::string recompute : {"none", "full"}) {
        const TrainingSummary s = summary(runs, [&](const TrainingRun& run) {
          return run.gpu == gpu && run.source == source && run.recompute == recompute;
        });
        if (s.count == 0) continue;
        std::printf("%s %s recompute %s: %d runs, mean absolute error %.1f %%, mean %+.1f %%\n", gpu.c_str(),
                    source.c_str(), recompute.c_str(), s.count, 100 * s.mean_absolute, 100 * s.mean);
      }
    }
    const TrainingSummary all = summary(runs, [&](const TrainingRun& run) { return run.gpu == gpu; });
    std::printf("%s: %d runs, mean absolute error %.1f %%, mean %+.1f %%\n", gpu.c_str(), all.count,
                100 * all.mean_absolute, 100 * all.mean);
  }
}

TEST_CASE("two runs of one model are off by nearly the same", "[training][interval]") {
  // cost::anchored_spread(): what a measured step says of the others.
  const std::vector<TrainingRun> runs = evaluated_trainings();
  const auto family = [](const TrainingRun& run) {
    return fmt::format("{} {} {}", run.source, run.gpu, run.name.substr(0, run.name.find(' ')));
  };
  std::vector<double> apart;  // in logarithms
  for (std::size_t i = 0; i < runs.size(); ++i)
    for (std::size_t j = i + 1; j < runs.size(); ++j)
      if (family(runs[i]) == family(runs[j]))
        apart.push_back(std::abs(std::log((1 + runs[i].error()) / (1 + runs[j].error()))));
  std::sort(apart.begin(), apart.end());
  REQUIRE(apart.size() > 50);
  const double quantile = std::exp(apart[apart.size() * 8 / 10]);
  INFO(apart.size() << " pairs, 80 % within a factor of " << quantile);
  CHECK(quantile < 1.17);
  CHECK(quantile > 1.13);
}
