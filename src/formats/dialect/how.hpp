// How somebody who has a file of a dialect sets a field: the key and the new value as they are written there.
#pragma once

#include <cstdint>
#include <string>

#include "formats/dialect/dialect.hpp"
#include "model/reading.hpp"

namespace shapelint::formats {

// "`--ffn-hidden-size 13824`", "`tp: 4` under `parallelism`", or what the dialect's `[how]` says. Empty where
// the file already calls it what the field is called, where no key holds the plain value, and for files that
// nobody writes by hand.
std::string way_to_set(const Dialect& dialect, const model::Reading& reading, model::FieldId field,
                       std::int64_t from, std::int64_t to);

}  // namespace shapelint::formats
