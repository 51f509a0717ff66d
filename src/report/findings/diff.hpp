// Two texts compared line by line.
#pragma once

#include <string>
#include <string_view>

namespace shapelint::report {

// A unified diff with three lines of context, as `diff -u` and git print it; empty for equal texts.
std::string unified_diff(std::string_view old_name, std::string_view new_name, std::string_view old_text,
                         std::string_view new_text);

}  // namespace shapelint::report
