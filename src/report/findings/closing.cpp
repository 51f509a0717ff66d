// What is said of a model below its findings.
#include "report/findings/closing.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/counted.hpp"
#include "base/number.hpp"
#include "base/strings.hpp"
#include "base/units.hpp"
#include "cost/step_interval.hpp"
#include "gpu/in_path.hpp"
#include "gpu/registry.hpp"
#include "lint/phrases.hpp"
#include "lint/step_state.hpp"
#include "model/lower/lower.hpp"
#include "model/reading.hpp"
#include "objects/printed/document.hpp"
#include "report/capacity.hpp"
#include "report/findings/text.hpp"
#include "report/formats.hpp"
#include "report/items.hpp"
#include "report/style.hpp"
#include "rules/scope/memory.hpp"
#include "suggest/edit/footprint.hpp"
#include "text/json/json.hpp"

namespace shapelint::report {

namespace {

std::string step_name(const model::Setup& setup) {
  if (setup.plan.mode == model::Mode::train) return "training step";
  if (!setup.model.conv.empty()) return "forward pass";
  return setup.plan.mode == model::Mode::prefill ? "prefill" : "decoding step";
}

// "training step, 2.652 B parameters, fp16, unfused attention, 16,384 tokens x 64 replicas".
std::string run_text(const lint::ModelReport& model) {
  const model::Setup& setup = model.reading.setup;
  const std::int64_t tokens = std::llround(model.result.gpus.front().workload.tokens_per_step);
  const bool is_job = model.jobs.empty();
  std::string out =
      fmt::format("{}{} parameters, {}", is_job ? step_name(setup) + ", " : "",
                  count_short(static_cast<double>(model.result.parameters_before)), name(setup.plan.dtype));
  if (!is_job) return out;
  const bool is_conv = !setup.model.conv.empty();
  if (!is_conv) {
    const bool is_unfused = setup.plan.attention == model::Attention::unfused;
    out += fmt::format(", {} attention", is_unfused ? "unfused" : "flash");
  }
  out += ", " + counted(tokens, !is_conv ? "token" : setup.model.image_height > 1 ? "image" : "sample");
  if (!is_conv && setup.plan.data > 1) out += fmt::format(" x {} replicas", with_commas(setup.plan.data));
  return out;
}

// The 80 % interval of a step; empty if unknown.
std::string interval_cell(const gpu::Gpu* profile, const model::Setup& setup, double time_us) {
  if (profile == nullptr || time_us <= 0) return {};
  const cost::StepInterval interval = cost::step_interval(*profile, setup, time_us);
  return fmt::format("{} to {} (80 % interval)", duration(interval.low_us), duration(interval.high_us));
}

// "; no parallelism is given: the smallest plan that fits is 2 x h100-sxm5 (TP 2), 65.7 GiB per GPU".
std::string smallest_text(const lint::ModelReport& model, const gpu::Gpu& gpu) {
  const auto least = std::find_if(model.least.begin(), model.least.end(),
                                  [&](const lint::JobPlan& each) { return each.gpu == gpu.id; });
  std::string out = "; no parallelism is given";
  if (least != model.least.end()) out += ": the smallest plan that fits is " + lint::plan_text(*least);
  return out;
}

// "36.2 of 80.0 GiB"; empty where it is not known.
std::string memory_cell(const lint::ModelReport& model, const gpu::Gpu& gpu) {
  const model::Reading& reading = model.reading;
  if (!reading.complete || gpu::memory_gib(gpu) <= 0 || model::weights_are_unknown(reading.setup.plan))
    return {};
  return memory_words(suggest::memory_bytes(reading.setup), gpu);
}

// What the row of the step, which has its memory, does not say of it.
std::string memory_verdict(const lint::ModelReport& model, const gpu::Gpu& gpu) {
  const model::Reading& reading = model.reading;
  if (!reading.complete || gpu::memory_gib(gpu) <= 0) return {};
  if (model::weights_are_unknown(reading.setup.plan))
    return "memory unknown: the file does not state the dtype of the weights";
  const bool is_server = reading.setup.plan.mode != model::Mode::train &&
                         reading.setup.plan.engine != model::ServingEngine::fastest;
  std::string capacity = is_server ? capacity_words(suggest::capacity_of(gpu, reading.setup)) : std::string();
  const double needed = suggest::memory_bytes(reading.setup);
  switch (lint::memory_state(reading, gpu)) {
    case lint::MemoryState::unknown:
    case lint::MemoryState::fits:
      return capacity;
    case lint::MemoryState::sequences_wait:
      return capacity + (capacity.empty() ? "" : "; ") + "sequences that do not fit wait";
    case lint::MemoryState::fits_if_sharded:
      return fmt::format("may not fit: {} per GPU, less if data-parallel ranks shard it",
                         memory_words(needed, gpu));
    case lint::MemoryState::may_not_fit:
      return fmt::format("may not fit: {} per GPU", memory_words(needed, gpu));
    case lint::MemoryState::does_not_fit:
      return rules::states_plan(reading) ? "" : does_not_fit_words(needed, gpu) + smallest_text(model, gpu);
  }
  return {};
}

// "micro_batch_size 250 (max_num_seqs: a fully loaded server), attention flash".
std::string assumed_values(const model::Reading& reading, const std::vector<model::FieldId>& fields) {
  constexpr std::string_view from = "assumed from ";
  std::string out;
  for (const model::FieldId field : fields) {
    const std::string_view note = model::origin(reading, field).note;
    out += (out.empty() ? "" : ", ") + lint::values_text({field}, reading.setup);
    if (note.starts_with(from)) out += fmt::format(" ({})", note.substr(from.size()));
  }
  return out;
}

// What was not looked at, where the findings that say so are not shown: "not modeled: … (SL912)".
std::vector<std::string> not_looked_at(const lint::ModelReport& model) {
  std::vector<std::string> lines;
  for (const rules::Finding& finding : model.hidden) {
    if (finding.brief.empty()) continue;
    std::string line = fmt::format("{} ({})", text::one_line(finding.brief), finding.code);
    if (std::find(lines.begin(), lines.end(), line) == lines.end()) lines.push_back(std::move(line));
  }
  return lines;
}

// "2 of them reported with update".
std::string told_elsewhere(const lint::ModelReport& model, const DuplicateFindings& duplicates) {
  std::size_t number = 0;
  std::vector<std::string> names;
  for (const rules::Finding& finding : model.result.findings) {
    const lint::ModelReport* teller = duplicates.primary_of(finding);
    if (teller == nullptr) continue;
    ++number;
    std::string name = name_beside(*teller, model);
    if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(std::move(name));
  }
  if (number == 0) return {};
  const bool is_all = number == model.result.findings.size();
  return fmt::format("{}reported with {}", is_all ? "" : fmt::format("{} of them ", number), in_words(names));
}

std::string title_of(const lint::ModelReport& model, const lint::Report& report) {
  std::string title = text::one_line(model.path);
  const auto is_beside = [&](const lint::ModelReport& other) {
    return &other != &model && other.path == model.path;
  };
  const bool is_one_of = std::any_of(report.models.begin(), report.models.end(), is_beside);
  if (is_one_of && !model.reading.part.empty())
    title += fmt::format(" ({})", text::one_line(model.reading.part));
  return title;
}

void add_code(std::vector<std::string>& codes, std::string_view code) {
  if (std::find(codes.begin(), codes.end(), code) == codes.end()) codes.emplace_back(code);
}

// Findings whose proposal is among the changes that are applied together.
std::vector<std::string> applied_codes(const lint::ModelReport& model, const rules::GpuReport& gpu) {
  std::vector<std::string> codes;
  for (const rules::Finding& finding : model.result.findings) {
    const bool is_in = std::any_of(
        finding.proposals.begin(), finding.proposals.end(),
        [&](const rules::Proposal& each) { return suggest::sets_all(gpu.applied, each.changes); });
    if (is_in && !finding.certain_to_fail) add_code(codes, finding.code);
  }
  return codes;
}

// What could be done with a shape that comes without a job.
void add_jobs(const lint::ModelReport& model, std::string_view gpu, Closing& out) {
  for (const lint::JobPlan& job : model.jobs) {
    if (job.gpu == gpu) out.jobs.push_back(lint::job_text(job));
  }
}

// The step on one GPU is not printed then.
bool takes_several(const lint::ModelReport& model, std::string_view gpu) {
  return std::any_of(model.jobs.begin(), model.jobs.end(),
                     [&](const lint::JobPlan& job) { return job.gpu == gpu && job.trains && job.gpus != 1; });
}

void add_rows(const rules::GpuReport& gpu, const lint::ModelReport& model, const lint::Report& report,
              Closing& out) {
  constexpr std::size_t most_named = 3;
  const gpu::Gpu* profile = gpu::find_by_id(report.gpus, gpu.gpu);
  const bool is_one = model.result.gpus.size() == 1;
  const bool is_uncalibrated = profile != nullptr && profile->calibration.status == "uncalibrated";
  const std::string gpu_name = gpu.gpu + (is_uncalibrated ? " (uncalibrated)" : "");
  if (is_one) out.run = gpu_name + ": " + out.run;
  add_jobs(model, gpu.gpu, out);
  if (takes_several(model, gpu.gpu)) return;
  StepRow now;
  now.label = is_one ? "now" : gpu_name;
  if (profile != nullptr) {
    now.memory = memory_cell(model, *profile);
    const std::string verdict = memory_verdict(model, *profile);
    if (!verdict.empty()) out.verdicts.push_back(is_one ? verdict : gpu.gpu + ": " + verdict);
  }
  const std::vector<std::string> failing = lint::failing_codes(model, gpu.gpu);
  if (!failing.empty() || (profile != nullptr && !lint::has_time(model, *profile))) {
    now.step =
        failing.empty() ? "n/a until it fits" : fmt::format("n/a until fixed: {}", fmt::join(failing, ", "));
    if (!now.memory.empty()) now.memory += " per GPU";  // such a row has no header
    out.rows.push_back(std::move(now));
    return;
  }
  now.step = duration(gpu.before.time_us);
  now.mfu = percent(gpu.before.mfu);
  out.rows.push_back(std::move(now));
  StepRow interval;
  interval.step = interval_cell(profile, model.reading.setup, gpu.before.time_us);
  if (!interval.step.empty()) out.rows.push_back(std::move(interval));
  if (gpu.applied.empty()) return;
  StepRow fixed;
  const std::vector<std::string> codes = applied_codes(model, gpu);
  const bool names_them = !codes.empty() && codes.size() <= most_named;
  fixed.label = fmt::format("{}with {}", is_one ? "" : "  ",
                            names_them ? fmt::format("{}", fmt::join(codes, ", ")) : "all fixes");
  fixed.step = duration(gpu.after.time_us);
  fixed.mfu = percent(gpu.after.mfu);
  if (gpu.gain > 0) fixed.saving = fmt::format("{} less time", percent(gpu.gain));
  // A longer step of more tokens need not be slower.
  const double tokens = gpu.after.tokens_per_s * gpu.after.time_us / us_per_s;
  if (tokens > 0 && std::fabs(tokens - gpu.workload.tokens_per_step) > 0.5)
    fixed.saving += fmt::format("{}{} tokens", fixed.saving.empty() ? "" : " per token, ",
                                with_commas(std::llround(tokens)));
  out.rows.push_back(std::move(fixed));
}

std::string row_text(const StepRow& row, std::size_t label_width, std::size_t step_width, const Style& style,
                     bool is_head) {
  std::string line = fmt::format("  {:{}}  {:{}}", row.label, label_width, row.step, step_width);
  if (!row.mfu.empty()) line += fmt::format("  {:6}  {:17}", row.mfu, row.memory);
  if (row.mfu.empty() && !row.memory.empty()) line += "  " + row.memory;
  if (!row.saving.empty()) line += "  " + style.paint(Role::gain, row.saving);
  line = without_blank_end(std::move(line));
  return (is_head ? style.paint(Role::faint, line) : line) + '\n';
}

std::string table_text(const std::vector<StepRow>& rows, const Style& style) {
  std::size_t label_width = 3;
  std::size_t step_width = 4;
  bool has_memory = false;
  for (const StepRow& row : rows) {
    label_width = std::max(label_width, row.label.size());
    if (!row.mfu.empty()) step_width = std::max(step_width, row.step.size());
    has_memory = has_memory || !row.memory.empty();
  }
  const bool has_times =
      std::any_of(rows.begin(), rows.end(), [](const StepRow& row) { return !row.mfu.empty(); });
  std::string out;
  if (has_times) {
    out +=
        row_text({"", "step", "MFU", has_memory ? "memory" : "", {}}, label_width, step_width, style, true);
  }
  for (const StepRow& row : rows) out += row_text(row, label_width, step_width, style, false);
  return out;
}

}  // namespace

std::string memory_text(double needed, const gpu::Gpu& gpu) {
  return "memory " + memory_words(needed, gpu);
}

Closing closing_of(const lint::ModelReport& model, const lint::Report& report,
                   const DuplicateFindings& duplicates) {
  Closing out;
  out.models = {&model, 1};
  out.title = title_of(model, report);
  out.counts = count(model.result.findings);
  for (const rules::Finding& finding : model.result.findings) {
    if (lint::is_fixable(finding, model)) ++out.fixable;
  }
  out.told_elsewhere = told_elsewhere(model, duplicates);
  out.verdicts = not_looked_at(model);
  if (model.result.gpus.empty()) return out;
  const std::string published = model::published_shape(model.reading);
  out.run = (published.empty() ? std::string() : text::one_line(published) + ", ") + run_text(model);
  for (const rules::GpuReport& gpu : model.result.gpus) add_rows(gpu, model, report, out);
  const std::vector<model::FieldId> assumed = model::assumed_fields(model.reading);
  if (!assumed.empty()) {
    out.notes.push_back(fmt::format("assumed: {}; set with {}{}", assumed_values(model.reading, assumed),
                                    lint::options_text({assumed[0]}),
                                    model.jobs.empty() ? " …" : ", `--mode`, `--tensor` …"));
  }
  if (!model.shape_note.empty()) out.notes.push_back(model.shape_note);
  if (const double host = suggest::footprint(model.reading.setup).host_bytes; host > 0)
    out.notes.push_back(fmt::format("the host's memory holds {} GiB for each GPU", gib(host)));
  if (const model::Plan& plan = model.reading.setup.plan; plan.colocated_mib > 0) {
    const std::string& note = model::origin(model.reading, model::FieldId::colocated_mib).note;
    out.notes.push_back(fmt::format("colocated models keep {} GiB of each GPU meanwhile{}",
                                    gib(static_cast<double>(plan.colocated_mib) * bytes_per_mib),
                                    note.empty() ? "" : ": " + note));
  }
  std::string left_out = lint::left_out_text(model.gpus_left_out, model.reading.setup.plan.dtype);
  if (!left_out.empty()) out.notes.push_back(std::move(left_out));
  return out;
}

std::string closing(const Closing& closing, const lint::Report& report, const Style& style) {
  std::string out;
  if (!closing.run.empty()) out += wrap(style.paint(Role::strong, closing.run), 2, 2, style) + '\n';
  for (const std::string& each : closing.verdicts) out += wrap(each, 4, 2, style) + '\n';
  for (const std::string& each : closing.jobs) out += wrap(each, 12, 10, style) + '\n';
  for (const std::string& each : closing.notes) out += wrap(each, 4, 2, style) + '\n';
  out += table_text(closing.rows, style);
  std::string last = fmt::format("{}: {}", style.paint(Role::strong, closing.title),
                                 counts_text(closing.counts, report, closing.models, style));
  if (closing.fixable > 0) last += fmt::format(", {} fixable with --fix [*]", closing.fixable);
  if (!closing.told_elsewhere.empty()) last += ", " + closing.told_elsewhere;
  const std::string hidden = lint::hidden_text(closing.models);
  const bool is_alone = report.models.size() == 1 && report.models.front().result.findings.empty();
  if (is_alone && !hidden.empty()) last += "; " + hidden;
  return out + wrap(last, 0, 0, style) + '\n';
}

namespace {

// "assumed GPU: …".
std::string assumed_gpus_text(const lint::Report& report) {
  const auto assumed = std::find_if(report.models.begin(), report.models.end(),
                                    [](const lint::ModelReport& model) { return model.gpus_assumed; });
  if (assumed == report.models.end()) return {};
  std::string names;
  for (const rules::GpuReport& gpu : assumed->result.gpus) names += (names.empty() ? "" : ", ") + gpu.gpu;
  const auto named = gpu::gpu_in_path(assumed->path);
  const bool is_of_path = named && assumed->result.gpus.size() == 1 && names == named->id;
  return fmt::format("assumed {}: {}{}; set with `--gpu`, list with `shapelint gpus`",
                     in_number(assumed->result.gpus.size() == 1, "GPU"), names,
                     is_of_path ? ", named in the path" : "");
}

// "63 files were checked in part (SL911, SL912)".
std::string gaps_text(const lint::Report& report) {
  std::set<std::string_view> codes;
  std::set<std::string_view> files;
  for (const lint::ModelReport& model : report.models) {
    for (const rules::Finding& finding : model.hidden) {
      if (finding.brief.empty()) continue;
      codes.insert(finding.code);
      files.insert(model.path);
    }
  }
  if (files.empty()) return {};
  return fmt::format("{} checked in part ({})", counted(files.size(), "file was|files were"),
                     fmt::join(codes, ", "));
}

// "not checked: 23 files with an incomplete model, 475 files without a model (`--verbose` says why)".
std::string passed_over_text(const lint::Report& report) {
  std::string out;
  if (report.not_whole > 0) out = counted(report.not_whole, "file") + " with an incomplete model";
  if (report.not_recognised > 0) {
    out += (out.empty() ? "" : ", ") + counted(report.not_recognised, "file") + " without a model";
  }
  return out.empty() ? out : fmt::format("not checked: {} (see `--verbose`)", out);
}

// What was left out: "3 new, 12 baselined", "2 suppressed".
std::string left_out_text(const lint::Report& report) {
  std::size_t shown = 0;
  for (const lint::ModelReport& model : report.models) shown += model.result.findings.size();
  std::string out;
  if (report.baselined > 0) out = fmt::format("{} new, {} baselined", shown, report.baselined);
  if (report.suppressed > 0) {
    out += fmt::format("{}{} suppressed", out.empty() ? "" : ", ", report.suppressed);
  }
  return out;
}

// "a100-sxm4-80gb skipped for 3 files: no tensor cores for the dtype of their weights".
std::string gpus_left_out_text(const lint::Report& report) {
  std::set<std::string> gpus;
  std::set<std::string_view> files;
  for (const lint::ModelReport& model : report.models) {
    if (model.gpus_left_out.empty()) continue;
    gpus.insert(model.gpus_left_out.begin(), model.gpus_left_out.end());
    files.insert(model.path);
  }
  if (files.empty()) return {};
  return fmt::format("{} skipped for {}: no tensor cores for the dtype of the weights",
                     in_words(std::vector<std::string>(gpus.begin(), gpus.end())),
                     counted(files.size(), "file"));
}

// What files leave open, once for all of them.
std::string assumed_text(const lint::Report& report) {
  std::vector<model::FieldId> all;
  for (const lint::ModelReport& model : report.models) {
    for (const model::FieldId field : model::assumed_fields(model.reading)) {
      if (std::find(all.begin(), all.end(), field) == all.end()) all.push_back(field);
    }
  }
  if (all.empty()) return {};
  std::sort(all.begin(), all.end());
  return fmt::format("assumed in some files: {}; set with {} …, or under `[[files]]` in shapelint.toml",
                     lint::names_text(all), lint::options_text({all[0]}));
}

// "a100-sxm4-80gb and h100-sxm5".
std::string gpus_text(const lint::Report& report) {
  std::vector<std::string> ids;
  for (const gpu::Gpu& gpu : report.gpus) ids.push_back(gpu.id);
  return in_words(ids);
}

}  // namespace

// What holds for the run as a whole.
std::string last_lines(const lint::Report& report, bool is_several, const Style& style) {
  std::vector<std::string> said;
  if (report.models.size() > 1) {
    Counts all;
    std::set<std::string_view> files;
    const DuplicateFindings duplicates(report);
    for (const lint::ModelReport& model : report.models) {
      for (const rules::Finding* finding : duplicates.primaries(model)) add(*finding, all);
      files.insert(model.path);
    }
    std::string checked = "checked " + counted(report.models.size(), "model");
    if (files.size() != report.models.size()) checked += " in " + counted(files.size(), "file");
    const std::string gpus = gpus_text(report);
    if (!gpus.empty()) checked += " for " + gpus;
    said.push_back(fmt::format("{}: {}", checked, counts_text(all, report, report.models, style)));
    said.push_back(gaps_text(report));
    std::set<std::string_view> unreadable;
    for (const text::LocatedError& each : report.errors) unreadable.insert(each.error.path);
    if (!unreadable.empty()) said.push_back(counted(unreadable.size(), "file") + " could not be read");
  }
  said.push_back(passed_over_text(report));
  said.push_back(left_out_text(report));
  // The closing line says so for one model without any other finding.
  const bool is_said = report.models.size() == 1 && report.models.front().result.findings.empty();
  if (!is_said) said.push_back(lint::hidden_text(report.models));
  if (is_several) {
    said.push_back(gpus_left_out_text(report));
    said.push_back(assumed_text(report));
  }
  said.push_back(assumed_gpus_text(report));
  std::string out;
  for (const std::string& each : said) {
    if (!each.empty()) out += wrap(each, 0, 0, style) + '\n';
  }
  return out;
}

namespace {

struct Row {
  std::string code;
  std::string rule;
  rules::Severity severity = rules::Severity::info;  // the most severe
  std::size_t count = 0;
  std::size_t files = 0;
};

std::vector<Row> rows_of(const lint::Report& report) {
  std::map<std::string, Row> by_code;
  std::map<std::string, std::string> last_path;
  for (const Item& item : items(report)) {
    Row& row = by_code[item.code];
    row.code = item.code;
    row.rule = item.rule;
    row.severity = std::max(row.severity, item.severity);
    if (row.count++ == 0 || last_path[item.code] != item.path) ++row.files;
    last_path[item.code] = item.path;
  }
  std::vector<Row> rows;
  for (auto& [code, row] : by_code) rows.push_back(std::move(row));
  std::stable_sort(rows.begin(), rows.end(), [](const Row& a, const Row& b) { return a.count > b.count; });
  return rows;
}

}  // namespace

std::string statistics(const lint::Report& report, const Style& style) {
  std::string out;
  for (const Row& row : rows_of(report)) {
    const Role role = role_of(row.severity);
    out += fmt::format("{:>6}  {}  {} (files: {})\n", row.count, style.paint(role, row.code), row.rule,
                       row.files);
  }
  return out;
}

std::string statistics_json(const lint::Report& report) {
  nlohmann::ordered_json out = nlohmann::ordered_json::array();
  for (const Row& row : rows_of(report)) {
    out.push_back({{"code", row.code},
                   {"rule", row.rule},
                   {"severity", rules::name(row.severity)},
                   {"count", row.count},
                   {"files", row.files}});
  }
  return objects::document("statistics",
                           text::json_text(nlohmann::ordered_json{{"rules", std::move(out)}}, 2), 2) +
         '\n';
}

}  // namespace shapelint::report
