// Suggestions for programs: JSON, CSV, TOML.
#include <cmath>
#include <set>
#include <sstream>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/number.hpp"
#include "model/fields.hpp"
#include "report/csv.hpp"
#include "report/report.hpp"
#include "report/suggestions/suggestions.hpp"
#include "text/json/write.hpp"

namespace shapelint::report {

namespace {

using Json = nlohmann::ordered_json;

// Raised when a key changes its meaning or goes away.
constexpr int suggestions_version = 1;

std::string_view field_name(model::FieldId field) {
  return model::info(field).name;
}

Json changes(const std::vector<suggest::Change>& all) {
  Json out = Json::array();
  for (const suggest::Change& each : all) {
    out.push_back({{"field", field_name(each.field)}, {"from", each.from}, {"to", each.to}});
  }
  return out;
}

// Without the blanks between them.
Json words(const std::string& text) {
  Json out = Json::array();
  std::istringstream in(text);
  for (std::string word; in >> word;) out.push_back(word);
  return out;
}

Json performance_json(const suggest::Performance& p) {
  Json out{{"step_us", p.time_us},
           {"mfu", p.mfu},
           {"tokens_per_s_per_gpu", p.tokens_per_s},
           {"memory_gb", p.memory_gb},
           {"gpu_memory_gb", p.capacity_gb}};
  if (p.dollars_per_m > 0) out["dollars_per_million_tokens"] = p.dollars_per_m;
  return out;
}

Json on_gpu(const suggest::OnGpu& gpu) {
  Json out{{"gpu", gpu.gpu}, {"gain", gpu.gain}, {"gain_error", gpu.error}, {"measured", gpu.measured}};
  out.update(performance_json(gpu.now));
  Json causes = Json::array();
  for (const suggest::Cause& each : gpu.causes) {
    causes.push_back(
        {{"op", each.op}, {"effect", suggest::name(each)}, {"share", each.share}, {"sizes", each.sizes}});
  }
  out["causes"] = std::move(causes);
  out["other"] = gpu.other;
  return out;
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
  const suggest::Answer& answer = report.answer;
  Json gpus = Json::array();
  for (std::size_t i = 0; i < answer.gpus.size(); ++i) {
    Json each{{"gpu", answer.gpus[i]}};
    each.update(performance_json(answer.start[i]));
    gpus.push_back(std::move(each));
  }
  Json suggestions = Json::array();
  for (const suggest::Suggestion& each : answer.suggestions) {
    Json alone = Json::array();
    for (const suggest::Alone& one : each.alone) {
      Json entry{{"field", field_name(one.change.field)}, {"possible", one.valid}};
      if (one.valid) entry["gain"] = one.gain;
      alone.push_back(std::move(entry));
    }
    Json on = Json::array();
    for (const suggest::OnGpu& gpu : each.gpus) on.push_back(on_gpu(gpu));
    suggestions.push_back({{"gain", each.gain},
                           {"gain_error", each.error},
                           {"of_best", answer.gpus.size() > 1 ? Json(each.of_best) : Json()},
                           {"parameters", each.parameters},
                           {"changes", changes(each.edits.changes)},
                           {"implied", changes(each.edits.implied)},
                           {"alone", std::move(alone)},
                           {"gpus", std::move(on)}});
  }
  Json front = Json::array();
  for (const suggest::FrontPoint& each : answer.front) {
    front.push_back({{"parameters", each.parameters},
                     {"speed", each.speed},
                     {"changes", changes(each.edits.changes)},
                     {"implied", changes(each.edits.implied)}});
  }
  Json out{{"version", suggestions_version},
           {"shapelint", SHAPELINT_VERSION},
           {"path", printable(report.path)},
           {"name", printable(report.name)},
           {"objective", suggest::objective_names()[static_cast<std::size_t>(report.problem.objective)]},
           {"basket", suggest::basket_names()[static_cast<std::size_t>(report.problem.basket)]},
           {"broken_rules", words(report.problem.broken)},
           {"head_multiple", report.problem.head_multiple},
           {"shape_note", report.problem.shape_note},
           {"doubtful", answer.doubtful},
           {"combinations", answer.candidates},
           {"complete", answer.complete},
           {"gap", std::isfinite(answer.gap) ? Json(answer.gap) : Json()},
           {"start", {{"parameters", answer.start_parameters}, {"gpus", std::move(gpus)}}},
           {"behind_front", answer.behind_front},
           {"suggestions", std::move(suggestions)},
           {"front", std::move(front)}};
  if (!report.problem.stack_note.empty()) out["stack"] = report.problem.stack_note;
  // Of a whole search it depends on the number of threads, and says nothing.
  if (!answer.complete) out["looked_at"] = answer.priced;
  return text::json_text(out, 2) + "\n";
}

std::string suggestions_csv(const SuggestReport& report) {
  const suggest::Answer& answer = report.answer;
  const std::set<model::FieldId> fields = changed_fields(report);
  std::string out = "rank,gpu,gain,gain_error,step_us,mfu,tokens_per_s_per_gpu,memory_gb,parameters";
  for (const model::FieldId field : fields) out += fmt::format(",{}", field_name(field));
  out += '\n';
  const auto row = [&](std::size_t rank, std::string_view gpu, double gain, double error,
                       const suggest::Performance& p, std::int64_t parameters, const model::Setup& setup) {
    out += fmt::format("{},{},{},{},{},{},{},{},{}", rank, csv_field(gpu), exact(gain), exact(error),
                       exact(p.time_us), exact(p.mfu), exact(p.tokens_per_s), exact(p.memory_gb), parameters);
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
