// Fields that are known.
#include "formats/dialect/known_fields.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "catalog/entry.hpp"
#include "model/derive.hpp"

namespace shapelint::formats {

using model::FieldId;
using model::Origin;

bool rests_on_something(const model::Reading& reading, FieldId field) {
  switch (field) {
    case FieldId::intermediate_size:
      return is_known(reading, FieldId::hidden_size);
    case FieldId::moe_intermediate_size:
      return is_known(reading, FieldId::intermediate_size);
    case FieldId::num_key_value_heads:
      return is_known(reading, FieldId::num_attention_heads);
    case FieldId::head_dim:
    case FieldId::value_head_dim:
      return is_known(reading, FieldId::num_attention_heads) && is_known(reading, FieldId::hidden_size);
    default:
      return true;
  }
}

bool is_in_range(double number, const model::FieldInfo& field) {
  const double rounded = std::round(number);
  return std::abs(rounded - number) < 1e-6 && rounded >= static_cast<double>(field.minimum) &&
         rounded <= static_cast<double>(field.maximum);
}

void leave_unpadded(model::Reading& reading) {
  reading.setup.model.vocab_padding_multiple = 1;
  Origin& padding = reading.origins[FieldId::vocab_padding_multiple];
  padding = Origin{};
  padding.kind = Origin::Kind::defaulted;
  padding.note = "not used: the vocabulary is assumed";
}

void keep_within_positions(model::Reading& reading) {
  const Origin& origin = reading.origins[FieldId::sequence_length];
  const std::int64_t positions = reading.setup.model.learned_positions;
  if (origin.kind != Origin::Kind::defaulted || positions <= 0) return;
  reading.setup.plan.sequence_length = std::min(reading.setup.plan.sequence_length, positions);
}

void follow_length(model::Reading& reading) {
  // What a dialect derives is of its own.
  const bool follows = reading.origins[FieldId::source_length].kind == Origin::Kind::derived &&
                       model::derives_from_table(reading, FieldId::source_length);
  if (!follows) return;
  reading.setup.plan.source_length = reading.setup.plan.sequence_length;
}

Origin origin_of(const Checkpoint& known, FieldId field) {
  Origin out;
  out.kind = Origin::Kind::defaulted;
  const bool is_shape = model::info(field).section.starts_with("model");
  out.note = is_shape || !known.stored ? fmt::format("shape of {}", known.model.name)
                                       : fmt::format("the checkpoint's weights: {}", known.stored->means);
  return out;
}

std::vector<std::pair<std::string, double>> take_stored(Checkpoint& known,
                                                        std::span<const model::Override> overrides) {
  std::vector<std::pair<std::string, double>> out;
  if (!known.stored || !known.stored->is_packed) return out;
  const auto& values = known.stored->values;
  const bool differs = std::any_of(overrides.begin(), overrides.end(), [&](const model::Override& asked) {
    return asked.field == FieldId::dtype &&
           std::any_of(values.begin(), values.end(), [&](const catalog::FieldValue& each) {
             return each.first == FieldId::dtype && each.second != asked.value;
           });
  });
  if (differs) return out;
  for (const catalog::FieldValue& each : values) catalog::put(known.model.values, each);
  out.emplace_back("packs_weights", 1);
  out.emplace_back("quantization_block", known.stored->quantization_block);
  return out;
}

}  // namespace shapelint::formats
