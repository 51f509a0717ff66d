// Evaluates rules' conditions on what their scopes look at.
#include "rules/engine/hits.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace shapelint::rules {

namespace {

// The subjects for which the rule's condition holds. Where it has no value is reported once.
std::vector<Subject> found_by(CompiledRule& compiled, const EvaluationInput& scene,
                              std::vector<Error>& errors) {
  const Rule& rule = compiled.rule();
  std::vector<Subject> found;
  bool failed = false;
  std::vector<Subject> subjects;
  for (std::size_t mixer = 0; mixer < compiled.kinds(); ++mixer) {
    for (Subject& each : info(rule.scope).subjects({scene.reading, scene.baseline, scene.blame, mixer}))
      subjects.push_back(std::move(each));
  }
  for (Subject& subject : subjects) {
    const Result<bool> holds = compiled.holds(subject.context);
    if (holds && *holds) {
      if (!rule.blame_when.empty()) {
        const std::vector<std::string_view> blamed = compiled.blamed(subject.context);
        subject.blame = listed_blame({scene.reading, scene.baseline, blamed, subject.context.mixer});
        subject.context.blamed = value_of(scene.reading, subject.blame.field);
      }
      found.push_back(std::move(subject));
    }
    if (holds || failed) continue;
    failed = true;
    Error error = holds.error();
    error.message = fmt::format("rule {}: {}", rule.code, error.message);
    error.path = std::string(rule.when.node.file());
    error.span = rule.when.node.span();
    errors.push_back(std::move(error));
  }
  return found;
}

std::vector<std::string> ops_of(const Context& context) {
  if (context.operation.op == nullptr) return {};
  return {std::string(context.operation.op->name)};
}

template <class T>
void add_new(std::vector<T>& all, const std::vector<T>& more) {
  for (const T& each : more) {
    if (std::find(all.begin(), all.end(), each) == all.end()) all.push_back(each);
  }
}

// What one field does to several operations; in the words of the one that takes most time.
std::vector<Hit> by_field(std::span<Subject> found) {
  std::vector<Hit> hits;
  std::vector<double> largest;  // share of one subject, of each hit
  for (Subject& subject : found) {
    const auto same = std::find_if(hits.begin(), hits.end(), [&](const Hit& hit) {
      return blames_same(hit.blame.field, hit.context, subject.blame.field, subject.context);
    });
    if (same == hits.end()) {
      hits.push_back({std::move(subject.blame), subject.context, subject.expression, ops_of(subject.context),
                      subject.share});
      largest.push_back(subject.share);
      continue;
    }
    same->share += subject.share;
    add_new(same->ops, ops_of(subject.context));
    add_new(same->blame.related, subject.blame.related);
    double& most = largest[static_cast<std::size_t>(same - hits.begin())];
    if (subject.share <= most) continue;
    most = subject.share;
    same->context = subject.context;
    same->expression = subject.expression;
  }
  return hits;
}

// All layers of a network, the one that takes most time first: the message is about it.
std::vector<Hit> together(std::span<const Subject> found) {
  if (found.empty()) return {};
  const auto worst = std::max_element(found.begin(), found.end(), [](const Subject& a, const Subject& b) {
    return a.context.layer.time_us < b.context.layer.time_us;
  });
  Hit hit;
  hit.context = worst->context;
  for (const Subject& each : found) {
    hit.all.push_back(each.context);
    hit.ops.emplace_back(each.context.layer.shape->name);
    hit.context.layer.all_us += each.context.layer.time_us;
  }
  const double step_us = hit.context.step->time_us;
  hit.share = step_us > 0 ? hit.context.layer.all_us / step_us : 0;
  const auto first = hit.ops.begin() + (worst - found.begin());
  std::rotate(hit.ops.begin(), first, first + 1);
  return {std::move(hit)};
}

}  // namespace

bool blames_same(model::FieldId field, const Context& context, model::FieldId other_field,
                 const Context& other) {
  return field == other_field && layer_value(context, field) == layer_value(other, field);
}

std::vector<Hit> find_hits(CompiledRule& rule, const model::Reading& reading, const Baseline& baseline,
                           std::vector<Error>& errors) {
  if (rule.lacks(reading)) return {};
  std::vector<Subject> found = found_by(rule, {reading, baseline, rule.rule().blame}, errors);
  switch (info(rule.rule().scope).merge) {
    case Merge::together:
      return together(found);
    case Merge::first:
      return by_field(std::span(found).first(std::min<std::size_t>(found.size(), 1)));
    case Merge::by_field:
      break;
  }
  return by_field(found);
}

}  // namespace shapelint::rules
