// Scripts that a launch script sources.
#pragma once

#include "text/files.hpp"
#include "text/parse_any.hpp"

namespace shapelint::formats {

// A script with those that it sources and that lie in the same repository (see ancestors()): in its own
// folder or in one above. Nothing where it is no script or sources none of them.
std::optional<text::Source> with_sourced_scripts(const text::FileSystem& files, const text::Source& source);

}  // namespace shapelint::formats
