// What an editor shows of a value: what it is, the products that it is a dimension of, and what they lose.
#pragma once

#include <cstdint>
#include <string>

#include <shapelint/shapelint.hpp>

namespace shapelint::lsp {

struct Hover {
  api::Range range;  // of the key or the value
  std::string text;  // Markdown; empty: nothing is known of this place
};

// At a byte of the text of the model `model` of `result`, which has operations.
Hover hover_at(const api::LintResult& result, std::size_t model, std::int64_t offset);

}  // namespace shapelint::lsp
