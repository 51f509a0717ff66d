// Help texts, man pages and shell completion, all from the tables of commands and options.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cli/command.hpp"
#include "cli/io.hpp"
#include "cli/option.hpp"

namespace shapelint::cli {

// Options of every subcommand.
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

struct CompletionOptions {
  std::vector<std::string> shells;  // one
};

std::vector<Option> completion_options(CompletionOptions& options);
ExitCode completion(const CompletionOptions& options, Io& io);

}  // namespace shapelint::cli
