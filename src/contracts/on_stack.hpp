// What a stack makes of the setups that a linter or a search prices.
#pragma once

#include <cstddef>
#include <memory>
#include <span>

#include "contracts/check.hpp"
#include "suggest/edit/on_stack.hpp"
#include "suggest/problem.hpp"

namespace shapelint::contracts {

// For one thread: it shares `checker` and has its own copy of the reading. A constraint for each contract
// whose demand, unmet on one of the GPUs, is refused; from `most_alone` on the rest are one together.
inline constexpr std::size_t most_alone = 16;
// How setups are priced: padded and with the stack's other kernels, or as they are written.
enum class Runs : bool { as_written, as_stack };
suggest::OnStack on_stack(const std::shared_ptr<Checker>& checker, const model::Reading& reading,
                          std::span<const gpu::Gpu* const> gpus, Runs runs = Runs::as_stack);

// Tells a search what the stack refuses, what of the start it refuses already, and how it runs the rest:
// after its constraints are set, and before its axes. `book` must outlive the problem.
void constrain(suggest::Problem& problem, const Book& book, const Stack& stack, Runs runs = Runs::as_stack);

}  // namespace shapelint::contracts
