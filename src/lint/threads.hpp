// Work on many files by several threads.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>

namespace shapelint::lint {

// The number of something that nobody has begun yet; nothing when all have been.
using IndexSource = std::function<std::optional<std::size_t>()>;

// Calls `work` once in each of as many threads as `jobs` says (as there are processors unless given), never
// more than `count`; it takes numbers below `count` until there are no more.
void for_each_in_threads(std::size_t count, std::optional<std::int64_t> jobs,
                         const std::function<void(const IndexSource&)>& work);

}  // namespace shapelint::lint
