// The table of kinds.
#include "cost/engines/kinds.hpp"

#include <vector>

#include "cost/engines/rows.hpp"

namespace shapelint::cost {

std::span<const KernelKind> kernel_kinds() {
  static const std::vector<KernelKind> all = [] {
    std::vector<KernelKind> kinds;
    for (const auto family :
         {detail::attention_kinds(), detail::expert_kinds(), detail::scan_kinds(), detail::pass_kinds()}) {
      kinds.insert(kinds.end(), family.begin(), family.end());
    }
    return kinds;
  }();
  return all;
}

const KernelKind* find_kernel_kind(std::string_view name) {
  for (const KernelKind& kind : kernel_kinds()) {
    if (kind.name == name) return &kind;
  }
  return nullptr;
}

}  // namespace shapelint::cost
