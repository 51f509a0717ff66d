// How gains and changes are put in words.
#include "lint/phrases.hpp"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "base/counted.hpp"
#include "base/number.hpp"
#include "base/strings.hpp"
#include "base/units.hpp"
#include "formats/dialect/edit_instructions.hpp"
#include "lint/edits.hpp"
#include "lint/fix.hpp"
#include "lint/fix_trial.hpp"
#include "model/fields.hpp"
#include "text/printable.hpp"

namespace shapelint::lint {

namespace {

// What follows from a change is worth telling unless it says the same again: with as many key and value heads
// as query heads both change alike.
std::vector<rules::Change> news(const rules::Proposal& proposal) {
  std::vector<rules::Change> changes = proposal.changes;
  std::vector<rules::Change> out;
  for (const rules::Change& change : proposal.implied) {
    const auto alike = [&](const rules::Change& each) {
      return each.from == change.from && each.to == change.to;
    };
    if (std::any_of(changes.begin(), changes.end(), alike)) continue;
    changes.push_back(change);
    out.push_back(change);
  }
  return out;
}

}  // namespace

std::string_view field_name(model::FieldId field) {
  return field == model::no_field ? std::string_view{"?"} : model::info(field).name;
}

std::string changed_name(const rules::Change& change) {
  return change.key.empty() ? std::string(field_name(change.field)) : text::one_line(change.path);
}

std::string share(double gain, double error) {
  if (error <= 0) return percent(gain);
  return fmt::format("{} ± {}", fixed(100 * gain, 1), percent(error));
}

std::string shares(const std::vector<rules::GpuGain>& gains, double gain, double error, std::size_t gpu_count,
                   std::string_view unit) {
  const std::string of = unit.empty() ? std::string() : fmt::format(" {}", unit);
  if (gpu_count <= 1 || gains.empty()) return share(gain, error) + of;
  std::string text;
  for (const rules::GpuGain& each : gains) {
    text += fmt::format("{}{}{} on {}", text.empty() ? "" : ", ", share(each.gain, each.error),
                        text.empty() ? of : "", each.gpu);
  }
  return text;
}

std::string changes_text(const std::vector<rules::Change>& changes) {
  std::string text;
  for (const rules::Change& change : changes) {
    text +=
        fmt::format("{}{} {} → {}", text.empty() ? "" : ", ", changed_name(change),
                    model::value_text(change.field, change.from), model::value_text(change.field, change.to));
  }
  return text;
}

std::string implied_text(const rules::Proposal& proposal) {
  std::string text;
  for (const rules::Change& change : news(proposal)) {
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", changed_name(change),
                        model::value_text(change.field, change.to));
  }
  return text;
}

std::string parameters_text(const rules::Proposal& proposal) {
  constexpr double worth_telling = 1e-3;
  const auto before = static_cast<double>(proposal.parameters_before);
  const auto after = static_cast<double>(proposal.parameters_after);
  if (std::fabs(after - before) < worth_telling * before) return {};
  return fmt::format("parameters {} → {}", count_short(before), count_short(after));
}

namespace {

// Where it takes another share of the step's time than of the time per token.
bool changes_step(const rules::GpuGain& gain) {
  constexpr double least_told = 0.01;
  return gain.step_us > 0 && std::fabs(gain.new_step_us / gain.step_us - (1 - gain.gain)) >= least_told;
}

// Whether some step has other tokens or GPUs with the proposal.
bool changes_step(const rules::Proposal& proposal) {
  const auto is_of_plan = [](const rules::Change& change) {
    return change.field != model::no_field && model::kind_of(change.field) == model::FieldKind::plan;
  };
  return std::all_of(proposal.changes.begin(), proposal.changes.end(), is_of_plan) &&
         std::any_of(proposal.gains.begin(), proposal.gains.end(),
                     [](const rules::GpuGain& each) { return changes_step(each); });
}

}  // namespace

