// A language server over two streams.
#pragma once

#include <iosfwd>

#include <shapelint/shapelint.hpp>

namespace shapelint::lsp {

// Serves until the client says `exit` or the stream ends. What the options leave open comes from the
// configuration closest to each file. True when the client had said `shutdown` before.
bool serve(std::istream& in, std::ostream& out, const api::LintOptions& options,
           const api::FileSystem& files);

}  // namespace shapelint::lsp
