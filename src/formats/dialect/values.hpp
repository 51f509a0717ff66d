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

// The same of the layer at `index`: its own item of a list, or letter of a text; a list of 0 and 1 may be
// Python's `([0]*3+[1]*58)`.
Seen look_at_layer(text::NodeRef node, const Alternative& alternative, std::int64_t index);

// As the file has it: a text, a number, `true` or `false`; empty: none of them.
std::string written_form(text::NodeRef node);

// For a value that the file states.
model::Origin stated_at(text::NodeRef node, const std::string& note);

// A value's place as messages call it: a flag by its name.
std::string shown_key(text::NodeRef node);

// Says of a word where only a number can stand that it is a mistake: what a program or a person fills in
// later (`auto`, `$WIDTH`, `<width>`, `HIDDEN_SIZE`) is none. False when there is nothing to say.
bool refuse_word(text::NodeRef node, const Alternative& alternative, model::FieldId field,
                 std::vector<Error>& errors);
// The same of a table, `true` or `false` where a size of the model stands.
bool refuse_kind(text::NodeRef node, const Alternative& alternative, model::FieldId field,
                 std::vector<Error>& errors);
// The same of null where the model's width or its layers must stand.
bool refuse_null(text::NodeRef node, model::FieldId field, std::vector<Error>& errors);
// The same of a number out of a size's range: a fraction, or less than there can be. -1 stands for a choice
// of the framework's own, and 0 does in some places.
bool refuse_size(text::NodeRef node, double number, model::FieldId field, std::vector<Error>& errors);

}  // namespace shapelint::formats
