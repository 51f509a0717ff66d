// What follows in a reading from other values, and what of it is assumed.
#include "model/reading.hpp"

#include <algorithm>
#include <array>

#include "base/number.hpp"
#include "model/derive.hpp"
#include "model/layer_list.hpp"

namespace shapelint::model {

std::vector<const LayerOrigin*> origins_of_layers(const Reading& reading, const LayerKey& key,
                                                  std::int64_t value) {
  std::vector<const LayerOrigin*> out;
  for (const LayerOrigin& each : reading.layers) {
    if (each.key == key.name && layer_at(reading.setup.model, each.layer).*key.member == value)
      out.push_back(&each);
  }
  return out;
}

namespace {

std::int64_t value_of(const Derivation& derivation, const Setup& setup) {
  const FieldInfo& field = info(derivation.field);
  return std::clamp(derivation.value(setup), field.minimum, field.maximum);
}

// The entries of each field that the table filled in.
Rederived filled_in(const PerField<Origin>& origins) {
  Rederived out;
  const std::span<const Derivation> table = derivations();
  for (std::size_t i = 0; i < table.size();) {
    std::size_t next = i;  // entries of one field stand together
    while (next < table.size() && table[next].field == table[i].field) ++next;
    const std::span<const Derivation> entries = table.subspan(i, next - i);
    const Origin& origin = origins[table[i].field];
    if (std::any_of(entries.begin(), entries.end(), [&](const Derivation& each) {
          return origin.kind == each.kind && origin.note == each.note;
        })) {
      out.push_back(entries);
    }
    i = next;
  }
  return out;
}

// Defaults that hold always are constants.
bool is_constant(std::span<const Derivation> entries) {
  return entries.front().kind == Origin::Kind::defaulted && entries.front().condition.empty();
}

}  // namespace

void complete(Reading& reading) {
  for (const Derivation& each : derivations()) {
    Origin& origin = reading.origins[each.field];
    if (origin.kind != Origin::Kind::unknown || !each.applies(reading.setup)) continue;
    set(reading.setup, each.field, value_of(each, reading.setup));
    origin.kind = each.kind;
    origin.note = std::string(each.note);
  }
}

bool derives_from_table(const Reading& reading, FieldId field) {
  const Origin& present = origin(reading, field);
  const auto& table = derivations();
  return std::any_of(table.begin(), table.end(), [&](const Derivation& each) {
    return each.field == field && each.kind == present.kind && each.note == present.note;
  });
}

Rederived rederived(const PerField<Origin>& origins) {
  Rederived out = filled_in(origins);
  std::erase_if(out, is_constant);
  return out;
}

Rederived rederived(const PerField<Origin>& origins, const Setup& base, PerField<bool>& moving) {
  const auto moves = [&](const auto& inputs) {
    return std::any_of(inputs.begin(), inputs.end(),
                       [&](FieldId field) { return field != no_field && moving[field]; });
  };
  Rederived out;
  for (std::span<const Derivation> entries : rederived(origins)) {
    const FieldId field = entries.front().field;
    // Those that no setup reaches.
    const auto is_settled = [&] { return !entries.empty() && !moves(entries.front().condition_inputs); };
    while (is_settled() && !entries.front().applies(base)) entries = entries.subspan(1);
    if (is_settled()) entries = entries.first(1);
    const bool differs =
        moving[field] || std::any_of(entries.begin(), entries.end(), [&](const Derivation& each) {
          return moves(each.condition_inputs) || moves(each.inputs);
        });
    if (!differs || entries.empty()) continue;
    moving[field] = true;
    out.push_back(entries);
  }
  return out;
}

void rederive(Setup& setup, const Rederived& table) {
  for (const std::span<const Derivation> entries : table) {
    for (const Derivation& each : entries) {
      if (!each.applies(setup)) continue;
      set(setup, each.field, value_of(each, setup));
      break;
    }
  }
}

void rederive(Setup& setup, const PerField<Origin>& origins) {
  rederive(setup, filled_in(origins));
}

bool concerns_networks(FieldId field) {
  constexpr std::array concerned{FieldId::mode,
                                 FieldId::dtype,
                                 FieldId::fusion,
                                 FieldId::channels_last,
                                 FieldId::micro_batch_size,
                                 FieldId::gradient_accumulation,
                                 FieldId::data,
                                 FieldId::zero,
                                 FieldId::zero_ranks};
  return std::find(concerned.begin(), concerned.end(), field) != concerned.end();
}

void complete_network(Reading& reading) {
  complete(reading);
  const Setup none;
  for (const FieldInfo& field : fields()) {
    if (!field.section.starts_with("model") && field.id != FieldId::sequence_length) continue;
    field.set(reading.setup, field.get(none));
    reading.origins[field.id] = {};
  }
}

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

std::string unsettable(FieldId field, std::int64_t value) {
  return unsettable(field) + '_' + value_text(field, value);
}

std::string ratio_text(const Origin& origin, std::int64_t value) {
  if (origin.per_unit <= 0 || value <= 0) return {};
  constexpr double within = 0.5;  // rounded down or to the nearest, it is still the value
  const auto whole = static_cast<double>(value);
  return shortest_decimal(whole / origin.per_unit, (whole + within) / origin.per_unit);
}

std::string unsettable(FieldId field) {
  return std::string(unsettable_prefix) + std::string(info(field).name);
}

void set_derived(Reading& reading, FieldId field, std::int64_t value, std::string note) {
  set(reading.setup, field, value);
  Origin& origin = reading.origins[field];
  origin = {};
  origin.kind = Origin::Kind::derived;
  origin.note = std::move(note);
}

void give(Reading& reading, FieldId field, std::int64_t value) {
  set(reading.setup, field, value);
  reading.origins[field].kind = Origin::Kind::command_line;
}

}  // namespace shapelint::model
