// gin files, which bind parameters of functions and classes (t5x).
#pragma once

#include <string>

#include "base/error.hpp"
#include "text/document.hpp"
#include "text/source.hpp"

namespace shapelint::text {

// A table of what the file binds: `network.T5Config.emb_dim = 768`, and the same as a block below
// `network.T5Config:`, is `emb_dim` in `T5Config` in `network`; `NAME = 1` is a macro at the top, which
// `%NAME` stands for from there on. `include` is the list of the files that are included. Scopes (`train/a.b
// = 1`) and references (`@a.b()`) are Kind::unknown. Values are Python's literals; errors are as parse_python
// has them.
Result<Document> parse_gin(const std::string& path, const SharedText& source);

}  // namespace shapelint::text
