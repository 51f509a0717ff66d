// `shapelint completion`: scripts that complete commands and options.
#include "cli/help.hpp"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "base/strings.hpp"
#include "cli/command.hpp"
#include "cli/output.hpp"

namespace shapelint::cli {

namespace {

constexpr std::array<std::string_view, 3> shells{"bash", "zsh", "fish"};

// `-o` and `--output` of "-o,--output".
std::vector<std::string> names_of(const Option& option) {
  std::vector<std::string> names;
  for (std::size_t begin = 0; begin <= option.names.size();) {
    const std::size_t comma = std::min(option.names.find(',', begin), option.names.size());
    names.push_back(option.names.substr(begin, comma - begin));
    begin = comma + 1;
  }
  return names;
}

std::vector<Option> options_of(const Command& command, GlobalOptions& global) {
  std::vector<Option> options = command.bind().options;
  append(options, global_options(global));
  std::erase_if(options, [](const Option& option) { return option.is_positional() || option.hidden; });
  return options;
}

std::string joined(const std::vector<std::string>& words) {
  return fmt::format("{}", fmt::join(words, " "));
}

// Single quotes of every shell here keep all but themselves.
std::string quoted(std::string_view text) {
  std::string out = "'";
  for (const char c : text) out += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return out + "'";
}

std::vector<std::string> command_names() {
  std::vector<std::string> names;
  for (const Command& command : commands()) names.emplace_back(command.name);
  return names;
}

// What a value is completed to: nothing stands for files.
std::vector<std::string> words_of(const Option& option) {
  return option.words != nullptr ? option.words() : option.choices;
}

// The command's arguments, when they are names rather than files.
std::vector<std::string> argument_words(const Command& command) {
  for (const Option& option : command.bind().options) {
    if (option.is_positional()) return words_of(option);
  }
  return {};
}

// Nothing, for a command that takes only options.
bool takes_arguments(const Command& command) {
  const std::vector<Option> options = command.bind().options;
  return std::any_of(options.begin(), options.end(), [](const Option& each) { return each.is_positional(); });
}

// Loops and functions that no table has a part in.
constexpr std::string_view bash_head =
    R"BASH(# Completion of shapelint in bash: source <(shapelint completion bash)
_shapelint_words() { mapfile -t COMPREPLY < <(compgen -W "$1" -- "$current"); }
# Only names of files are quoted as such: `sarif=` is none.
_shapelint_files() {
  compopt -o filenames 2>/dev/null
  mapfile -t COMPREPLY < <(compgen -f -- "$current")
}
# The last of a list with commas.
_shapelint_list() {
  local head=
  [[ $current == *,* ]] && head=${current%,*},
  mapfile -t COMPREPLY < <(compgen -P "$head" -W "$1" -- "${current##*,}")
}
# A word with `=` behind it, and then a file; readline sees three words there.
_shapelint_assignment() {
  _shapelint_words "$1"
  compopt -o nospace 2>/dev/null
}
_shapelint() {
  local current=${COMP_WORDS[COMP_CWORD]} at=$((COMP_CWORD - 1)) previous= word
  [[ $current == = ]] && current= && at=$((at + 1))
  [ "$at" -ge 0 ] && previous=${COMP_WORDS[at]}
  if [[ $previous == = ]]; then
    previous=${COMP_WORDS[at - 1]}
    [[ $previous == -* ]] || previous=FILE
  fi
  COMPREPLY=()
)BASH";

std::string bash() {
  std::string out(bash_head);
  out += fmt::format(
      "  local command={}\n"
      "  for word in \"${{COMP_WORDS[@]:1:COMP_CWORD-1}}\"; do\n"
      "    case $word in\n"
      "      {}) command=$word; break ;;\n"
      "    esac\n"
      "  done\n"
      "  case $command:$previous in\n"
      "    *:FILE) _shapelint_files; return ;;\n",
      commands().front().name, fmt::format("{}", fmt::join(command_names(), "|")));
  std::string options_by_command;
  std::string arguments_by_command;
  for (const Command& command : commands()) {
    GlobalOptions global;
    std::vector<std::string> all;
    for (const Option& option : options_of(command, global)) {
      const std::vector<std::string> names = names_of(option);
      all.insert(all.end(), names.begin(), names.end());
      if (option.is_flag()) continue;
      std::vector<std::string> patterns;
      for (const std::string& name : names) patterns.push_back(fmt::format("{}:{}", command.name, name));
      const std::vector<std::string> words = words_of(option);
      const std::string_view function = words.empty()                  ? "_shapelint_files"
                                        : option.is_list               ? "_shapelint_list"
                                        : words.front().ends_with('=') ? "_shapelint_assignment"
                                                                       : "_shapelint_words";
      out += fmt::format("    {}) {} {}; return ;;\n", fmt::join(patterns, "|"), function,
                         words.empty() ? std::string{} : quoted(joined(words)));
    }
    options_by_command += fmt::format("      {}) words={} ;;\n", command.name, quoted(joined(all)));
    const std::vector<std::string> arguments = argument_words(command);
    if (!arguments.empty() || !takes_arguments(command)) {
      arguments_by_command +=
          fmt::format("      {}) files= words={} ;;\n", command.name, quoted(joined(arguments)));
    }
  }
  out += fmt::format(
      "  esac\n"
      "  local words= files=yes\n"
      "  if [[ $current == -* ]]; then\n"
      "    case $command in\n{}"
      "    esac\n"
      "    _shapelint_words \"$words\"\n"
      "  else\n"
      "    case $command in\n{}"
      "    esac\n"
      "    [ \"$COMP_CWORD\" = 1 ] && words={} files=yes\n"
      "    _shapelint_words \"$words\"\n"
      "    if [ -n \"$files\" ]; then\n"
      "      compopt -o filenames 2>/dev/null\n"
      "      mapfile -t -O \"${{#COMPREPLY[@]}}\" COMPREPLY < <(compgen -f -- \"$current\")\n"
      "    fi\n"
      "  fi\n"
      "  return 0\n"
      "}}\n"
      "complete -F _shapelint shapelint\n",
      options_by_command, arguments_by_command, quoted(joined(command_names())));
  return out;
}

// A description in zsh's _arguments: brackets and colons have a meaning there.
std::string zsh_text(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '[' || c == ']' || c == ':' || c == '\\') out += '\\';
    out += c;
  }
  return out;
}

