// Fuzz target of the readers of profilers' traces: JSON and gzip as a stream, SQLite as a file in memory;
// what they read is cut into steps and matched to a small model.
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <sstream>
#include <string>
#include <string_view>

#include <sys/mman.h>
#include <unistd.h>

#include "cost/step.hpp"
#include "gpu/registry.hpp"
#include "model/fields.hpp"
#include "model/lower/lower.hpp"
#include "tests/fuzz/check.hpp"
#include "text/files.hpp"
#include "trace/match.hpp"
#include "trace/read.hpp"
#include "trace/step.hpp"

namespace {

using namespace shapelint;

struct Predicted {
  model::Setup setup;
  model::Workload workload;
  cost::StepCost cost;
};

const Predicted& predicted() {
  static const Predicted made = [] {
    Predicted out;
    const auto set = [&](const char* field, std::int64_t value) {
      model::set(out.setup, model::find_field(field), value);
    };
    set("hidden_size", 64);
    set("num_layers", 2);
    set("num_attention_heads", 4);
    set("num_key_value_heads", 4);
    set("head_dim", 16);
    set("value_head_dim", 16);
    set("intermediate_size", 256);
    set("vocab_size", 1000);
    set("micro_batch_size", 2);
    set("sequence_length", 128);
    out.workload = model::lower(out.setup);
    out.cost = cost::price(*gpu::find_gpu("h100"), out.workload, DType::bf16);
    return out;
  }();
  return made;
}

// SQLite opens files alone.
Result<trace::Trace> read_database(const std::string& bytes) {
  const int file = ::memfd_create("trace", 0);
  fuzz::require(file >= 0);
  fuzz::require(::write(file, bytes.data(), bytes.size()) == static_cast<ssize_t>(bytes.size()));
  auto trace = trace::read_nsight("/proc/self/fd/" + std::to_string(file), "trace", {});
  ::close(file);
  return trace;
}

void check_trace(const trace::Trace& trace) {
  double last_us = -1e300;
  for (const trace::Kernel& kernel : trace.kernels) {
    fuzz::require(std::isfinite(kernel.start_us) && std::isfinite(kernel.time_us) && kernel.time_us >= 0);
    fuzz::require(kernel.start_us >= last_us);
    last_us = kernel.start_us;
    fuzz::require(kernel.name < trace.names.size());
    fuzz::require(kernel.launcher == trace::none || kernel.launcher < trace.launchers.size());
  }
  trace::Classifier classifier(trace);
  const auto step = trace::choose_step(trace, classifier, {});
  if (!step) return fuzz::require(!step.error().message.empty());
  fuzz::require(step->whole <= step->ranges);
  fuzz::require(step->times.busy_us >= 0 && step->times.kernels_us >= 0);
  const Predicted& model = predicted();
  const trace::Match match = trace::match(trace, *step, classifier, model.setup, model.workload, model.cost);
  double told_us = 0;
  for (const trace::Row& row : match.rows) told_us += row.measured_us;
  for (const trace::Unexplained& each : match.unexplained) told_us += each.time_us;
  // Every kernel is in one row, or unexplained.
  const double kernels_us = match.kernels_us;
  fuzz::require(std::isfinite(told_us) && std::abs(told_us - kernels_us) <= 1e-6 * std::max(1.0, kernels_us));
  fuzz::require(match.explained_us <= kernels_us * (1 + 1e-9) + 1e-9);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string bytes(reinterpret_cast<const char*>(data), size);
  std::istringstream in(bytes);
  const text::MemoryFileSystem files;
  const auto trace =
      bytes.starts_with("SQLite format 3") ? read_database(bytes) : trace::read_trace(files, "-", in);
  if (trace) {
    check_trace(*trace);
  } else {
    fuzz::require(!trace.error().message.empty());
  }
  return 0;
}