std::string_view saving_unit(const rules::Proposal& proposal) {
  using model::FieldId;
  if (!changes_step(proposal)) return "of the step";
  const bool moves_gpus =
      std::any_of(proposal.changes.begin(), proposal.changes.end(), [](const rules::Change& change) {
        return change.field == FieldId::tensor || change.field == FieldId::pipeline ||
               change.field == FieldId::context || change.field == FieldId::data;
      });
  return moves_gpus ? "per GPU and token" : "per token";
}

std::string step_text(const rules::Proposal& proposal) {
  if (!changes_step(proposal)) return {};
  std::string out;
  for (const rules::GpuGain& each : proposal.gains) {
    if (!changes_step(each)) continue;
    out +=
        fmt::format("{}{} instead of {}{}", out.empty() ? "a step takes " : ", ", duration(each.new_step_us),
                    duration(each.step_us), proposal.gains.size() > 1 ? " on " + each.gpu : std::string());
  }
  return out;
}

std::string proposal_text(const rules::Proposal& proposal, std::size_t gpu_count) {
  std::string text = changes_text(proposal.changes);
  const std::vector<rules::Change> implied = news(proposal);
  if (proposal.or_multiple_of > 0)
    text += fmt::format(", or another multiple of {}", proposal.or_multiple_of);
  if (!implied.empty()) text += fmt::format(" ({})", changes_text(implied));
  std::vector<std::string> parts;
  if (proposal.gain > 0 || !proposal.gains.empty())
    parts.push_back("saves " + shares(proposal.gains, proposal.gain, proposal.gain_error, gpu_count,
                                      changes_step(proposal) ? saving_unit(proposal) : ""));
  if (std::string step = step_text(proposal); !step.empty()) parts.push_back(std::move(step));
  if (proposal.memory_bytes > 0) parts.push_back(fmt::format("needs {} GiB", gib(proposal.memory_bytes)));
  if (std::string parameters = parameters_text(proposal); !parameters.empty())
    parts.push_back(std::move(parameters));
  return parts.empty() ? text : fmt::format("{}: {}", text, fmt::join(parts, "; "));
}

std::string note_text(const rules::Finding& finding) {
  const bool is_both = !finding.note.empty() && !finding.aside.empty();
  return finding.note + (is_both ? "; " : "") + finding.aside;
}

std::string cost_text(const rules::Finding& finding, std::size_t gpu_count) {
  if (finding.certain_to_fail || finding.gain <= 0) return {};
  const std::string_view unit =
      finding.proposals.empty() ? "of the step" : saving_unit(finding.proposals.front());
  std::string cost = shares(finding.gains, finding.gain, finding.gain_error, gpu_count, unit);
  if (gpu_count > 1 && !finding.gpu.empty()) cost += fmt::format("; only on {}", finding.gpu);
  // What is certain is that the time is lost; how much carries its interval as any prediction.
  if (finding.confidence == rules::Confidence::certain) return cost;
  return fmt::format("{} ({})", cost, rules::name(finding.confidence));
}

std::string hidden_text(std::span<const ModelReport> models) {
  std::size_t infos = 0;
  std::size_t others = 0;
  const rules::Finding* most = nullptr;
  for (const ModelReport& model : models) {
    for (const rules::Finding& finding : model.hidden) {
      ++(finding.severity == rules::Severity::info ? infos : others);
      if (finding.gain > 0 && (most == nullptr || finding.gain > most->gain)) most = &finding;
    }
  }
  if (infos + others == 0) return {};
  const std::string what = others == 0 ? counted(infos, "info") : counted(infos + others, "lesser finding");
  std::string largest;
  if (most != nullptr) {
    const std::string saves = fmt::format("saves {}", share(most->gain, most->gain_error));
    largest = infos + others == 1 ? fmt::format(" ({} {})", most->code, saves)
                                  : fmt::format(" (the largest, {}, {})", most->code, saves);
  }
  return fmt::format("{} hidden{}: `--min-severity info` shows {}", what, largest,
                     in_number(infos + others == 1, "it|them"));
}

