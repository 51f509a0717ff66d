// Values that a file states, or leaves to a file that is not there, and that only the run knows.
#pragma once

#include <algorithm>
#include <vector>

#include "model/reading.hpp"

namespace shapelint::model {

// One remark for each such field. A reading that has any cannot be priced.
inline std::vector<const Remark*> unresolved(const Reading& reading) {
  std::vector<const Remark*> out;
  for (const Remark& each : reading.remarks) {
    if (each.kind == Remark::Kind::unresolved) out.push_back(&each);
  }
  return out;
}

inline bool is_unresolved(const Reading& reading, FieldId field) {
  return std::any_of(reading.remarks.begin(), reading.remarks.end(), [&](const Remark& each) {
    return each.kind == Remark::Kind::unresolved && each.field == field;
  });
}

}  // namespace shapelint::model
