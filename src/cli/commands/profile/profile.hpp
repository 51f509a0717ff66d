// `shapelint profile`: compares a profiler trace of a step with the prediction.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "cli/io.hpp"
#include "cli/model_input.hpp"
#include "cli/option.hpp"
#include "cli/project_options.hpp"
#include "report/profile/profile.hpp"

namespace shapelint::cli {

struct ProfileOptions {
  std::vector<std::string> traces;
  std::string file;  // of --model
  std::string part;  // which model of the file
  std::string step;  // names of ranges
  std::optional<std::int64_t> top;
  std::size_t format = 0;  // text, json, csv
  std::string page;        // HTML
  ProjectOptions project;
};

std::vector<Option> profile_options(ProfileOptions& options);
ExitCode profile(const ProfileOptions& options, Io& io);

// What each finding's best proposal would save of the measured step, most first.
std::vector<report::Worth> worth_of(const ModelInput& input, const report::ProfileReport& report, Io& io);

}  // namespace shapelint::cli