std::string left_out_text(const std::vector<std::string>& gpus, DType dtype) {
  if (gpus.empty()) return {};
  return fmt::format("skipped: {} (no tensor cores for {}); alone, {} predicted with dequantized weights",
                     in_words(gpus), name(dtype), in_number(gpus.size() == 1, "it is|they are"));
}

std::string values_text(const std::vector<model::FieldId>& fields, const model::Setup& setup) {
  std::vector<std::string> parts;
  for (const model::FieldId field : fields) {
    parts.push_back(
        fmt::format("{} {}", field_name(field), model::value_text(field, model::info(field).get(setup))));
  }
  return in_words(parts);
}

std::string names_text(const std::vector<model::FieldId>& fields) {
  std::vector<std::string> parts;
  for (const model::FieldId field : fields) parts.emplace_back(field_name(field));
  return in_words(parts);
}

std::string options_text(const std::vector<model::FieldId>& fields) {
  std::vector<std::string> parts;
  for (const model::FieldId field : fields) parts.push_back(fmt::format("`--{}`", dashed(field_name(field))));
  return in_words(parts);
}

namespace {

bool is_of_key(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '-' || c == '.';
}

// `batch_size` of Python's `batch_size: int = `; empty without a type.
std::string_view annotated_name(std::string_view before) {
  std::string_view line = before.substr(before.rfind('\n') + 1);  // npos + 1: from the beginning
  const std::size_t equals = line.find_last_not_of(" \t");
  const std::size_t colon = line.find(':');
  if (equals == std::string_view::npos || line[equals] != '=' || colon == std::string_view::npos) return {};
  const std::string_view type = trimmed(line.substr(colon + 1, std::max(equals, colon + 1) - colon - 1));
  const std::string_view name = trimmed(line.substr(0, colon));
  const auto is_of_type = [](char c) {
    return is_of_key(c) || std::string_view("[], |").find(c) != std::string_view::npos;
  };
  const bool is_plain = !name.empty() && std::all_of(name.begin(), name.end(), is_of_key);
  const bool is_typed = !type.empty() && std::all_of(type.begin(), type.end(), is_of_type);
  return is_plain && is_typed ? name : std::string_view{};
}

// The key before a value and the separator, as the file writes them: `"hidden_size": ` is
// `hidden_size: `. Empty where the value has no key on its line.
std::string key_before(std::string_view source, std::int64_t at) {
  constexpr std::string_view between = " \t=:\"'";
  const std::string_view before = source.substr(0, static_cast<std::size_t>(at));
  const std::size_t end = before.find_last_not_of(between);
  if (end == std::string_view::npos || !is_of_key(before[end])) return {};
  std::size_t begin = end;
  while (begin > 0 && is_of_key(before[begin - 1])) --begin;
  const std::string_view sign = before.substr(end + 1);
  if (sign.empty()) return {};
  std::string out(before.substr(begin, end + 1 - begin));
  if (sign.find(':') != std::string_view::npos) return out + ": ";
  if (sign.find('=') == std::string_view::npos) return out + " ";
  return out + (sign.find(' ') == std::string_view::npos ? "=" : " = ");
}

// Changes that do not follow from the others.
std::vector<rules::Change> written_changes(const rules::Proposal& proposal, const model::Reading& reading) {
  std::vector<rules::Change> out = proposal.changes;
  std::erase_if(out, [&](const rules::Change& each) { return follows_batch(each, proposal, reading); });
  return out;
}

// What is written in the places of all changes; empty where some have none.
std::string literals_text(const rules::Proposal& proposal, const ModelReport& model) {
  std::vector<TextEdit> edits = edits_of(proposal, model);
  if (edits.size() != written_changes(proposal, model.reading).size()) return {};
  std::sort(edits.begin(), edits.end(),
            [](const TextEdit& a, const TextEdit& b) { return a.span.begin < b.span.begin; });
  std::string out;
  for (const TextEdit& edit : edits) {
    const std::string_view source = model.source;
    std::string key = key_before(source, edit.span.begin);
    if (edit.path.ends_with(".py") || (edit.path.empty() && model.path.ends_with(".py"))) {
      const auto name = annotated_name(source.substr(0, static_cast<std::size_t>(edit.span.begin)));
      if (!name.empty()) key = fmt::format("{} = ", name);
    }
    if (key.empty()) return {};
    out += fmt::format("{}{}{}", out.empty() ? "" : ", ", text::one_line(key), text::one_line(edit.text));
  }
  return out;
}

}  // namespace

