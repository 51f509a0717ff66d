// JSON that is safe to print.
#pragma once

#include <string>

namespace shapelint::text {

// `dumped` is JSON as nlohmann writes it. Whoever prints the result is safe: what text::printable would
// replace and what text::without_commands would part is written as an escape, which reads as the same text.
std::string json_text(std::string dumped);

// `json`, a value of nlohmann's, so written, `indent` spaces for each level (-1: all in one line). What is no
// UTF-8 is replaced. No line's end behind it.
template <class Json>
std::string json_text(const Json& json, int indent) {
  return json_text(json.dump(indent, ' ', false, Json::error_handler_t::replace));
}

}  // namespace shapelint::text
