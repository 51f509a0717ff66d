// Measured and predicted times, operation by operation, where kernels can be
// distinguished.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "cost/step.hpp"
#include "model/op.hpp"
#include "model/spec.hpp"
#include "trace/step.hpp"

namespace shapelint::trace {

enum class By : std::uint8_t {
  shape,  // sizes of its inputs
  order,  // the products' order in the step, where no sizes were recorded
  name    // of kernels, of which several operations are one row
};
std::string_view name(By by);

// Operations, predicted and measured; times are of the step.
struct Row {
  std::vector<std::size_t> ops;  // of the workload; several where kernels do not say which
  std::string_view kind;         // `product`, or the class of its kernels
  By by = By::name;
  double expected_calls = 0;
  double calls = 0;
  bool is_counted = false;  // calls are runs of the operation, and can be compared
  std::size_t kernels = 0;
  double predicted_us = 0;
  double measured_us = 0;
  std::string kernel;  // that took the most of it
};

// Kernels that no predicted operation is.
struct Unexplained {
  std::string what;  // `a product of 4096 x 50257 x 768`, or a kernel's name
  std::string kind;  // its class; empty: unknown
  std::string hint;  // the predicted operation that is nearly it
  double calls = 0;
  double time_us = 0;
};

struct Match {
  std::vector<Row> rows;  // most time first, of both
  std::vector<Unexplained> unexplained;
  double kernels_us = 0;      // of all kernels of the step
  double classified_us = 0;   // of these, of a known kind
  double explained_us = 0;    // of these, in a row with a prediction
  std::vector<double> op_us;  // by operation of the workload, as far as rows tell; negative: not measured
  std::vector<std::string> notes;
};

Match match(const Trace& trace, const Step& step, Classifier& classifier, const model::Setup& setup,
            const model::Workload& workload, const cost::StepCost& cost);

}  // namespace shapelint::trace