Written written(const rules::Finding& finding, std::size_t which, const ModelReport& model) {
  const rules::Proposal& proposal = finding.proposals[which];
  Written out;
  if (which == 0) out.how = text::one_line(finding.how);
  // A framework's own flags or keys come first in `how`, as code.
  std::string flags;
  const std::size_t end = std::min(out.how.find("; "), out.how.size());
  if (out.how.starts_with('`') && out.how[end - 1] == '`') {
    flags = out.how.substr(0, end);
    std::erase(flags, '`');
    out.how.erase(0, std::min(end + 2, out.how.size()));
  }
  rules::Proposal told = proposal;
  const auto following = std::stable_partition(
      told.changes.begin(), told.changes.end(),
      [&](const rules::Change& each) { return !follows_batch(each, proposal, model.reading); });
  told.implied.insert(told.implied.end(), following, told.changes.end());
  told.changes.erase(following, told.changes.end());
  out.text = literals_text(proposal, model);
  // What is written is not said twice: "`attn_implementation: flash_attention_3` on Hopper".
  const std::string code = '`' + out.text + '`';
  if (flags.empty() && !out.text.empty() && out.how.starts_with(code)) {
    out.text += out.how.substr(code.size(), end - code.size());
    out.how.erase(0, std::min(end + 2, out.how.size()));
  }
  if (out.text.empty()) out.text = flags.empty() ? changes_text(told.changes) : flags;
  // What is written may be something else, from which the value follows.
  if (proposal.or_multiple_of > 0 &&
      out.text.find(std::to_string(proposal.changes.front().to)) != out.text.npos)
    out.text += fmt::format(" (or another multiple of {})", proposal.or_multiple_of);
  if (const std::string follows = implied_text(told); !follows.empty())
    out.text += fmt::format(" ({})", follows);
  return out;
}

bool is_fixable(const rules::Finding& finding, const ModelReport& model) {
  if (finding.proposals.empty() || finding.severity < std::min(rules::Severity::warning, model.fail_level))
    return false;
  if (model.fixable) return model.fixable->contains(key_in_file(finding));
  const rules::Proposal& first = finding.proposals.front();
  return is_safe(first, model.reading) && !edits_of(first, model).empty();
}

namespace {

constexpr std::string_view native = "native";

// A native file calls every field by its name; what it leaves out is added to its table, unless the command
// line has the last word.
std::string way_in_native(const model::Reading& reading, const rules::Change& change) {
  if (model::is_stated(reading, change.field)) return {};
  const model::FieldInfo& field = model::info(change.field);
  const std::string value = model::value_text(change.field, change.to);
  const std::string_view quote = field.choices.empty() ? "" : "\"";
  return fmt::format("`{} = {}{}{}` under `[{}]`", field.name, quote, value, quote, field.section);
}

const formats::Dialect* dialect_of(const project::Configured& configured, const std::string& name) {
  if (name == native) return nullptr;
  const formats::Dialects& all = project::dialects_of(configured);
  return all.find(name);
}

// `instead`: whatever the dialect's keys are.
bool speaks_of(const rules::Rule* rule, const std::string& dialect) {
  return rule != nullptr && std::any_of(rule->how.begin(), rule->how.end(), [&](const auto& each) {
           return each.first == dialect || each.first == "instead";
         });
}

bool changes_choice(const rules::Proposal& proposal) {
  return std::any_of(proposal.changes.begin(), proposal.changes.end(), [](const rules::Change& each) {
    return each.field != model::no_field && !model::info(each.field).choices.empty();
  });
}

// Whether the key that states a field has another name than that.
bool is_called_otherwise(const model::Reading& reading, model::FieldId field) {
  const model::Origin& origin = model::origin(reading, field);
  return origin.kind == model::Origin::Kind::stated &&
         !formats::leaf_of(origin.key_path).ends_with(model::info(field).name);
}

// For each change that has one. What the file calls by the field's name goes without saying, unless another
// change of the proposal has to be printed.
std::vector<std::string> ways_of(const rules::Proposal& proposal, const formats::Dialect* dialect,
                                 const model::Reading& reading, bool even_if_same) {
  std::vector<std::string> ways;
  std::vector<model::FieldId> all;
  for (const rules::Change& change : proposal.changes) all.push_back(change.field);
  for (const rules::Change& change : written_changes(proposal, reading)) {
    if (change.field == model::no_field) continue;
    std::string way;
    if (dialect != nullptr) {
      way = formats::setting_syntax(*dialect, reading, change.field, change.from, change.to, even_if_same);
      if (way.empty() && (even_if_same || is_called_otherwise(reading, change.field)))
        way = formats::key_to_change(*dialect, reading, change.field, change.to, all);
    } else if (reading.dialect == native) {
      way = way_in_native(reading, change);
    }
    if (!way.empty()) ways.push_back(std::move(way));
  }
  return ways;
}

}  // namespace

