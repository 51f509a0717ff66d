// Room for the KV cache.
#include "report/capacity.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/number.hpp"
#include "base/units.hpp"

namespace shapelint::report {

nlohmann::ordered_json capacity_json(const suggest::Capacity& capacity) {
  using Json = nlohmann::ordered_json;
  const auto known = [&](Json value) { return capacity.is_known ? std::move(value) : Json(nullptr); };
  return {{"budget_bytes", capacity.budget_bytes},
          {"weights_known", capacity.is_known},
          {"runtime_bytes", capacity.runtime_bytes},
          {"kv_cache_bytes", known(capacity.cache_bytes)},
          {"kv_cache_tokens", known(capacity.tokens)},
          {"longest_sequence", capacity.longest > 0 ? Json(capacity.longest) : Json(nullptr)},
          {"concurrent_requests", known(capacity.requests)},
          {"largest_sequence", known(capacity.largest)},
          {"starts", known(!suggest::lacks_cache(capacity))}};
}

std::string capacity_words(const suggest::Capacity& capacity) {
  if (!capacity.is_known || capacity.longest_bytes <= 0) return {};
  std::string out = fmt::format("KV cache for {} tokens", with_commas(capacity.tokens));
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
