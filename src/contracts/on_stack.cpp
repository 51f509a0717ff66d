// The hook between contracts and whoever prices setups.
#include "contracts/on_stack.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "contracts/price.hpp"

namespace shapelint::contracts {

namespace {

// What the closures of one thread share.
struct Shared {
  std::shared_ptr<Checker> checker;
  model::Reading reading;
  std::vector<gpu::Gpu> gpus;
};

bool meets_all(const Shared& shared, std::span<const Contract* const> contracts, const model::Setup& setup) {
  return std::all_of(shared.gpus.begin(), shared.gpus.end(), [&](const gpu::Gpu& gpu) {
    return std::all_of(contracts.begin(), contracts.end(), [&](const Contract* contract) {
      return shared.checker->meets(*contract, shared.reading, setup, gpu);
    });
  });
}

}  // namespace

suggest::OnStack on_stack(const std::shared_ptr<Checker>& checker, const model::Reading& reading,
                          std::span<const gpu::Gpu* const> gpus, Runs runs) {
  const auto shared = std::make_shared<Shared>(Shared{checker, reading, {}});
  for (const gpu::Gpu* each : gpus) shared->gpus.push_back(*each);
  suggest::OnStack out;
  if (runs == Runs::as_stack) {
    out.run = [shared](const model::Setup& setup, const gpu::Gpu& gpu) {
      return stack_run(setup, shared->checker->check(shared->reading, setup, gpu, Words::none), gpu);
    };
  }
  std::vector<std::vector<const Contract*>> groups;
  for (const Contract* each : checker->contracts()) {
    const bool is_asked =
        each->outcome == Outcome::refuses && is_for(*each, reading.setup.plan) &&
        std::any_of(gpus.begin(), gpus.end(), [&](const gpu::Gpu* gpu) { return is_for(*each, *gpu); });
    if (!is_asked) continue;
    if (groups.size() <= most_alone) groups.emplace_back();
    groups.back().push_back(each);
  }
  for (const std::vector<const Contract*>& group : groups) {
    std::string name = group.size() == 1
                           ? fmt::format("requirement {} ({})", group.front()->id, group.front()->summary)
                           : fmt::format("one of {} further requirements", group.size());
    out.constraints.push_back({std::move(name), [shared, group](const model::Setup& setup) {
                                 return meets_all(*shared, group, setup);
                               }});
  }
  return out;
}

void constrain(suggest::Problem& problem, const Book& book, const Stack& stack, Runs runs) {
  // In the mode that the search is about.
  model::Reading reading = *problem.reading;
  reading.setup = problem.start;
  problem.on_stack = [&book, stack, reading, gpus = problem.gpus, runs] {
    return on_stack(std::make_shared<Checker>(book, stack), reading, gpus, runs);
  };
  problem.constraints = [own = std::move(problem.constraints), make = problem.on_stack] {
    std::vector<suggest::Constraint> out = own ? own() : std::vector<suggest::Constraint>{};
    for (suggest::Constraint& each : make().constraints) out.push_back(std::move(each));
    return out;
  };
  if (runs == Runs::as_stack) problem.stack_note = describe(book, stack);
  Checker checker(book, stack);
  std::vector<std::string_view> refused;
  for (const gpu::Gpu* gpu : problem.gpus) {
    for (const Verdict& each : checker.check(reading, problem.start, *gpu, Words::none)) {
      if (each.meets) continue;
      if (each.contract->outcome == Outcome::refuses &&
          std::find(refused.begin(), refused.end(), each.contract->id) == refused.end()) {
        refused.push_back(each.contract->id);
      }
      if (runs == Runs::as_written || each.contract->outcome != Outcome::pads) continue;
      for (const suggest::Change& change : each.set) problem.padded.push_back(change.field);
    }
  }
  for (const std::string_view id : refused) {
    if (!problem.broken.empty()) problem.broken += ' ';
    problem.broken += id;
  }
}

}  // namespace shapelint::contracts
