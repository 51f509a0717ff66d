// Fields that are known.
#include "formats/dialect/known_fields.hpp"

#include <algorithm>

namespace shapelint::formats {

using model::Origin;

bool is_known(const model::Reading& reading, std::string_view name) {
  return reading.origins[static_cast<std::size_t>(model::find_field(name))].kind != Origin::Kind::unknown;
}

bool rests_on_something(const model::Reading& reading, const model::FieldInfo& field) {
  if (field.name == "intermediate_size") return is_known(reading, "hidden_size");
  if (field.name == "moe_intermediate_size") return is_known(reading, "intermediate_size");
  if (field.name == "num_key_value_heads") return is_known(reading, "num_attention_heads");
  if (field.name == "head_dim" || field.name == "value_head_dim") {
    return is_known(reading, "num_attention_heads") && is_known(reading, "hidden_size");
  }
  return true;
}

void keep_within_positions(model::Reading& reading) {
  const Origin& origin = reading.origins[static_cast<std::size_t>(model::find_field("sequence_length"))];
  const std::int64_t positions = reading.setup.model.learned_positions;
  if (origin.kind != Origin::Kind::defaulted || positions <= 0) return;
  reading.setup.plan.sequence_length = std::min(reading.setup.plan.sequence_length, positions);
}

void follow_length(model::Reading& reading) {
  const Origin& origin = reading.origins[static_cast<std::size_t>(model::find_field("source_length"))];
  if (origin.kind != Origin::Kind::derived) return;
  reading.setup.plan.source_length = reading.setup.plan.sequence_length;
}

}  // namespace shapelint::formats
