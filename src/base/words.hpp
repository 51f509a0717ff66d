// Names and lists as people read them.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace shapelint {

// `micro-batch-size` for `micro_batch_size`: as options and configurations write it.
std::string dashed(std::string_view name);

// "a, b and c".
std::string in_words(std::span<const std::string> parts);

// Without the blanks at both ends.
std::string_view trimmed(std::string_view text, std::string_view blanks = " \t\r\n");

}  // namespace shapelint
