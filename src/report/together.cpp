// Which findings one fix resolves, and duplicates across models.
#include "report/together.hpp"

#include <algorithm>
#include <functional>
#include <tuple>

#include <fmt/format.h>

#include "base/strings.hpp"
#include "lint/phrases.hpp"
#include "text/printable.hpp"

namespace shapelint::report {

namespace {

using rules::Finding;

std::string name_of(const Finding& finding) {
  return fmt::format("{} ({})", finding.rule, finding.code);
}

// What makes findings twins. The last number distinguishes those of one model.
using Place = std::tuple<std::string, std::int64_t, std::int64_t, std::string_view, std::string, std::string,
                         model::FieldId, std::string, std::size_t>;

Place place_of(const lint::ModelReport& model, const Finding& each) {
  return {each.path.empty() ? model.path : each.path,
          each.span.begin,
          each.span.end,
          each.code,
          each.gpu,
          each.key_path,
          each.blamed,
          each.message,
          0};
}

bool tells_less(const DuplicateFinding& a, const DuplicateFinding& b) {
  const auto worth = [](const DuplicateFinding& each) {
    return std::tuple(-static_cast<std::int64_t>(each.finding->assumed.size()), each.finding->severity,
                      each.finding->gain);
  };
  return worth(a) < worth(b);
}

}  // namespace

DuplicateFindings::DuplicateFindings(const lint::Report& report) {
  std::map<Place, std::vector<DuplicateFinding>> by_place;
  for (const lint::ModelReport& model : report.models) {
    std::map<Place, std::size_t> seen;
    for (const Finding& finding : model.result.findings) {
      Place place = place_of(model, finding);
      std::get<std::size_t>(place) = seen[place]++;
      by_place[std::move(place)].push_back({&model, &finding});
    }
  }
  for (auto& [place, all] : by_place) {
    if (all.size() == 1) continue;
    const auto teller = std::max_element(all.begin(), all.end(), tells_less);
    const DuplicateFinding primary = *teller;
    all.erase(teller);
    for (const DuplicateFinding& each : all) primary_of_.emplace(each.finding, primary.model);
    others_.emplace(primary.finding, std::move(all));
  }
}

const lint::ModelReport* DuplicateFindings::primary_of(const Finding& finding) const {
  const auto found = primary_of_.find(&finding);
  return found == primary_of_.end() ? nullptr : found->second;
}

const std::vector<DuplicateFinding>& DuplicateFindings::others(const Finding& finding) const {
  static const std::vector<DuplicateFinding> none;
  const auto found = others_.find(&finding);
  return found == others_.end() ? none : found->second;
}

std::vector<const Finding*> DuplicateFindings::primaries(const lint::ModelReport& model) const {
  std::vector<const Finding*> out;
  for (const Finding& each : model.result.findings) {
    if (primary_of(each) == nullptr) out.push_back(&each);
  }
  return out;
}

bool is_one_of_several(const lint::ModelReport& model, const lint::Report& report) {
  return std::any_of(report.models.begin(), report.models.end(), [&](const lint::ModelReport& other) {
    return &other != &model && other.path == model.path &&
           (other.reading.name != model.reading.name || other.reading.part != model.reading.part);
  });
}

std::string name_beside(const lint::ModelReport& model) {
  const model::Reading& reading = model.reading;
  const bool names_part = reading.part.empty() || reading.name.ends_with(fmt::format("({})", reading.part));
  return text::one_line(names_part ? reading.name : reading.part);
}

std::string name_beside(const lint::ModelReport& model, const lint::ModelReport& other) {
  return model.path == other.path ? name_beside(model) : text::one_line(model.path);
}

std::string names_beside(const lint::ModelReport& model, const std::vector<DuplicateFinding>& others) {
  std::vector<const lint::ModelReport*> models{&model};
  for (const DuplicateFinding& each : others) {
    if (each.model->path == model.path) models.push_back(each.model);
  }
  std::sort(models.begin(), models.end(), std::less<>());  // they stand behind each other
  std::vector<std::string> names;
  for (const lint::ModelReport* each : models) names.push_back(name_beside(*each));
  return in_words(names);
}

std::string others_text(const lint::ModelReport& model, const std::vector<DuplicateFinding>& others) {
  std::string out;
  for (const DuplicateFinding& each : others) {
    const std::string cost = lint::cost_text(*each.finding, each.model->result.gpus.size());
    out += fmt::format("{}in {}{}{}", out.empty() ? "" : "; ", name_beside(*each.model, model),
                       cost.empty() ? "" : ", ", cost);
  }
  return out;
}

std::map<const Finding*, FindingRelation> relations_of(const std::vector<const Finding*>& shown,
                                                       const DuplicateFindings& duplicates) {
  std::map<const Finding*, FindingRelation> ties;
  for (const Finding* each : shown) {
    if (!duplicates.others(*each).empty()) ties[each].duplicates = duplicates.others(*each);
  }
  const auto is_free = [&](const Finding* finding) {
    const auto found = ties.find(finding);
    return found == ties.end() || (found->second.fixed_by == nullptr && found->second.also_fixes.empty());
  };
  const auto findings_fixed = [&](const Finding* by) {
    std::vector<const Finding*> out;
    if (by->also_fixes.empty()) return out;
    for (const Finding* each : shown) {
      const bool is_mended =
          std::find(by->also_fixes.begin(), by->also_fixes.end(), each->number) != by->also_fixes.end();
      // A finding whose own fix saves more is not fixed by one that saves less, unless nothing runs
      // before.
      const double saved = by->proposals.empty() ? by->gain : std::max(by->gain, by->proposals.front().gain);
      const bool is_answer = by->severity == rules::Severity::error || each->gain <= saved;
      if (each != by && is_mended && is_free(each) && each->severity <= by->severity && is_answer)
        out.push_back(each);
    }
    return out;
  };
  while (true) {
    const Finding* best = nullptr;
    std::vector<const Finding*> most;
    for (const Finding* each : shown) {
      if (!is_free(each)) continue;
      std::vector<const Finding*> others = findings_fixed(each);
      if (others.size() <= most.size()) continue;
      best = each;
      most = std::move(others);
    }
    if (best == nullptr) return ties;
    for (const Finding* other : most) ties[other].fixed_by = best;
    ties[best].also_fixes = std::move(most);
  }
}

std::string also_fixes_text(const FindingRelation& tie) {
  return tie.also_fixes.empty() ? std::string{} : "also fixes " + also_fixed_text(tie);
}

std::string also_fixed_text(const FindingRelation& tie) {
  std::vector<std::string> names;
  for (const Finding* each : tie.also_fixes) names.push_back(name_of(*each));
  return names.empty() ? std::string{} : in_words(names);
}

std::string fixed_by_text(const FindingRelation& tie) {
  if (tie.fixed_by == nullptr) return {};
  return fmt::format("fixed by {}", name_of(*tie.fixed_by));
}

}  // namespace shapelint::report
