// Work on many files by several threads.
#include "lint/threads.hpp"

#include <algorithm>
#include <atomic>
#include <thread>

#include "base/threads.hpp"

namespace shapelint::lint {

void for_each_in_threads(std::size_t count, std::optional<std::int64_t> jobs,
                         const std::function<void(const IndexSource&)>& work) {
  if (count == 0) return;
  std::atomic<std::size_t> begun{0};
  const IndexSource next = [&]() -> std::optional<std::size_t> {
    const std::size_t index = begun++;
    return index < count ? std::optional(index) : std::nullopt;
  };
  const std::int64_t processors = std::max<std::int64_t>(1, std::thread::hardware_concurrency());
  const std::int64_t wanted = std::max<std::int64_t>(1, jobs.value_or(processors));
  const auto number = std::min<std::size_t>(static_cast<std::size_t>(wanted), count);
  run_in_threads(number, [&] { work(next); });
}

}  // namespace shapelint::lint
