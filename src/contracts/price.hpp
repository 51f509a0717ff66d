// A setup as a stack runs it, and what unmet contracts cost: padded sizes, other kernels, longer layers.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "contracts/check.hpp"
#include "cost/step.hpp"
#include "gpu/gpu.hpp"
#include "model/op.hpp"
#include "suggest/edit/on_stack.hpp"
#include "suggest/problem.hpp"

namespace shapelint::contracts {

struct Price {
  double as_written_us = 0;  // of the step, as if nothing were padded
  double time_us = 0;        // of the step as it is run
  double tokens_per_step = 0;
  double padding_us = 0;  // of time_us: zeros
  double slower_us = 0;   // of time_us: other kernels, and layers that take `factor` as long
};

// What is lowered and priced.
struct AsRun {
  model::Setup setup;  // padded, with what runs instead
  // Its model FLOPs are those of the sizes as they are written: zeros are no work of the model.
  model::Workload workload;
  cost::StepCost step;
  // The same of the sizes as they are written.
  model::Workload workload_as_written;
  cost::StepCost step_as_written;
  Price price;
};

// For a setup without what is refused. A layer that takes `factor` as long does so in all of its operations.
AsRun run(const model::Setup& setup, std::span<const Verdict> verdicts, const gpu::Gpu& gpu);
Price price(const model::Setup& setup, std::span<const Verdict> verdicts, const gpu::Gpu& gpu);

// What is lowered, and how many times as long each of its operations takes, without pricing it.
suggest::StackRun stack_run(const model::Setup& setup, std::span<const Verdict> verdicts,
                            const gpu::Gpu& gpu);

// Whether an operation belongs to a kind of layer of contracts.
bool is_of(const model::Op& op, std::string_view layer);

// What a stack makes of the setups that a linter or a search prices.

// For one thread: it shares `checker` and has its own copy of the reading. A constraint for each contract
// whose demand, unmet on one of the GPUs, is refused; from `max_separate_constraints` on the rest are one
// together.
inline constexpr std::size_t max_separate_constraints = 16;
// How setups are priced: padded and with the stack's other kernels, or as they are written.
enum class Runs : bool { as_written, as_stack };
suggest::OnStack on_stack(const std::shared_ptr<Checker>& checker, const model::Reading& reading,
                          std::span<const gpu::Gpu* const> gpus, Runs runs = Runs::as_stack);

// Tells a search what the stack refuses, what of the start it refuses already, and how it runs the rest:
// after its constraints are set, and before its axes. `book` must outlive the problem.
void constrain(suggest::Problem& problem, const Book& book, const Stack& stack, Runs runs = Runs::as_stack);

}  // namespace shapelint::contracts
