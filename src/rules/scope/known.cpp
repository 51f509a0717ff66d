// Published models that the file may be a mistyped copy of.
#include <string>

#include "base/names.hpp"
#include "rules/scope/compare.hpp"
#include "rules/scope/subjects.hpp"
#include "rules/scope/values.hpp"
#include "rules/scope/variables.hpp"

namespace shapelint::rules {

namespace {

// clang-format off
constexpr Variable of_known[] = {
    {"known_differences", "dimensions in which the file differs from the known model", [](const Context& c) { return c.known.differences; }},
    {"known_value", "what the known model has where the file differs", [](const Context& c) { return c.known.value; }},
    {"known_digits", "digits in which the blamed value differs from the known model's", [](const Context& c) { return c.known.digits; }},
    {"known_swapped", "whether two dimensions of the known model are exchanged", [](const Context& c) { return c.known.swapped ? 1.0 : 0.0; }},
    {"known_here", "what the file has there", [](const Context& c) { return c.known.here; }},
    {"known_same_width", "whether the width is the known model's, and its MLP differs in one digit", [](const Context& c) { return c.known.same_width ? 1.0 : 0.0; }},
    {"known_head_dim", "whether the first difference is the head dimension", [](const Context& c) { return c.known.head_dim ? 1.0 : 0.0; }},
};
// clang-format on

Subject subject_of(const Scene& scene, const catalog::KnownModel& model, const Comparison& comparison) {
  const auto& [field, value] = comparison.differences.front();
  const std::int64_t here = model::get(scene.reading.setup, field);
  Subject subject{context_of(scene)};
  KnownContext& known = subject.context.known;
  known.model = &model;
  known.field = field;
  known.differences = static_cast<double>(comparison.differences.size());
  known.value = real(value);
  known.here = real(here);
  known.digits = static_cast<double>(edit_distance(std::to_string(here), std::to_string(value)));
  known.swapped = comparison.swapped;
  known.head_dim = field == model::FieldId::head_dim;
  known.same_width = comparison.same_width;
  subject.context.blamed = known.here;
  // A head dimension that is left out is to be written, rather than what it was derived from changed.
  subject.blame = known.head_dim ? Blame{field, {}} : choose_blame(scene.reading, {field}, true);
  if (comparison.swapped) subject.blame.related.push_back(comparison.differences[1].first);
  return subject;
}

}  // namespace

std::span<const Variable> known_variables() {
  return of_known;
}

std::vector<Subject> each_known_model(const Scene& scene) {
  std::vector<Subject> out;
  if (!scene.reading.setup.model.conv.empty()) return out;
  for (const catalog::KnownModel& known : catalog::known_models()) {
    if (is_other_kind(scene.reading, known)) continue;
    if (!is_near(scene.reading, known)) continue;
    const Comparison comparison = compare(scene.reading, known);
    if (comparison.differences.empty()) return {};  // it is this very model
    out.push_back(subject_of(scene, known, comparison));
  }
  return out;
}

}  // namespace shapelint::rules
