// Threads, as many as the system gives.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdlib>
#include <exception>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

namespace shapelint {

// Whether another thread would find addresses to work with beyond its stack: libraries that promise not to
// throw end the program where there are none.
inline bool has_room_for_thread() {
  constexpr std::size_t bytes = std::size_t{32} << 20U;
  void* volatile probe = std::malloc(bytes);  // not optimised away
  const bool has_room = probe != nullptr;
  std::free(probe);
  return has_room;
}

// Runs `work` in the calling thread and in up to `count - 1` others, fewer where the system has no more (a
// container's limit on processes or memory), and returns when all have ended. `work` takes its share of
// something that all of them work on. Throws what one of them threw.
template <class Work>
void run_in_threads(std::size_t count, const Work& work) {
  std::mutex mutex;
  std::exception_ptr failed;
  const auto run = [&] {
    try {
      work();
    } catch (...) {
      const std::lock_guard lock(mutex);
      failed = std::current_exception();
    }
  };
  std::vector<std::thread> threads;
  threads.reserve(count);
  try {
    for (std::size_t i = 1; i < count && has_room_for_thread(); ++i) threads.emplace_back([&run] { run(); });
  } catch (const std::exception&) {
    // Those that run do the rest.
  }
  run();
  for (std::thread& thread : threads) thread.join();
  if (failed) std::rethrow_exception(failed);
}

// Runs `work(i)` for each `i` below `count` in a thread of its own, while the calling thread calls `tick` a
// few times a second. Fewer where the system has no more threads; without any, the calling thread runs
// `work(0)`. So what all work on must be shared out among those that run. Throws what one of them threw.
template <class Work, class Tick>
void run_watched(std::size_t count, const Work& work, const Tick& tick) {
  std::mutex mutex;
  std::condition_variable ended;
  std::size_t running = 0;
  std::exception_ptr failed;
  std::vector<std::thread> threads;
  threads.reserve(count);
  const auto run = [&](std::size_t i) {
    std::exception_ptr problem;
    try {
      work(i);
    } catch (...) {
      problem = std::current_exception();
    }
    const std::lock_guard lock(mutex);
    if (problem) failed = problem;
    --running;
    ended.notify_all();
  };
  for (std::size_t i = 0; i < count; ++i) {
    const std::lock_guard lock(mutex);
    try {
      threads.emplace_back([&run, i] { run(i); });
    } catch (const std::exception&) {
      break;
    }
    ++running;
  }
  if (threads.empty()) work(std::size_t{0});
  {
    constexpr auto interval = std::chrono::milliseconds(200);
    std::unique_lock lock(mutex);
    while (!ended.wait_for(lock, interval, [&] { return running == 0; })) tick();
  }
  for (std::thread& thread : threads) thread.join();
  if (failed) std::rethrow_exception(failed);
}

}  // namespace shapelint
