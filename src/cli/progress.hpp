// Tells on a terminal how far something is that takes longer than a moment.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <functional>
#include <mutex>
#include <string>
#include <thread>

#include "cli/io.hpp"

namespace shapelint::cli {

// One line of standard error, where that is a terminal: written after a while, and erased at the end. What is
// written to standard output meanwhile would break it.
class Progress {
 public:
  // Nothing is said of what is done within `patience`. `text` makes the line.
  using Text = std::function<std::string(std::size_t done, std::size_t total)>;
  Progress(Io& io, Text text, std::chrono::milliseconds patience = std::chrono::seconds(1));
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  // From any thread.
  void at(std::size_t done, std::size_t total);

 private:
  void watch(std::chrono::milliseconds patience);

  Io& io_;
  Text text_;
  std::atomic<std::size_t> done_{0};
  std::atomic<std::size_t> total_{0};
  std::mutex mutex_;
  std::condition_variable changed_;
  bool ended_ = false;
  std::thread thread_;  // none where there is no terminal
};

}  // namespace shapelint::cli
