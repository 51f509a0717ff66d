// Tells on a terminal how far something is.
#include "cli/progress.hpp"

#include <exception>
#include <utility>

namespace shapelint::cli {

namespace {

constexpr std::chrono::milliseconds between{100};
// To the line's begin, and all of it erased (ECMA-48, EL).
constexpr std::string_view erase = "\r\x1b[K";

bool can_erase(const Io& io) {
  const auto terminal = io.environment.find("TERM");
  return io.err_is_terminal && (terminal == io.environment.end() || terminal->second != "dumb");
}

}  // namespace

Progress::Progress(Io& io, Text text, std::chrono::milliseconds patience) : io_(io), text_(std::move(text)) {
  if (!can_erase(io)) return;
  try {
    thread_ = std::thread([this, patience] { watch(patience); });
  } catch (const std::exception&) {
    // The system has no more threads: nothing is shown.
  }
}

Progress::~Progress() {
  if (!thread_.joinable()) return;
  {
    const std::lock_guard lock(mutex_);
    ended_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

void Progress::at(std::size_t done, std::size_t total) {
  done_ = done;
  total_ = total;
}

void Progress::watch(std::chrono::milliseconds patience) {
  std::unique_lock lock(mutex_);
  const auto has_ended = [this] { return ended_; };
  if (patience.count() > 0 && changed_.wait_for(lock, patience, has_ended)) return;
  do {
    io_.err << erase << text_(done_, total_) << std::flush;
  } while (!changed_.wait_for(lock, between, has_ended));
  io_.err << erase << std::flush;
}

}  // namespace shapelint::cli
