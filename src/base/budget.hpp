// What working out one file may take: one account of work and memory, whatever reads the file.
#pragma once

#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>

namespace shapelint {

// A unit of work is about 10 ns on one core of 2020: a step of an interpreter takes ten, an element that is
// copied or looked at two, and 64 bytes that are looked at one. Real files stay under a tenth of it
// (docs/reference/security.md#limits).
inline constexpr std::int64_t max_work = 50'000'000;

// Bytes that what works out one file holds at once: with its text and its tree the program stays under 300
// MB.
inline constexpr std::int64_t max_working_bytes = std::int64_t{96} << 20;

// Processor time of the thread in milliseconds, for what no unit of work was counted for. Ten times what all
// of the work takes.
inline constexpr std::int64_t max_cpu_ms = 10'000;

// Thrown where the account is empty, and again by whatever goes on anyway. Those who read a file make
// an error with a place of it.
struct Spent : std::runtime_error {
  enum class What : std::uint8_t { work, bytes, time };
  explicit Spent(What of);
  What what_of;
};

// The account of a file on this thread while it lives; within that of a file around (a part of it, another
// file that it builds on) it is that one. Whatever charges reaches it without being handed it, so that
// nothing between a reader and a comparison can forget to pass it on.
class Budget {
 public:
  explicit Budget(std::int64_t work = max_work, std::int64_t bytes = max_working_bytes,
                  std::int64_t cpu_ms = max_cpu_ms);
  ~Budget();
  Budget(const Budget&) = delete;
  Budget& operator=(const Budget&) = delete;

  // Whether anything was refused for lack of it: what was made of the file is not whole then.
  bool is_spent() const;
  // Units that were charged so far.
  std::int64_t used() const;
  // What it was spent on, as SpendingOn says it; empty if not stated, or it is not spent.
  std::string spent_on() const;

 private:
  bool is_own_ = false;
};

// Work, before it is done. Without an account nothing is counted. Throws Spent.
void charge(std::size_t units = 1);
// The work of looking at so many bytes. Throws Spent.
void charge_text(std::size_t bytes);
// Memory that will be held. Throws Spent.
void charge_bytes(std::size_t bytes);

// Says for messages what is charged for while it lives: a rule, a key. `what` must outlive it.
class SpendingOn {
 public:
  explicit SpendingOn(std::string_view what);
  ~SpendingOn();
  SpendingOn(const SpendingOn&) = delete;
  SpendingOn& operator=(const SpendingOn&) = delete;

 private:
  std::string_view before_;
};

// While it lives nothing is charged, if `is`: for what is built in; for what is kept for other files,
// whichever of them comes first, and was charged for where it was read.
class Uncharged {
 public:
  explicit Uncharged(bool is = true);
  ~Uncharged();
  Uncharged(const Uncharged&) = delete;
  Uncharged& operator=(const Uncharged&) = delete;

 private:
  bool before_ = false;
};

// What was charged while it lives is given back at its end: for whoever throws away all that it made.
class WorkingBytes {
 public:
  WorkingBytes();
  ~WorkingBytes();
  WorkingBytes(const WorkingBytes&) = delete;
  WorkingBytes& operator=(const WorkingBytes&) = delete;

 private:
  std::int64_t before_ = 0;
};

// Memory of one value, given back at its end.
class HeldBytes {
 public:
  HeldBytes() = default;
  ~HeldBytes();
  HeldBytes(const HeldBytes&) = delete;
  HeldBytes& operator=(const HeldBytes&) = delete;
  void add(std::size_t bytes);  // Throws Spent.

 private:
  std::size_t bytes_ = 0;
};

}  // namespace shapelint
