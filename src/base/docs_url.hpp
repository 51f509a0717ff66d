// Where the project's documentation is read: what links to it begins with this one address.
#pragma once

#include <string_view>

namespace shapelint {

// Ends with `/`, or is empty: then nothing links anywhere. CMake's SHAPELINT_HOME says which.
std::string_view docs_url();

}  // namespace shapelint
