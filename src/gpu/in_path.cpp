// GPUs that paths of files are called after.
#include "gpu/in_path.hpp"

#include <algorithm>
#include <cctype>
#include <cstddef>
#include <utility>

#include "gpu/registry.hpp"

namespace shapelint::gpu {

namespace {

bool is_letter(char c) {
  return std::isalpha(static_cast<unsigned char>(c)) != 0;
}

bool is_in_word(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0;
}

// A letter and digits, in four characters: `t4`, `spark` and `4090` stand in paths for other things as well.
bool may_name(std::string_view word) {
  constexpr std::size_t shortest = 4;
  return word.size() >= shortest && is_letter(word.front()) &&
         word.find_first_of("0123456789") != std::string_view::npos;
}

}  // namespace

std::optional<Gpu> gpu_in_path(std::string_view path) {
  std::optional<Gpu> out;
  while (!path.empty()) {
    const auto from = std::find_if(path.begin(), path.end(), is_in_word);
    const auto to = std::find_if_not(from, path.end(), is_in_word);
    const std::string_view word =
        path.substr(static_cast<std::size_t>(from - path.begin()), static_cast<std::size_t>(to - from));
    path.remove_prefix(static_cast<std::size_t>(to - path.begin()));
    if (!may_name(word)) continue;
    auto found = find_gpu(word);
    if (!found) continue;
    if (out && out->id != found->id) return std::nullopt;
    out = *std::move(found);
  }
  return out;
}

}  // namespace shapelint::gpu
