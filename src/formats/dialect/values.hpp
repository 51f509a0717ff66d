// What a value of a configuration says as a number.
#pragma once

#include <cstdint>

#include "formats/dialect/dialect.hpp"
#include "model/fields.hpp"
#include "text/document.hpp"

namespace shapelint::formats {

struct Seen {
  enum class Kind : std::uint8_t {
    nothing,  // as if it were not there: try the next key
    number,
    unreadable  // there, but only the run knows what it is
  };
  Kind kind = Kind::nothing;
  double number = 0;
};

// Reads `node` as `alternative` asks: its value, the number of its items, a pattern of layers. For a field
// with choices the names of the choices are understood.
Seen look(text::NodeRef node, const Alternative& alternative, model::FieldId field);

}  // namespace shapelint::formats
