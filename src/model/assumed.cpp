// What nobody said of a model or its run.
#include "model/assumed.hpp"

#include <array>

namespace shapelint::model {

bool is_assumed(const Reading& reading, FieldId field) {
  const Origin& from = origin(reading, field);
  // The notes of derive.cpp and of the dialects' data files.
  return from.kind == Origin::Kind::defaulted &&
         (from.note == "shapelint's default" || from.note.starts_with("assumed"));
}

std::vector<FieldId> assumed_fields(const Reading& reading) {
  const Plan& plan = reading.setup.plan;
  const bool is_network = !reading.setup.model.conv.empty();
  std::vector<FieldId> out;
  const auto add = [&](FieldId field, bool matters) {
    if (matters && is_assumed(reading, field)) out.push_back(field);
  };
  add(FieldId::vocab_size, !is_network);
  add(FieldId::micro_batch_size, true);
  add(FieldId::sequence_length, !is_network && plan.mode != Mode::decode);
  add(FieldId::context_length, !is_network && plan.mode == Mode::decode);
  add(FieldId::dtype, true);
  add(FieldId::attention, !is_network);
  add(FieldId::software, plan.mode == Mode::train && reading.setup.model.moe.num_experts > 0);
  return out;
}

std::string published_shape(const Reading& reading) {
  constexpr std::string_view by_name = "shape of ";
  const Origin& width = reading.origins[FieldId::hidden_size];
  const bool is_by_name = width.kind == Origin::Kind::defaulted && width.note.starts_with(by_name);
  return is_by_name ? width.note.substr(by_name.size()) : std::string();
}

std::string unsettable(FieldId field) {
  return "unsettable_" + std::string(info(field).name);
}

void give(Reading& reading, FieldId field, std::int64_t value) {
  set(reading.setup, field, value);
  reading.origins[field].kind = Origin::Kind::command_line;
}

}  // namespace shapelint::model
