// Prices a stored change again.
#include "prove/reprice.hpp"

#include <string_view>

#include "base/number.hpp"
#include "model/fields.hpp"
#include "suggest/edit/candidate.hpp"

namespace shapelint::prove {

namespace {

// The value that model::value_text() writes so.
std::optional<std::int64_t> value_of(const model::FieldInfo& field, std::string_view text) {
  if (field.type == model::FieldType::integer) return parse_integer(text);
  const auto count = field.type == model::FieldType::boolean ? std::size_t{2} : field.choices.size();
  for (std::size_t value = 0; value < count; ++value) {
    if (model::value_text(field.id, static_cast<std::int64_t>(value)) == text)
      return static_cast<std::int64_t>(value);
  }
  return std::nullopt;
}

}  // namespace

std::optional<Predicted> predict_gain(const gpu::Gpu& gpu, const model::Reading& reading,
                                      const ChangedValues& changes) {
  std::vector<suggest::Change> all;
  for (const auto& [name, values] : changes) {
    const model::FieldId id = model::find_field(name);
    if (id == model::no_field) return std::nullopt;
    const auto to = value_of(model::info(id), values.second);
    if (!to) return std::nullopt;
    suggest::Change change;
    change.field = id;
    change.from = model::get(reading.setup, id);
    change.to = *to;
    all.push_back(std::move(change));
  }
  const auto candidate = suggest::make_candidate(reading, suggest::links_of(reading), std::move(all), {});
  if (!candidate) return std::nullopt;
  suggest::Evaluator evaluator(gpu);
  const suggest::Evaluation from = evaluator.evaluate(reading.setup);
  const suggest::Evaluation to = evaluator.evaluate(candidate->setup);
  if (!(from.time_us > 0) || !(to.time_us > 0)) return std::nullopt;
  return Predicted{suggest::gain(from, to),
                   evaluator.uncertainty(reading.setup, candidate->setup).half_width};
}

}  // namespace shapelint::prove
