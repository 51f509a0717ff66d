// One `field = value` of a table of published models.
#pragma once

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "model/fields.hpp"
#include "text/document.hpp"

namespace shapelint::catalog {

using FieldValue = std::pair<model::FieldId, std::int64_t>;

// The field that an entry's key names and its value; of a choice, its number. Nothing, and an error with its
// place, where that is none.
std::optional<FieldValue> field_value(text::NodeRef entry, std::vector<Error>& errors);

// Instead of what `values` say of the field.
void put(std::vector<FieldValue>& values, const FieldValue& value);

}  // namespace shapelint::catalog
