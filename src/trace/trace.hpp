// What a profiler recorded of a run: kernels, what launched them, and the ranges that a person named.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace shapelint::trace {

inline constexpr std::uint32_t none = 0xffffffff;

// Which part of a step an operator ran in, as its surroundings on the host tell.
enum class Phase : std::uint8_t { forward, recompute, backward, update };

// A matrix product, `batch` times C[m,n] = A[m,k] B[k,n]; `k` 0: none.
struct Product {
  std::int64_t batch = 1;
  std::int64_t m = 0;
  std::int64_t n = 0;
  std::int64_t k = 0;
  // As programmers' transposes leave it: the same product whichever way round it is called.
  friend bool operator==(const Product&, const Product&) = default;
};

// The operators that a kernel was launched under, shared by all that were launched alike.
struct Launcher {
  std::string path;  // `aten::addmm/aten::linear`, the innermost first
  Product product;
  // Whether all that it launches belongs to the product, and not only kernels that multiply.
  bool is_product = false;
  Phase phase = Phase::forward;
};

// What a GPU, or a thread of a CPU, was busy with.
struct Kernel {
  double start_us = 0;
  double time_us = 0;
  // The launching call on the host; negative: not recorded.
  double launched_us = -1;
  double launch_end_us = -1;
  std::uint32_t name = 0;         // of Trace::names
  std::uint32_t launcher = none;  // of Trace::launchers
  std::uint32_t call = none;      // the same of kernels that one operator launched
  std::int32_t stream = 0;
  std::int32_t device = 0;
  std::int32_t ranks = 0;  // of a collective, where the profiler says
};

// A range that the program named: `ProfilerStep#3`.
struct Range {
  std::string name;
  double start_us = 0;
  double end_us = 0;
};

struct Trace {
  std::string path;
  std::string format;  // "PyTorch profiler", "Nsight Systems"
  std::vector<std::string> names;
  std::vector<Launcher> launchers;
  std::vector<Kernel> kernels;  // of one device, by start
  std::vector<Range> ranges;    // by start
  std::string device;           // "NVIDIA H100 80GB HBM3"; empty: not recorded
  std::int64_t rank = -1;
  std::int64_t world_size = 0;
  std::int64_t other_devices = 0;  // whose kernels are left out
  bool has_shapes = false;         // operators' sizes were recorded
  bool on_cpu = false;             // no GPU: kernels are operators, with what they take themselves
  std::int64_t events = 0;
};

// Told now and then while a file is read; `total` 0: unknown.
using ProgressCallback = std::function<void(std::size_t done, std::size_t total)>;

}  // namespace shapelint::trace
