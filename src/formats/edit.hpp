// Changing values in a configuration file by replacing their bytes: comments, layout and everything else
// stay.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.hpp"
#include "model/reading.hpp"

namespace shapelint::formats {

struct ValueEdit {
  model::FieldId field = model::no_field;
  std::int64_t from = 0;
  std::int64_t to = 0;
};

// The text with the edits made. A field that a native file does not state is added behind the last key of its
// table, or in a new table at the end. Errors (all of them): a value that is written elsewhere (another file,
// the command line) or in another form than a plain number, and in other formats a field that the file does
// not state. Whoever writes the result should read it again and compare: a file can say the same thing twice.
std::optional<std::string> edit_values(std::string_view source, const model::Reading& reading,
                                       std::span<const ValueEdit> edits, std::vector<Error>& errors);

}  // namespace shapelint::formats
