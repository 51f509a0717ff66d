// Tables of rules, by field.
#include "formats/dialect/rule_index.hpp"

namespace shapelint::formats {

void RuleIndex::add(const FieldRules& table, Stage stage) {
  for (const auto& [name, alternatives] : table) {
    const model::FieldId field = model::find_field(name);
    if (field == model::no_field) continue;
    Entry* const entry = &entries_.emplace_back(Entry{&alternatives, stage, nullptr});
    (first_[field] == nullptr ? first_[field] : last_[field]->next) = entry;
    last_[field] = entry;
  }
}

}  // namespace shapelint::formats
