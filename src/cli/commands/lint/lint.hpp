// `shapelint lint`: findings of files and folders.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cli/exit_code.hpp"
#include "cli/gpu_options.hpp"
#include "cli/io.hpp"
#include "cli/option.hpp"
#include "cli/output.hpp"
#include "formats/read.hpp"
#include "model/reading.hpp"

namespace shapelint::cli {

// In the order of rules::Severity.
inline constexpr std::array<std::string_view, 3> fail_levels{"info", "warning", "error"};

struct LintOptions {
  std::vector<std::string> files;
  std::string stdin_filename = "<stdin>";
  GpuOptions gpu;
  OutputOptions output;
  bool verbose = false;
  // What is not given here the file's [lint] table may say, and then the configuration.
  std::optional<double> min_gain;
  std::optional<std::size_t> fail_level;  // index into fail_levels
  std::vector<std::string> select;
  std::vector<std::string> extend_select;
  std::vector<std::string> ignore;
  bool exit_zero = false;
  bool no_ignores = false;
  std::string config;  // --config; empty: the closest to each file
  bool isolated = false;
  bool force_exclude = false;
  std::string baseline;
  bool write_baseline = false;
  bool prune_baseline = false;
  std::string diff_base;
  std::optional<std::int64_t> jobs;
  std::vector<model::Override> overrides;
  std::vector<formats::GraphDimension> dimensions;  // --dim
};

std::vector<Option> lint_options(LintOptions& options);
ExitCode lint(const LintOptions& options, Io& io);

}  // namespace shapelint::cli
