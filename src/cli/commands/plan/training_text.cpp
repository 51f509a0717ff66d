// Training plans for people.
#include <cmath>

#include <fmt/format.h>

#include "base/number.hpp"
#include "base/units.hpp"
#include "cli/commands/plan/answer.hpp"
#include "model/fields.hpp"

namespace shapelint::cli {

namespace {

using contracts::TrainingPlan;
using model::FieldId;
using report::Role;

std::string recompute_name(const model::Plan& plan) {
  return model::value_text(FieldId::recompute, static_cast<std::int64_t>(plan.recompute));
}

std::string row_text(const TrainingPlan& plan) {
  const model::Plan& run = plan.setup.plan;
  return fmt::format(
      "  {:>6}  {:>8}  {:>6}  {:>7}  {:>5}  {:>6}  {:>4}  {:>11}  {:<9} {:>5} GiB  {:>8}  {:>6}  {:>12}\n",
      run.tensor, run.pipeline, run.virtual_pipeline, run.context, run.data, run.expert, run.zero,
      fmt::format("{} x {}", run.micro_batch_size, run.gradient_accumulation), recompute_name(run),
      gib(plan.memory_bytes), duration(plan.step_us), percent(plan.mfu),
      tenths(plan.tokens_per_s / static_cast<double>(plan.gpus)));
}

std::string fates_text(const contracts::Fates& fates) {
  std::string out = fmt::format("{} plans: {} priced", with_commas(fates.all), with_commas(fates.priced));
  const auto add = [&](std::int64_t count, std::string_view what) {
    if (count > 0) out += fmt::format(", {} {}", with_commas(count), what);
  };
  add(fates.too_large, "do not fit");
  add(fates.by_rules, "break a rule");
  add(fates.refused, "are refused by the stack");
  add(fates.bounded, "cannot be faster");
  return out;
}

std::string count_title(const TrainingCount& each) {
  return fmt::format("{} {}", with_commas(each.gpus), each.gpu);
}

// One line for each number of GPUs.
std::string table_of(const TrainingPlans& plans, const report::Style& style) {
  std::string out = style.paint(Role::strong, "The fastest plan of each number of GPUs") + '\n';
  for (const TrainingCount& each : plans.counts) {
    out += fmt::format("  {:>5} {:<12}", each.gpus, each.gpu);
    if (each.answer.best.empty()) {
      out += fmt::format(" none fits: at least {} GiB on a GPU\n", gib(each.answer.least_bytes));
      continue;
    }
    const TrainingPlan& best = each.answer.best.front();
    out += fmt::format(" {:>9}  MFU {:>6}  {:>10} tokens/s in all", duration(best.step_us), percent(best.mfu),
                       with_commas(std::llround(best.tokens_per_s)));
    if (plans.tokens > 0) {
      const double hours = run_hours(best, plans.tokens);
      out += fmt::format("  {:>8} h", with_commas(std::llround(hours)));
      if (each.price > 0)
        out += fmt::format("  {:>12} of money",
                           with_commas(std::llround(hours * each.price * static_cast<double>(each.gpus))));
    }
    out += fmt::format("  {}\n", layout_words(best.setup.plan));
  }
  return out + '\n';
}

std::string ablations_text(const TrainingCount& each, const report::Style& style) {
  if (each.ablations.empty()) return {};
  const double best_us = each.answer.best.front().step_us;
  std::string out = '\n' + style.paint(Role::strong, "Without a choice, the best of the other plans") + '\n';
  for (const contracts::Ablation& ablation : each.ablations) {
    const FieldId field = ablation.without.field;
    const std::string what =
        fmt::format("{} {}", model::info(field).name, model::value_text(field, ablation.without.value));
    if (!ablation.plan) {
      out += fmt::format("  {:<24} none fits\n", what);
      continue;
    }
    out += fmt::format(
        "  {:<24} {:>9}  {}\n", what,
        style.paint(Role::loss, '+' + percent(ablation.plan->step_us / best_us - 1)),
        fmt::format("{}, micro-batch {}, recompute {}", layout_words(ablation.plan->setup.plan),
                    ablation.plan->setup.plan.micro_batch_size, recompute_name(ablation.plan->setup.plan)));
  }
  return out;
}

}  // namespace

std::string training_text(const TrainingPlans& plans, const report::Style& style) {
  std::string out;
  if (plans.counts.size() > 1) out += table_of(plans, style);
  if (plans.best == nullptr) {
    for (const TrainingCount& each : plans.counts)
      if (plans.counts.size() == 1)
        out += fmt::format("{}: no plan fits and is taken; {}; at least {} GiB on a GPU\n", count_title(each),
                           fates_text(each.answer.fates), gib(each.answer.least_bytes));
    return out;
  }
  const TrainingCount& shown = *plans.best;
  out += style.paint(Role::strong, count_title(shown));
  if (plans.counts.size() > 1)
    out += shown.price > 0 ? ": most tokens for the money" : ": most tokens/s of a GPU";
  out += '\n';
  out +=
      "  tensor  pipeline  chunks  context   data  expert  ZeRO  micro-batch  recompute    memory      step"
      "     MFU  tokens/s/GPU\n";
  for (const TrainingPlan& each : shown.answer.best) out += row_text(each);
  out += fmt::format("  {}; the first is the fastest of all of them\n", fates_text(shown.answer.fates));

  const TrainingPlan& best = shown.answer.best.front();
  const auto share = [&](double us) { return percent(us / best.step_us); };
  out += fmt::format("\nstep {}: pipeline bubble {}, exposed communication {}; {} tokens/s in all\n",
                     duration(best.step_us), share(best.bubble_us), share(best.exposed_us),
                     with_commas(std::llround(best.tokens_per_s)));
  out +=
      fmt::format("memory of a GPU: weights {}, gradients {}, optimizer {}, activations {}; {} of {} GiB\n",
                  gib(best.memory.weights), gib(best.memory.gradients), gib(best.memory.optimizer),
                  gib(best.memory.activations), gib(best.memory_bytes), gib(best.usable_bytes));
  if (best.memory.host > 0)
    out += fmt::format("memory of its host: {} GiB for each GPU\n", gib(best.memory.host));
  if (plans.tokens > 0) {
    const double hours = run_hours(best, plans.tokens);
    out += fmt::format("{} tokens: {} h", count_short(plans.tokens), with_commas(std::llround(hours)));
    if (shown.price > 0)
      out += fmt::format(", {} at {} an hour and GPU",
                         with_commas(std::llround(hours * shown.price * static_cast<double>(shown.gpus))),
                         exact(shown.price));
    out += '\n';
  }
  if (shown.own) {
    const TrainingPlan& own = *shown.own;
    out += fmt::format("as the file says: {}, micro-batch {}: step {} ({:+.1f} %), {} GiB{}\n",
                       layout_words(own.setup.plan), own.setup.plan.micro_batch_size, duration(own.step_us),
                       100 * (own.step_us / best.step_us - 1), gib(own.memory_bytes),
                       own.memory_bytes > own.usable_bytes ? ", which does not fit" : "");
  }
  if (!plans.ways.empty()) out += fmt::format("in the file: {}\n", fmt::join(plans.ways, "; "));
  return out + ablations_text(shown, style);
}

}  // namespace shapelint::cli
