// What an editor shows of a value: what it is, the products that it is a dimension of, and what they lose.
#pragma once

#include <cstdint>
#include <string>

#include "base/error.hpp"
#include "report/report.hpp"

namespace shapelint::lsp {

struct Hover {
  Span span;         // of the key or the value
  std::string text;  // Markdown; empty: nothing is known of this place
};

Hover hover_at(const lint::ModelReport& model, std::int64_t offset);

}  // namespace shapelint::lsp
