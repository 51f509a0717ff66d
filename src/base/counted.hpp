// Counts with their nouns, in every text that people read: "1 file", "3,000 files".
#pragma once

#include <concepts>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/number.hpp"

namespace shapelint {

// Singular or plural of a noun: "file", with an s for more than one; "layer is|layers are" as
// written.
std::string in_number(bool is_one, std::string_view noun);

// "1 file", "3,000 files".
template <std::integral Number>
std::string counted(Number number, std::string_view noun) {
  return with_commas(static_cast<std::int64_t>(number)) + ' ' + in_number(number == 1, noun);
}

}  // namespace shapelint
