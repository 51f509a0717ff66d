// What a value of a configuration says as a number.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "formats/dialect/dialect.hpp"
#include "model/fields.hpp"
#include "model/reading.hpp"
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

// Of a value that the file states.
model::Origin stated_at(text::NodeRef node, const std::string& note);

// A value's place as messages call it: a flag by its name.
std::string shown_key(text::NodeRef node);

// Says of a word where only a number can stand that it is a mistake: what a program or a person fills in
// later
// (`auto`, `$WIDTH`, `<width>`, `HIDDEN_SIZE`) is none. False when there is nothing to say.
bool refuse_word(text::NodeRef node, const Alternative& alternative, model::FieldId field,
                 std::vector<Error>& errors);
// The same of a number that leaves no model: no width, or no layer.
bool refuse_size(text::NodeRef node, double number, model::FieldId field, std::vector<Error>& errors);

}  // namespace shapelint::formats
