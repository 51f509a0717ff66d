// Hashes: of keys in memory, which nothing outside of the program sees, and of text, the same on every
// machine; no secret depends on either.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include <fmt/format.h>

namespace shapelint {

// Takes one more word into a hash, and spreads it over all bits (a round of MurmurHash3's finalizer).
constexpr std::uint64_t hashed(std::uint64_t hash, std::uint64_t word) {
  hash = (hash + word) * 0xff51afd7ed558ccdULL;
  return hash ^ (hash >> 33U);
}

constexpr std::uint64_t hash_of(std::span<const std::uint64_t> words) {
  std::uint64_t hash = 0;
  for (const std::uint64_t word : words) hash = hashed(hash, word);
  return hash;
}

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
