// A language server over two streams.
#pragma once

#include <iosfwd>

#include "project/request.hpp"
#include "text/files.hpp"

namespace shapelint::lsp {

// Serves until the client says `exit` or the stream ends. Everything that the request leaves open comes from
// the configuration closest to each file. True when the client had said `shutdown` before.
bool serve(std::istream& in, std::ostream& out, const project::Request& request,
           const text::FileSystem& files);

}  // namespace shapelint::lsp
