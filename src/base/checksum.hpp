// A checksum of text that is the same on every machine; no secret depends on it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include <fmt/format.h>

namespace shapelint {

// FNV-1a, 64 bits (RFC draft-eastlake-fnv, section 5).
class Checksum {
 public:
  void add(std::string_view text) {
    for (const char c : text) add(c);
  }
  void add(char c) { state_ = (state_ ^ static_cast<unsigned char>(c)) * 0x100000001b3ULL; }
  std::string hex() const { return fmt::format("{:016x}", state_); }

 private:
  std::uint64_t state_ = 0xcbf29ce484222325ULL;
};

}  // namespace shapelint
