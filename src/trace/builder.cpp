// From events to a trace: operators are nested, launches found in them, and kernels by their launches.
#include "trace/builder.hpp"

#include <algorithm>
#include <limits>
#include <map>
#include <numeric>
#include <utility>

#include "trace/classify.hpp"

namespace shapelint::trace {

namespace {

// A profile of a few steps has a hundredth of either.
constexpr std::size_t max_events = 40'000'000;
constexpr std::size_t most_text_bytes = std::size_t{512} << 20U;
constexpr std::size_t max_ranges = 1'000'000;
constexpr std::size_t longest_path = 6;  // operators

// The node of autograd that an operator runs for, its update, or nothing that is known.
bool tells_phase(std::string_view name, Phase& phase) {
  if (name.find("CheckpointFunctionBackward") != std::string_view::npos) {
    phase = Phase::recompute;
    return true;
  }
  if (name.starts_with("autograd::engine") || name.find("Backward") != std::string_view::npos) {
    phase = Phase::backward;
    return true;
  }
  if (name.starts_with("Optimizer.step") || name.starts_with("Optimizer.zero_grad")) {
    phase = Phase::update;
    return true;
  }
  return false;
}

}  // namespace

std::uint32_t Builder::text(std::string_view text) {
  auto [entry, is_new] = known_.try_emplace(std::string(text), static_cast<std::uint32_t>(texts_.size()));
  if (is_new) {
    texts_.emplace_back(text);
    text_bytes_ += 2 * text.size();
    if (text_bytes_ > most_text_bytes) too_much_ = "more than 256 MB of different names";
  }
  return entry->second;
}

std::uint32_t Builder::thread(std::int64_t process, std::int64_t id) {
  constexpr std::int64_t spread = 0x9E3779B97F4A7C15 >> 1U;
  const auto key =
      static_cast<std::int64_t>(static_cast<std::uint64_t>(process) * static_cast<std::uint64_t>(spread)) ^
      id;
  return threads_.try_emplace(key, static_cast<std::uint32_t>(threads_.size())).first->second;
}

void Builder::add(const HostEvent& event) {
  hosts_.push_back(event);
  if (hosts_.size() > max_events) too_much_ = "more than 40 million operators";
}

void Builder::add(const LaunchEvent& event) {
  launches_.push_back(event);
  if (launches_.size() > max_events) too_much_ = "more than 40 million launches";
}

void Builder::add(const DeviceEvent& event) {
  devices_.push_back(event);
  if (devices_.size() > max_events) too_much_ = "more than 40 million kernels";
}

void Builder::add_range(std::string_view name, double start_us, double end_us) {
  if (ranges_.size() < max_ranges) ranges_.push_back({std::string(name.substr(0, 256)), start_us, end_us});
}

// The description of the operators that are open, the innermost last.
std::uint32_t Builder::launcher_of(const std::vector<std::uint32_t>& stack, Phase phase) {
  std::string key;
  const std::size_t depth = std::min(stack.size(), longest_path);
  for (std::size_t i = 0; i < depth; ++i) {
    if (i > 0) key += '/';
    key += texts_[hosts_[stack[stack.size() - 1 - i]].name];
  }
  const std::size_t path_size = key.size();
  Launcher out;
  out.phase = phase;
  std::uint32_t of_product = none;
  for (std::size_t i = 0; i < depth && of_product == none; ++i) {
    const HostEvent& event = hosts_[stack[stack.size() - 1 - i]];
    if (event.sizes == none) continue;
    out.product = product_of(texts_[event.name], texts_[event.sizes], out.is_product);
    if (out.product.k > 0) of_product = event.sizes;
  }
  key += '\n' + std::to_string(of_product) + ' ' + std::to_string(static_cast<int>(out.phase));
  const auto [entry, is_new] =
      known_launchers_.try_emplace(key, static_cast<std::uint32_t>(launchers_.size()));
  if (is_new) {
    out.path = key.substr(0, path_size);
    launchers_.push_back(std::move(out));
  }
  return entry->second;
}

// Whether an operator is of that phase: by its own name, or that of an enclosing one.
Phase Builder::phase_of(std::uint32_t host, Phase around) {
  const std::uint32_t name = hosts_[host].name;
  if (name >= name_phases_.size()) name_phases_.resize(texts_.size());
  std::optional<std::optional<Phase>>& known = name_phases_[name];
  if (!known) {
    Phase phase = Phase::forward;
    known = tells_phase(texts_[name], phase) ? std::optional(phase) : std::nullopt;
  }
  return known->value_or(around);
}

// Operators by thread and start, each with its own time, its description and the call that it belongs to;
// launches with those of the operator around them.
void Builder::nest() {
  std::sort(hosts_.begin(), hosts_.end(), [](const HostEvent& a, const HostEvent& b) {
    if (a.thread != b.thread) return a.thread < b.thread;
    if (a.start_us != b.start_us) return a.start_us < b.start_us;
    return a.end_us > b.end_us;
  });
  std::sort(launches_.begin(), launches_.end(), [](const LaunchEvent& a, const LaunchEvent& b) {
    return a.thread != b.thread ? a.thread < b.thread : a.start_us < b.start_us;
  });
  host_launchers_.assign(hosts_.size(), none);
  host_calls_.assign(hosts_.size(), none);
  own_us_.resize(hosts_.size());
  std::vector<std::uint32_t> stack;
  std::vector<Phase> phases;  // of the stack
  std::size_t launch = 0;
  const auto describe = [&] {
    const std::uint32_t top = stack.back();
    if (host_launchers_[top] != none) return;
    host_launchers_[top] = launcher_of(stack, phases.back());
    host_calls_[top] = top;
    // What a product's operator calls belongs to the product.
    const Launcher& launcher = launchers_[host_launchers_[top]];
    if (launcher.product.k == 0) return;
    for (std::size_t i = stack.size(); i > 0; --i) {
      const HostEvent& event = hosts_[stack[i - 1]];
      bool is_whole = false;
      if (event.sizes == none || product_of(texts_[event.name], texts_[event.sizes], is_whole).k == 0)
        continue;
      host_calls_[top] = stack[i - 1];
      return;
    }
  };
  const auto launch_until = [&](std::uint32_t thread, double time_us) {
    while (launch < launches_.size() &&
           (launches_[launch].thread < thread ||
            (launches_[launch].thread == thread && launches_[launch].start_us < time_us))) {
      LaunchEvent& event = launches_[launch++];
      if (stack.empty() || hosts_[stack.back()].thread != event.thread) continue;
      describe();
      event.launcher = host_launchers_[stack.back()];
      event.call = host_calls_[stack.back()];
    }
  };
  const auto close_until = [&](std::uint32_t thread, double time_us) {
    while (!stack.empty()) {
      const HostEvent& top = hosts_[stack.back()];
      if (top.thread == thread && top.end_us > time_us) return;
      launch_until(top.thread, top.end_us);
      stack.pop_back();
      phases.pop_back();
    }
  };
  const bool describes_all = devices_.empty();
  for (std::size_t i = 0; i < hosts_.size(); ++i) {
    const HostEvent& event = hosts_[i];
    close_until(event.thread, event.start_us);
    launch_until(event.thread, event.start_us);
    own_us_[i] = event.end_us - event.start_us;
    if (!stack.empty())
      own_us_[stack.back()] -= std::min(event.end_us, hosts_[stack.back()].end_us) - event.start_us;
    stack.push_back(static_cast<std::uint32_t>(i));
    phases.push_back(phase_of(stack.back(), phases.empty() ? Phase::forward : phases.back()));
    if (describes_all) describe();
  }
  close_until(none, std::numeric_limits<double>::infinity());
}

// The device that was busy longest; what others did is left out.
void Builder::choose_device(Trace& trace) {
  std::map<std::int32_t, double> busy;
  for (const DeviceEvent& event : devices_) busy[event.kernel.device] += event.kernel.time_us;
  if (busy.size() < 2) return;
  const auto most = std::max_element(busy.begin(), busy.end(),
                                     [](const auto& a, const auto& b) { return a.second < b.second; });
  trace.other_devices = static_cast<std::int64_t>(busy.size()) - 1;
  std::erase_if(devices_, [&](const DeviceEvent& event) { return event.kernel.device != most->first; });
}

void Builder::link(Trace& trace) {
  std::vector<std::uint32_t> by_correlation(launches_.size());
  std::iota(by_correlation.begin(), by_correlation.end(), 0U);
  std::sort(by_correlation.begin(), by_correlation.end(), [&](std::uint32_t a, std::uint32_t b) {
    return launches_[a].correlation < launches_[b].correlation;
  });
  std::vector<std::uint32_t> by_id;  // of operators; made when a kernel needs it
  const auto host_of = [&](std::int64_t id) {
    if (by_id.empty()) {
      for (std::size_t i = 0; i < hosts_.size(); ++i) {
        if (hosts_[i].id >= 0) by_id.push_back(static_cast<std::uint32_t>(i));
      }
      std::sort(by_id.begin(), by_id.end(),
                [&](std::uint32_t a, std::uint32_t b) { return hosts_[a].id < hosts_[b].id; });
    }
    const auto found = std::lower_bound(by_id.begin(), by_id.end(), id,
                                        [&](std::uint32_t a, std::int64_t b) { return hosts_[a].id < b; });
    return found != by_id.end() && hosts_[*found].id == id ? *found : none;
  };
  trace.kernels.reserve(devices_.size());
  for (const DeviceEvent& event : devices_) {
    Kernel kernel = event.kernel;
    const auto found =
        std::lower_bound(by_correlation.begin(), by_correlation.end(), event.correlation,
                         [&](std::uint32_t a, std::int64_t b) { return launches_[a].correlation < b; });
    if (found != by_correlation.end() && launches_[*found].correlation == event.correlation) {
      const LaunchEvent& launch = launches_[*found];
      kernel.launched_us = launch.start_us;
      kernel.launch_end_us = launch.end_us;
      kernel.launcher = launch.launcher;
      kernel.call = launch.call;
    } else if (event.host_id > 0) {
      // Only where no call was recorded: the meaning of the id has changed between versions of the profiler.
      const std::uint32_t host = host_of(event.host_id);
      if (host != none) {
        kernel.launched_us = hosts_[host].start_us;
        kernel.launch_end_us = hosts_[host].start_us;
        kernel.launcher = launcher_of({host}, phase_of(host, Phase::forward));
        kernel.call = host;
      }
    }
    trace.kernels.push_back(kernel);
  }
}

Result<Trace> Builder::finish(Trace trace) && {
  if (devices_.empty() && hosts_.empty()) {
    return Error{
        "has no kernels and no operators",
        "torch.profiler.profile(activities=[ProfilerActivity.CPU, ProfilerActivity.CUDA]) records both",
        trace.path,
        {}};
  }
  choose_device(trace);
  nest();
  trace.on_cpu = devices_.empty();
  if (trace.on_cpu) {
    for (std::size_t i = 0; i < hosts_.size(); ++i) {
      if (own_us_[i] <= 0 || hosts_[i].is_range) continue;
      Kernel kernel;
      kernel.start_us = hosts_[i].start_us;
      kernel.time_us = own_us_[i];
      kernel.launched_us = kernel.start_us;
      kernel.launch_end_us = kernel.start_us;
      kernel.name = hosts_[i].name;
      kernel.launcher = host_launchers_[i];
      kernel.call = host_calls_[i];
      kernel.stream = static_cast<std::int32_t>(hosts_[i].thread);
      trace.kernels.push_back(kernel);
    }
  } else {
    link(trace);
  }
  for (const HostEvent& event : hosts_) trace.has_shapes = trace.has_shapes || event.sizes != none;
  std::stable_sort(trace.kernels.begin(), trace.kernels.end(),
                   [](const Kernel& a, const Kernel& b) { return a.start_us < b.start_us; });
  std::stable_sort(ranges_.begin(), ranges_.end(),
                   [](const Range& a, const Range& b) { return a.start_us < b.start_us; });
  trace.ranges = std::move(ranges_);
  trace.names = std::move(texts_);
  trace.launchers = std::move(launchers_);
  return trace;
}

}  // namespace shapelint::trace
