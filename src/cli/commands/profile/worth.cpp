// Findings weighed by what was measured.
#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "cli/commands/profile/profile.hpp"
#include "lint/file.hpp"
#include "lint/phrases.hpp"
#include "model/op_names.hpp"
#include "prove/plan.hpp"

namespace shapelint::cli {

namespace {

std::vector<rules::Finding> findings_of(const ModelInput& input, Io& io) {
  const ModelFile& file = input.file;
  lint::FileOutcome found =
      lint::lint_text(*file.configured, file.source, io.files, {.assume_native = file.is_stdin});
  for (lint::ModelReport& model : found.models) {
    if (model.reading.part == input.reading().part) return std::move(model.result.findings);
  }
  return {};
}

report::Worth weigh(const prove::Case& each, const report::ProfileReport& report) {
  report::Worth out;
  out.code = each.code;
  out.rule = each.rule;
  out.changes = lint::changes_text(each.changes);
  out.predicted = each.gain;
  out.predicted_error = each.gain_error;
  double saved_us = 0;
  double changed_us = 0;
  double known_us = 0;
  for (const prove::Item& item : each.items) {
    const double before_us = item.before_count * item.before_us;
    const double after_us = item.after_count * item.after_us;
    const double change_us = before_us - after_us;
    changed_us += std::fabs(change_us);
    double measured_us = -1;
    for (std::size_t i = 0; i < report.workload.ops.size() && measured_us < 0; ++i) {
      const model::Op& op = report.workload.ops[i];
      if (op.name == item.op && model::name(op.pass) == item.pass) measured_us = report.match.op_us[i];
    }
    if (measured_us < 0 || !(before_us > 0)) {
      saved_us += change_us;
      continue;
    }
    known_us += std::fabs(change_us);
    saved_us += measured_us * change_us / before_us;
  }
  const double step_us = report.traces.front().times.wall_us;
  out.measured = step_us > 0 ? 1 - each.factor * (step_us - saved_us) / step_us : 0;
  out.measured_share = changed_us > 0 ? known_us / changed_us : 0;
  return out;
}

}  // namespace

std::vector<report::Worth> worth_of(const ModelInput& input, const report::ProfileReport& report, Io& io) {
  std::vector<rules::Finding> findings = findings_of(input, io);
  std::erase_if(findings, [](const auto& each) { return each.severity == rules::Severity::info; });
  const prove::Plan plan = prove::plan_of(input.reading(), report.gpu, findings);
  std::vector<report::Worth> out;
  for (const prove::Case& each : plan.cases) out.push_back(weigh(each, report));
  std::stable_sort(out.begin(), out.end(),
                   [](const report::Worth& a, const report::Worth& b) { return a.measured > b.measured; });
  return out;
}

}  // namespace shapelint::cli
