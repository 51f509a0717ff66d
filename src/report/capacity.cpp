// Room for the KV cache.
#include "report/capacity.hpp"

#include <fmt/format.h>

#include "base/counted.hpp"
#include "base/number.hpp"
#include "base/units.hpp"

namespace shapelint::report {

std::string capacity_words(const suggest::Capacity& capacity) {
  if (!capacity.is_known || capacity.longest_bytes <= 0) return {};
  std::string out = fmt::format("KV cache for {}", counted(capacity.tokens, "token"));
  if (capacity.longest <= 0) return out;
  const int decimals = capacity.requests < 10 ? 2 : 0;
  return out + fmt::format(", {} requests of {}", fixed(capacity.requests, decimals),
                           with_commas(capacity.longest));
}

std::string memory_words(double bytes, const gpu::Gpu& gpu) {
  return fmt::format("{} of {} GiB", gib(bytes), gib(gpu::memory_bytes(gpu)));
}

std::string does_not_fit_words(double bytes, const gpu::Gpu& gpu) {
  return fmt::format("does not fit: {} per GPU", memory_words(bytes, gpu));
}

}  // namespace shapelint::report
