// `shapelint roofline`: where each op stands under a GPU's roofs, and what would help.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "cli/commands/roofline/pictures.hpp"
#include "cli/exit_code.hpp"
#include "cli/io.hpp"
#include "cli/option.hpp"
#include "cli/project_options.hpp"

namespace shapelint::cli {

struct RooflineOptions {
  std::vector<std::string> files;
  std::string model;  // of a file that holds several
  ProjectOptions project;
  std::string over;
  std::optional<std::int64_t> top;
  std::int64_t prefill_chunk = 0;
  std::int64_t output_tokens = 0;
  std::string draft;
  std::size_t format = 0;  // text, json, csv
  PictureOptions pictures;
};

std::vector<Option> roofline_options(RooflineOptions& options);
ExitCode roofline(const RooflineOptions& options, Io& io);

}  // namespace shapelint::cli
