// What an editor shows at a place of a file: hovers, hints behind values, and the comment that silences a
// finding.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <shapelint/shapelint.hpp>

namespace shapelint::lsp {

struct Hover {
  api::Range range;  // of the key or the value
  std::string text;  // Markdown; empty: nothing is known of this place
};

// At a byte of the text of the model `model` of `result`, which has operations.
Hover hover_at(const api::LintResult& result, std::size_t model, std::int64_t offset);

struct InlayHint {
  std::int64_t offset_byte = 0;
  std::string label;  // `head_dim 80 of 96`
  std::string tooltip;
};

// For the text of the model `model` of `result`, which has operations.
std::vector<InlayHint> hints_of(const api::LintResult& result, std::size_t model);

struct IgnoringComment {
  std::string title;
  std::int64_t offset_byte = 0;
  std::string text;  // that is put in there
};

// Nothing where the file's kind has no comments, or the value goes over several lines.
std::optional<IgnoringComment> ignoring(const api::Finding& finding, std::string_view path,
                                        std::string_view text);

}  // namespace shapelint::lsp
