// Serving plans for people.
#include <cmath>

#include <fmt/format.h>

#include "base/number.hpp"
#include "base/units.hpp"
#include "cli/commands/plan/answer.hpp"
#include "cost/roofline.hpp"

namespace shapelint::cli {

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
