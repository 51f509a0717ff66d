// A hash of names that a file gives, which whoever wrote it cannot foresee.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <random>
#include <string>
#include <string_view>
#include <unordered_map>

namespace shapelint {

// SipHash-1-3 (Aumasson and Bernstein, "SipHash: a fast short-input PRF", 2012; one round for each word and
// three at the end, as Rust's standard library has it) with a key of this process. Whoever writes a file
// cannot choose names that share a bucket, each of which is compared with all others. The order of a table
// with this hash changes from run to run: nothing may go through one.
class KeyedHash {
 public:
  using is_transparent = void;

  std::size_t operator()(std::string_view text) const {
    State state;
    const std::size_t whole = text.size() / word_bytes * word_bytes;
    for (std::size_t i = 0; i < whole; i += word_bytes) state.add(word(text.substr(i, word_bytes)));
    state.add(word(text.substr(whole)) | static_cast<std::uint64_t>(text.size()) << 56U);
    return static_cast<std::size_t>(state.finish());
  }
  std::size_t operator()(std::uint64_t number) const {
    State state;
    state.add(number);
    return static_cast<std::size_t>(state.finish());
  }

 private:
  static constexpr std::size_t word_bytes = 8;

  static std::uint64_t word(std::string_view bytes) {
    std::uint64_t out = 0;
    for (std::size_t i = bytes.size(); i-- > 0;) out = out << 8U | static_cast<unsigned char>(bytes[i]);
    return out;
  }

  static const std::uint64_t* key() {
    static const std::array<std::uint64_t, 2> words = [] {
      std::random_device random;
      std::array<std::uint64_t, 2> drawn{};
      for (std::uint64_t& each : drawn) each = static_cast<std::uint64_t>(random()) << 32U | random();
      return drawn;
    }();
    return words.data();
  }

  struct State {
    std::uint64_t a = key()[0] ^ 0x736f6d6570736575ULL;
    std::uint64_t b = key()[1] ^ 0x646f72616e646f6dULL;
    std::uint64_t c = key()[0] ^ 0x6c7967656e657261ULL;
    std::uint64_t d = key()[1] ^ 0x7465646279746573ULL;

    void turn() {
      a += b;
      c += d;
      b = std::rotl(b, 13) ^ a;
      d = std::rotl(d, 16) ^ c;
      a = std::rotl(a, 32) + d;
      c += b;
      b = std::rotl(b, 17) ^ c;
      d = std::rotl(d, 21) ^ a;
      c = std::rotl(c, 32);
    }
    void add(std::uint64_t next) {
      d ^= next;
      turn();
      a ^= next;
    }
    std::uint64_t finish() {
      c ^= 0xFFU;
      for (int i = 0; i < 3; ++i) turn();
      return a ^ b ^ c ^ d;
    }
  };
};

// A table by names of a file.
template <class Value>
using NameMap = std::unordered_map<std::string, Value, KeyedHash, std::equal_to<>>;

}  // namespace shapelint
