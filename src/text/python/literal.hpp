// Python files that only assign values, as nanoGPT's config/*.py.
#pragma once

#include <string>

#include "base/error.hpp"
#include "text/document.hpp"
#include "text/limits.hpp"

namespace shapelint::text {

// A table of the top-level assignments `name = value` (also `name: type = value`) whose value can be worked
// out without running Python: integers, floats, strings, True, False, None, lists and tuples of them, and
// + - * / // % ** with names that were assigned before. A name that is assigned something else, or inside of
// an `if`, `for`, `while`, `with` or `try`, is Kind::unknown with the reason in NodeRef::note. Everything
// else, functions and classes included, is passed over. A name that is assigned twice is there twice, the
// last one counts. The span is that of the value's bytes. Errors: size, encoding, a string that is never
// closed. Python with other mistakes is read as far as it goes.
Result<Document> parse_literal_python(std::string path, SharedText source);

}  // namespace shapelint::text
