// Several models or GPUs side by side, and one over the values of a field.
#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "base/number.hpp"
#include "base/units.hpp"
#include "report/roofline/parts.hpp"

namespace shapelint::report::roofline_parts {

namespace {

// Whether a case has the highest throughput of those that share something with it: of those that fit into
// memory, or of all where none does.
template <class Same>
bool is_fastest(const std::vector<RooflineCase>& cases, const RooflineCase& each, Same same) {
  const bool some_fit = std::any_of(cases.begin(), cases.end(),
                                    [&](const RooflineCase& other) { return same(other) && fits(other); });
  return fits(each) == some_fit && std::none_of(cases.begin(), cases.end(), [&](const RooflineCase& other) {
           return same(other) && fits(other) == some_fit && tokens_per_gpu(other) > tokens_per_gpu(each);
         });
}

// "1.29 times as many as h100-sxm5": against the next of those that share something with the best.
template <class Same, class Name>
std::string lead_over_next(const std::vector<RooflineCase>& cases, const RooflineCase& best, Same same,
                           Name name) {
  const RooflineCase* next = nullptr;
  for (const RooflineCase& other : cases) {
    if (&other == &best || !same(other) || fits(other) != fits(best)) continue;
    if (next == nullptr || tokens_per_gpu(other) > tokens_per_gpu(*next)) next = &other;
  }
  if (next == nullptr || tokens_per_gpu(*next) <= 0) return "";
  return fmt::format(", {} times {}", fixed(tokens_per_gpu(best) / tokens_per_gpu(*next), 2), name(*next));
}

double flops_per_token(const RooflineCase& each) {
  return each.workload.tokens_per_step > 0 ? each.workload.model_flops / each.workload.tokens_per_step : 0;
}

// Whether the models on this case's GPU need arithmetic that differs by more than a tenth.
bool differ_in_size(const std::vector<RooflineCase>& cases, const RooflineCase& each) {
  constexpr double alike = 1.1;
  const double own = flops_per_token(each);
  return std::any_of(cases.begin(), cases.end(), [&](const RooflineCase& other) {
    const double flops = flops_per_token(other);
    return other.gpu.id == each.gpu.id && (flops > alike * own || own > alike * flops);
  });
}

const RooflineCase& of_most_mfu(const std::vector<RooflineCase>& cases, const RooflineCase& each) {
  const RooflineCase* most = &each;
  for (const RooflineCase& other : cases) {
    if (other.gpu.id == each.gpu.id && other.line.step.mfu > most->line.step.mfu) most = &other;
  }
  return *most;
}

}  // namespace

std::vector<Best> best_of(const std::vector<RooflineCase>& cases) {
  std::vector<Best> out(cases.size());
  for (std::size_t i = 0; i < cases.size(); ++i) {
    const RooflineCase& each = cases[i];
    const auto same_model = [&](const RooflineCase& other) {
      return other.path == each.path && other.model == each.model;
    };
    const auto same_gpu = [&](const RooflineCase& other) { return other.gpu.id == each.gpu.id; };
    const bool several_gpus = std::any_of(
        cases.begin(), cases.end(), [&](const RooflineCase& c) { return same_model(c) && !same_gpu(c); });
    const bool several_models = std::any_of(
        cases.begin(), cases.end(), [&](const RooflineCase& c) { return same_gpu(c) && !same_model(c); });
    out[i].gpu_of_model = several_gpus && is_fastest(cases, each, same_model);
    out[i].model_of_gpu = several_models && is_fastest(cases, each, same_gpu);
  }
  return out;
}

std::vector<std::string> best_sentences(const std::vector<RooflineCase>& cases) {
  const std::vector<Best> best = best_of(cases);
  std::vector<std::string> out;
  const auto rate = [](const RooflineCase& each) {
    return fmt::format("{} {}/s/GPU", rate_text(tokens_per_gpu(each)),
                       is_network(each.setup) ? "images" : "tokens");
  };
  for (std::size_t i = 0; i < cases.size(); ++i) {
    if (!best[i].gpu_of_model) continue;
    const RooflineCase& each = cases[i];
    out.push_back(fmt::format(
        "{} runs best on {}: {}{}", text::one_line(each.model), each.gpu.id, rate(each),
        lead_over_next(
            cases, each, [&](const RooflineCase& c) { return c.path == each.path && c.model == each.model; },
            [](const RooflineCase& c) { return c.gpu.id; })));
  }
  for (std::size_t i = 0; i < cases.size(); ++i) {
    if (!best[i].model_of_gpu) continue;
    const RooflineCase& each = cases[i];
    out.push_back(fmt::format("on {} {} is fastest: {}{}", each.gpu.id, text::one_line(each.model),
                              rate(each),
                              lead_over_next(
                                  cases, each, [&](const RooflineCase& c) { return c.gpu.id == each.gpu.id; },
                                  [](const RooflineCase& c) { return text::one_line(c.model); })));
    // Larger models give fewer tokens: how much of the GPU each uses says more of their shapes.
    const RooflineCase& fullest = of_most_mfu(cases, each);
    if (each.setup.plan.mode != model::Mode::decode && differ_in_size(cases, each)) {
      out.push_back(fmt::format("on {} {} has the highest MFU: {} (models of different sizes)", each.gpu.id,
                                text::one_line(fullest.model), percent(fullest.line.step.mfu)));
    }
  }
  return out;
}

std::string comparison_text(const std::vector<RooflineCase>& cases) {
  const bool serves = cases.front().serving.has_value();
  const auto several = [&](auto differs) {
    return std::any_of(cases.begin(), cases.end(),
                       [&](const RooflineCase& each) { return differs(each, cases.front()); });
  };
  const bool several_models =
      several([](const RooflineCase& a, const RooflineCase& b) { return a.path != b.path; });
  const bool several_gpus =
      several([](const RooflineCase& a, const RooflineCase& b) { return a.gpu.id != b.gpu.id; });
  const bool several_plans = several(
      [](const RooflineCase& a, const RooflineCase& b) { return plan_text(a.setup) != plan_text(b.setup); });
  std::string out =
      several_plans ? std::string() : fmt::format("{}\n\n", wrapped(plan_text(cases.front().setup)));
  const auto line = [&](std::string_view marks, std::string_view model, std::string_view gpu,
                        std::string_view step, std::string_view rate, std::string_view bound,
                        std::string_view share, std::string_view first) {
    std::string cells = fmt::format("{:<2} {:<17} {:<16}{:>8} {:>9} {:>8} {:>7}", marks, model, gpu, step,
                                    rate, bound == "communication" ? "comm." : bound, share);
    if (serves) cells += fmt::format(" {:>9}", first);
    return without_blank_end(cells) + '\n';
  };
  out += line("", "model", "GPU", "step", is_network(cases.front().setup) ? "img/s/GPU" : "tok/s/GPU",
              "bound by", serves ? "" : "MFU", "1st token");
  const std::vector<Best> best = best_of(cases);
  bool some_too_large = false;
  for (std::size_t i = 0; i < cases.size(); ++i) {
    const RooflineCase& each = cases[i];
    const cost::StepCost& step = each.line.step;
    const std::array<double, 5> parts{step.compute_us, step.memory_us, step.communication_us,
                                      step.overhead_us, step.bubble_us};
    const double largest = *std::max_element(parts.begin(), parts.end());
    std::string marks;
    if (best[i].gpu_of_model) marks += '*';
    if (best[i].model_of_gpu) marks += '+';
    if (!fits(each)) marks = '!';
    some_too_large = some_too_large || !fits(each);
    out += line(marks, text::one_line(each.model), each.gpu.id, duration(step.time_us),
                rate_text(tokens_per_gpu(each)), bound_text(each.line),
                serves ? percent(largest / step.time_us) : percent(step.mfu),
                each.serving ? duration(each.serving->first_token_us) : "");
  }
  if (some_too_large) out += "! does not fit in GPU memory\n";
  if (several_gpus) out += "* the best GPU for this model\n";
  if (several_models) out += "+ the best model on this GPU\n";
  const std::vector<std::string> sentences = best_sentences(cases);
  if (!sentences.empty()) out += '\n';
  for (const std::string& sentence : sentences) out += wrap(sentence, 2, 2) + '\n';
  return out;
}

std::string curve_text(const RooflineCurve& each) {
  const bool decodes = each.mode == model::Mode::decode;
  std::string out =
      wrap(fmt::format("{} ({}) on {}", text::one_line(each.model), text::one_line(each.path), each.gpu_name),
           2, 2) +
      '\n';
  const std::size_t first = std::max<std::size_t>(16, each.field.size());
  const auto line = [&](std::string_view value, std::string_view time, std::string_view rate,
                        std::string_view intensity, std::string_view tflops, std::string_view bound,
                        std::string_view share, std::string_view memory) {
    return without_blank_end(fmt::format("{:>{}} {:>8} {:>9} {:>8} {:>7} {:>9} {:>7} {:>9}", value, first,
                                         time, rate, intensity, tflops, bound, share, memory));
  };
  out += line(each.field, decodes ? "a token" : "step", each.network ? "img/s/GPU" : "tok/s/GPU", "GEMM",
              "GEMM", "step", "", "") +
         '\n';
  out += line("", "", "", "FLOP/B", "TFLOP/s", "bound by", "", "memory") + '\n';
  for (const suggest::CurvePoint& p : each.curve.points) {
    const std::array<double, 5> parts{p.step.compute_us, p.step.memory_us, p.step.communication_us,
                                      p.step.overhead_us, p.step.bubble_us};
    const double largest = *std::max_element(parts.begin(), parts.end());
    const std::string_view bound = p.bubble_bound ? "bubble" : cost::name(p.bound);
    out += line(with_commas(p.value), duration(p.token_us), rate_text(p.tokens_per_s_per_gpu),
                brief(p.intensity), brief(p.product_tflops), bound == "communication" ? "comm." : bound,
                percent(largest / p.step.time_us), fmt::format("{} GiB", gib(p.memory_bytes))) +
           (p.fits ? "\n" : " !\n");
  }
  const auto from = [&](const std::optional<std::int64_t>& value, std::string_view otherwise) {
    return value ? fmt::format("from {} {}", each.field, with_commas(*value)) : std::string(otherwise);
  };
  out += fmt::format("GEMMs above the ridge point ({} FLOP/B): {}\n", brief(each.curve.ridge),
                     from(each.curve.beyond_ridge, "not in this range"));
  out +=
      fmt::format("GEMMs predicted compute-bound: {}\n", from(each.curve.compute_bound, "not in this range"));
  const bool all_fit = std::all_of(each.curve.points.begin(), each.curve.points.end(),
                                   [](const suggest::CurvePoint& p) { return p.fits; });
  if (!all_fit) out += "! does not fit in GPU memory\n";
  return out;
}

}  // namespace shapelint::report::roofline_parts
