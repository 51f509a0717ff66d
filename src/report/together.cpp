// Who is mended by whose change, and what several models have in common.
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

// What makes findings twins. The last number tells those of one model apart.
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

bool tells_less(const Twin& a, const Twin& b) {
  const auto worth = [](const Twin& each) {
    return std::tuple(-static_cast<std::int64_t>(each.finding->assumed.size()), each.finding->severity,
                      each.finding->gain);
  };
  return worth(a) < worth(b);
}

}  // namespace

Twins::Twins(const lint::Report& report) {
  std::map<Place, std::vector<Twin>> by_place;
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
    const Twin told = *teller;
    all.erase(teller);
    for (const Twin& each : all) told_with_.emplace(each.finding, told.model);
    others_.emplace(told.finding, std::move(all));
  }
}

const lint::ModelReport* Twins::told_with(const Finding& finding) const {
  const auto found = told_with_.find(&finding);
  return found == told_with_.end() ? nullptr : found->second;
}

const std::vector<Twin>& Twins::others(const Finding& finding) const {
  static const std::vector<Twin> none;
  const auto found = others_.find(&finding);
  return found == others_.end() ? none : found->second;
}

std::vector<const Finding*> Twins::told(const lint::ModelReport& model) const {
  std::vector<const Finding*> out;
  for (const Finding& each : model.result.findings) {
    if (told_with(each) == nullptr) out.push_back(&each);
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

std::string names_beside(const lint::ModelReport& model, const std::vector<Twin>& others) {
  std::vector<const lint::ModelReport*> models{&model};
  for (const Twin& each : others) {
    if (each.model->path == model.path) models.push_back(each.model);
  }
  std::sort(models.begin(), models.end(), std::less<>());  // they stand behind each other
  std::vector<std::string> names;
  for (const lint::ModelReport* each : models) names.push_back(name_beside(*each));
  return in_words(names);
}

std::string others_text(const lint::ModelReport& model, const std::vector<Twin>& others) {
  std::string out;
  for (const Twin& each : others) {
    const std::string cost = lint::cost_text(*each.finding, each.model->result.gpus.size());
    out += fmt::format("{}in {}{}{}", out.empty() ? "" : "; ", name_beside(*each.model, model),
                       cost.empty() ? "" : ", ", cost);
  }
  return out;
}

std::map<const Finding*, Tie> ties_of(const std::vector<const Finding*>& shown, const Twins& twins) {
  std::map<const Finding*, Tie> ties;
  for (const Finding* each : shown) {
    if (!twins.others(*each).empty()) ties[each].twins = twins.others(*each);
  }
  const auto is_free = [&](const Finding* finding) {
    const auto found = ties.find(finding);
    return found == ties.end() || (found->second.mended_by == nullptr && found->second.mends.empty());
  };
  const auto mended = [&](const Finding* by) {
    std::vector<const Finding*> out;
    if (by->mends.empty()) return out;
    for (const Finding* each : shown) {
      const bool is_mended = std::find(by->mends.begin(), by->mends.end(), each->number) != by->mends.end();
      if (each != by && is_mended && is_free(each) && each->severity <= by->severity) out.push_back(each);
    }
    return out;
  };
  while (true) {
    const Finding* best = nullptr;
    std::vector<const Finding*> most;
    for (const Finding* each : shown) {
      if (!is_free(each)) continue;
      std::vector<const Finding*> others = mended(each);
      if (others.size() <= most.size()) continue;
      best = each;
      most = std::move(others);
    }
    if (best == nullptr) return ties;
    for (const Finding* other : most) ties[other].mended_by = best;
    ties[best].mends = std::move(most);
  }
}

std::string also_mends(const Tie& tie) {
  return tie.mends.empty() ? std::string{} : "also fixes " + also_mended(tie);
}

std::string also_mended(const Tie& tie) {
  std::vector<std::string> names;
  for (const Finding* each : tie.mends) names.push_back(name_of(*each));
  return names.empty() ? std::string{} : in_words(names);
}

std::string mended_text(const Tie& tie) {
  if (tie.mended_by == nullptr) return {};
  return fmt::format("the fix of {} also fixes this", name_of(*tie.mended_by));
}

}  // namespace shapelint::report
