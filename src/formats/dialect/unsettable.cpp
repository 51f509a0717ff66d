// Keys are looked for among the part's own tables, and those of its dialect and the model's type.
#include "formats/dialect/unsettable.hpp"

#include <algorithm>

#include "formats/dialect/edit_instructions.hpp"

namespace shapelint::formats {

namespace {

using model::FieldId;
using model::Origin;

bool has_key(const Part& part, const RuleIndex& rules, FieldId field) {
  const auto is_key = [](const Alternative& each) { return each.kind == Alternative::Kind::key; };
  const auto any = [&](const Alternatives& all) { return std::any_of(all.begin(), all.end(), is_key); };
  const auto own = part.fields.find(model::info(field).name);
  if (own != part.fields.end()) return any(own->second);
  for (const RuleIndex::Entry* entry = rules.of(field); entry != nullptr; entry = entry->next) {
    if (any(*entry->alternatives)) return true;
  }
  return false;
}

// Whether a key, or what the dialect says of one, gives a field this value.
bool has_word(const Dialect& dialect, const Part& part, const RuleIndex& rules, FieldId field,
              std::int64_t value) {
  const model::FieldInfo& info = model::info(field);
  const bool is_told = std::any_of(dialect.ways.begin(), dialect.ways.end(), [&](const auto& way) {
    return way.field == info.name && (way.choice.empty() || way.choice == model::value_text(field, value));
  });
  const auto gives = [&](const Alternative& each) {
    if (each.kind != Alternative::Kind::key) return false;
    return each.map.empty() || std::any_of(each.map.begin(), each.map.end(), [&](const auto& entry) {
             return entry.second == static_cast<double>(value);
           });
  };
  const auto own = part.fields.find(info.name);
  if (is_told || (own != part.fields.end() && std::any_of(own->second.begin(), own->second.end(), gives)))
    return true;
  for (const RuleIndex::Entry* entry = rules.of(field); entry != nullptr; entry = entry->next) {
    if (std::any_of(entry->alternatives->begin(), entry->alternatives->end(), gives)) return true;
  }
  return false;
}

// Whether the file's framework works it out of other values, unless a ratio to the width is stated.
bool is_worked_out(const RuleIndex& rules, FieldId field) {
  bool is_derived = false;
  for (const RuleIndex::Entry* entry = rules.of(field); entry != nullptr; entry = entry->next) {
    for (const Alternative& each : *entry->alternatives) {
      if (each.kind == Alternative::Kind::key && !names_width(each)) return false;
      is_derived |= each.kind == Alternative::Kind::derived;
      if (each.kind != Alternative::Kind::key && each.when.empty()) return is_derived;
    }
  }
  return is_derived;
}

}  // namespace

// What runs files without a run may have all keys of it. Widths that a model's code works out are no key's.
void note_unsettable(const Dialect& dialect, const Part& part, const RuleIndex& rules,
                     model::Reading& reading) {
  const bool is_derived = reading.origins[FieldId::intermediate_size].kind == Origin::Kind::derived;
  if (is_derived && is_worked_out(rules, FieldId::intermediate_size))
    reading.extras.push_back({model::unsettable(FieldId::intermediate_size), 1, {}});
  if (!has_key(part, rules, FieldId::micro_batch_size)) return note_unset(dialect, reading);
  for (const FieldId field : model::layout_fields) {
    if (!has_key(part, rules, field)) reading.extras.push_back({model::unsettable(field), 1, {}});
  }
  const auto note = [&](FieldId field, auto choice) {
    const auto value = static_cast<std::int64_t>(choice);
    if (model::get(reading.setup, field) != value && !has_word(dialect, part, rules, field, value))
      reading.extras.push_back({model::unsettable(field, value), 1, {}});
  };
  note(FieldId::recompute, model::Recompute::selective);
  note(FieldId::recompute, model::Recompute::full);
  note(FieldId::loss, model::Loss::chunked);
  note_unset(dialect, reading);
}

}  // namespace shapelint::formats
