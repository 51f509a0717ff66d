// Fields that a configuration leaves out: what they follow from, or whose default they take. Readers of all
// formats end with complete(); whoever changes a field calls rederive() so that the rest follows.
#pragma once

#include <array>
#include <span>
#include <string_view>
#include <vector>

#include "model/fields.hpp"
#include "model/reading.hpp"

namespace shapelint::model {

// How one field is filled in. A field may have several entries; the first that applies counts.
struct Derivation {
  FieldId field = no_field;
  Origin::Kind kind = Origin::Kind::derived;  // derived or defaulted
  std::string_view note;                      // from which fields, or whose default
  std::string_view condition;                 // when `applies`, in words; empty for always
  bool (*applies)(const Setup&) = nullptr;
  std::int64_t (*value)(const Setup&) = nullptr;
  std::array<FieldId, 2> condition_inputs{no_field, no_field};  // fields that `applies` looks at
  std::vector<FieldId> inputs;                                  // and `value`
};

// In the order in which they must be applied: later ones may use the fields of earlier ones.
const std::vector<Derivation>& derivations();

// Gives every field of unknown origin the value and origin of its derivation; fields without one stay
// unknown. A derived value is held within the field's bounds.
void complete(Reading& reading);

// Whether `field` was derived by an entry of the table (and not by a reader's own rule).
bool derives_from_table(const Reading& reading, FieldId field);
// The width of the MLP where none is stated, by the table.
std::int64_t derived_intermediate_size(const Setup& setup);

// After a change of stated fields: computes again what complete() filled in, by the derivation that applies
// now. Values that a reader derived by a rule of its own are left alone.
void rederive(Setup& setup, const PerField<Origin>& origins);
// The same in two steps, for many setups with the same origins: which entries apply to fields that the table
// filled in, those of one field together; values that are the same for all setups are left out.
using Rederived = std::vector<std::span<const Derivation>>;
Rederived rederived(const PerField<Origin>& origins);
// For setups that differ from `base`, where all entries hold, in `moving` only: entries that can give two of
// them different values. Their fields are added to `moving`.
Rederived rederived(const PerField<Origin>& origins, const Setup& base, PerField<bool>& moving);
void rederive(Setup& setup, const Rederived& table);

// Whether a field means anything for a CNN.
bool concerns_networks(FieldId field);
// complete() for a CNN: a transformer's fields are neither stated nor follow from anything.
void complete_network(Reading& reading);

}  // namespace shapelint::model
