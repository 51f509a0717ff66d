// Rooflines for people.
#include <algorithm>
#include <cmath>
#include <numeric>

#include <fmt/format.h>

#include "base/counted.hpp"
#include "base/number.hpp"
#include "cost/step_interval.hpp"
#include "model/lower/lower.hpp"
#include "report/capacity.hpp"
#include "report/roofline/parts.hpp"
#include "suggest/edit/footprint.hpp"

namespace shapelint::report {

using namespace roofline_parts;

namespace {

constexpr std::int64_t usual_rows = 15;
constexpr double giga = 1e9;
constexpr double mega = 1e6;
constexpr double bytes_per_kib = 1024;

// Each line of a text that ends in a line feed, with further lines behind two blanks.
std::string wrapped_lines(std::string_view text, const Style& style) {
  std::string out;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size() - 1);
    const std::string_view line = text.substr(0, end);
    const std::size_t indent = std::min(line.find_first_not_of(' '), line.size());
    out += std::string(indent, ' ') + wrap(line.substr(indent), indent + 2, indent + 2, style) + '\n';
    text.remove_prefix(end + 1);
  }
  return out;
}

std::string roofs_text(const cost::Roofs& roofs, DType dtype) {
  std::string out =
      fmt::format("{:<28}{:>13}{:>24}{:>14}\n", "rooflines", "theory", "achieved", "ridge FLOP/B");
  const cost::MemoryRoof& dram = roofs.memory[0];
  for (const cost::ComputeRoof& roof : roofs.compute) {
    if (roof.dtype != dtype && (roof.on_tensor_cores || roof.dtype != DType::fp32)) continue;
    const std::string achieved =
        roof.achieved_tflops > 0
            ? fmt::format(
                  "{} ({})", brief(roof.achieved_tflops),
                  roof.achieved_basis == cost::Basis::profile ? "measured" : cost::name(roof.achieved_basis))
            : "-";
    out += fmt::format(
        "  {:<26}{:>13}{:>24}{:>14}\n",
        fmt::format("{}, {} cores", name(roof.dtype), roof.on_tensor_cores ? "tensor" : "CUDA"),
        fmt::format("{} TFLOP/s", brief(roof.tflops)), achieved, brief(cost::ridge(roof.tflops, dram.gb_s)));
  }
  constexpr std::array<std::string_view, cost::level_count> titles{"DRAM", "L2", "shared memory"};
  for (std::size_t i = 0; i < cost::level_count; ++i) {
    const cost::MemoryRoof& roof = roofs.memory[i];
    std::string achieved = "-";
    if (roof.level == cost::Level::dram) {
      achieved = fmt::format("{} ({})", with_commas(std::llround(roof.achieved_gb_s)),
                             roof.achieved_basis == cost::Basis::profile ? "measured" : "assumed");
    }
    const std::string_view basis = roof.basis == cost::Basis::profile   ? ", as profiled"
                                   : roof.basis == cost::Basis::derived ? ", by clock"
                                                                        : "";
    out += fmt::format(
        "  {:<26}{:>13}{:>24}\n", fmt::format("{}{}", titles[i], basis),
        roof.gb_s > 0 ? fmt::format("{} GB/s", with_commas(std::llround(roof.gb_s))) : "unknown", achieved);
  }
  return out;
}

std::string op_title(const model::Op& op) {
  std::string out(op.name);
  if (op.pass != model::Pass::forward) out += fmt::format(" {}", short_name(op.pass));
  return out;
}

// What the kernel before left in L2 does not come from DRAM: an intensity there would say nothing.
std::string dram_intensity(const cost::Point& p) {
  constexpr double mostly_resident = 0.5;
  const bool resident =
      p.limit != cost::Limit::link && p.work.bytes[0] < mostly_resident * p.work.least_bytes;
  return resident ? "in L2" : brief(p.intensity[0]);
}

// Columns of an operation's row; those of L2 and shared memory where the window has room.
struct OpCells {
  std::string name, gflop, mb, dram, l2, smem, roof, predicted, share, bound, step;
};
constexpr std::size_t wide_table = 101;

