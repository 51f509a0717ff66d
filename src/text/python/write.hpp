// Values as nodes of a document.
#pragma once

#include "text/document.hpp"
#include "text/python/run.hpp"

namespace shapelint::text::python {

// Appends a value and what it holds. What is written in another file than `module` stands where the value
// around it does, in the end at `around`. Throws TooMuch.
void write(TreeBuilder& tree, std::int32_t parent, std::string_view key, const Value& value,
           const Module& module, Span key_span, Span around);

}  // namespace shapelint::text::python
