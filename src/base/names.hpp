// Did-you-mean: the nearest of a list of names to one that was not found.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace shapelint {

// Number of single-character insertions, deletions, replacements and swaps of neighbours (Damerau,
// restricted).
std::size_t edit_distance(std::string_view a, std::string_view b);

// The candidate nearest to `name` (ties: the first), or empty when none is near: at most a third of the
// letters may differ. Case and `-`/`_` are not counted as differences.
std::string_view nearest_name(std::string_view name, std::span<const std::string_view> candidates);

// "did you mean `x`" or an empty string, ready to be an Error's hint.
std::string did_you_mean(std::string_view name, std::span<const std::string_view> candidates);

}  // namespace shapelint
