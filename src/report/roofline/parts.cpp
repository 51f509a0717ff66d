// Phrases of a roofline's text.
#include "report/roofline/parts.hpp"

#include <cmath>

#include <fmt/format.h>

#include "base/counted.hpp"
#include "base/number.hpp"
#include "base/strings.hpp"
#include "model/fields.hpp"
#include "model/lower/lower.hpp"
#include "suggest/edit/footprint.hpp"

namespace shapelint::report {

cost::Waterfall losses_of(const RooflineCase& of) {
  const DType dtype = of.setup.plan.dtype;
  if (!of.stack) return cost::waterfall(of.gpu, of.workload, of.line.step, dtype);
  cost::Waterfall out = cost::waterfall(of.gpu, of.stack->workload, of.stack->step, dtype);
  out.us[static_cast<std::size_t>(cost::Loss::padding)] = of.stack->padding_us;
  out.us[static_cast<std::size_t>(cost::Loss::other_kernels)] = of.stack->other_kernels_us;
  return out;
}

std::string roofline_parts::stack_text(const RooflineCase& each) {
  if (!each.stack) return {};
  const StackEffect& stack = *each.stack;
  const double step_us = each.line.step.time_us;
  std::string out = fmt::format("with {}:\n  ", stack.packages);
  if (stack.unmet.empty()) return out + "all known requirements of its kernels are met\n";
  out += fmt::format("{} as written", duration(stack.step.time_us));
  const auto tell = [&](double us, std::string_view what, std::string_view saved) {
    if (us == 0) return;
    out += fmt::format(", {} ({}) {}", duration(std::abs(us)), percent(std::abs(us) / step_us),
                       us > 0 ? what : saved);
  };
  tell(stack.padding_us, "of padding", "saved by padding");
  tell(stack.other_kernels_us, "of other kernels", "saved by other kernels");
  out += '\n';
  for (const StackEffect::Unmet& unmet : stack.unmet) {
    out += fmt::format("  {} {}{}\n", unmet.contract, unmet.words,
                       unmet.numbers.empty() ? "" : ": " + unmet.numbers);
  }
  return out;
}

}  // namespace shapelint::report

namespace shapelint::report::roofline_parts {

namespace {}  // namespace

std::string brief(double value) {
  if (value <= 0) return "-";
  if (value < 0.005) return "<0.01";
  if (value < 9.995) return fmt::format("{:.2f}", value);
  if (value < 99.95) return fmt::format("{:.1f}", value);
  if (value < 9999.5) return fmt::format("{:.0f}", value);
  if (value < 99950) return fmt::format("{:.1f}k", value / 1e3);
  if (value < 999500) return fmt::format("{:.0f}k", value / 1e3);
  return value < 99.95e6 ? fmt::format("{:.1f}M", value / 1e6) : fmt::format("{:.0f}M", value / 1e6);
}

std::string rate_text(double per_s) {
  constexpr double widest = 1e7;
  return per_s < widest ? tenths(per_s) : brief(per_s);
}

bool is_network(const model::Setup& setup) {
  return !setup.model.conv.empty();
}

std::string tokens(std::int64_t count) {
  return counted(count, "token");
}

std::string sequences(std::int64_t count) {
  return counted(count, "sequence");
}

std::string wrapped(const std::string& text) {
  constexpr std::size_t widest = text_width;
  std::string out;
  std::string rest = text;
  while (rest.size() > widest) {
    const std::size_t comma = rest.rfind(", ", widest);
    if (comma == std::string::npos) break;
    out += rest.substr(0, comma + 1) + '\n';
    rest.erase(0, comma + 2);
  }
  return out + rest;
}

bool fits(const RooflineCase& each) {
  if (each.capacity && suggest::lacks_cache(*each.capacity)) return false;
  return each.memory_bytes <= suggest::usable_bytes(gpu::memory_gib(each.gpu), each.setup);
}

double tokens_per_gpu(const RooflineCase& each) {
  const model::Plan& p = each.setup.plan;
  // Drafting counts.
  if (each.serving && p.mode == model::Mode::decode) return each.serving->tokens_per_s_per_gpu;
  return each.line.step.tokens_per_s / static_cast<double>(p.tensor * p.pipeline * p.context);
}

std::string bound_text(const cost::Roofline& line) {
  return line.bubble_bound ? "bubble" : std::string(cost::name(line.bound));
}

std::string_view units_name(bool on_tensor_cores) {
  return on_tensor_cores ? "tensor" : "cuda";
}

std::string_view bound_name(cost::Bound bound, bool bubble) {
  return bubble ? std::string_view("bubble") : cost::name(bound);
}

}  // namespace shapelint::report::roofline_parts

