// Counts with their nouns, in every text that people read: "1 file", "3,000 files".
#pragma once

#include <concepts>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/number.hpp"

namespace shapelint {

// A noun in its number: "file" as it is for one and with an s for others, "layer is|layers are" as it is
// told.
std::string in_number(bool is_one, std::string_view noun);

// "1 file", "3,000 files".
template <std::integral Number>
std::string counted(Number number, std::string_view noun) {
  return with_commas(static_cast<std::int64_t>(number)) + ' ' + in_number(number == 1, noun);
}

}  // namespace shapelint
