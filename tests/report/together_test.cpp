// A change that mends several findings, and a defect of several plans, is told once.
#include "report/together.hpp"

#include "tests/catch.hpp"

using namespace shapelint;
using rules::Finding;
using rules::Severity;

namespace {

Finding finding(std::int32_t number, std::string_view code, Severity severity,
                std::vector<std::int32_t> also_fixes) {
  Finding out;
  out.number = number;
  out.code = code;
  out.rule = "rule";
  out.severity = severity;
  out.also_fixes = std::move(also_fixes);
  return out;
}

// "A1: also fixes rule (A2)", one line for each finding that is tied to others.
std::string ties_text(const std::vector<Finding>& findings) {
  std::vector<const Finding*> shown;
  for (const Finding& each : findings) shown.push_back(&each);
  auto ties = report::relations_of(shown, report::DuplicateFindings(lint::Report{}));
  std::string out;
  for (const Finding& each : findings) {
    const report::FindingRelation& tie = ties[&each];
    const std::string text = report::also_fixes_text(tie) + report::fixed_by_text(tie);
    if (!text.empty()) out += std::string(each.code) + ": " + text + '\n';
  }
  return out;
}

}  // namespace

TEST_CASE("the change that mends most findings is told, and the others refer to it", "[report]") {
  CHECK(ties_text({finding(0, "A1", Severity::error, {1}), finding(1, "A2", Severity::error, {0, 2}),
                   finding(2, "A3", Severity::warning, {}), finding(3, "A4", Severity::warning, {2})}) ==
        "A1: fixed by rule (A2)\n"
        "A2: also fixes rule (A1) and rule (A3)\n"
        "A3: fixed by rule (A2)\n");
}

TEST_CASE("nothing hangs on a lesser finding, nor on one that is not shown", "[report]") {
  CHECK(ties_text({finding(0, "A1", Severity::warning, {}), finding(1, "A2", Severity::info, {0})}).empty());
  CHECK(
      ties_text({finding(0, "A1", Severity::warning, {7}), finding(1, "A2", Severity::warning, {})}).empty());
  CHECK(ties_text({finding(-1, "A1", Severity::warning, {}), finding(-1, "A2", Severity::warning, {})})
            .empty());
}

TEST_CASE("what several plans of a file have in common is told with the one that loses most", "[report]") {
  const auto plan = [](std::string path, std::string part, Severity severity, double gain) {
    lint::ModelReport out;
    out.path = std::move(path);
    out.reading.name = "Qwen";
    out.reading.part = std::move(part);
    Finding common = finding(0, "A1", severity, {});
    common.message = "odd";
    common.gain = gain;
    Finding own = finding(1, "A2", Severity::warning, {});
    own.message = "of " + out.reading.part;
    out.result.findings = {common, own};
    return out;
  };
  lint::Report report;
  report.models = {plan("a.toml", "score", Severity::warning, 0.02),
                   plan("a.toml", "update", Severity::warning, 0.05),
                   plan("a.toml", "failing", Severity::info, 0.5), plan("b.toml", "", Severity::error, 0.9)};
  const report::DuplicateFindings duplicates(report);
  std::string out;
  for (const lint::ModelReport& model : report.models) {
    for (const Finding* each : duplicates.primaries(model)) {
      const std::vector<report::DuplicateFinding>& others = duplicates.others(*each);
      out += model.path + ": " + report::names_beside(model, others) + ": " + each->message;
      out += others.empty() ? "\n" : "; " + report::others_text(model, others) + '\n';
    }
  }
  CHECK(out ==
        "a.toml: score: of score\n"
        "a.toml: score, update and failing: odd; in score, 2.0 % of the step (estimated); "
        "in failing, 50.0 % of the step (estimated)\n"
        "a.toml: update: of update\n"
        "a.toml: failing: of failing\n"
        "b.toml: Qwen: odd\n"
        "b.toml: Qwen: of \n");
  CHECK(duplicates.primary_of(report.models[0].result.findings[0]) == &report.models[1]);
  CHECK(duplicates.primary_of(report.models[1].result.findings[0]) == nullptr);
}

TEST_CASE("what runs of a model have in common with its own file is told where least is assumed",
          "[report]") {
  const auto run = [](std::string path, double gain, std::vector<model::FieldId> assumed) {
    lint::ModelReport out;
    out.path = std::move(path);
    Finding common = finding(0, "A1", Severity::warning, {});
    common.path = "m/config.json";
    common.span = {10, 15};
    common.message = "odd";
    common.gain = gain;
    common.assumed = std::move(assumed);
    out.result.findings = {common};
    return out;
  };
  lint::Report report;
  report.models = {run("m/config.json", 0.5, {model::FieldId::micro_batch_size}), run("m/long.sh", 0.02, {}),
                   run("m/short.sh", 0.04, {})};
  const report::DuplicateFindings duplicates(report);
  CHECK(duplicates.primaries(report.models[0]).empty());
  CHECK(duplicates.primaries(report.models[1]).empty());
  REQUIRE(duplicates.primaries(report.models[2]).size() == 1);
  const Finding& told = *duplicates.primaries(report.models[2]).front();
  CHECK(report::others_text(report.models[2], duplicates.others(told)) ==
        "in m/config.json, 50.0 % of the step (estimated); in m/long.sh, 2.0 % of the step (estimated)");
  CHECK(duplicates.primary_of(report.models[0].result.findings[0]) == &report.models[2]);
}

// Megatron-LM, functional tests, gpt3_mcore_te_tp1_pp4_sequence_parallel: FlashAttention saves 22.7 % and
// leaves a bubble below the limit of the rule, and one stage in the place of four 52.8 %.
TEST_CASE("what saves more by its own fix is not told as fixed by another", "[report]") {
  std::vector<Finding> findings{finding(0, "A1", Severity::warning, {1}),
                                finding(1, "A2", Severity::info, {})};
  findings[0].gain = 0.227;
  findings[1].gain = 0.1;
  CHECK(ties_text(findings) == "A1: also fixes rule (A2)\nA2: fixed by rule (A1)\n");
  findings[1].gain = 0.528;
  CHECK(ties_text(findings).empty());
}