std::string op_line(const OpCells& cells, const Style& style) {
  std::string out = cells.name;
  std::size_t end = 25;
  // A name that is too long takes room from the blanks of the cells behind it.
  const auto add = [&](const std::string& cell, std::size_t width) {
    end += width;
    const std::size_t least = out.size() + cell.size() + (cell.empty() ? 0 : 1);
    out += std::string(std::max(end, least) - out.size() - cell.size(), ' ') + cell;
  };
  add(cells.gflop, 6);
  add(cells.mb, 6);
  add(cells.dram, 7);
  if (width_of(style) >= wide_table) {
    add(cells.l2, 6);
    add(cells.smem, 6);
  }
  return out + fmt::format("{:>7}{:>7}{:>6} {:<8}{:>7}\n", cells.roof, cells.predicted, cells.share,
                           cells.bound, cells.step);
}

// What is not one operation, with its share in the last column.
std::string other_line(std::string_view what, std::string_view share, const Style& style) {
  const std::size_t width = op_line({}, style).size() - 1;
  return fmt::format("{:<{}}{:>8}\n", what, width - 8, share);
}

std::string op_row(const RooflineCase& each, const cost::Point& p, const Style& style) {
  const model::Op& op = each.workload.ops[p.op];
  const bool collective = op.kind == model::OpKind::collective;
  const bool hidden = collective && op.overlapped;
  return op_line(
      {op_title(op), brief(p.work.flops / giga),
       brief((collective ? p.work.link_bytes : p.work.bytes[0]) / mega), dram_intensity(p),
       brief(p.intensity[1]), brief(p.intensity[2]), brief(p.roof_tflops), brief(p.tflops),
       fmt::format("{:.0f} %", 100 * p.share_of_roof),
       collective ? "comm." : std::string(cost::name(p.bound)), hidden ? "hidden" : percent(p.share_of_step)},
      style);
}

// A table's head, which ends in a line feed.
std::string heading(std::string line, const Style& style) {
  line.pop_back();
  return style.paint(Role::strong, line) + '\n';
}

// Time outside operations, and the sum. An overlapped collective's row is `hidden`, though it may outlast
// the computation that it overlaps with.
std::string other_rows(const RooflineCase& each, const Style& style) {
  constexpr double min_shown = 5e-4;
  const cost::StepCost& step = each.line.step;
  if (!(step.time_us > 0)) return {};
  double listed = 0;
  for (const cost::Point& point : each.line.points) listed += point.share_of_step;
  const double bubble = step.bubble_us / step.time_us;
  const double outlasting = 1 - listed - bubble;
  std::string out;
  const auto row = [&](const std::string& what, const std::string& share) {
    out += other_line(what, share, style);
  };
  if (step.hidden_us >= min_shown * step.time_us)
    row(fmt::format("overlapped communication, {}", duration(step.hidden_us)), "hidden");
  if (outlasting >= min_shown) row("exposed part of overlapped communication", percent(outlasting));
  if (bubble >= min_shown) row("pipeline bubble and stragglers", percent(bubble));
  row(fmt::format("the step, {}", duration(step.time_us)), percent(1));
  return out;
}

std::string ops_text(const RooflineCase& each, std::int64_t top, const Style& style) {
  const std::vector<cost::Point>& points = each.line.points;
  std::vector<std::size_t> order(points.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return points[a].share_of_step > points[b].share_of_step;
  });
  const bool is_wide = width_of(style) >= wide_table;
  std::string out = heading(op_line({"", "", "", "FLOP/B", is_wide ? "FLOP/B" : "", is_wide ? "FLOP/B" : "",
                                     "roof", "pred.", "of", "bound", "of"},
                                    style),
                            style);
  // One unit for two columns.
  out += heading(op_line({"operation, per call", "GFLOP", "MB", "DRAM", "L2", "smem", "TFLOP", "/s     ",
                          "roof", "by", "step"},
                         style),
                 style);
  const std::size_t rows = top == 0 ? order.size() : std::min(order.size(), static_cast<std::size_t>(top));
  double rest = 0;
  for (std::size_t i = 0; i < order.size(); ++i) {
    if (i < rows) {
      out += op_row(each, points[order[i]], style);
    } else {
      rest += points[order[i]].share_of_step;
    }
  }
  if (rows < order.size()) {
    const std::size_t others = order.size() - rows;
    out += other_line(counted(others, "other"), percent(rest), style);
  }
  return out + other_rows(each, style);
}

struct PartOfStep {
  std::string_view name;
  double us = 0;
};

