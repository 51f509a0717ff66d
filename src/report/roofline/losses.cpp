// Losses of a step, with what a stack adds.
#include <cmath>

#include <fmt/format.h>

#include "base/number.hpp"
#include "report/roofline/parts.hpp"

namespace shapelint::report {

cost::Waterfall losses_of(const RooflineCase& of) {
  const DType dtype = of.setup.plan.dtype;
  if (!of.stack) return cost::waterfall(of.gpu, of.workload, of.line.step, dtype);
  cost::Waterfall out = cost::waterfall(of.gpu, of.stack->workload, of.stack->step, dtype);
  out.us[static_cast<std::size_t>(cost::Loss::padding)] = of.stack->padding_us;
  out.us[static_cast<std::size_t>(cost::Loss::other_kernels)] = of.stack->other_kernels_us;
  return out;
}

std::string roofline_parts::stack_text(const RooflineCase& each) {
  if (!each.stack) return {};
  const StackEffect& stack = *each.stack;
  const double step_us = each.line.step.time_us;
  std::string out = fmt::format("with {}:\n  ", stack.packages);
  if (stack.unmet.empty()) return out + "all known requirements of its kernels are met\n";
  out += fmt::format("{} as written", duration(stack.step.time_us));
  const auto tell = [&](double us, std::string_view what, std::string_view saved) {
    if (us == 0) return;
    out += fmt::format(", {} ({}) {}", duration(std::abs(us)), percent(std::abs(us) / step_us),
                       us > 0 ? what : saved);
  };
  tell(stack.padding_us, "of padding", "saved by padding");
  tell(stack.other_kernels_us, "of other kernels", "saved by other kernels");
  out += '\n';
  for (const StackEffect::Unmet& unmet : stack.unmet) {
    out += fmt::format("  {} {}{}\n", unmet.contract, unmet.words,
                       unmet.numbers.empty() ? "" : ": " + unmet.numbers);
  }
  return out;
}

}  // namespace shapelint::report
