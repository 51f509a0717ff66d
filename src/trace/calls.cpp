// Calls that multiply take all their kernels together.
#include "trace/calls.hpp"

#include <unordered_map>

namespace shapelint::trace {

std::vector<Call> calls_of(const Trace& trace, const Step& step, Classifier& classifier) {
  std::vector<Call> calls;
  std::unordered_map<std::uint32_t, std::size_t> by_call;
  for (const Kernel* kernel : step.kernels) {
    const std::size_t of = classifier.of(*kernel);
    const bool multiplies = of != no_class && classes()[of].kind == Kind::product;
    const Launcher* launcher = kernel->launcher == none ? nullptr : &trace.launchers[kernel->launcher];
    const bool in_product = launcher != nullptr && launcher->product.k > 0 &&
                            (launcher->is_product || multiplies) && kernel->call != none;
    std::size_t index = calls.size();
    if (in_product) index = by_call.try_emplace(kernel->call, index).first->second;
    if (index == calls.size()) {
      calls.emplace_back();
      if (in_product) calls.back().product = launcher->product;
      if (launcher != nullptr) calls.back().phase = launcher->phase;
      calls.back().of = of;
    }
    Call& call = calls[index];
    call.time_us += kernel->time_us;
    ++call.kernels;
    if (call.longest == nullptr || kernel->time_us > call.longest_us) {
      call.longest_us = kernel->time_us;
      call.longest = kernel;
      if (in_product) call.of = of;
    }
  }
  return calls;
}

}  // namespace shapelint::trace
