// Losses, predicted and seen.
#include "trace/verdict.hpp"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "base/counted.hpp"
#include "base/number.hpp"

namespace shapelint::trace {

namespace {

// Efficiencies below the one are a loss that a product has, above the other it has none.
constexpr double lossy = 0.97;
constexpr double lossless = 0.99;
// A smaller effect is lost among what products take longer or shorter for other reasons.
constexpr double min_effect = 0.03;
constexpr double confirming = 0.5;    // share of the predicted effect
constexpr double least_share = 0.01;  // of the step

struct Ratio {
  double measured_us = 0;
  double without_us = 0;  // predicted, had it not the loss
  double predicted_us = 0;
};

// For a row that is one GEMM, per as many calls as were measured.
bool ratio_of(const Row& row, const cost::StepCost& cost, double cost::Efficiency::*loss, Ratio& out) {
  if (row.kind != "product" || row.ops.size() != 1 || row.calls == 0 || !(row.expected_calls > 0))
    return false;
  const double scale = row.calls / row.expected_calls;
  out.measured_us = row.measured_us;
  out.predicted_us = row.predicted_us * scale;
  out.without_us = out.predicted_us * cost.ops[row.ops.front()].efficiency.*loss;
  return out.without_us > 0;
}

Observation sight_of(double predicted, double measured) {
  if (measured >= 2 * predicted) return Observation::larger;
  if (measured >= confirming * predicted) return Observation::confirmed;
  constexpr double there = 0.2;
  return measured >= there * predicted ? Observation::smaller : Observation::not_seen;
}

// A product's loss: how much longer those take that have it than those that have not, each against its own
// prediction without.
ObservedLoss of_products(std::string_view id, double cost::Efficiency::*loss, double predicted_us,
                         bool on_cpu, const Match& match, const cost::StepCost& cost) {
  ObservedLoss out;
  out.id = id;
  out.predicted_us = predicted_us;
  if (on_cpu) {
    out.why = "CPU trace";
    return out;
  }
  std::vector<double> others;
  Ratio with;
  std::size_t count = 0;
  for (const Row& row : match.rows) {
    Ratio each;
    if (!ratio_of(row, cost, loss, each)) continue;
    const double efficiency = each.without_us / each.predicted_us;
    if (efficiency >= lossless) others.push_back(each.measured_us / each.without_us);
    if (efficiency > lossy) continue;
    with.measured_us += each.measured_us;
    with.without_us += each.without_us;
    with.predicted_us += each.predicted_us;
    ++count;
  }
  if (count == 0) {
    out.why = "no individually matched GEMM is predicted to lose time";
    return out;
  }
  const double predicted = with.predicted_us / with.without_us - 1;
  if (predicted < min_effect) {
    out.why = fmt::format("{} is too little to see in a trace", percent(predicted));
    return out;
  }
  if (others.empty()) {
    out.why = "every GEMM is predicted to lose by it, so there is none to compare with";
    return out;
  }
  const double usual = median(std::move(others));
  const double measured = with.measured_us / (with.without_us * usual) - 1;
  out.measured_us = std::max(0.0, measured) * with.without_us * usual;
  out.seen = sight_of(predicted, measured);
  out.why =
      fmt::format("{} {} longer than those without it, predicted {}", counted(count, "GEMM takes|GEMMs take"),
                  percent(std::max(0.0, measured)), percent(predicted));
  return out;
}

}  // namespace

std::string_view name(Observation seen) {
  static constexpr std::array<std::string_view, 5> names{"confirmed", "smaller", "not seen", "larger",
                                                         "unknown"};
  return names.at(static_cast<std::size_t>(seen));
}

std::vector<ObservedLoss> verdicts(const Trace& trace, const Step& step, const Match& match,
                                   const model::Workload& workload, const cost::StepCost& cost,
                                   const cost::Waterfall& losses, double host_us) {
  std::vector<ObservedLoss> out;
  const auto lost = [&](cost::Loss loss) { return losses.us[static_cast<std::size_t>(loss)]; };
  using E = cost::Efficiency;
  out.push_back(
      of_products("alignment", &E::alignment, lost(cost::Loss::alignment), trace.on_cpu, match, cost));
  out.push_back(of_products("tile", &E::tile, lost(cost::Loss::tile), trace.on_cpu, match, cost));
  out.push_back(of_products("wave", &E::wave, lost(cost::Loss::wave), trace.on_cpu, match, cost));

  const StepTimes& times = step.times;
  ObservedLoss gaps;
  gaps.id = "launch_gaps";
  // A host that launches faster than the GPU runs makes it wait for nothing.
  gaps.predicted_us = std::max(0.0, host_us - cost.time_us);
  gaps.measured_us = times.idle_us;
  if (trace.on_cpu) {
    gaps.why = "CPU trace";
  } else {
    const double share = times.wall_us > 0 ? times.idle_us / times.wall_us : 0;
    gaps.seen = share < least_share ? Observation::not_seen : sight_of(gaps.predicted_us, times.idle_us);
    gaps.why = fmt::format("the GPU is idle for {} of the step", percent(share));
    if (times.knows_launches && share >= least_share)
      gaps.why += fmt::format(", {} of it waiting for a launch", percent(times.late_us / times.wall_us));
  }
  out.push_back(std::move(gaps));

  ObservedLoss communication;
  communication.id = "communication";
  communication.predicted_us = cost.communication_us;
  communication.measured_us = times.exposed_us;
  const bool predicts = std::any_of(workload.ops.begin(), workload.ops.end(),
                                    [](const model::Op& op) { return op.kind == model::OpKind::collective; });
  if (times.communication_us > 0 && times.wall_us > 0) {
    communication.seen =
        std::max(times.exposed_us / times.wall_us, cost.communication_us / cost.time_us) < least_share
            ? Observation::not_seen
            : sight_of(cost.communication_us / cost.time_us, times.exposed_us / times.wall_us);
    communication.why =
        fmt::format("{} of the step exposed, {} overlapped", percent(times.exposed_us / times.wall_us),
                    percent((times.communication_us - times.exposed_us) / times.wall_us));
  } else if (predicts) {
    communication.why = "the trace has no communication kernels; it may cover one GPU only";
  } else {
    communication.seen = Observation::not_seen;
    communication.why = "one GPU in trace and plan";
  }
  out.push_back(std::move(communication));
  return out;
}

}  // namespace shapelint::trace
