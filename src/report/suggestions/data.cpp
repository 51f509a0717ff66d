// Suggestions for programs: JSON, CSV, TOML.
#include <set>
#include <sstream>

#include <fmt/format.h>

#include "base/number.hpp"
#include "base/units.hpp"
#include "model/fields.hpp"
#include "objects/convert.hpp"
#include "objects/printed/document.hpp"
#include "report/formats.hpp"
#include "report/suggestions/suggestions.hpp"

namespace shapelint::report {

namespace {

std::string_view field_name(model::FieldId field) {
  return model::info(field).name;
}

// Fields that differ from the start in any suggestion, in the order of the table.
std::set<model::FieldId> changed_fields(const SuggestReport& report) {
  std::set<model::FieldId> out;
  for (const suggest::Axis& axis : report.problem.axes) out.insert(axis.field);
  for (const suggest::Suggestion& each : report.answer.suggestions) {
    for (const suggest::Change& change : each.edits.changes) out.insert(change.field);
  }
  return out;
}

std::int64_t value(const model::Setup& setup, model::FieldId field) {
  return model::get(setup, field);
}

}  // namespace

std::string suggestions_json(const SuggestReport& report) {
  std::ostringstream out;
  objects::write_document("suggest", objects::Status::ok,
                          api::suggestions_of(report.problem, report.answer, report.path), out);
  return std::move(out).str();
}

std::string suggestions_csv(const SuggestReport& report) {
  const suggest::Answer& answer = report.answer;
  const std::set<model::FieldId> fields = changed_fields(report);
  std::string out = "rank,gpu,gain,gain_error,step_us,mfu,tokens_per_s_per_gpu,memory_gib,parameters";
  for (const model::FieldId field : fields) out += fmt::format(",{}", field_name(field));
  out += '\n';
  const auto row = [&](std::size_t rank, std::string_view gpu, double gain, double error,
                       const suggest::Performance& p, std::int64_t parameters, const model::Setup& setup) {
    out += fmt::format("{},{},{},{},{},{},{},{},{}", rank, csv_field(gpu), exact(gain), exact(error),
                       exact(p.time_us), exact(p.mfu), exact(p.tokens_per_s),
                       exact(p.memory_gb * bytes_per_gb / bytes_per_gib), parameters);
    for (const model::FieldId field : fields) out += fmt::format(",{}", value(setup, field));
    out += '\n';
  };
  for (std::size_t gpu = 0; gpu < answer.gpus.size(); ++gpu) {
    row(0, answer.gpus[gpu], 0, 0, answer.start[gpu], answer.start_parameters, report.problem.reading->setup);
  }
  for (std::size_t i = 0; i < answer.suggestions.size(); ++i) {
    const suggest::Suggestion& each = answer.suggestions[i];
    for (const suggest::OnGpu& gpu : each.gpus) {
      row(i + 1, gpu.gpu, gpu.gain, gpu.error, gpu.now, each.parameters, each.setup);
    }
  }
  return out;
}

std::string suggestions_toml(const SuggestReport& report) {
  std::string out;
  for (std::size_t i = 0; i < report.answer.suggestions.size(); ++i) {
    const suggest::Suggestion& each = report.answer.suggestions[i];
    out += fmt::format("{}[[suggestion]]\nrank = {}\ngain = {}\ngain_error = {}\nparameters = {}\n",
                       i == 0 ? "" : "\n", i + 1, exact(each.gain), exact(each.error), each.parameters);
    for (const suggest::OnGpu& gpu : each.gpus) {
      out += fmt::format("gpu.{} = {{ gain = {}, step_us = {}, mfu = {} }}\n", gpu.gpu, exact(gpu.gain),
                         exact(gpu.now.time_us), exact(gpu.now.mfu));
    }
    // By table of the native format.
    std::set<std::string_view> sections;
    for (const suggest::Change& change : each.edits.changes) {
      sections.insert(model::info(change.field).section);
    }
    for (const std::string_view section : sections) {
      out += fmt::format("[suggestion.{}]\n", section);
      for (const suggest::Change& change : each.edits.changes) {
        const model::FieldInfo& field = model::info(change.field);
        if (field.section == section) {
          out += fmt::format("{} = {}  # {}\n", field.key, model::value_text(change.field, change.to),
                             model::value_text(change.field, change.from));
        }
      }
    }
  }
  return out;
}

}  // namespace shapelint::report
