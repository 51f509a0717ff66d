// What is the same for all files under one configuration: its rules, GPUs and dialects, checked once.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "cli/commands/lint/lint.hpp"
#include "formats/read.hpp"
#include "gpu/gpu.hpp"
#include "project/config.hpp"
#include "report/report.hpp"
#include "rules/book/rule.hpp"

namespace shapelint::cli {

struct LintSetup {
  config::Config config;                   // without a path: there is none
  const rules::RuleBook* rules = nullptr;  // the built-in ones, or `own_rules`
  std::unique_ptr<rules::RuleBook> own_rules;
  std::unique_ptr<formats::Dialects> own_dialects;  // absent: the built-in ones
  std::string model_cache;                          // see formats::ReadOptions
  std::vector<text::Document> profiles;             // of --gpu-file and of the configuration's folders
  std::vector<gpu::Gpu> named;                      // by the command line
  std::vector<gpu::Gpu> assumed;                    // when nobody names one
};

// The setup for the configuration at `path` (none when it is empty). `own` are the profiles of --gpu-file.
// Errors: in the configuration or what its folders hold; names of rules and GPUs that do not exist, there and
// on the command line.
std::unique_ptr<LintSetup> load_setup(const LintOptions& options, const std::string& path,
                                      const std::vector<text::Document>& own, const text::FileSystem& files,
                                      std::vector<report::ReportError>& errors);

}  // namespace shapelint::cli
