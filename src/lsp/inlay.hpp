// What an editor writes behind values of itself: what they come to.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <shapelint/shapelint.hpp>

namespace shapelint::lsp {

struct InlayHint {
  std::int64_t offset_byte = 0;
  std::string label;  // `head_dim 80 of 96`
  std::string tooltip;
};

// Of the text of the model `model` of `result`, which has operations.
std::vector<InlayHint> hints_of(const api::LintResult& result, std::size_t model);

}  // namespace shapelint::lsp
