// Characters of several bytes.
#pragma once

namespace shapelint {

// Whether a byte continues a character that began before it.
constexpr bool is_continuation(char byte) {
  return (static_cast<unsigned char>(byte) & 0xC0U) == 0x80U;
}

}  // namespace shapelint