std::string zsh_action(const Option& option) {
  const std::vector<std::string> words = words_of(option);
  if (words.empty()) return "_files";
  if (option.is_list) return fmt::format("_values -s , {} {}", zsh_text(option.value), joined(words));
  if (words.front().ends_with('=')) return fmt::format(" _shapelint_assignment {}", joined(words));
  return fmt::format("({})", joined(words));
}

std::string zsh() {
  std::string out =
      "#compdef shapelint\n"
      "# Completion of shapelint in zsh: shapelint completion zsh > a folder of $fpath, as _shapelint\n"
      "_shapelint_assignment() {\n"
      "  if compset -P '*='; then _files; else compadd -S '' -- \"$@\"; fi\n"
      "}\n"
      "_shapelint() {\n"
      "  local command=" +
      std::string(commands().front().name) +
      " word\n"
      "  for word in ${words[2,CURRENT-1]}; do\n"
      "    case $word in\n"
      "      " +
      fmt::format("{}", fmt::join(command_names(), "|")) +
      ") command=$word; break ;;\n"
      "    esac\n"
      "  done\n"
      "  if (( CURRENT == 2 )) && [[ ${words[2]} != -* ]]; then\n"
      "    local -a commands=(\n";
  for (const Command& command : commands()) {
    out += fmt::format("      {}\n", quoted(fmt::format("{}:{}", command.name, zsh_text(command.summary))));
  }
  out +=
      "    )\n"
      "    _describe command commands\n"
      "  fi\n"
      "  case $command in\n";
  for (const Command& command : commands()) {
    GlobalOptions global;
    out += fmt::format("    {})\n      _arguments \\\n", command.name);
    for (const Option& option : options_of(command, global)) {
      for (const std::string& name : names_of(option)) {
        std::string spec = (option.many ? "*" : "") + name;
        spec += fmt::format("[{}]", zsh_text(option.doc));
        if (!option.is_flag()) spec += fmt::format(":{}:{}", zsh_text(option.value), zsh_action(option));
        out += fmt::format("        {} \\\n", quoted(spec));
      }
    }
    const std::vector<std::string> arguments = argument_words(command);
    if (!takes_arguments(command)) {
      out += "        && :\n      ;;\n";
    } else if (arguments.empty()) {
      out += "        '*:file:_files'\n      ;;\n";
    } else {
      out += fmt::format("        {}\n      ;;\n", quoted(fmt::format("*:name:({})", joined(arguments))));
    }
  }
  out +=
      "  esac\n"
      "}\n"
      "if [ \"$funcstack[1]\" = _shapelint ]; then _shapelint \"$@\"; else compdef _shapelint shapelint; "
      "fi\n";
  return out;
}

