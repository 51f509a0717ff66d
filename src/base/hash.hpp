// Hashes of keys in memory, for maps that nothing outside of the program sees.
#pragma once

#include <cstdint>
#include <span>

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

}  // namespace shapelint
