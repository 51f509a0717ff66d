// What a page's Content-Security-Policy calls its scripts by, so that no other runs.
#pragma once

#include <string>
#include <string_view>

namespace shapelint::chart {

// `'sha256-…'` of a script element's text, in the form that a policy lists.
std::string script_hash(std::string_view script);

}  // namespace shapelint::chart