namespace shapelint::report {

std::string plan_text(const model::Setup& setup) {
  const model::Plan& p = setup.plan;
  std::string out;
  if (roofline_parts::is_network(setup)) {
    out = fmt::format("{}, {}, {}", p.mode == model::Mode::train ? "train" : "forward pass",
                      counted(p.micro_batch_size, "image"), name(p.dtype));
    if (p.mode == model::Mode::train && p.data > 1) out += fmt::format(", DP {}", p.data);
    return out;
  }
  switch (p.mode) {
    case model::Mode::train:
      out = fmt::format("train, {} of {}", roofline_parts::sequences(p.micro_batch_size),
                        roofline_parts::tokens(p.sequence_length));
      if (p.gradient_accumulation > 1) out += fmt::format(", {} micro-batches", p.gradient_accumulation);
      break;
    case model::Mode::prefill:
      out = fmt::format("prefill, {} of {}", roofline_parts::sequences(p.micro_batch_size),
                        roofline_parts::tokens(p.sequence_length));
      if (p.context_length > 0)
        out += fmt::format(" after {} in the KV cache", with_commas(p.context_length));
      break;
    case model::Mode::decode:
      out = fmt::format("decode, {} with {} in the KV cache", roofline_parts::sequences(p.micro_batch_size),
                        roofline_parts::tokens(p.context_length));
      if (p.speculative_tokens > 0)
        out += fmt::format(", {} speculated", roofline_parts::tokens(p.speculative_tokens));
      if (p.prefill_tokens > 0)
        out += fmt::format(", with {} of a prompt", roofline_parts::tokens(p.prefill_tokens));
      break;
  }
  out += fmt::format(", {}", name(p.dtype));
  if (p.mode != model::Mode::train) {
    if (p.weight_bits > 0) out += fmt::format(", {}-bit weights", p.weight_bits);
    if (p.kv_cache_bits > 0) out += fmt::format(", {}-bit KV cache", p.kv_cache_bits);
  }
  if (p.mode == model::Mode::train && p.recompute != model::Recompute::none) {
    const auto recompute = static_cast<std::int64_t>(p.recompute);
    out += fmt::format(", {} recomputation", model::value_text(model::FieldId::recompute, recompute));
  }
  if (p.fusion != model::Fusion::none) {
    out += p.fusion == model::Fusion::full ? ", norms and activations fused" : ", norms fused";
  }
  if (roofline_parts::is_network(setup) && !p.channels_last) out += ", NCHW";
  const bool is_mixture = setup.model.moe.num_experts > 0;
  append_degrees(out, {{"TP", p.tensor},
                       {"PP", p.pipeline},
                       {"VPP", model::pipeline_chunks(p) > 1 ? p.virtual_pipeline : 1},
                       {"CP", p.context},
                       {"DP", p.data},
                       {"EP", p.expert},
                       {"ETP", is_mixture && p.expert > 1 ? p.expert_tensor : 1}});
  if (is_mixture && p.routing != model::Routing::even)
    out += fmt::format(", routing {}",
                       model::value_text(model::FieldId::routing, static_cast<std::int64_t>(p.routing)));
  if (p.mode == model::Mode::train && p.zero > 0) out += fmt::format(", ZeRO-{}", p.zero);
  return out;
}

}  // namespace shapelint::report
