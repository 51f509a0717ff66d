// The account of the thread's file.
#include "base/budget.hpp"

#include <algorithm>
#include <ctime>
#include <optional>

#include "base/sanitizer.hpp"

namespace shapelint {

namespace {

// Asking for the time takes as long as dozens of units.
constexpr std::int64_t units_between_looks = 100'000;

constexpr std::size_t bytes_per_unit = 64;

// The deadline is as much later with AddressSanitizer, so that a file is refused for the same reason in every
// build.
constexpr std::int64_t slowdown = has_address_sanitizer ? 10 : 1;

struct Account {
  std::int64_t work = 0;
  std::int64_t bytes = 0;
  std::int64_t max_work = 0;
  std::int64_t most_bytes = 0;
  std::int64_t until_ms = 0;
  std::int64_t next_look = 0;
  std::optional<Spent::What> spent;
  std::string spent_on;
};

thread_local std::optional<Account> account;
thread_local std::string_view spending_on;
thread_local bool is_uncharged = false;

std::int64_t cpu_now_ms() {
  timespec now{};
  if (clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now) != 0) return 0;
  return static_cast<std::int64_t>(now.tv_sec) * 1000 + static_cast<std::int64_t>(now.tv_nsec) / 1'000'000;
}

const char* describe(Spent::What what) {
  switch (what) {
    case Spent::What::work:
      return "reading it takes more work than any configuration needs";
    case Spent::What::bytes:
      return "reading it takes more memory than any configuration needs";
    case Spent::What::time:
      return "reading it takes longer than any configuration needs";
  }
  return "it takes too much to read";
}

[[noreturn]] void refuse(Spent::What what) {
  account->spent = what;
  account->spent_on = std::string(spending_on);
  throw Spent(what);
}

}  // namespace

Spent::Spent(What of) : std::runtime_error(describe(of)), what_of(of) {}

Budget::Budget(std::int64_t work, std::int64_t bytes, std::int64_t cpu_ms) {
  if (account) return;
  is_own_ = true;
  account.emplace();
  // What an exception left behind where it passes through without a trace (WebAssembly).
  spending_on = {};
  is_uncharged = false;
  account->max_work = work;
  account->most_bytes = bytes;
  account->until_ms = cpu_now_ms() + cpu_ms * slowdown;
  account->next_look = units_between_looks;
}

Budget::~Budget() {
  if (is_own_) account.reset();
}

bool Budget::is_spent() const {
  return account->spent.has_value();
}

std::int64_t Budget::used() const {
  return account->work;
}

std::string Budget::spent_on() const {
  return account->spent_on;
}

void charge(std::size_t units) {
  if (!account || is_uncharged) return;
  if (account->spent) throw Spent(*account->spent);
  // More at once than there is overflows nothing.
  account->work +=
      static_cast<std::int64_t>(std::min(units, static_cast<std::size_t>(account->max_work) + 1));
  if (account->work > account->max_work) refuse(Spent::What::work);
  if (account->work < account->next_look) return;
  account->next_look = account->work + units_between_looks;
  if (cpu_now_ms() > account->until_ms) refuse(Spent::What::time);
}

void charge_text(std::size_t bytes) {
  charge(1 + bytes / bytes_per_unit);
}

void charge_bytes(std::size_t bytes) {
  if (!account || is_uncharged) return;
  if (account->spent) throw Spent(*account->spent);
  account->bytes +=
      static_cast<std::int64_t>(std::min(bytes, static_cast<std::size_t>(account->most_bytes) + 1));
  if (account->bytes > account->most_bytes) refuse(Spent::What::bytes);
}

SpendingOn::SpendingOn(std::string_view what) : before_(spending_on) {
  spending_on = what;
}

SpendingOn::~SpendingOn() {
  spending_on = before_;
}

Uncharged::Uncharged(bool is) : before_(is_uncharged) {
  is_uncharged = is_uncharged || is;
}

Uncharged::~Uncharged() {
  is_uncharged = before_;
}

WorkingBytes::WorkingBytes() : before_(account ? account->bytes : 0) {}

WorkingBytes::~WorkingBytes() {
  if (account) account->bytes = before_;
}

HeldBytes::~HeldBytes() {
  if (account) account->bytes -= static_cast<std::int64_t>(bytes_);
}

void HeldBytes::add(std::size_t bytes) {
  charge_bytes(bytes);
  bytes_ += bytes;
}

}  // namespace shapelint
