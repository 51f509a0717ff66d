// Writes traces as PyTorch's profiler does of a GPU: operators, what they launch, and kernels.
#pragma once

#include <string>
#include <vector>

#include <fmt/format.h>

namespace shapelint::tests {

class Recorder {
 public:
  struct Ran {
    std::string kernel;
    double time_us = 0;
    int stream = 7;
  };

  // An operator that launches kernels; each runs as soon as its stream is free, 5 us after its launch or
  // later.
  void op(const std::string& name, const std::string& sizes, const std::vector<Ran>& kernels,
          const std::vector<std::string>& around = {}) {
    const double begin = host_;
    for (std::size_t i = 0; i < around.size(); ++i) host_ += 1;
    const double op_begin = host_;
    for (const Ran& each : kernels) {
      ++correlation_;
      add(fmt::format(
          R"({{"ph":"X","cat":"cuda_runtime","name":"cudaLaunchKernel","pid":1,"tid":1,"ts":{},"dur":2,)"
          R"("args":{{"correlation":{}}}}})",
          host_ + 1, correlation_));
      double& free = each.stream == 7 ? compute_ : other_;
      const double start = std::max(free, host_ + 8);
      free = start + each.time_us;
      add(fmt::format(R"({{"ph":"X","cat":"kernel","name":"{}","pid":0,"tid":{},"ts":{},"dur":{},)"
                      R"("args":{{"device":0,"stream":{},"correlation":{}}}}})",
                      each.kernel, each.stream, start, each.time_us, each.stream, correlation_));
      host_ += 4;
    }
    host_ += 2;
    add(fmt::format(R"({{"ph":"X","cat":"cpu_op","name":"{}","pid":1,"tid":1,"ts":{},"dur":{},)"
                    R"("args":{{"Input Dims":{}}}}})",
                    name, op_begin, host_ - op_begin, sizes));
    for (std::size_t i = around.size(); i > 0; --i) {
      host_ += 1;
      const double from = begin + static_cast<double>(i) - 1;
      add(fmt::format(R"({{"ph":"X","cat":"cpu_op","name":"{}","pid":1,"tid":1,"ts":{},"dur":{}}})",
                      around[i - 1], from, host_ - from));
    }
  }
  // The host waits until the GPU is done, and then for so long.
  void wait(double us) { host_ = std::max(host_, std::max(compute_, other_)) + us; }
  void begin_step(int number) {
    step_ = number;
    step_begin_ = host_;
  }
  void end_step() {
    add(fmt::format(
        R"({{"ph":"X","cat":"user_annotation","name":"ProfilerStep#{}","pid":1,"tid":1,"ts":{},"dur":{}}})",
        step_, step_begin_, host_ - step_begin_));
    host_ += 1;
  }
  std::string finish(const std::string& device = "NVIDIA A100-SXM4-80GB") const {
    return fmt::format(
        R"({{"schemaVersion":1,"deviceProperties":[{{"id":0,"name":"{}"}}],"traceEvents":[{}]}})", device,
        events_);
  }

 private:
  void add(const std::string& event) { events_ += (events_.empty() ? "" : ",\n") + event; }

  std::string events_;
  double host_ = 1000;
  double compute_ = 0;
  double other_ = 0;
  double step_begin_ = 0;
  int step_ = 0;
  int correlation_ = 0;
};

}  // namespace shapelint::tests
