// JSON that is safe to print.
#pragma once

#include <string>

namespace shapelint::text {

// `dumped` is JSON as nlohmann writes it. Whoever prints the result is safe: what text::printable would
// replace and what text::without_commands would part is written as an escape, which reads as the same text.
std::string json_text(std::string dumped);

}  // namespace shapelint::text