std::string split_text(const cost::StepCost& step) {
  std::vector<PartOfStep> parts{{"compute", step.compute_us},
                                {"memory", step.memory_us},
                                {"communication", step.communication_us},
                                {"overhead", step.overhead_us},
                                {"bubble", step.bubble_us}};
  std::stable_sort(parts.begin(), parts.end(),
                   [](const PartOfStep& a, const PartOfStep& b) { return a.us > b.us; });
  std::string out;
  for (const PartOfStep& part : parts) {
    if (part.us <= 0 || step.time_us <= 0) continue;
    out += fmt::format("{}{} {}", out.empty() ? "" : ", ", part.name, percent(part.us / step.time_us));
  }
  return out;
}

// "9.10 GFLOP", "3.55 TB"
std::string with_prefix(double value, std::string_view unit) {
  constexpr std::array<std::string_view, 6> prefixes{"", "k", "M", "G", "T", "P"};
  std::size_t i = 0;
  for (; i + 1 < prefixes.size() && value >= 1000; ++i) value /= 1000;
  return fmt::format("{} {}{}", brief(value), prefixes[i], unit);
}

// " (80 % interval: 2.80 s to 3.41 s)": where 80 of 100 steps lie.
std::string interval_text(const cost::StepInterval& interval, const gpu::Gpu& gpu) {
  if (interval.high_us <= 0) return {};
  return fmt::format(" (80 % interval: {} to {}{})", duration(interval.low_us), duration(interval.high_us),
                     gpu.calibration.status == "uncalibrated" ? "; the GPU is uncalibrated" : "");
}

// The classic roofline of everything together.
std::string whole_text(const cost::StepRoofline& whole) {
  if (whole.dram_bytes <= 0 || whole.ridge <= 0) return {};
  return fmt::format(
      "whole step: {} over {} of DRAM traffic, {} FLOP/B, ridge {}: {}-bound below {} TFLOP/s{}\n",
      with_prefix(whole.flops, "FLOP"), with_prefix(whole.dram_bytes, "B"), brief(whole.intensity),
      brief(whole.ridge), whole.memory_bound ? "memory" : "compute", brief(whole.roof_tflops),
      whole.reduced ? " (Winograd: more)" : "");
}

std::string memory_text(const RooflineCase& each, const Style& style) {
  std::string out = fmt::format("memory {}", gib(each.memory_bytes));
  if (gpu::memory_gib(each.gpu) > 0) out += fmt::format(" of {}", gib(gpu::memory_bytes(each.gpu)));
  out += " GiB";
  if (fits(each)) return out + " per GPU\n";
  return style.paint(Role::error, does_not_fit_words(each.memory_bytes, each.gpu)) + '\n';
}

// A decode that reads a prompt along: what it costs the one and the others.
std::string mixed_text(const suggest::Serving& s, const model::Plan& plan) {
  if (s.mixed_first_token_us <= 0) return "";
  const std::int64_t steps = (s.prompt + plan.prefill_tokens - 1) / plan.prefill_tokens;
  std::string out = fmt::format(
      "\na prompt of {} is prefilled in {}: first token after {}, {} prompt tokens/s\nwithout that "
      "prompt a token takes {}; with it x{}",
      tokens(s.prompt), counted(steps, "step"), duration(s.mixed_first_token_us),
      rate_text(s.prompt_tokens_per_s), duration(s.token_alone_us), fixed(s.token_us / s.token_alone_us, 2));
  if (s.prompt_compute_bound_from) {
    out += fmt::format("\nGEMMs are compute-bound from {} per step",
                       counted(*s.prompt_compute_bound_from, "prompt token"));
  }
  return out;
}

