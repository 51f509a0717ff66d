// `shapelint prove`: writes the script that measures findings, and reads what it measured.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "cli/io.hpp"
#include "cli/option.hpp"
#include "cli/project_options.hpp"
#include "prove/result.hpp"
#include "prove/sweep.hpp"

namespace shapelint::cli {

struct ProveOptions {
  std::string file;
  std::string model;
  std::vector<std::string> findings;  // codes or names; empty: all that gain something
  double budget_s = 0;                // 0: as is usual for findings, or for sweeps
  std::string output = "-";
  std::string read;                 // a result of the script instead
  std::vector<std::string> sweeps;  // of kernels, instead of a model's findings
  bool run = false;                 // the script, here and now; `output` is its result's, then
  std::string python = "python3";
  std::string device;      // that the script gets
  std::size_t format = 0;  // of what was measured: text, json
  ProjectOptions project;
};
constexpr std::size_t proved_as_json = 1;

std::vector<Option> prove_options(ProveOptions& options);
ExitCode prove(const ProveOptions& options, Io& io);
// For `--read`.
ExitCode read_result(const ProveOptions& options, Io& io);
// The same of a text that was read, or written by a script that ran here; `path` is what messages call it.
ExitCode show_result(const ProveOptions& options, const std::string& path, const std::string& content,
                     Io& io);
// For `--sweeps`.
ExitCode write_sweeps(const ProveOptions& options, Io& io);
ExitCode show_sweeps(const ProveOptions& options, const std::string& path, const std::string& content,
                     Io& io);
// The same two for programs.
std::string proved_json(const prove::Measured& measured);
std::string swept_json(const prove::SweepResult& swept);
// Writes a script to standard output (`-`), or to a file, and then says what it is.
ExitCode write_or_print_script(const std::string& script, const std::string& output,
                               const std::string& what_it_is, Io& io);
// Runs a script with `--run`, keeps its result, and shows it.
ExitCode run_script(const ProveOptions& options, const std::string& script, double budget_s, Io& io);

}  // namespace shapelint::cli
