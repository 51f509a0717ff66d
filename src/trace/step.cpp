// Steps by their ranges, and times by intervals.
#include "trace/step.hpp"

#include <algorithm>
#include <cctype>
#include <limits>
#include <map>
#include <unordered_map>

#include <fmt/format.h>

#include "base/strings.hpp"

namespace shapelint::trace {

namespace {

// A step with fewer of the usual number of kernels was cut off by the profiler.
constexpr double whole_share = 0.9;

using Intervals = std::vector<std::pair<double, double>>;

// Sorted by start; what overlaps becomes one.
void merge(Intervals& all) {
  Intervals out;
  for (const auto& each : all) {
    if (!out.empty() && each.first <= out.back().second)
      out.back().second = std::max(out.back().second, each.second);
    else
      out.push_back(each);
  }
  all = std::move(out);
}

double length(const Intervals& merged) {
  double sum = 0;
  for (const auto& each : merged) sum += each.second - each.first;
  return sum;
}

double common(const Intervals& a, const Intervals& b) {
  double sum = 0;
  for (std::size_t i = 0, j = 0; i < a.size() && j < b.size();) {
    sum += std::max(0.0, std::min(a[i].second, b[j].second) - std::max(a[i].first, b[j].first));
    if (a[i].second < b[j].second)
      ++i;
    else
      ++j;
  }
  return sum;
}

StepTimes times_of(const Trace& trace, const std::vector<const Kernel*>& kernels, Classifier& classifier,
                   double end_us) {
  StepTimes out;
  Intervals all;
  Intervals communication;
  Intervals computation;
  double last_us = end_us;
  double reached_us = 0;
  for (const Kernel* kernel : kernels) {
    const double until_us = kernel->start_us + kernel->time_us;
    out.kernels_us += kernel->time_us;
    if (!all.empty() && kernel->start_us > reached_us && kernel->launch_end_us >= 0) {
      out.late_us += std::max(0.0, std::min(kernel->launch_end_us, kernel->start_us) - reached_us);
    }
    out.knows_launches = out.knows_launches || (!trace.on_cpu && kernel->launch_end_us >= 0);
    reached_us = std::max(reached_us, until_us);
    all.emplace_back(kernel->start_us, until_us);
    const std::size_t of = classifier.of(*kernel);
    const bool communicates = of != no_class && classes()[of].kind == Kind::collective;
    (communicates ? communication : computation).emplace_back(kernel->start_us, until_us);
  }
  if (all.empty()) return out;
  for (Intervals* each : {&all, &communication, &computation}) merge(*each);
  if (!(last_us > all.front().first)) last_us = all.back().second;
  out.wall_us = std::max(last_us, all.back().second) - all.front().first;
  out.busy_us = length(all);
  out.communication_us = length(communication);
  out.exposed_us = out.communication_us - common(communication, computation);
  out.idle_us = std::max(0.0, out.wall_us - out.busy_us);
  return out;
}

bool is_numbered_step(std::string_view name) {
  std::string lower;
  bool has_digit = false;
  for (const char c : name) {
    lower += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    has_digit = has_digit || (c >= '0' && c <= '9');
  }
  return has_digit && (lower.find("step") != std::string::npos || lower.find("iter") != std::string::npos);
}

std::string without_number(std::string_view name) {
  std::string out;
  for (const char c : name) {
    if (c < '0' || c > '9') out += c;
  }
  return out;
}

// Ranges of one name except for its number, none within another.
std::vector<const Range*> step_ranges(const Trace& trace, const std::string& pattern) {
  std::map<std::string, std::vector<const Range*>> groups;
  for (const Range& range : trace.ranges) {
    if (!pattern.empty()) {
      if (glob_matches(pattern, range.name, Glob::name)) groups[pattern].push_back(&range);
    } else if (range.name.starts_with("ProfilerStep#")) {
      groups["ProfilerStep#"].push_back(&range);
    } else if (is_numbered_step(range.name)) {
      groups[without_number(range.name)].push_back(&range);
    }
  }
  if (groups.empty()) return {};
  const auto taken = groups.find("ProfilerStep#");
  const auto time_of = [](const std::vector<const Range*>& ranges) {
    double sum = 0;
    for (const Range* each : ranges) sum += each->end_us - each->start_us;
    return sum;
  };
  const auto chosen = taken != groups.end()
                          ? taken
                          : std::max_element(groups.begin(), groups.end(), [&](const auto& a, const auto& b) {
                              return time_of(a.second) < time_of(b.second);
                            });
  std::vector<const Range*> out;
  for (const Range* each : chosen->second) {
    if (out.empty() || each->end_us > out.back()->end_us) out.push_back(each);
  }
  return out;
}

}  // namespace

Result<Step> choose_step(const Trace& trace, Classifier& classifier, const std::string& pattern) {
  const std::vector<const Range*> ranges = step_ranges(trace, pattern);
  if (ranges.empty() && !pattern.empty()) {
    std::vector<std::string_view> names;
    for (const Range& range : trace.ranges) names.push_back(range.name);
    return Error{fmt::format("has no range `{}`", pattern), did_you_mean(pattern, names), trace.path, {}};
  }
  std::vector<Step> steps(std::max<std::size_t>(1, ranges.size()));
  for (const Kernel& kernel : trace.kernels) {
    if (ranges.empty()) {
      steps.front().kernels.push_back(&kernel);
      continue;
    }
    // What was launched in a step belongs to it, however much later it ran.
    const double at_us = kernel.launched_us >= 0 ? kernel.launched_us : kernel.start_us;
    const auto after = std::upper_bound(ranges.begin(), ranges.end(), at_us,
                                        [](double a, const Range* b) { return a < b->start_us; });
    if (after == ranges.begin()) continue;
    const auto index = static_cast<std::size_t>(after - ranges.begin()) - 1;
    if (at_us <= ranges[index]->end_us) steps[index].kernels.push_back(&kernel);
  }
  std::vector<std::size_t> counts;
  for (const Step& step : steps) counts.push_back(step.kernels.size());
  std::nth_element(counts.begin(), counts.begin() + static_cast<std::ptrdiff_t>(counts.size() / 2),
                   counts.end());
  const auto usual = static_cast<double>(counts[counts.size() / 2]);
  std::vector<std::size_t> whole;
  for (std::size_t i = 0; i < steps.size(); ++i) {
    Step& step = steps[i];
    if (step.kernels.empty() || static_cast<double>(step.kernels.size()) < whole_share * usual) continue;
    const bool has_next = i + 1 < steps.size() && !steps[i + 1].kernels.empty();
    step.times = times_of(
        trace, step.kernels, classifier,
        has_next ? steps[i + 1].kernels.front()->start_us : -std::numeric_limits<double>::infinity());
    whole.push_back(i);
  }
  if (whole.empty()) {
    return Error{fmt::format("has no kernels in the ranges `{}`", ranges.empty() ? "" : ranges.front()->name),
                 "`--step NAME` names the ranges that are steps",
                 trace.path,
                 {}};
  }
  std::sort(whole.begin(), whole.end(),
            [&](std::size_t a, std::size_t b) { return steps[a].times.wall_us < steps[b].times.wall_us; });
  const std::size_t median = whole[(whole.size() - 1) / 2];
  Step out = std::move(steps[median]);
  out.ranges = ranges.size();
  out.whole = ranges.empty() ? 0 : whole.size();
  if (!ranges.empty()) out.name = ranges[median]->name;
  return out;
}

std::vector<Call> calls_of(const Trace& trace, const Step& step, Classifier& classifier) {
  std::vector<Call> calls;
  std::unordered_map<std::uint32_t, std::size_t> by_call;
  for (const Kernel* kernel : step.kernels) {
    const std::size_t of = classifier.of(*kernel);
    const bool multiplies = of != no_class && classes()[of].kind == Kind::product;
    const Launcher* launcher = kernel->launcher == none ? nullptr : &trace.launchers[kernel->launcher];
    const bool in_product = launcher != nullptr && launcher->product.k > 0 &&
                            (launcher->is_product || multiplies) && kernel->call != none;
    std::size_t index = calls.size();
    if (in_product) index = by_call.try_emplace(kernel->call, index).first->second;
    if (index == calls.size()) {
      calls.emplace_back();
      if (in_product) calls.back().product = launcher->product;
      if (launcher != nullptr) calls.back().phase = launcher->phase;
      calls.back().of = of;
    }
    Call& call = calls[index];
    call.time_us += kernel->time_us;
    ++call.kernels;
    if (call.longest == nullptr || kernel->time_us > call.longest_us) {
      call.longest_us = kernel->time_us;
      call.longest = kernel;
      if (in_product) call.of = of;
    }
  }
  return calls;
}

}  // namespace shapelint::trace
