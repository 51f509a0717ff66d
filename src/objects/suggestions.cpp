// A search's answer as the public structs.

#include <cmath>
#include <sstream>

#include "base/units.hpp"
#include "objects/convert.hpp"

namespace shapelint::api {

namespace {

void set(Performance& out, const suggest::Performance& from) {
  out.step_us = from.time_us;
  out.mfu = from.mfu;
  out.tokens_per_s_per_gpu = from.tokens_per_s;
  out.dollars_per_m_tokens = from.dollars_per_m;
  out.memory_bytes = std::llround(from.memory_gb * bytes_per_gb);
  out.capacity_bytes = std::llround(from.capacity_gb * bytes_per_gb);
}

SuggestionOnGpu on_gpu(const suggest::OnGpu& each) {
  SuggestionOnGpu out;
  set(out, each.now);
  out.gpu = each.gpu;
  out.gain = each.gain;
  out.gain_error = each.error;
  out.measured = each.measured;
  for (const suggest::Cause& cause : each.causes) {
    out.causes.push_back({cause.op, std::string(suggest::name(cause)), std::string(suggest::describe(cause)),
                          cause.share, cause.sizes});
  }
  out.other = each.other;
  return out;
}

Suggestion suggestion_of(const suggest::Suggestion& each, bool is_of_several) {
  Suggestion out;
  out.changes = changes_of(each.edits.changes);
  out.implied = changes_of(each.edits.implied);
  out.parameters = each.parameters;
  out.gain = each.gain;
  out.gain_error = each.error;
  if (is_of_several) out.of_best = each.of_best;
  for (const suggest::OnGpu& gpu : each.gpus) out.by_gpu.push_back(on_gpu(gpu));
  for (const suggest::Ablation& alone : each.alone) {
    AloneChange change;
    static_cast<Change&>(change) = changes_of({alone.change}).front();
    change.possible = alone.valid;
    change.gain = alone.valid ? alone.gain : 0;
    out.alone.push_back(std::move(change));
  }
  return out;
}

}  // namespace

StartOnGpu start_of(const suggest::Performance& performance, const std::string& gpu) {
  StartOnGpu out;
  set(out, performance);
  out.gpu = gpu;
  return out;
}

SuggestResult suggestions_of(const suggest::Problem& problem, const suggest::Answer& answer,
                             const std::string& path) {
  SuggestResult out;
  out.model = problem.reading->name;
  out.path = path;
  out.objective = suggest::objective_names()[static_cast<std::size_t>(problem.objective)];
  out.basket = suggest::basket_names()[static_cast<std::size_t>(problem.basket)];
  std::istringstream broken(problem.broken);
  for (std::string code; broken >> code;) out.broken_rules.push_back(std::move(code));
  out.head_multiple = problem.head_multiple;
  out.shape_note = problem.shape_note;
  out.stack_note = problem.stack_note;
  out.doubtful = static_cast<std::int64_t>(answer.doubtful);
  out.gpus = answer.gpus;
  out.start.parameters = answer.start_parameters;
  for (std::size_t i = 0; i < answer.start.size(); ++i) {
    out.start.by_gpu.push_back(start_of(answer.start[i], answer.gpus[i]));
  }
  for (const suggest::Suggestion& each : answer.suggestions)
    out.suggestions.push_back(suggestion_of(each, answer.gpus.size() > 1));
  for (const suggest::FrontPoint& each : answer.front) {
    out.front.push_back(
        {each.parameters, each.speed, changes_of(each.edits.changes), changes_of(each.edits.implied)});
  }
  out.behind_front = answer.behind_front;
  out.candidates = answer.candidates;
  // Of a whole search it depends on the number of threads, and says nothing.
  if (!answer.complete) out.priced = answer.priced;
  out.excluded = answer.excluded;
  for (const suggest::Exclusion& each : answer.exclusions) out.exclusions.push_back({each.name, each.share});
  out.complete = answer.complete;
  out.gap = answer.gap;
  return out;
}

}  // namespace shapelint::api
