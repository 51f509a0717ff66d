// Puts a trace together from events in any order, whatever file they came from.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/error.hpp"
#include "base/keyed_hash.hpp"
#include "trace/trace.hpp"

namespace shapelint::trace {

// An operator or a range on a thread of the host.
struct HostEvent {
  double start_us = 0;
  double end_us = 0;
  std::uint32_t thread = 0;
  std::uint32_t name = 0;
  std::uint32_t sizes = none;  // of what multiplies: its inputs' sizes, `[[4096, 1024], [1024]]`
  std::int64_t id = -1;        // that kernels may name it by
  bool is_range = false;       // named by the program: nothing runs for it alone
};

struct LaunchEvent {
  std::int64_t correlation = 0;
  double start_us = 0;
  double end_us = 0;
  std::uint32_t thread = 0;
  std::uint32_t launcher = none;  // filled in
  std::uint32_t call = none;
};

struct DeviceEvent {
  Kernel kernel;
  std::int64_t correlation = -1;
  std::int64_t host_id = -1;  // HostEvent::id
};

class Builder {
 public:
  std::uint32_t text(std::string_view text);
  std::uint32_t thread(std::int64_t process, std::int64_t id);
  void add(const HostEvent& event);
  void add(const LaunchEvent& event);
  void add(const DeviceEvent& event);
  void add_range(std::string_view name, double start_us, double end_us);
  // What is too much to keep; empty: all is well.
  const std::string& too_much() const { return too_much_; }
  // Links everything. `trace` has what the file says of the run. Error: nothing ran.
  Result<Trace> finish(Trace trace) &&;

 private:
  void nest();
  void choose_device(Trace& trace);
  void link(Trace& trace);
  std::uint32_t launcher_of(const std::vector<std::uint32_t>& stack, Phase phase);
  Phase phase_of(std::uint32_t host, Phase around);

  std::vector<std::string> texts_;
  NameMap<std::uint32_t> known_;
  std::unordered_map<std::int64_t, std::uint32_t, KeyedHash> threads_;
  std::vector<HostEvent> hosts_;
  std::vector<LaunchEvent> launches_;
  std::vector<DeviceEvent> devices_;
  std::vector<Range> ranges_;
  std::vector<Launcher> launchers_;
  NameMap<std::uint32_t> known_launchers_;
  std::vector<std::uint32_t> host_launchers_;  // of hosts_
  std::vector<std::uint32_t> host_calls_;
  std::vector<double> own_us_;
  std::vector<std::optional<std::optional<Phase>>>
      name_phases_;  // of texts_: looked at, and the phase that it names
  std::size_t text_bytes_ = 0;
  std::string too_much_;
};

}  // namespace shapelint::trace
