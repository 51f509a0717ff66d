// JSON as text.
#pragma once

#include <string>

#include <nlohmann/json_fwd.hpp>

namespace shapelint::text {

// `indent`: of each level, -1 for one line. Whoever prints it is safe: what text::printable would replace and
// what text::without_commands would part is written as an escape, which reads as the same text. Bytes that
// are no UTF-8 become U+FFFD.
std::string json_text(const nlohmann::ordered_json& json, int indent);

}  // namespace shapelint::text
