// The comment that silences a finding.
#include "lsp/ignoring.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace shapelint::lsp {

namespace {

std::string_view comment_sign(std::string_view path) {
  for (const std::string_view ending : {".toml", ".yaml", ".yml"}) {
    if (path.ends_with(ending)) return "#";
  }
  return path.ends_with(".jsonc") ? "//" : "";
}

}  // namespace

std::optional<IgnoringComment> ignoring(const api::Finding& finding, std::string_view path,
                                        std::string_view text) {
  const std::string_view sign = comment_sign(path);
  if (sign.empty() || !finding.range || finding.range->start.line != finding.range->end.line)
    return std::nullopt;
  const auto at = static_cast<std::size_t>(finding.range->end.byte);
  if (at > text.size()) return std::nullopt;
  std::size_t end = std::min(text.find_first_of("\r\n", at), text.size());
  while (end > at && (text[end - 1] == ' ' || text[end - 1] == '\t')) --end;
  return IgnoringComment{fmt::format("ignore {} ({}) here", finding.code, finding.rule),
                         static_cast<std::int64_t>(end),
                         fmt::format("  {} shapelint: ignore[{}]", sign, finding.code)};
}

}  // namespace shapelint::lsp
