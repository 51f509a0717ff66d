// The rules of each field among all tables that hold for a file.
#pragma once

#include <cstdint>
#include <deque>

#include "formats/dialect/dialect.hpp"
#include "model/fields.hpp"

namespace shapelint::formats {

// Tables come one after the other, and what is known of the model by its name between two of them.
enum class Stage : std::uint8_t { before_known, after_known, common };

// Built once for a file: most fields are in few of its tables, and looking in each for every field takes
// longer.
class RuleIndex {
 public:
  struct Entry {
    const Alternatives* alternatives = nullptr;
    Stage stage = Stage::before_known;
    const Entry* next = nullptr;  // of the same field
  };

  // In the order in which they are tried. Tables must outlive the index.
  void add(const FieldRules& table, Stage stage);
  const Entry* of(model::FieldId field) const { return first_[field]; }

 private:
  std::deque<Entry> entries_;
  model::PerField<const Entry*> first_;
  model::PerField<Entry*> last_;
};

}  // namespace shapelint::formats
