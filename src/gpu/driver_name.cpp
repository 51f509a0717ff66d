// Vendors' words around a GPU's name.
#include "gpu/driver_name.hpp"

#include <algorithm>
#include <array>
#include <cctype>

#include "base/number.hpp"

namespace shapelint::gpu {

namespace {

constexpr std::array<std::string_view, 6> vendors{"nvidia", "geforce", "tesla", "amd", "instinct", "radeon"};
constexpr std::array<std::string_view, 8> no_difference{"generation", "edition", "oam", "workstation",
                                                        "hbm3",       "hbm3e",   "ac",  "mba"};

std::string lower(std::string_view text) {
  std::string out(text);
  for (char& c : out) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return out;
}

bool is_separator(char c) {
  return c == ' ' || c == '-' || c == '_' || c == '/' || c == '(' || c == ')';
}

std::vector<std::string> words_of(std::string_view name) {
  std::vector<std::string> out;
  std::string word;
  for (const char c : name) {
    if (!is_separator(c)) {
      word += c;
      continue;
    }
    if (!word.empty()) out.push_back(lower(word));
    word.clear();
  }
  if (!word.empty()) out.push_back(lower(word));
  return out;
}

// `80gb`, `144g`: how much.
std::optional<double> memory_of(std::string_view word) {
  const std::size_t digits = word.find_first_not_of("0123456789");
  if (digits == 0 || digits == std::string_view::npos) return std::nullopt;
  const std::string_view unit = word.substr(digits);
  if (unit != "gb" && unit != "g") return std::nullopt;
  return parse_number(word.substr(0, digits));
}

std::string joined(const std::vector<std::string>& words) {
  std::string out;
  for (const std::string& each : words) out += (out.empty() ? "" : "-") + each;
  return out;
}

template <std::size_t size>
bool holds(const std::array<std::string_view, size>& list, std::string_view word) {
  return std::find(list.begin(), list.end(), word) != list.end();
}

}  // namespace

std::vector<ShorterName> without_vendor(std::string_view name) {
  std::vector<std::string> words = words_of(name);
  const std::size_t all = words.size();
  std::erase_if(words, [](const std::string& word) { return holds(vendors, word); });
  std::vector<ShorterName> out;
  if (words.empty()) return out;
  ShorterName now{joined(words), {}};
  if (words.size() < all) out.push_back(now);
  while (words.size() > 1) {
    const std::optional<double> memory = memory_of(words.back());
    if (!memory && !holds(no_difference, words.back())) break;
    if (memory) now.memory_gb = memory;
    words.pop_back();
    now.name = joined(words);
    out.push_back(now);
  }
  return out;
}

}  // namespace shapelint::gpu
