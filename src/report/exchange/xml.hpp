// Text as XML 1.0 takes it.
#pragma once

#include <string>
#include <string_view>

namespace shapelint::report {

// For the text of an element or an attribute in double quotes. What XML 1.0 cannot hold at all (control
// characters) becomes U+FFFD.
std::string xml_escaped(std::string_view text);

}  // namespace shapelint::report
