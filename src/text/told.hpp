// How many mistakes of one file are told.
#pragma once

#include <vector>

#include "text/located_error.hpp"

namespace shapelint::text {

// One by one; who has more of them in a file has another problem than each.
inline constexpr std::size_t most_told = 100;

// Leaves, of the errors about each file, the first most_told and one that counts the others.
void count_rest(std::vector<Error>& errors);
void count_rest(std::vector<LocatedError>& errors);

}  // namespace shapelint::text