// `a\t b\t`: an option's help is not repeated for each of its values.
std::string fish_words(const std::vector<std::string>& words) {
  std::string out;
  for (const std::string& word : words) out += (out.empty() ? "" : " ") + word + "\\t";
  return out;
}

std::string fish_option(const Option& option, const std::string& condition) {
  std::string out = "complete -c shapelint";
  if (!condition.empty()) out += " -n " + condition;
  for (const std::string& name : names_of(option)) {
    out += name.starts_with("--") ? fmt::format(" -l {}", name.substr(2))
                                  : fmt::format(" -s {}", name.substr(1));
  }
  if (!option.is_flag()) out += " -r";
  const std::vector<std::string> words = words_of(option);
  if (option.is_list && !words.empty()) {
    out += fmt::format(" -f -a {}", quoted(fmt::format("(__fish_append , {})", joined(words))));
  } else if (!words.empty()) {
    out += fmt::format("{} -a {}", option.words == nullptr ? " -f" : "", quoted(fish_words(words)));
  }
  return out + fmt::format(" -d {}\n", quoted(option.doc));
}

std::string fish() {
  std::string out =
      "# Completion of shapelint in fish: shapelint completion fish | source\n"
      "set -l commands " +
      joined(command_names()) + '\n';
  for (const Command& command : commands()) {
    out += fmt::format("complete -c shapelint -n \"not __fish_seen_subcommand_from $commands\" -a {} -d {}\n",
                       command.name, quoted(command.summary));
  }
  // Those of every command are said once.
  GlobalOptions global;
  for (const Option& option : global_options(global)) out += fish_option(option, {});
  for (const Command& command : commands()) {
    // Without a command the first is meant.
    const bool is_first = command.name == commands().front().name;
    const std::string condition =
        is_first
            ? fmt::format("\"not __fish_seen_subcommand_from $commands; or __fish_seen_subcommand_from {}\"",
                          command.name)
            : fmt::format("\"__fish_seen_subcommand_from {}\"", command.name);
    for (const Option& option : command.bind().options) {
      if (option.hidden) continue;
      if (!option.is_positional()) out += fish_option(option, condition);
    }
    const std::vector<std::string> arguments = argument_words(command);
    if (arguments.empty() && takes_arguments(command)) continue;
    out += fmt::format("complete -c shapelint -n {} -f", condition);
    if (!arguments.empty()) out += fmt::format(" -a {}", quoted(joined(arguments)));
    out += '\n';
  }
  return out;
}

}  // namespace

std::vector<Option> completion_options(CompletionOptions& options) {
  return {{.names = "SHELL",
           .value = "SHELL",
           .doc = "shell: bash, zsh or fish",
           .set = [&options](std::string_view text) -> std::optional<std::string> {
             std::size_t index = 0;
             if (auto expected = into_choice(index, shells)(text)) return expected;
             options.shells = {std::string(text)};
             return std::nullopt;
           },
           .required = true,
           .words = [] { return strings(shells); }}};
}

ExitCode completion(const CompletionOptions& options, Io& io) {
  const std::string& shell = options.shells.front();
  io.out << (shell == "bash" ? bash() : shell == "zsh" ? zsh() : fish());
  return ExitCode::clean;
}

}  // namespace shapelint::cli
