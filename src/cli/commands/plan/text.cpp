// Plans for people: of training, and of serving.
#include <cmath>

#include <fmt/format.h>

#include "base/number.hpp"
#include "base/units.hpp"
#include "cli/commands/plan/plan.hpp"
#include "cost/roofline.hpp"
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

std::string fates_text(const contracts::SearchCounts& fates) {
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

namespace {

using contracts::ServingPlan;
using report::Role;

std::string whole(double value) {
  return with_commas(std::llround(value));
}

std::string service_words(const ServingPlan& plan) {
  return fmt::format("{} replica{} of {} GPU{} ({}), {}", plan.replicas, plan.replicas == 1 ? "" : "s",
                     plan.replica_gpus, plan.replica_gpus == 1 ? "" : "s", layout_words(plan.setup.plan),
                     contracts::name(plan.format));
}

std::string plan_text(std::string_view title, const ServingPlan& plan, const ServingCount& of,
                      const report::Style& style) {
  std::string out = fmt::format("{}: {}\n", style.paint(Role::strong, title), service_words(plan));
  out += fmt::format("  {} requests at a time; TTFT {}, TPOT {}; {} output tokens/s of {} GPUs, {} of each\n",
                     with_commas(plan.requests), duration(plan.ttft_us), duration(plan.tpot_us),
                     whole(plan.output_tokens_per_s), plan.gpus, tenths(plan.tokens_per_s_per_gpu));
  out += fmt::format(
      "  {} of {} GiB on a GPU; the KV cache of a rank holds {} tokens, {} requests; the "
      "largest context is {} tokens\n",
      gib(plan.memory_bytes), gib(plan.usable_bytes), with_commas(plan.kv_tokens),
      with_commas(plan.kv_requests), with_commas(plan.largest));
  out += fmt::format("  a decoding step is bound by {}; more requests are kept out by {}\n",
                     cost::name(plan.bound), contracts::name(plan.binds));
  if (plan.load < 1)
    out += fmt::format("  takes {} requests/s, of which {} % arrive\n", tenths(plan.requests_per_s),
                       tenths(100 * plan.load));
  if (of.price > 0) {
    const TokenCost cost = token_cost(plan, of.price);
    out += fmt::format("  a million input tokens cost {}, a million output tokens {}\n", fixed(cost.input, 3),
                       fixed(cost.output, 3));
  }
  return out;
}

}  // namespace

std::string serving_text(const ServingPlans& plans, const report::Style& style) {
  std::string out;
  const std::string_view bounds = plans.request.requests_per_s > 0 ? "bounds and the rate" : "bounds";
  if (plans.counts.size() > 1) {
    out += style.paint(Role::strong, "The cheapest plan of each number of GPUs") + '\n';
    for (const ServingCount& each : plans.counts) {
      out += fmt::format("  {:>5} {:<12}", each.gpus, each.gpu);
      if (!each.answer.cheapest) {
        out += each.answer.fates.priced > 0 ? fmt::format(" none meets the {}\n", bounds) : " none fits\n";
        continue;
      }
      const ServingPlan& best = *each.answer.cheapest;
      out += fmt::format(" {:>9} output tokens/s in all, {:>8} of a GPU  TTFT {:>8}  TPOT {:>8}  {}\n",
                         whole(best.output_tokens_per_s), tenths(best.tokens_per_s_per_gpu),
                         duration(best.ttft_us), duration(best.tpot_us), service_words(best));
    }
    out += '\n';
  }
  if (plans.best == nullptr) {
    for (const ServingCount& each : plans.counts)
      if (plans.counts.size() == 1)
        out += fmt::format(
            "{} {}: no plan {}; {} were priced, {} do not fit, {} break a rule, {} are refused "
            "by the stack\n",
            each.gpus, each.gpu, each.answer.fates.priced > 0 ? fmt::format("meets the {}", bounds) : "fits",
            each.answer.fates.priced, each.answer.fates.too_large, each.answer.fates.by_rules,
            each.answer.fates.refused);
    return out;
  }
  const ServingCount& shown = *plans.best;
  const contracts::ServingAnswer& answer = shown.answer;
  out += fmt::format("{} {}, {} plans; all that fit were priced\n", shown.gpus, shown.gpu,
                     with_commas(answer.fates.all));
  out += plan_text("cheapest", *answer.cheapest, shown, style);
  out += plan_text("fastest", *answer.fastest, shown, style);
  out += plan_text("fewest GPUs of a replica", *answer.fewest, shown, style);
  out += '\n' + style.paint(Role::strong, "Pareto front, output tokens") + '\n';
  out += "  tokens/s/GPU  tokens/s/user      TTFT  requests  plan\n";
  for (const ServingPlan& each : answer.front)
    out += fmt::format("  {:>12}  {:>13}  {:>8}  {:>8}  {}\n", tenths(each.tokens_per_s_per_gpu),
                       tenths(each.tokens_per_s_per_user), duration(each.ttft_us), each.requests,
                       service_words(each));
  out += '\n' + style.paint(Role::strong, "Start a replica of the cheapest") + '\n';
  for (const Launch& each : launches(plans.model, *answer.cheapest, plans.request))
    out += fmt::format("  {}\n", each.command);
  return out;
}

}  // namespace shapelint::cli
