// Names of devices as drivers tell them.
#include "trace/device.hpp"

#include <array>
#include <cctype>

#include "gpu/registry.hpp"

namespace shapelint::trace {

std::optional<std::string> gpu_of(std::string_view device, std::span<const text::Document> own) {
  std::string name;
  for (const char c : device)
    name += c == ' ' || c == '_' ? '-' : static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  constexpr std::array<std::string_view, 6> makers{"nvidia-",  "amd-",      "tesla-",
                                                   "geforce-", "instinct-", "radeon-"};
  for (const std::string_view maker : makers) {
    if (name.starts_with(maker)) name.erase(0, maker.size());
  }
  // A laptop's GPU is another chip than the card that it is named after.
  if (name.find("laptop") != std::string::npos) return std::nullopt;
  // "h100-80gb-hbm3", then "h100-80gb", then "h100".
  while (!name.empty()) {
    if (const auto found = gpu::find_gpu(name, own)) return found->id;
    const std::size_t last = name.rfind('-');
    if (last == std::string::npos) break;
    name.erase(last);
  }
  return std::nullopt;
}

}  // namespace shapelint::trace
