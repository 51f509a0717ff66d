// A subcommand: a plain struct of options, a function that describes them, and a function that runs.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "cli/io.hpp"
#include "cli/option.hpp"

namespace shapelint::cli {

// A subcommand's options tied to fresh storage, and what to call when they are filled in.
struct Bound {
  std::vector<Option> options;
  std::function<ExitCode(Io&)> run;
};

struct Command {
  std::string_view name;
  std::string_view summary;   // one line, lower case, no full stop
  std::string_view details;   // paragraphs for --help and the man page; may be empty
  std::string_view examples;  // command lines, one per line; may be empty
  Bound (*bind)();
};

// `Describe` lists the options of an Options object, `Run` runs with it when it is filled in.
template <class Options, std::vector<Option> (*Describe)(Options&), ExitCode (*Run)(const Options&, Io&)>
Bound bind() {
  auto options = std::make_shared<Options>();
  std::vector<Option> described = Describe(*options);
  return {std::move(described), [options](Io& io) { return Run(*options, io); }};
}

// The table of subcommands, in commands.cpp; the first is what runs when none is named.
std::span<const Command> commands();

}  // namespace shapelint::cli
