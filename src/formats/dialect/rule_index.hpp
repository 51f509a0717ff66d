// The rules of each value among all tables that hold for a file.
#pragma once

#include <cstdint>
#include <deque>
#include <string_view>

#include <tsl/robin_map.h>

#include "formats/dialect/dialect.hpp"
#include "model/fields.hpp"

namespace shapelint::formats {

// Tables come one after the other, and what is known of the model by its name between two of them.
enum class Stage : std::uint8_t { before_known, after_known, common };

// Built once for a file: most values are in few of its tables, and to look for each in all takes longer.
class RuleIndex {
 public:
  struct Entry {
    const Alternatives* alternatives = nullptr;
    Stage stage = Stage::before_known;
    const Entry* next = nullptr;  // of the same value
  };

  // In the order in which they are tried. Tables must outlive the index.
  void add(const FieldRules& table, Stage stage) {
    for (const auto& [name, alternatives] : table) {
      const model::FieldId field = model::find_field(name);
      Chain& chain = field == model::no_field ? others_[name] : fields_[field];
      Entry* const entry = &entries_.emplace_back(Entry{&alternatives, stage, nullptr});
      (chain.first == nullptr ? chain.first : chain.last->next) = entry;
      chain.last = entry;
    }
  }
  const Entry* of(model::FieldId field) const { return fields_[field].first; }
  // For a value of the dialect's own.
  const Entry* of(std::string_view name) const {
    const auto found = others_.find(name);
    return found == others_.end() ? nullptr : found->second.first;
  }

 private:
  struct Chain {
    const Entry* first = nullptr;
    Entry* last = nullptr;
  };
  std::deque<Entry> entries_;
  model::PerField<Chain> fields_;
  tsl::robin_map<std::string_view, Chain> others_;
};

// Whether what an alternative gives follows the model's width.
inline bool names_width(const Alternative& each) {
  return each.value.find("hidden_size") != std::string::npos;
}

}  // namespace shapelint::formats
