// Predicted against published throughput of convolutional networks: published_cnn.toml.
// `shapelint_tests "[.cnn]"` prints them side by side.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "base/units.hpp"
#include "cost/step.hpp"
#include "gpu/registry.hpp"
#include "model/fields.hpp"
#include "model/lower/lower.hpp"
#include "tests/catch.hpp"
#include "tests/formats/native/native_support.hpp"
#include "tests/golden.hpp"
#include "tests/model/workload_support.hpp"
#include "text/toml/toml.hpp"

using namespace shapelint;
using text::NodeRef;

namespace {

struct NetworkRun {
  std::string source;
  std::string model;
  std::string gpu;
  std::string dtype;
  std::string mode;
  std::string fusion;
  std::int64_t batch = 0;
  bool channels_last = true;
  double published = 0;  // images/s
  double predicted = 0;
  double error() const { return predicted / published - 1; }
};

void set(model::Setup& setup, std::string_view name, std::string_view value) {
  const model::FieldId id = model::find_field(name);
  REQUIRE(id != model::no_field);
  const model::FieldInfo& field = model::info(id);
  const auto choice = std::find(field.choices.begin(), field.choices.end(), value);
  REQUIRE(choice != field.choices.end());
  field.set(setup, choice - field.choices.begin());
}

double predict(const NetworkRun& run) {
  model::Setup setup = tests::example(run.model);
  const bool gradients = run.mode == "gradients";
  set(setup, "mode", gradients ? "train" : run.mode);
  set(setup, "dtype", run.dtype);
  set(setup, "fusion", run.fusion);
  setup.plan.micro_batch_size = run.batch;
  setup.plan.channels_last = run.channels_last;
  const auto gpu = gpu::find_gpu(run.gpu);
  REQUIRE(gpu);
  model::Workload workload = model::lower(setup);
  if (gradients)
    std::erase_if(workload.ops, [](const model::Op& op) { return op.pass == model::Pass::update; });
  const cost::StepCost step = cost::price(*gpu, workload, setup.plan.dtype);
  return static_cast<double>(run.batch) / step.time_us * us_per_s;
}

std::vector<NetworkRun> evaluated_networks() {
  const auto document =
      text::parse_toml("published_cnn.toml", tests::read_source_file("tests/cost/published_cnn.toml"));
  REQUIRE(document);
  std::vector<NetworkRun> runs;
  for (const NodeRef node : document->root()["run"]) {
    const auto text = [&](std::string_view key) { return std::string(node[key].as_string().value()); };
    NetworkRun run{text("source"), text("model"), text("gpu"), text("dtype"), text("mode"), text("fusion")};
    run.batch = node["batch"].as_integer().value();
    run.channels_last = node["channels_last"].as_boolean().value_or(true);
    run.published = node["images_per_s"].as_number().value();
    run.predicted = predict(run);
    runs.push_back(std::move(run));
  }
  return runs;
}

struct NetworkSummary {
  int count = 0;
  double mean_absolute = 0;
  double mean = 0;
};

NetworkSummary summary(const std::vector<NetworkRun>& runs,
                       const std::function<bool(const NetworkRun&)>& wanted) {
  NetworkSummary out;
  for (const NetworkRun& run : runs) {
    if (!wanted(run)) continue;
    ++out.count;
    out.mean_absolute += std::abs(run.error());
    out.mean += run.error();
  }
  if (out.count > 0) {
    out.mean_absolute /= out.count;
    out.mean /= out.count;
  }
  return out;
}

// What the groups have in common is the GPU, what ran there, and how the images came in.
struct Group {
  std::string title;
  std::function<bool(const NetworkRun&)> wanted;
  double bound;  // of its mean absolute error: what it is, not what it should be
};

bool starts(const std::string& text, std::string_view with) {
  return std::string_view(text).substr(0, with.size()) == with;
}

const std::vector<Group>& groups() {
  const auto ampere = [](const NetworkRun& run) { return starts(run.gpu, "a100"); };
  const auto forward = [](const NetworkRun& run) { return run.mode == "prefill"; };
  static const std::vector<Group> all{
      {"ResNet-50 forward, fp16, V100 and T4",
       [=](const NetworkRun& run) {
         return !ampere(run) && forward(run) && run.model == "resnet-50" && run.dtype == "fp16";
       },
       0.18},
      {"ResNet-50 forward, fp32, V100 and T4",
       [=](const NetworkRun& run) { return forward(run) && run.model == "resnet-50" && run.dtype == "fp32"; },
       0.05},
      {"ResNet-50 training, fp16, V100",
       [=](const NetworkRun& run) { return !ampere(run) && run.mode == "train" && run.dtype == "fp16"; },
       0.23},
      {"ResNet-50 training, fp32, V100, P100, GTX 1080 Ti, RTX 2080 Ti",
       [=](const NetworkRun& run) {
         return run.mode == "train" && run.model == "resnet-50" && run.dtype == "fp32";
       },
       0.20},
      {"Inception-V3 training, fp32, V100, P100, GTX 1080 Ti, RTX 2080 Ti",
       [=](const NetworkRun& run) { return run.model == "inception-v3"; }, 0.29},
      {"VGG-16 forward, V100, GTX 1080 Ti, RTX 2080 Ti",
       [=](const NetworkRun& run) { return forward(run) && run.model == "vgg-16"; }, 0.18},
      {"VGG-16 training or gradients, fp32, the same and P100",
       [=](const NetworkRun& run) { return !forward(run) && run.model == "vgg-16" && run.dtype == "fp32"; },
       0.26},
      {"VGG-16 gradients, fp16, V100, RTX 2080 Ti",
       [=](const NetworkRun& run) { return !forward(run) && run.model == "vgg-16" && run.dtype == "fp16"; },
       0.28},
      {"ResNet-50 training, A100", [=](const NetworkRun& run) { return ampere(run) && !forward(run); }, 0.45},
      {"ResNet-50 forward, A100", [=](const NetworkRun& run) { return ampere(run) && forward(run); }, 1.2},
  };
  return all;
}

// The table between the marks in docs/benchmarks/convolutions.md.
std::string table(const std::vector<NetworkRun>& runs) {
  std::string out = "| | cases | mean absolute error | mean |\n|---|---|---|---|\n";
  const auto row = [&](const std::string& title, const NetworkSummary& s) {
    char line[200];
    std::snprintf(line, sizeof line, "| %s | %d | %.1f %% | %+.1f %% |\n", title.c_str(), s.count,
                  100 * s.mean_absolute, 100 * s.mean);
    out += line;
  };
  for (const Group& group : groups()) row(group.title, summary(runs, group.wanted));
  row("all", summary(runs, [](const NetworkRun&) { return true; }));
  return out;
}

}  // namespace

