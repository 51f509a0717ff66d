// Names of enumerators.
#include "model/op.hpp"

#include <array>

namespace shapelint::model {

std::string_view name(OpKind kind) {
  static constexpr std::array<std::string_view, 5> names{"gemm", "attention", "scan", "elementwise",
                                                         "collective"};
  return names.at(static_cast<std::size_t>(kind));
}

std::string_view name(Pass pass) {
  static constexpr std::array<std::string_view, 6> names{"forward",     "recompute", "grad_input",
                                                         "grad_weight", "backward",  "update"};
  return names.at(static_cast<std::size_t>(pass));
}

std::string_view name(Layout layout) {
  static constexpr std::array<std::string_view, 4> names{"tn", "nn", "nt", "tt"};
  return names.at(static_cast<std::size_t>(layout));
}

std::optional<Layout> parse_layout(std::string_view text) {
  for (const Layout each : layouts) {
    if (name(each) == text) return each;
  }
  return std::nullopt;
}

std::string_view name(CollectiveKind kind) {
  static constexpr std::array<std::string_view, 6> names{"all_reduce", "all_gather", "reduce_scatter",
                                                         "all_to_all", "send",       "host_copy"};
  return names.at(static_cast<std::size_t>(kind));
}

}  // namespace shapelint::model
