// Known faults, one in each configuration: are they found, is their size that of the published figure, and
// does what is proposed mend them? slower.toml, stops.toml. `shapelint_tests "[.pathologies]"` prints both
// sides.
#include <algorithm>
#include <cstdio>

#include "gpu/registry.hpp"
#include "lint/run.hpp"
#include "rules/engine/lint.hpp"
#include "suggest/edit/change.hpp"
#include "tests/catch.hpp"
#include "tests/formats/native/native_support.hpp"
#include "text/toml/toml.hpp"

using namespace shapelint;
using text::NodeRef;

namespace {

constexpr double most_apart = 1.5;

std::string words(const NodeRef& of, std::string_view key, std::string_view otherwise = "") {
  return of[key] ? std::string(of[key].as_string().value()) : std::string(otherwise);
}

struct Looked {
  lint::RunOutcome outcome;
  const lint::ModelReport* model = nullptr;
  const rules::Finding* finding = nullptr;  // shown or not
};

Looked check_remarks(const NodeRef& each) {
  text::MemoryFileSystem files;
  const std::string path = words(each, "file", "model.toml");
  std::string config = words(each, "config");
  files.files[path] = config;
  project::Request request;
  request.gpus.names = {words(each, "gpu")};
  // Who names a shape to vary has a model to train in mind.
  request.shape = rules::Shape::free;
  if (each["tensor"])
    request.overrides.push_back({model::FieldId::tensor, each["tensor"].as_integer().value(), "--tensor"});
  lint::RunRequest run;
  run.paths = {path};
  run.jobs = 1;
  const project::Project project(request, files);
  Looked out;
  out.outcome = lint::lint_files(run, project);
  const std::string code = words(each, "code");
  for (const lint::ModelReport& model : out.outcome.report.models) {
    for (const auto* list : {&model.result.findings, &model.hidden}) {
      for (const rules::Finding& finding : *list) {
        if (finding.code != code || out.finding != nullptr) continue;
        out.model = &model;
        out.finding = &finding;
      }
    }
  }
  return out;
}

std::vector<std::string> fix_of(const NodeRef& each) {
  std::vector<std::string> out;
  if (each["fix"]) {
    for (const NodeRef field : each["fix"]) out.emplace_back(field.as_string().value());
  }
  return out;
}

// What the first proposal edits.
std::vector<std::string> changed_by(const rules::Finding& finding) {
  std::vector<std::string> out;
  if (finding.proposals.empty()) return out;
  for (const rules::Change& change : finding.proposals.front().changes)
    out.emplace_back(change.field == model::no_field ? change.path : model::info(change.field).name);
  return out;
}

// Of a finding that a change makes smaller (twice the micro-batch, and there is still more to gain).
constexpr double most_left = 0.9;

// Whether the finding's rule still finds the same field after the first proposal.
bool is_mended(const Looked& looked, const std::string& gpu_id) {
  const rules::Proposal& proposal = looked.finding->proposals.front();
  const model::Reading& reading = looked.model->reading;
  const auto setup = suggest::apply(reading.setup, suggest::links_of(reading), proposal.changes);
  if (!setup) return false;
  model::Reading changed = reading;
  changed.setup = *setup;
  const auto gpu = gpu::find_gpu(gpu_id);
  rules::Options options;
  options.select = {std::string(looked.finding->code)};
  const rules::LintResult result = rules::lint(*looked.model->rules, changed, {&*gpu, 1}, options);
  return std::none_of(result.findings.begin(), result.findings.end(), [&](const rules::Finding& each) {
    return each.code == looked.finding->code && each.blamed == looked.finding->blamed &&
           each.gain >= most_left * looked.finding->gain;
  });
}

// The shares of time that published throughputs, one or from and to, save.
struct Saving {
  double least = 0;
  double most = 0;
};

Saving published(const NodeRef& faster) {
  const auto share = [](double ratio) { return 1 - 1 / ratio; };
  if (const auto one = faster.as_number()) return {share(*one), share(*one)};
  Saving out{1, 0};
  for (const NodeRef each : faster) {
    out.least = std::min(out.least, share(each.as_number().value()));
    out.most = std::max(out.most, share(each.as_number().value()));
  }
  return out;
}

text::Document entries(const std::string& name) {
  auto document = text::parse_toml(name, tests::read_source_file("tests/pathologies/" + name));
  REQUIRE(document);
  return *std::move(document);
}

double gain_of(const rules::Finding& finding) {
  return finding.proposals.empty() ? finding.gain : std::max(finding.gain, finding.proposals.front().gain);
}

}  // namespace

TEST_CASE("what makes a run slower is found, as large as published, and mended", "[pathologies]") {
  const text::Document document = entries("slower.toml");
  for (const NodeRef each : document.root()["pathology"]) {
    const Looked looked = check_remarks(each);
    INFO(words(each, "name"));
    REQUIRE(looked.finding != nullptr);
    CHECK(looked.finding->severity != rules::Severity::error);
    REQUIRE_FALSE(looked.finding->proposals.empty());
    CHECK(changed_by(*looked.finding) == fix_of(each));
    CHECK(is_mended(looked, words(each, "gpu")));
    if (!each["faster"]) continue;
    const Saving saving = published(each["faster"]);
    const double predicted = gain_of(*looked.finding);
    INFO("published " << saving.least << " to " << saving.most << ", predicted " << predicted);
    const bool is_met = predicted >= saving.least / most_apart && predicted <= saving.most * most_apart;
    if (each["known_miss"]) {
      INFO("a known miss that is met now: take it off the list");
      CHECK_FALSE(is_met);
    } else {
      CHECK(is_met);
    }
  }
}

TEST_CASE("what makes a run stop is an error, and mended where there is a value to change", "[pathologies]") {
  const text::Document document = entries("stops.toml");
  for (const NodeRef each : document.root()["pathology"]) {
    const Looked looked = check_remarks(each);
    INFO(words(each, "name"));
    REQUIRE(looked.finding != nullptr);
    CHECK(looked.finding->severity == rules::Severity::error);
    CHECK(looked.outcome.has_findings);
    const std::vector<std::string> fix = fix_of(each);
    if (fix.empty()) continue;
    REQUIRE_FALSE(looked.finding->proposals.empty());
    const std::vector<std::string> changed = changed_by(*looked.finding);
    CHECK(std::find(changed.begin(), changed.end(), fix.front()) != changed.end());
    if (looked.finding->code != "SL451") CHECK(is_mended(looked, words(each, "gpu")));
    for (const rules::GpuReport& gpu : looked.model->result.gpus) CHECK(gpu.applied.empty());
  }
}

TEST_CASE("pathologies as a table", "[.pathologies]") {
  const text::Document document = entries("slower.toml");
  std::printf("%-55s %-6s %15s %9s\n", "fault", "code", "published", "predicted");
  bool any = false;
  for (const NodeRef each : document.root()["pathology"]) {
    const Looked looked = check_remarks(each);
    any = true;
    const Saving saving = each["faster"] ? published(each["faster"]) : Saving{};
    std::printf("%-55s %-6s %6.1f to %4.1f %% %7.1f %%\n", words(each, "name").c_str(),
                words(each, "code").c_str(), 100 * saving.least, 100 * saving.most,
                looked.finding != nullptr ? 100 * gain_of(*looked.finding) : -1.0);
  }
  CHECK(any);
}
