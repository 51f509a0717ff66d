// Mutations that keep the form of a program: statements of a grammar go in, lines are moved, said twice and
// left out.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <map>
#include <random>
#include <string>
#include <string_view>
#include <vector>

// libFuzzer's own; elsewhere there is none.
extern "C" __attribute__((weak)) std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size,
                                                              std::size_t most);

namespace shapelint::fuzz {

// What each symbol may be written as; `<symbol>` within is written in its turn. The first way has no symbols
// in it, so that it can end a sentence.
using Grammar = std::map<std::string_view, std::vector<std::string_view>>;

class Writer {
 public:
  Writer(const Grammar& grammar, std::minstd_rand& random) : grammar_(grammar), random_(random) {}

  std::string write(std::string_view symbol, int depth = 0) {
    constexpr int deepest = 7;
    constexpr std::string_view letters = "abcdefghijklmnopqrstuvwxyz";
    const std::vector<std::string_view>& ways = grammar_.at(symbol);
    const std::string_view way = depth > deepest ? ways.front() : ways[random_() % ways.size()];
    std::string out;
    for (std::size_t at = 0; at < way.size();) {
      const std::size_t close = way[at] == '<' ? way.find_first_not_of(letters, at + 1) : at;
      if (way[at] != '<' || close == at + 1 || close == std::string_view::npos || way[close] != '>') {
        out += way[at++];  // also the sign of a comparison or of a document
        continue;
      }
      out += write(way.substr(at + 1, close - at - 1), depth + 1);
      at = close + 1;
    }
    return out;
  }

 private:
  const Grammar& grammar_;
  std::minstd_rand& random_;
};

// A statement goes in, a line goes out, some are said again, one goes elsewhere; now and then bytes, as
// libFuzzer does.
inline std::size_t mutate(const Grammar& grammar, std::uint8_t* data, std::size_t size, std::size_t most,
                          unsigned seed) {
  std::minstd_rand random(seed);
  constexpr unsigned ways = 8;
  constexpr std::size_t most_copies = 40;
  const unsigned way = random() % ways;
  if (way == 0 && LLVMFuzzerMutate != nullptr) return LLVMFuzzerMutate(data, size, most);
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  std::vector<std::string> lines;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    lines.emplace_back(text.substr(at, end - at));
    at = end + 1;
  }
  const auto place = [&](std::size_t count) { return count == 0 ? 0 : random() % count; };
  const std::size_t at = place(lines.size() + 1);
  const auto here = lines.begin() + static_cast<std::ptrdiff_t>(at);
  if (way == 1 && at < lines.size()) {
    lines.erase(here);
  } else if (way == 2 && at < lines.size()) {
    const std::string line = lines[at];
    lines.insert(here, 1 + place(most_copies), line);
  } else if (way == 3 && at < lines.size()) {
    std::swap(lines[at], lines[place(lines.size())]);
  } else if (way == 4 && at < lines.size()) {
    // Within: the same line in a block of the one above, or out of it.
    if (lines[at].starts_with(' '))
      lines[at].erase(0, lines[at].find_first_not_of(' '));
    else
      lines[at].insert(0, 4, ' ');
  } else {
    lines.insert(here, Writer(grammar, random).write("statement"));
  }
  std::string out;
  for (const std::string& line : lines) out += line + '\n';
  out.resize(std::min(out.size(), most));
  std::memcpy(data, out.data(), out.size());
  return out.size();
}

}  // namespace shapelint::fuzz
