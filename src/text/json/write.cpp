// JSON that is safe to print.
#include "text/json/write.hpp"

#include <algorithm>
#include <cstdint>
#include <string_view>

#include <fmt/format.h>

#include "text/printable.hpp"

namespace shapelint::text {

std::string json_text(std::string dumped) {
  // nlohmann escapes what is below a blank. All that is looked for stands in strings alone.
  const auto is_suspect = [](char c) { return c == '#' || static_cast<unsigned char>(c) >= 0x7F; };
  auto suspect = std::find_if(dumped.begin(), dumped.end(), is_suspect);
  if (suspect == dumped.end()) return dumped;
  std::string_view left = dumped;
  std::string out;
  out.reserve(dumped.size());
  while (!left.empty()) {
    const auto plain =
        static_cast<std::size_t>(std::find_if(left.begin(), left.end(), is_suspect) - left.begin());
    out += left.substr(0, plain);
    left.remove_prefix(plain);
    if (left.empty()) break;
    constexpr std::size_t longest_command = std::string_view("##teamcity[").size();
    std::string_view rest = left;
    const char32_t code_point = next_code_point(rest);
    const std::string_view bytes = left.substr(0, left.size() - rest.size());
    const bool is_harmful =
        code_point == '#' ? without_commands(left.substr(0, longest_command), false).starts_with("# ") &&
                                left.substr(1, 1) == "#"
                          : printable(bytes) != bytes;
    out += is_harmful ? fmt::format("\\u{:04x}", static_cast<std::uint32_t>(code_point)) : std::string(bytes);
    left = rest;
  }
  return out;
}

}  // namespace shapelint::text
