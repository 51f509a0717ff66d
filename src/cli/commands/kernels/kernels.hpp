// `shapelint kernels`: the predicted times of a table of single kernels.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "calibrate/tables.hpp"
#include "cli/io.hpp"
#include "cli/option.hpp"
#include "cli/project_options.hpp"
#include "cost/engines/kinds.hpp"
#include "gpu/gpu.hpp"

namespace shapelint::cli {

struct KernelsOptions {
  std::string kind;
  ProjectOptions project;
  std::string shapes;
  std::size_t format = 0;  // text, csv, json
  bool list = false;
};

std::vector<Option> kernels_options(KernelsOptions& options);
ExitCode kernels(const KernelsOptions& options, Io& io);

// What is added to a row, or nothing where there is no prediction.
struct Answer {
  double time_us = 0;
  std::string_view bound;
  double efficiency = 0;  // ideal time / predicted time
};

std::optional<Answer> answer(const cost::KernelKind& kind, const gpu::Gpu& gpu,
                             const calibrate::KernelRow& row);

// `whole number`, `word`.
std::string_view type_of(const cost::KernelColumn& column);

void print_kernels_json(const cost::KernelKind& kind, const gpu::Gpu& gpu,
                        const calibrate::KernelTable& table, std::ostream& out);
void print_kernel_kinds_json(std::ostream& out);

}  // namespace shapelint::cli