void add_words(const formats::Dialect& dialect, std::span<const rules::Change> changes, ModelReport& model) {
  for (const rules::Change& change : changes) {
    if (change.field == model::no_field) continue;
    for (const std::int64_t value : {change.from, change.to}) {
      auto word = formats::word_of(dialect, model.reading, change.field, value);
      if (word) model.words.push_back({change.field, value, *std::move(word)});
    }
  }
}

void add_words(const project::Configured& configured, ModelReport& model) {
  const formats::Dialect* dialect = nullptr;
  for (const rules::Finding& finding : model.result.findings) {
    for (const rules::Proposal& proposal : finding.proposals) {
      if (dialect == nullptr) dialect = dialect_of(configured, model.reading.dialect);
      if (dialect == nullptr) return;
      add_words(*dialect, proposal.changes, model);
    }
  }
}

namespace {

// What a batch that stays has to be a multiple of, where the number of ranks is unknown.
std::string shared_batch_of(const rules::Proposal& proposal, const formats::Dialect* dialect,
                            const model::Reading& reading) {
  if (dialect == nullptr || !rests_on_ranks(proposal, reading)) return {};
  const std::string key = formats::stated_key(*dialect, reading, model::FieldId::gradient_accumulation);
  const std::int64_t micro = with_changes(proposal, reading).plan.micro_batch_size;
  return fmt::format("{} must be divisible by {}the data-parallel ranks",
                     key.empty() ? "the global batch size" : key,
                     micro == 1 ? std::string{} : fmt::format("{} x ", micro));
}

}  // namespace

void add_how(const project::Configured& configured, ModelReport& model) {
  const std::string& name = model.reading.dialect;
  const formats::Dialect* dialect = nullptr;
  for (rules::Finding& finding : model.result.findings) {
    if (finding.proposals.empty()) continue;
    if (speaks_of(configured.rules->find(finding.code), name)) {
      for (rules::Proposal& each : finding.proposals) each.is_by_hand = changes_choice(each);
      continue;
    }
    if (dialect == nullptr) dialect = dialect_of(configured, name);
    const rules::Proposal& proposal = finding.proposals.front();
    std::vector<std::string> ways = ways_of(proposal, dialect, model.reading, false);
    if (!ways.empty() && ways.size() < written_changes(proposal, model.reading).size())
      ways = ways_of(proposal, dialect, model.reading, true);
    // One key may stand for several fields.
    std::vector<std::string> told;
    for (const std::string& way : ways)
      if (std::find(told.begin(), told.end(), way) == told.end()) told.push_back(way);
    std::vector<std::string> all{in_words(told), shared_batch_of(proposal, dialect, model.reading),
                                 finding.how};
    std::erase(all, std::string{});
    finding.how = fmt::format("{}", fmt::join(all, "; "));
  }
}

}  // namespace shapelint::lint
