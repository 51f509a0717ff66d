// Versions of packages.
#include "contracts/version.hpp"

#include <algorithm>
#include <charconv>

namespace shapelint::contracts {

std::optional<Version> parse_version(std::string_view text) {
  if (text.starts_with('v')) text.remove_prefix(1);
  Version out;
  while (!text.empty()) {
    std::int64_t number = 0;
    const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (problem != std::errc{} || number < 0) break;
    out.push_back(number);
    text.remove_prefix(static_cast<std::size_t>(end - text.data()));
    if (!text.starts_with('.')) break;
    text.remove_prefix(1);
  }
  if (out.empty()) return std::nullopt;
  return out;
}

int compare(const Version& a, const Version& b) {
  for (std::size_t i = 0; i < std::min(a.size(), b.size()); ++i) {
    if (a[i] != b[i]) return a[i] < b[i] ? -1 : 1;
  }
  return 0;
}

}  // namespace shapelint::contracts
