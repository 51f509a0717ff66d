// Did-you-mean by edit distance.
#include "base/names.hpp"

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "base/budget.hpp"

namespace shapelint {

std::size_t edit_distance(std::string_view a, std::string_view b) {
  // What both begin or end with takes no edit.
  const auto same = std::mismatch(a.begin(), a.end(), b.begin(), b.end()).first - a.begin();
  a.remove_prefix(static_cast<std::size_t>(same));
  b.remove_prefix(static_cast<std::size_t>(same));
  const auto same_end = std::mismatch(a.rbegin(), a.rend(), b.rbegin(), b.rend()).first - a.rbegin();
  a.remove_suffix(static_cast<std::size_t>(same_end));
  b.remove_suffix(static_cast<std::size_t>(same_end));
  if (a.empty() || b.empty()) return a.size() + b.size();
  charge(1 + a.size() * b.size() / 4);
  const std::size_t width = b.size() + 1;
  std::vector<std::size_t> rows(3 * width);
  std::size_t* before_last = rows.data();
  std::size_t* last = before_last + width;
  std::size_t* row = last + width;
  for (std::size_t j = 0; j <= b.size(); ++j) last[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t replaced = last[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      row[j] = std::min({replaced, last[j] + 1, row[j - 1] + 1});
      const bool swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
      if (swapped) row[j] = std::min(row[j], before_last[j - 2] + 1);
    }
    std::swap(before_last, last);
    std::swap(last, row);
  }
  return last[b.size()];
}

namespace {

std::string folded(std::string_view name) {
  std::string out;
  for (const char c : name) {
    if (c == '-' || c == '_' || c == ' ') continue;
    out += static_cast<char>(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c);
  }
  return out;
}

// Names longer than this are not typos of anything; comparing them would only cost time.
constexpr std::size_t longest_name = 64;

// What other programs call a thing of ours; too far from our name to be a typo of it.
constexpr std::array<std::pair<std::string_view, std::string_view>, 8> other_names{{{"bfloat16", "bf16"},
                                                                                    {"float16", "fp16"},
                                                                                    {"half", "fp16"},
                                                                                    {"float32", "fp32"},
                                                                                    {"float", "fp32"},
                                                                                    {"tensorfloat32", "tf32"},
                                                                                    {"float8", "fp8"},
                                                                                    {"float4", "fp4"}}};

}  // namespace

std::string_view nearest_name(std::string_view name, std::span<const std::string_view> candidates) {
  if (name.size() > longest_name) return {};
  charge(2 * candidates.size());
  const std::string wanted = folded(name);
  for (const auto& [other, ours] : other_names) {
    const auto found = std::find(candidates.begin(), candidates.end(), ours);
    if (wanted == other && found != candidates.end()) return *found;
  }
  std::string_view best;
  std::ptrdiff_t best_shared = 0;  // characters that both begin with
  std::size_t best_distance = std::max<std::size_t>(1, wanted.size() / 3) + 1;
  for (const std::string_view candidate : candidates) {
    const std::string other = folded(candidate);
    // Each character more or less is an edit: most names need no look at their characters.
    const std::size_t longer = std::max(wanted.size(), other.size());
    if (longer - std::min(wanted.size(), other.size()) > best_distance) continue;
    const std::size_t distance = edit_distance(wanted, other);
    // Of two as near: the one that begins as the name does (`h10` is `h100`, not `a10`).
    const auto parting = std::mismatch(wanted.begin(), wanted.end(), other.begin(), other.end()).first;
    const auto shared = parting - wanted.begin();
    if (distance < best_distance || (distance == best_distance && !best.empty() && shared > best_shared)) {
      best = candidate;
      best_distance = distance;
      best_shared = shared;
    }
  }
  return best;
}

std::string did_you_mean(std::string_view name, std::span<const std::string_view> candidates) {
  const std::string_view best = nearest_name(name, candidates);
  if (best.empty()) return {};
  return "did you mean `" + std::string(best) + "`";
}

}  // namespace shapelint
