// Chooses the subcommand and decides on colour.
#include "cli/io.hpp"

#include <algorithm>
#include <optional>

#include <fmt/format.h>

#include "base/strings.hpp"
#include "cli/command.hpp"
#include "cli/help.hpp"
#include "cli/option.hpp"
#include "cli/output.hpp"
#include "objects/printed/document.hpp"
#include "report/guard.hpp"

namespace shapelint::cli {

namespace {

struct Choice {
  const Command* command = nullptr;
  bool named = false;
  std::vector<std::string> args;  // without the command's name
};

// The first argument that is no global option names the command; otherwise the first of the table runs.
Choice choose(std::span<const std::string> args) {
  for (std::size_t i = 0; i < args.size(); ++i) {
    if (args[i] == "--color") {
      ++i;
      continue;
    }
    if (args[i].starts_with("-") && args[i] != "--") continue;
    for (const Command& command : commands()) {
      if (command.name != args[i]) continue;
      Choice choice{&command, true, {args.begin(), args.end()}};
      choice.args.erase(choice.args.begin() + static_cast<std::ptrdiff_t>(i));
      return choice;
    }
    break;
  }
  return {&commands().front(), false, {args.begin(), args.end()}};
}

bool is_set(const Io& io, const char* name) {
  const auto found = io.environment.find(name);
  return found != io.environment.end() && !found->second.empty();
}

// --color, then FORCE_COLOR, then NO_COLOR (both count only when not empty), then CLICOLOR_FORCE (anything
// but 0), then CLICOLOR (0: never), then whether it is a terminal.
bool use_color(std::size_t asked, const Io& io, bool is_terminal) {
  constexpr std::size_t always = 1;
  constexpr std::size_t never = 2;
  if (asked == always) return true;
  if (asked == never) return false;
  if (is_set(io, "FORCE_COLOR")) return true;
  if (is_set(io, "NO_COLOR")) return false;
  const auto is_zero = [&](const char* name) { return io.environment.at(name) == "0"; };
  if (is_set(io, "CLICOLOR_FORCE") && !is_zero("CLICOLOR_FORCE")) return true;
  if (is_set(io, "CLICOLOR") && is_zero("CLICOLOR")) return false;
  const auto terminal = io.environment.find("TERM");
  return is_terminal && (terminal == io.environment.end() || terminal->second != "dumb");
}

bool asks_for_help(std::span<const std::string> args) {
  for (const std::string& arg : args) {
    if (arg == "--") return false;
    if (arg == "--help" || arg == "-h") return true;
  }
  return false;
}

bool asks_for_json(std::span<const std::string> args) {
  for (std::size_t i = 0; i < args.size(); ++i) {
    if (args[i] == "--") return false;
    if (args[i] == "--format=json" || (args[i] == "--format" && i + 1 < args.size() && args[i + 1] == "json"))
      return true;
  }
  return false;
}

// The folders that a list of names may count from: the working directory and those above it, up to the root
// of the repository; git lists from there.
std::vector<std::string> folders_of_names(const text::FileSystem& files) {
  std::vector<std::string> folders{""};
  std::string folder = files.working_directory();
  while (folder.size() > 1 && !files.exists(folder + "/.git")) {
    folder.resize(std::max<std::size_t>(folder.rfind('/'), 1));
    folders.push_back(folder.size() > 1 ? folder + '/' : folder);
  }
  return folder.size() > 1 ? folders : std::vector<std::string>{""};
}

// Whoever lists a repository's files (a hook, `xargs`, a pattern of the shell) passes their names on as they
// are, and a stranger may have called one of them `--exit-zero`. A link to nothing is a name as well.
std::vector<UsageError> names_like_options(std::span<const std::string> args, const text::FileSystem& files) {
  std::vector<UsageError> errors;
  std::optional<std::vector<std::string>> folders;
  bool has_options = true;
  for (const std::string& arg : args) {
    // `-` is the standard input wherever it stands.
    if (!arg.starts_with('-') || (!has_options && arg != "-")) continue;
    if (arg == "--") has_options = false;
    if (!folders) folders = folders_of_names(files);
    const bool is_name = std::any_of(folders->begin(), folders->end(), [&](const std::string& folder) {
      return files.exists(folder + arg) || files.is_link(folder + arg);
    });
    if (!is_name) continue;
    errors.push_back({fmt::format("`{}` is a file or folder whose name begins like an option", arg),
                      fmt::format("write `./{}` for the file, and `--` before a list of names", arg)});
  }
  return errors;
}

// `shapelint sugest model.toml`: the first word is taken for a file, but is nearly a command.
std::string misspelt_command(std::span<const std::string> args, const Io& io) {
  for (const std::string& arg : args) {
    if (arg.starts_with('-')) continue;
    if (arg.find_first_of("./\\") != std::string::npos || io.files.exists(arg)) return {};
    std::vector<std::string_view> names;
    for (const Command& command : commands()) names.push_back(command.name);
    const std::string hint = did_you_mean(arg, names);
    return hint.empty() ? hint : fmt::format("no command or file `{}`; {}", arg, hint);
  }
  return {};
}

}  // namespace

namespace {

int run_guarded(std::span<const std::string> args, Io& io, report::GuardBuffer& out,
                report::GuardBuffer& err) {
  constexpr int failed = static_cast<int>(ExitCode::error);
  const Choice choice = choose(args);
  io.out_color = use_color(0, io, io.out_is_terminal);
  io.err_color = use_color(0, io, io.err_is_terminal);
  out.allow_colour(io.out_color);
  err.allow_colour(io.err_color);
  if (args.empty()) {
    io.err << overview();
    return failed;
  }
  // Before anything is done that an option asks for.
  const std::vector<UsageError> misleading = names_like_options(args, io.files);
  for (const UsageError& error : misleading) print_error(io, error.message, error.hint);
  if (!misleading.empty()) return failed;
  // `shapelint help`, `shapelint help COMMAND`.
  const bool help_command = args.front() == "help" && !io.files.exists("help");
  const Choice about = help_command ? choose(args.subspan(1)) : choice;
  if (help_command && args.size() == 2 && args[1] == "--for-agents") {
    io.out << agents_guide;
    return static_cast<int>(ExitCode::clean);
  }
  if (help_command || asks_for_help(args)) {
    io.out << (about.named ? help(*about.command) : overview());
    return static_cast<int>(ExitCode::clean);
  }

  GlobalOptions global;
  Bound bound = choice.command->bind();
  std::vector<Option> options = std::move(bound.options);
  append(options, global_options(global));
  const std::vector<UsageError> errors = parse(options, choice.args);
  io.out_color = use_color(global.color, io, io.out_is_terminal);
  io.err_color = use_color(global.color, io, io.err_is_terminal);
  out.allow_colour(io.out_color);
  err.allow_colour(io.err_color);
  if (global.version) {
    io.out << "shapelint " << SHAPELINT_VERSION << '\n';
    return static_cast<int>(ExitCode::clean);
  }
  const std::string misspelt = choice.named ? std::string{} : misspelt_command(args, io);
  if (!misspelt.empty()) {
    print_error(io, misspelt);
    return failed;
  }
  for (const UsageError& error : errors) print_error(io, error.message, error.hint);
  if (!errors.empty()) {
    io.err << (choice.named ? fmt::format("see `shapelint {} --help`\n", choice.command->name)
                            : "see `shapelint --help`\n");
    return failed;
  }
  return static_cast<int>(bound.run(io));
}

}  // namespace

int run(std::span<const std::string> args, Io& io) {
  report::GuardBuffer out_guard(io.out, io.out_is_terminal);
  report::GuardBuffer err_guard(io.err, io.err_is_terminal);
  std::ostream out(&out_guard);
  std::ostream err(&err_guard);
  Io guarded{io.in, out, err, io.files, io.environment, io.out_is_terminal, io.err_is_terminal};
  guarded.raw_out = &io.out;
  guarded.on_interrupt = io.on_interrupt;
  const int code = run_guarded(args, guarded, out_guard, err_guard);
  // Who reads JSON finds there why there is none.
  if (code == static_cast<int>(ExitCode::error) && asks_for_json(args) && !out_guard.is_used())
    objects::write_failure(choose(args).command->name, guarded.problems, out);
  return code;
}

}  // namespace shapelint::cli