std::string serving_text(const suggest::Serving& s, const model::Plan& plan) {
  std::string out =
      fmt::format("time to first token {} (80 % interval: {} to {}) for a prompt of {}{}",
                  duration(s.first_token_us), duration(s.first_token_low_us), duration(s.first_token_high_us),
                  tokens(s.prompt), s.mixed_first_token_us > 0 ? " alone" : "");
  if (s.chunk < s.prompt) out += fmt::format(" in chunks of {}", with_commas(s.chunk));
  out += fmt::format("\nthen {} per token ({} to {}), {} tokens/s for {}", duration(s.token_us),
                     duration(s.token_low_us), duration(s.token_high_us), rate_text(s.tokens_per_s),
                     sequences(plan.micro_batch_size));
  if (plan.pipeline > 1) out += fmt::format(" in each of {} stages", plan.pipeline);
  if (plan.data > 1) out += fmt::format(" on each of {} data-parallel ranks", plan.data);
  if (s.accepted_tokens > 1) out += fmt::format(" ({} tokens per step)", fixed(s.accepted_tokens, 2));
  if (s.draft_us > 0) {
    out +=
        fmt::format("\n{} per step for drafting {}", duration(s.draft_us), tokens(plan.speculative_tokens));
  }
  out += mixed_text(s, plan);
  std::string growth = fmt::format("{} KiB per token", brief(s.cache_bytes_per_token / bytes_per_kib));
  if (s.first_cache_bytes_per_token > s.cache_bytes_per_token)
    growth += fmt::format(", {} within the window", brief(s.first_cache_bytes_per_token / bytes_per_kib));
  out += fmt::format("\nweights {}, KV cache {} GiB ({}) per GPU\n",
                     model::weights_are_unknown(plan) ? "unknown (dtype not stated)"
                                                      : fmt::format("{} GiB", gib(s.weight_bytes)),
                     gib(s.cache_bytes), growth);
  return out;
}

// "KV cache capacity: 5.5 GiB per GPU, 44,900 tokens, 0.34 requests of 131,072 tokens".
std::string capacity_text(const suggest::Capacity& of, const model::Setup& setup, const gpu::Gpu& gpu) {
  if (!of.is_known || of.longest_bytes <= 0) return {};
  std::string out = fmt::format("KV cache capacity: {} GiB per GPU, {}",
                                brief(of.cache_bytes / bytes_per_gib), tokens(of.tokens));
  if (of.longest > 0) out += fmt::format(", {} requests of {}", brief(of.requests), tokens(of.longest));
  out += '\n';
  if (!suggest::lacks_cache(of)) return out;
  const suggest::Capacity narrow = suggest::capacity_of(gpu, suggest::with_narrow_cache(setup));
  out += fmt::format("  {} at startup: at most {} fit, {} with an 8-bit cache (longest_sequence)\n",
                     suggest::certainly_lacks_cache(of) ? "the engine fails" : "the engine may fail",
                     tokens(of.largest), with_commas(narrow.largest));
  return out;
}

std::string generation_text(const suggest::Generation& g, const suggest::Serving& s,
                            const model::Plan& plan) {
  return fmt::format(
      "batch of {} with prompts of {} and {}: {}, last first token after {}; {} output "
      "tokens/s, {} per GPU\n",
      sequences(plan.micro_batch_size), tokens(s.prompt), counted(g.output, "output token"),
      duration(g.total_us), duration(g.prompts_us), rate_text(g.tokens_per_s),
      rate_text(g.tokens_per_s_per_gpu));
}

std::string remedies_text(const RooflineCase& each, const Style& style) {
  std::string out;
  if (!each.remedies.empty()) {
    constexpr std::size_t room = 44;
    const auto line = [](std::string_view change, std::string_view against, std::string_view step,
                         std::string_view rate) {
      return fmt::format("{:<46}{:>13}{:>8}{:>13}\n", change, against, step, rate);
    };
    out += '\n' + heading(line("predicted effect of changes", "bottleneck", "step",
                               is_network(each.setup) ? "images/s/GPU" : "tokens/s/GPU"),
                          style);
    for (const suggest::Remedy& remedy : each.remedies) {
      std::string change = remedy.change;
      if (!remedy.note.empty()) change += fmt::format(" [{}]", remedy.note);
      // The figures stand next to the first line of a long change.
      const std::string lines = wrap(change, 4, 4, room + 2);
      const std::size_t end = std::min(lines.find('\n'), lines.size());
      out += line("  " + lines.substr(0, end), cost::name(remedy.against),
                  fmt::format("x{}", fixed(remedy.time_ratio, 2)),
                  fmt::format("x{}", fixed(remedy.throughput_ratio, 2)));
      if (end < lines.size()) out += lines.substr(end + 1) + '\n';
    }
  }
  const double step_us = each.line.step.time_us;
  const std::string verdict =
      each.line.step.host_wait_us > 0
          ? fmt::format("launch overhead of {} in {}: larger batches, torch.compile or CUDA graphs help",
                        duration(each.line.step.host_wait_us), duration(step_us))
      : each.launches.host_us > step_us
          ? fmt::format("more than the step's {}: the prediction assumes CUDA graphs", duration(step_us))
          : fmt::format("less than the step's {}: no CUDA graphs needed", duration(step_us));
  out += '\n' + wrapped_lines(
                    fmt::format("{} per step: launching them one by one ({} us each, {}) takes {}, {}\n",
                                counted(static_cast<std::int64_t>(std::ceil(each.launches.count)), "kernel"),
                                brief(each.launches.each_us), each.launches.measured ? "measured" : "assumed",
                                duration(each.launches.host_us), verdict),
                    style);
  return out;
}

