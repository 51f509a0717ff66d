// Plans for people: of training, and of serving.
#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "base/counted.hpp"
#include "base/number.hpp"
#include "base/strings.hpp"
#include "base/units.hpp"
#include "cli/commands/plan/plan.hpp"
#include "contracts/plan/layouts.hpp"

namespace shapelint::cli {

namespace {

using api::PlanCount;
using api::PlanResult;
using api::ServingPlan;
using api::TrainingPlan;
using report::Role;

std::string whole(double value) {
  return with_commas(std::llround(value));
}

// A paragraph that starts at `indent`.
std::string lines(std::string_view text, std::size_t indent, const report::Style& style) {
  return report::wrap(text, indent, 0, style) + '\n';
}

// The papers' names of schedules.
std::string_view schedule_words(const TrainingPlan& plan) {
  constexpr std::array<std::pair<std::string_view, std::string_view>, 6> words{{{"1f1b", "1F1B"},
                                                                                {"gpipe", "GPipe"},
                                                                                {"zero_bubble", "ZB-H1"},
                                                                                {"zero_bubble_v", "ZB-V"},
                                                                                {"dualpipe", "DualPipe"},
                                                                                {"dualpipe_v", "DualPipeV"}}};
  const auto* const found = std::find_if(
      words.begin(), words.end(), [&](const auto& each) { return each.first == plan.pipeline_schedule; });
  return found == words.end() ? std::string_view(plan.pipeline_schedule) : found->second;
}

bool has_other_schedule(const TrainingPlan& plan) {
  return plan.parallel.pipeline > 1 && plan.pipeline_schedule != "1f1b";
}

std::string layout_words(const TrainingPlan& plan) {
  std::string out = pipeline_words(plan);
  if (plan.stage_layers > 0) out += fmt::format(", {} per stage", counted(plan.stage_layers, "layer"));
  if (plan.zero > 0) out += fmt::format(", ZeRO-{}", plan.zero);
  if (plan.overlap == "micro_batches") out += ", overlap";
  out += fmt::format(", micro-batch {}, recompute {}", plan.micro_batch_size, recompute_words(plan));
  if (plan.offload_optimizer > 0) out += ", optimizer on the host";
  if (!plan.over.empty()) out += ", " + over_words(plan);
  return out;
}

std::string count_title(const PlanCount& each) {
  return fmt::format("{} {}", with_commas(each.num_gpus), each.gpu);
}

std::string counts_text(const api::SearchCounts& counts) {
  std::string out = fmt::format("{}: {} predicted", counted(counts.all, "plan"), with_commas(counts.priced));
  const auto add = [&](std::int64_t count, std::string_view what) {
    if (count > 0) out += ", " + counted(count, what);
  };
  add(counts.too_large, "does not fit|do not fit");
  add(counts.by_rules, "violates a rule|violate a rule");
  add(counts.refused, "is rejected by the stack|are rejected by the stack");
  add(counts.needless,
      "has needless recomputation or pipeline bubble|have needless recomputation or pipeline bubble");
  add(counts.bounded, "cannot be faster|cannot be faster");
  return out;
}

// Why a number of GPUs has no plan.
std::string obstacle_of(const PlanCount& count) {
  if (count.enumerated.all == 0) return "no layout divides the GPUs and the batch";
  if (!count.least_memory_bytes)
    return fmt::format("every plan violates a rule: {}", fmt::join(count.violated_rules, ", "));
  return fmt::format("nothing fits: at least {} GiB per GPU", gib(*count.least_memory_bytes));
}

// One line for each number of GPUs, and one for its plan.
std::string table_of(const PlanResult& result, const report::Style& style) {
  std::string out = style.paint(Role::strong, "The fastest plan for each number of GPUs") + '\n';
  out += fmt::format("   GPUs {:<16} {:>8} {:>7} {:>12}", "", "step", "MFU", "tokens/s");
  const auto is_priced = [](const PlanCount& each) { return each.price_per_gpu_hour > 0; };
  const bool has_hours = result.training_tokens > 0;
  const bool has_cost = has_hours && std::any_of(result.counts.begin(), result.counts.end(), is_priced);
  if (has_hours) out += fmt::format(" {:>9}", "hours");
  if (has_cost) out += fmt::format(" {:>13}", "cost");
  out += '\n';
  for (const PlanCount& each : result.counts) {
    out += fmt::format("{:>7} {:<16}", with_commas(each.num_gpus), each.gpu);
    if (each.plans->empty()) {
      out += fmt::format(" {}\n", obstacle_of(each));
      continue;
    }
    const TrainingPlan& best = each.plans->front();
    out += fmt::format(" {:>8} {:>7} {:>12}", duration(best.step_us), percent(best.mfu),
                       whole(best.tokens_per_s_all_gpus));
    if (best.run_hours) out += fmt::format(" {:>9}", whole(*best.run_hours));
    if (best.run_cost) out += fmt::format(" {:>13}", whole(*best.run_cost));
    out += '\n' + lines(layout_words(best), 8, style);
  }
  return out + '\n';
}

// Columns that say nothing of any of the plans are left out.
std::string plans_table(const std::vector<TrainingPlan>& plans) {
  struct Column {
    std::string title;
    std::vector<std::string> cells;
    bool is_needed = true;
    bool is_left = false;
  };
  std::vector<Column> columns;
  const auto add = [&](std::string title, const auto& cell) -> Column& {
    Column& column = columns.emplace_back(Column{std::move(title), {}});
    for (const TrainingPlan& each : plans) column.cells.push_back(cell(each));
    return column;
  };
  const auto add_degree = [&](const std::string& title, const auto& degree, bool is_always = false) {
    Column& column = add(title, [&](const TrainingPlan& each) { return with_commas(degree(each)); });
    column.is_needed = is_always || std::any_of(plans.begin(), plans.end(),
                                                [&](const TrainingPlan& each) { return degree(each) > 1; });
  };
  add_degree(
      "TP", [](const TrainingPlan& each) { return each.parallel.tensor; }, true);
  add_degree(
      "PP", [](const TrainingPlan& each) { return each.parallel.pipeline; }, true);
  add_degree("VPP", [](const TrainingPlan& each) { return each.virtual_pipeline; });
  add("schedule", [](const TrainingPlan& each) {
    return std::string(each.parallel.pipeline > 1 ? schedule_words(each) : "-");
  }).is_needed = std::any_of(plans.begin(), plans.end(), has_other_schedule);
  add_degree("CP", [](const TrainingPlan& each) { return each.parallel.context; });
  add_degree(
      "DP", [](const TrainingPlan& each) { return each.parallel.data; }, true);
  add_degree("EP", [](const TrainingPlan& each) { return each.parallel.expert; });
  add_degree("ETP", [](const TrainingPlan& each) {
    return each.parallel.expert > 1 ? each.parallel.expert_tensor : 1;
  });
  add("layers", [](const TrainingPlan& each) {
    return each.stage_layers > 0 ? std::to_string(each.stage_layers) : "even";
  }).is_needed = std::any_of(plans.begin(), plans.end(), [](const TrainingPlan& each) {
    return each.stage_layers > 0;
  });
  add("ZeRO", [](const TrainingPlan& each) { return std::to_string(each.zero); });
  add("overlap", [](const TrainingPlan& each) {
    return each.overlap == "none" ? "-" : each.overlap == "micro_batches" ? "yes" : "shared";
  }).is_needed = std::any_of(plans.begin(), plans.end(), [&](const TrainingPlan& each) {
    return each.overlap != plans.front().overlap;
  });
  add("batch", [](const TrainingPlan& each) {
    return fmt::format("{} x {}", each.micro_batch_size, each.gradient_accumulation);
  });
  add("recompute", [](const TrainingPlan& each) {
    constexpr std::size_t widest = 12;
    const std::string words = recompute_words(each);
    return words.size() <= widest ? words : each.recompute == "none" ? "parts" : each.recompute + " + parts";
  }).is_left = true;
  for (const auto& [field, value] : plans.front().over) {
    const auto value_in = [name = field](const TrainingPlan& each) { return each.over.at(name); };
    Column& column = add(field, value_in);
    column.is_left = true;
    column.is_needed = std::any_of(plans.begin(), plans.end(), [&, first = value](const TrainingPlan& each) {
      return value_in(each) != first;
    });
  }
  add("GiB", [](const TrainingPlan& each) { return gib(static_cast<double>(each.memory.total_bytes)); });
  add("step", [](const TrainingPlan& each) { return duration(each.step_us); });
  add("MFU", [](const TrainingPlan& each) { return percent(each.mfu); });
  const auto width_of = [](const Column& column) {
    std::size_t width = column.title.size();
    for (const std::string& cell : column.cells) width = std::max(width, cell.size());
    return width;
  };
  // Too wide for a terminal: without columns that the first plan below has.
  for (const std::string_view title : {"recompute", "MFU", "layers", "schedule"}) {
    std::size_t width = 0;
    for (const Column& column : columns) width += column.is_needed ? width_of(column) + 2 : 0;
    if (width <= report::text_width) break;
    for (Column& column : columns) column.is_needed = column.is_needed && column.title != title;
  }
  std::string out;
  for (std::size_t row = 0; row <= plans.size(); ++row) {
    std::string line = " ";
    for (const Column& column : columns) {
      if (!column.is_needed) continue;
      const std::string& cell = row == 0 ? column.title : column.cells[row - 1];
      const std::size_t width = width_of(column);
      line += column.is_left ? fmt::format("  {:<{}}", cell, width) : fmt::format("  {:>{}}", cell, width);
    }
    out += line.substr(1) + '\n';
  }
  return out;
}

std::string ablations_text(const PlanCount& count, const report::Style& style) {
  if (count.without.empty()) return {};
  const double best_us = count.plans->front().step_us;
  std::string out = '\n' + style.paint(Role::strong, "The fastest plan if one choice is changed") + '\n';
  constexpr std::size_t indent = 4;
  for (const api::WithoutChoice& without : count.without) {
    const std::string what = fmt::format("{} {}", without.field, without.value);
    out += fmt::format("  {:<34} ", what);
    if (!without.plan) {
      out += "nothing fits\n";
      continue;
    }
    const std::string loss = fmt::format("{:>9}", '+' + percent(without.plan->step_us / best_us - 1));
    out += style.paint(Role::loss, loss) + '\n' + lines(layout_words(*without.plan), indent, style);
  }
  return out;
}

std::string training_text(const PlanResult& result, const report::Style& style) {
  std::string out;
  if (result.counts.size() > 1) out += table_of(result, style);
  if (!result.best) {
    if (result.counts.size() > 1) return out;
    const PlanCount& only = result.counts.front();
    if (only.enumerated.all == 0)
      return out + lines(fmt::format("{}: no layout with the given degrees divides the GPUs and {} sequences "
                                     "per step; `--global-batch` states "
                                     "another number",
                                     count_title(only), with_commas(*result.sequences_per_step)),
                         0, style);
    return out + lines(fmt::format("{}: {}; {}", count_title(only), obstacle_of(only),
                                   counts_text(only.enumerated)),
                       0, style);
  }
  const PlanCount& shown = result.counts[static_cast<std::size_t>(*result.best)];
  out += style.paint(Role::strong, count_title(shown));
  if (result.counts.size() > 1)
    out += shown.price_per_gpu_hour > 0 ? ": lowest cost per token" : ": most tokens/s/GPU";
  out += '\n' + plans_table(*shown.plans);
  out += lines(counts_text(shown.enumerated) + "; the first is the fastest of all", 2, style);

  const TrainingPlan& best = shown.plans->front();
  const auto share = [&](double us) { return percent(us / best.step_us); };
  out += '\n' + lines(fmt::format(
                          "step {}: pipeline bubble {}, exposed communication {}; {} tokens/s, {} per GPU",
                          duration(best.step_us), share(best.bubble_us), share(best.exposed_communication_us),
                          whole(best.tokens_per_s_all_gpus), whole(best.tokens_per_s_per_gpu)),
                      0, style);
  out +=
      lines(fmt::format("80 % interval of the step: {} to {}", duration(best.low_us), duration(best.high_us)),
            0, style);
  if (result.measured_scale > 0)
    out += lines(
        fmt::format("times are {:.3g} times the predicted ones, by the measured step of the file's plan",
                    result.measured_scale),
        0, style);
  if (!best.recompute_parts.empty())
    out += lines(fmt::format("recompute: {}", recompute_words(best)), 0, style);
  const api::MemoryParts& parts = best.memory.parts;
  out += lines(
      fmt::format("memory per GPU: weights {}, gradients {}, optimizer {}, activations {}; {} of {} GiB",
                  gib(static_cast<double>(parts.weights)), gib(static_cast<double>(parts.gradients)),
                  gib(static_cast<double>(parts.optimizer)), gib(static_cast<double>(parts.activations)),
                  gib(static_cast<double>(best.memory.total_bytes)),
                  gib(static_cast<double>(best.memory.usable_bytes))),
      0, style);
  if (best.memory.host_bytes > 0)
    out +=
        fmt::format("host memory: {} GiB for each GPU\n", gib(static_cast<double>(best.memory.host_bytes)));
  if (best.run_hours) {
    out += fmt::format("{} tokens: {} h", count_short(result.training_tokens), whole(*best.run_hours));
    if (best.run_cost)
      out += fmt::format(", {} at {} per GPU hour", whole(*best.run_cost), exact(shown.price_per_gpu_hour));
    out += '\n';
  }
  if (shown.as_the_file_says) {
    const TrainingPlan& own = *shown.as_the_file_says;
    out += lines(fmt::format("the plan of the file: {}: step {} ({:+.1f} %), {} GiB{}", layout_words(own),
                             duration(own.step_us), 100 * (own.step_us / best.step_us - 1),
                             gib(static_cast<double>(own.memory.total_bytes)),
                             own.memory.fits.value_or(true) ? "" : ", which does not fit"),
                 0, style);
  }
  if (!result.in_the_file.empty())
    out += lines(fmt::format("set in the file: {}", fmt::join(result.in_the_file, "; ")), 0, style);
  return out + ablations_text(shown, style);
}

std::string replica_words(const ServingPlan& plan) {
  return fmt::format("{} of {} ({}), {}", counted(plan.replicas, "replica"),
                     counted(plan.num_gpus_per_replica, "GPU"), degree_words(plan.parallel), plan.dtype);
}

std::string service_text(std::string_view title, const ServingPlan& plan, const report::Style& style,
                         bool is_fastest = false) {
  std::string out =
      lines(fmt::format("{}: {}", style.paint(Role::strong, title), replica_words(plan)), 0, style);
  out += lines(fmt::format("{}; TTFT {}{}; {} output tokens/s on {}, {} per GPU",
                           counted(plan.concurrent_requests, "concurrent request"), duration(plan.ttft_us),
                           plan.tpot_us ? fmt::format(", TPOT {}, longest gap between tokens {}",
                                                      duration(*plan.tpot_us), duration(plan.longest_gap_us))
                                        : "",
                           whole(plan.output_tokens_per_s_all_gpus), counted(plan.num_gpus, "GPU"),
                           tenths(plan.output_tokens_per_s_per_gpu)),
               2, style);
  const std::int64_t prompts = plan.prompts_per_pass.value_or(1);
  out += lines(plan.prefill_chunk_tokens ? fmt::format("chunked prefill: up to {} of prompts per step",
                                                       counted(*plan.prefill_chunk_tokens, "token"))
               : prompts > 1 ? fmt::format("no chunked prefill: up to {} whole prompts at once between "
                                           "decode steps",
                                           with_commas(prompts))
                             : "no chunked prefill: whole prompts between decode steps",
               2, style);
  if (plan.speculative_tokens > 0)
    out += lines(
        fmt::format("speculation: {} per step, which yields {} tokens",
                    counted(plan.speculative_tokens, "drafted token"), fixed(plan.tokens_per_decode_step, 2)),
        2, style);
  out +=
      lines(fmt::format(
                "{} of {} GiB per GPU; the KV cache of a rank holds {}, {}; "
                "largest context {}",
                gib(static_cast<double>(plan.memory_bytes)), gib(static_cast<double>(plan.usable_bytes)),
                counted(plan.kv_cache_tokens_per_rank, "token"),
                counted(plan.kv_cache_requests_per_rank, "request"), counted(plan.largest_context, "token")),
            2, style);
  // Fewer requests at a time are what makes a plan the fastest.
  std::string bound = fmt::format("a decoding step is {}-bound", plan.bound);
  if (!is_fastest) bound += fmt::format("; concurrent requests are limited by {}", plan.binds);
  out += lines(bound, 2, style);
  if (plan.load < 1)
    out += lines(fmt::format("serves up to {} requests/s; load {} %", tenths(plan.requests_per_s),
                             tenths(100 * plan.load)),
                 2, style);
  if (plan.cost_per_million_input_tokens)
    out += lines(fmt::format("a million input tokens cost {}, a million output tokens {}",
                             fixed(*plan.cost_per_million_input_tokens, 3),
                             fixed(*plan.cost_per_million_output_tokens, 3)),
                 2, style);
  return out;
}

// A command that can be pasted, broken before options.
std::string command_text(std::string_view command) {
  constexpr std::size_t most = report::text_width - 2;  // ` \`
  std::string out = "  ";
  std::size_t column = out.size();
  for (std::size_t at = 0; at < command.size();) {
    // Behind `&&`, before an option or a redirection.
    const std::size_t next = command.find(" && ", at);
    const std::size_t behind = next == std::string_view::npos ? next : next + 3;
    const std::size_t end =
        std::min({command.find(" --", at + 1), command.find(" > ", at + 1), behind, command.size()});
    const std::string_view piece = command.substr(at, end - at);
    if (at > 0 && column + piece.size() > most) {
      out += " \\\n     ";
      column = 5;
    }
    out += piece;
    column += piece.size();
    at = end;
  }
  return out + '\n';
}

// Why a number of GPUs has no plan.
std::string no_plan_words(const PlanCount& count, const PlanResult& result) {
  if (count.enumerated.all == 0)
    return fmt::format("no layout of {} has the given degrees and dtypes", counted(count.num_gpus, "GPU"));
  if (count.enumerated.priced == 0) return "nothing fits";
  if (count.most_requests_per_s)
    return fmt::format("no plan takes the rate: at most {} requests/s within the bounds",
                       tenths(*count.most_requests_per_s));
  std::string best;
  const auto add = [&](std::string_view name, const std::optional<double>& us) {
    if (us) best += fmt::format("{}{} {}", best.empty() ? "" : ", ", name, duration(*us));
  };
  add("TTFT", count.least_ttft_us);
  add("TPOT", count.least_tpot_us);
  add("request", count.least_request_us);
  return fmt::format("no plan meets the bounds{}; the least of any: {}",
                     result.requests_per_s > 0 ? " and the rate" : "", best);
}

std::string serving_text(const PlanResult& result, const report::Style& style) {
  std::string out;
  for (const std::string& note : result.notes) out += lines("note: " + note, 0, style);
  if (!result.notes.empty()) out += '\n';
  if (result.counts.size() > 1) {
    out += style.paint(Role::strong, "The cheapest plan for each number of GPUs, output tokens") + '\n';
    out += fmt::format("   GPUs {:<16} {:>10} {:>12} {:>9} {:>9}\n", "", "tokens/s", "tokens/s/GPU", "TTFT",
                       "TPOT");
    for (const PlanCount& each : result.counts) {
      out += fmt::format("{:>7} {}", with_commas(each.num_gpus), each.gpu);
      if (!each.cheapest) {
        out += '\n' + lines(no_plan_words(each, result), 8, style);
        continue;
      }
      const ServingPlan& best = *each.cheapest;
      out += fmt::format("{:{}} {:>10} {:>12} {:>9} {:>9}\n", "",
                         16 - std::min<std::size_t>(16, each.gpu.size()),
                         whole(best.output_tokens_per_s_all_gpus), tenths(best.output_tokens_per_s_per_gpu),
                         duration(best.ttft_us), best.tpot_us ? duration(*best.tpot_us) : "") +
             lines(replica_words(best), 8, style);
    }
    out += '\n';
  }
  if (!result.best) {
    if (result.counts.size() > 1) return out;
    const PlanCount& only = result.counts.front();
    return out + lines(fmt::format("{}: {}; {}", count_title(only), no_plan_words(only, result),
                                   counts_text(only.enumerated)),
                       0, style);
  }
  const PlanCount& shown = result.counts[static_cast<std::size_t>(*result.best)];
  out += fmt::format("{}, {}; all that fit were predicted\n", count_title(shown),
                     counted(shown.enumerated.all, "plan"));
  const bool is_smallest = replica_words(*shown.cheapest) == replica_words(*shown.fewest_gpus) &&
                           shown.cheapest->concurrent_requests == shown.fewest_gpus->concurrent_requests;
  out += service_text(is_smallest ? "cheapest, and fewest GPUs per replica" : "cheapest", *shown.cheapest,
                      style);
  out += service_text("fastest", *shown.fastest, style, true);
  if (!is_smallest) out += service_text("fewest GPUs per replica", *shown.fewest_gpus, style);
  out += '\n' + style.paint(Role::strong, "Pareto front, output tokens") + '\n';
  out += "  tokens/s/GPU  tokens/s/user      TTFT  requests  replicas\n";
  constexpr std::size_t plan_column = 52;
  for (const ServingPlan& each : *shown.front)
    out += fmt::format("  {:>12}  {:>13}  {:>8}  {:>8}  ", tenths(each.output_tokens_per_s_per_gpu),
                       tenths(each.output_tokens_per_s_per_user), duration(each.ttft_us),
                       each.concurrent_requests) +
           report::wrap(fmt::format("{} x {}, {}", each.replicas, degree_words(each.parallel), each.dtype),
                        plan_column, plan_column, style) +
           '\n';
  const std::int64_t nodes = contracts::nodes_of(shown.cheapest->num_gpus_per_replica);
  out += '\n' + style.paint(Role::strong, "Commands that start a replica of the cheapest plan") + '\n';
  if (nodes > 1)
    out +=
        lines(fmt::format("on each of its {} nodes: NODE=0 to {}, HEAD the address of node 0; TensorRT-LLM's "
                          "once, with the nodes as mpirun's hosts",
                          nodes, nodes - 1),
              2, style);
  for (const auto& [engine, command] : result.launch) out += command_text(command);
  return out;
}

}  // namespace

std::string pipeline_words(const TrainingPlan& plan) {
  std::string out = degree_words(plan.parallel);
  if (plan.virtual_pipeline > 1) out += fmt::format(", VPP {}", plan.virtual_pipeline);
  if (has_other_schedule(plan)) out += fmt::format(", {}", schedule_words(plan));
  return out;
}

std::string over_words(const TrainingPlan& plan) {
  std::string out;
  for (const auto& [field, value] : plan.over)
    out += (out.empty() ? "" : ", ") + (field == "dtype" ? value : fmt::format("{} {}", field, value));
  return out;
}

std::string recompute_words(const TrainingPlan& plan) {
  std::string out = plan.recompute;
  for (const std::string& part : plan.recompute_parts) {
    std::string words = part;
    std::replace(words.begin(), words.end(), '_', ' ');
    out += " + " + words;
  }
  return out.starts_with("none + ") ? out.substr(7) : out;
}

std::string bounds_words(const api::PlanOptions& asked) {
  std::string out;
  const auto add = [&](std::string_view name, double max_ms) {
    if (max_ms > 0) out += fmt::format(", {} at most {}", name, duration(max_ms * 1e3));
  };
  add("TTFT", asked.ttft_ms);
  add("TPOT", asked.tpot_ms);
  add("request latency", asked.e2e_ms);
  if (asked.rate > 0) out += fmt::format(", {} requests/s", tenths(asked.rate));
  if (asked.concurrency > 0) out += ", " + counted(asked.concurrency, "concurrent request");
  return out;
}

std::string degree_words(const api::Parallel& run) {
  std::string out = fmt::format("TP {}", run.tensor);
  append_degrees(out, {{"PP", run.pipeline},
                       {"CP", run.context},
                       {"DP", run.data},
                       {"EP", run.expert},
                       {"ETP", run.expert > 1 ? run.expert_tensor : 1}});
  return out;
}

std::string plan_text(const PlanResult& result, const report::Style& style) {
  return result.kind == "training" ? training_text(result, style) : serving_text(result, style);
}

}  // namespace shapelint::cli