TEST_CASE("published throughputs of convolutional networks: how far off predictions are", "[cost]") {
  const std::vector<NetworkRun> runs = evaluated_networks();
  int counted = 0;
  for (const Group& group : groups()) {
    const NetworkSummary s = summary(runs, group.wanted);
    INFO(group.title);
    CHECK(s.count > 0);
    CHECK(s.mean_absolute < group.bound);
    counted += s.count;
  }
  CHECK(counted == static_cast<int>(runs.size()));  // each in one group

  const std::string docs = tests::read_source_file("docs/benchmarks/convolutions.md");
  const std::string begin = "<!-- published throughputs -->\n";
  const std::string end = "<!-- end -->\n";
  const std::size_t from = docs.find(begin);
  REQUIRE(from != std::string::npos);
  const std::size_t to = docs.find(end, from);
  REQUIRE(to != std::string::npos);
  const std::string wanted = docs.substr(0, from + begin.size()) + table(runs) + docs.substr(to);
  const std::string difference = tests::compare_with_file("docs/benchmarks/convolutions.md", wanted);
  CHECK(difference == "");
}

TEST_CASE("published throughputs of convolutional networks as a table", "[.cnn]") {
  const std::vector<NetworkRun> runs = evaluated_networks();
  REQUIRE_FALSE(runs.empty());
  for (const NetworkRun& run : runs) {
    std::printf("%-18s %-12s %-15s %-5s %-9s %-11s %4lld %8.1f %8.1f %+6.1f %%\n", run.source.c_str(),
                run.model.c_str(), run.gpu.c_str(), run.dtype.c_str(), run.mode.c_str(), run.fusion.c_str(),
                static_cast<long long>(run.batch), run.published, run.predicted, 100 * run.error());
  }
  std::printf("%s", table(runs).c_str());
}
