// Help texts and the man pages, from the tables of commands and options.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cli/command.hpp"

namespace shapelint::cli {

// What every subcommand understands besides its own options.
struct GlobalOptions {
  std::size_t color = 0;  // index into color_choices()
  bool help = false;
  bool version = false;
};
std::span<const std::string_view> color_choices();
std::vector<Option> global_options(GlobalOptions& options);

// `shapelint --help`.
std::string overview();
// `shapelint help --for-agents`: skills/shapelint/SKILL.md.
extern const std::string_view agents_guide;
// `shapelint COMMAND --help`.
std::string help(const Command& command);
// man/: an overview, and a page for each command.
struct ManPage {
  std::string name;  // `shapelint-lint.1`
  std::string text;
};
std::vector<ManPage> man_pages();

}  // namespace shapelint::cli
