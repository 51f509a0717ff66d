// Strings as JSON and TOML write them.
#pragma once

#include <string>
#include <string_view>

namespace shapelint {

// A string of JSON that is a basic string of TOML 1.0, too. What is not UTF-8 is refused before.
std::string quoted(std::string_view text);

}  // namespace shapelint
