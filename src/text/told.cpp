// How many mistakes of one file are told.
#include "text/told.hpp"

#include <cstdint>
#include <map>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "base/number.hpp"

namespace shapelint::text {

namespace {

Error& error_of(Error& error) {
  return error;
}
Error& error_of(LocatedError& located) {
  return located.error;
}

template <class Each>
void leave_first(std::vector<Each>& errors) {
  if (errors.size() <= most_told) return;
  std::map<std::string, std::size_t> found;  // by path
  std::vector<Each> told;
  for (Each& each : errors) {
    // What has no place is about a file as a whole, as the error is that counts.
    const Error& error = error_of(each);
    if (!error.span || ++found[error.path] <= most_told) told.push_back(std::move(each));
  }
  for (const auto& [path, count] : found) {
    if (count <= most_told) continue;
    Error& rest = error_of(told.emplace_back());
    rest.message = fmt::format("{} more errors are not listed",
                               with_commas(static_cast<std::int64_t>(count - most_told)));
    rest.path = path;
  }
  errors = std::move(told);
}

}  // namespace

void count_rest(std::vector<Error>& errors) {
  leave_first(errors);
}

void count_rest(std::vector<LocatedError>& errors) {
  leave_first(errors);
}

}  // namespace shapelint::text
