// Profiles for programs: CSV.
#include <fmt/format.h>

#include "base/number.hpp"
#include "model/op_names.hpp"
#include "report/csv.hpp"
#include "report/profile/profile.hpp"

namespace shapelint::report {

std::string profile_csv(const ProfileReport& report) {
  std::string out =
      "trace,step,gpu,operation,passes,kind,matched_by,expected_calls,calls,kernels,predicted_us,measured_us,"
      "kernel\n";
  const TraceFile& file = report.traces.front();
  const std::string begin =
      fmt::format("{},{},{}", csv_field(file.path), csv_field(file.step), csv_field(report.gpu.id));
  for (const trace::Row& row : report.match.rows) {
    std::string names;
    std::string passes;
    for (const std::size_t each : row.ops) {
      const model::Op& op = report.workload.ops[each];
      names += fmt::format("{}{}", names.empty() ? "" : " ", op.name);
      passes += fmt::format("{}{}", passes.empty() ? "" : " ", model::name(op.pass));
    }
    out += fmt::format("{},{},{},{},{},{},{},{},{},{},{}\n", begin, csv_field(names), csv_field(passes),
                       csv_field(row.kind), row.calls > 0 ? name(row.by) : "", exact(row.expected_calls),
                       exact(row.calls), row.kernels, exact(row.predicted_us),
                       row.calls > 0 ? exact(row.measured_us) : "", csv_field(row.kernel));
  }
  for (const trace::Unexplained& each : report.match.unexplained) {
    out += fmt::format("{},,,{},,,{},,,{},{}\n", begin, csv_field(each.kind), exact(each.calls),
                       exact(each.time_us), csv_field(each.what));
  }
  return out;
}

}  // namespace shapelint::report
