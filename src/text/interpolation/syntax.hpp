// The pieces of an interpolation's text.
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

#include "base/budget.hpp"

namespace shapelint::text::interpolation {

// One past the `}` that closes the `${` at `at`; npos when there is none.
std::size_t reference_end(std::string_view text, std::size_t at);

// Splits at commas outside of brackets and quotes, and trims. What it gives is charged to `held`.
std::vector<std::string_view> split_arguments(std::string_view text, HeldBytes& held);

// Upper case, digits and underscores: what environment variables are called.
bool is_variable_name(std::string_view text);

}  // namespace shapelint::text::interpolation
