// Templates: texts that a program fills in before anything reads them as a configuration.
#pragma once

#include <string_view>

#include "base/error.hpp"

namespace shapelint::formats {

// What is to be filled in where a text cannot be parsed: a word of capitals in the place of a value
// (`GBSIZE`), or what opens a Jinja, Go or ERB expression on that line (`{{`, `{%`, `<%`). Empty: the text is
// no template there.
std::string_view placeholder_at(std::string_view source, Span problem);

}  // namespace shapelint::formats