std::string case_text(const RooflineCase& each, std::int64_t top, const Style& style) {
  std::string out =
      wrapped_lines(fmt::format("{} ({}) on {}\n{}\n", style.paint(Role::strong, text::one_line(each.model)),
                                text::one_line(each.path), each.gpu.name, plan_text(each.setup)),
                    style) +
      '\n';
  for (const std::string& note : each.notes) out += wrapped_lines(fmt::format("note: {}\n", note), style);
  if (!each.notes.empty()) out += "\n";
  out += roofs_text(each.line.roofs, each.setup.plan.dtype) + "\n";
  out += ops_text(each, top, style) + "\n";
  const cost::StepCost& step = each.line.step;
  const cost::StepInterval interval = cost::step_interval(each.gpu, each.setup, step.time_us);
  const bool training = each.setup.plan.mode == model::Mode::train;
  out += wrapped_lines(fmt::format("step {}{}: {}\n", style.paint(Role::strong, duration(step.time_us)),
                                   interval_text(interval, each.gpu), split_text(step)),
                       style);
  out += stack_text(each);
  out += wrapped_lines(whole_text(each.line.whole), style);
  if (training || !each.serving) {
    // A kernel that passes over what the mask leaves out does less than published MFUs count.
    const bool is_less = step.hfu < step.mfu * (1 - 1e-3) && !is_network(each.setup);
    const double slow = interval.high_us > 0 ? step.time_us / interval.high_us : 1;
    const double fast = interval.low_us > 0 ? step.time_us / interval.low_us : 1;
    const double speed = tokens_per_gpu(each);
    out += wrapped_lines(
        fmt::format("MFU {} ({} % to {} %{}), HFU {}, {} {}/s/GPU ({} to {})\n", percent(step.mfu),
                    fixed(100 * slow * step.mfu, 0), fixed(100 * fast * step.mfu, 0),
                    is_less ? ", causal attention counted in full" : "", percent(step.hfu), rate_text(speed),
                    is_network(each.setup) ? "images" : "tokens", rate_text(slow * speed),
                    rate_text(fast * speed)),
        style);
  }
  if (each.serving) out += wrapped_lines(serving_text(*each.serving, each.setup.plan), style);
  if (each.capacity) out += wrapped_lines(capacity_text(*each.capacity, each.setup, each.gpu), style);
  if (each.generation)
    out += wrapped_lines(generation_text(*each.generation, *each.serving, each.setup.plan), style);
  out += memory_text(each, style);
  return out + remedies_text(each, style);
}

}  // namespace

std::string_view mode_name(model::Mode mode) {
  constexpr std::array<std::string_view, 3> names{"train", "prefill", "decode"};
  return names[static_cast<std::size_t>(mode)];
}

std::string_view short_name(model::Pass pass) {
  constexpr std::array<std::string_view, 6> names{"fwd", "re", "dx", "dw", "bwd", "upd"};
  return names[static_cast<std::size_t>(pass)];
}

std::string roofline_text(const RooflineReport& report, std::optional<std::int64_t> top, const Style& style) {
  std::string out;
  if (!report.curves.empty()) {
    for (const RooflineCurve& each : report.curves) {
      if (!out.empty()) out += '\n';
      out += curve_text(each);
    }
    return out;
  }
  if (report.cases.size() > 1) {
    out += comparison_text(report.cases);
    if (!top) return out;
    out += "\n";
  }
  bool first = true;
  for (const RooflineCase& each : report.cases) {
    if (!first) out += "\n";
    first = false;
    out += case_text(each, top.value_or(usual_rows), style);
  }
  return out;
}

}  // namespace shapelint::report
