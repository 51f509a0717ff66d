// The comment that silences a finding where it stands (docs/reference/config-file.md).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include <shapelint/shapelint.hpp>

namespace shapelint::lsp {

struct IgnoringComment {
  std::string title;
  std::int64_t offset_byte = 0;
  std::string text;  // that is put in there
};

// Nothing where the file's kind has no comments, or the value goes over several lines.
std::optional<IgnoringComment> ignoring(const api::Finding& finding, std::string_view path,
                                        std::string_view text);

}  // namespace shapelint::lsp
