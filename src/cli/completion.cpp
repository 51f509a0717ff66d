// `shapelint completion`: scripts that complete commands and options.
#include "cli/completion.hpp"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "base/names.hpp"
#include "cli/command.hpp"
#include "cli/help.hpp"
#include "cli/messages.hpp"

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
  for (Option& option : global_options(global)) options.push_back(std::move(option));
  std::erase_if(options, [](const Option& option) { return option.is_positional(); });
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

std::string bash() {
  std::string out = fmt::format(
      "# Completion of shapelint in bash: source <(shapelint completion bash)\n"
      "_shapelint() {{\n"
      "  local current=${{COMP_WORDS[COMP_CWORD]}} previous= command={} word\n"
      "  [ \"$COMP_CWORD\" -gt 0 ] && previous=${{COMP_WORDS[COMP_CWORD - 1]}}\n"
      "  for word in \"${{COMP_WORDS[@]:1:COMP_CWORD-1}}\"; do\n"
      "    case $word in\n"
      "      {}) command=$word; break ;;\n"
      "    esac\n"
      "  done\n"
      "  COMPREPLY=()\n"
      "  case $command:$previous in\n",
      commands().front().name, fmt::format("{}", fmt::join(command_names(), "|")));
  std::string options_by_command;
  for (const Command& command : commands()) {
    GlobalOptions global;
    std::vector<std::string> all;
    for (const Option& option : options_of(command, global)) {
      const std::vector<std::string> names = names_of(option);
      all.insert(all.end(), names.begin(), names.end());
      if (option.is_flag()) continue;
      std::vector<std::string> patterns;
      for (const std::string& name : names) patterns.push_back(fmt::format("{}:{}", command.name, name));
      const std::string reply =
          option.choices.empty() ? std::string("-f") : fmt::format("-W {}", quoted(joined(option.choices)));
      out += fmt::format("    {}) mapfile -t COMPREPLY < <(compgen {} -- \"$current\"); return ;;\n",
                         fmt::join(patterns, "|"), reply);
    }
    options_by_command += fmt::format("      {}) words={} ;;\n", command.name, quoted(joined(all)));
  }
  out += fmt::format(
      "  esac\n"
      "  local words=\n"
      "  if [[ $current == -* ]]; then\n"
      "    case $command in\n{}"
      "    esac\n"
      "    mapfile -t COMPREPLY < <(compgen -W \"$words\" -- \"$current\")\n"
      "  else\n"
      "    [ \"$COMP_CWORD\" = 1 ] && words={}\n"
      "    mapfile -t COMPREPLY < <(compgen -W \"$words\" -- \"$current\"; compgen -f -- \"$current\")\n"
      "  fi\n"
      "}}\n"
      "complete -o filenames -F _shapelint shapelint\n",
      options_by_command, quoted(joined(command_names())));
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

std::string zsh() {
  std::string out =
      "#compdef shapelint\n"
      "# Completion of shapelint in zsh: shapelint completion zsh > a folder of $fpath, as _shapelint\n"
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
        if (!option.is_flag()) {
          spec += fmt::format(
              ":{}:{}", zsh_text(option.value),
              option.choices.empty() ? std::string("_files") : fmt::format("({})", joined(option.choices)));
        }
        out += fmt::format("        {} \\\n", quoted(spec));
      }
    }
    out += "        '*:file:_files'\n      ;;\n";
  }
  out +=
      "  esac\n"
      "}\n"
      "if [ \"$funcstack[1]\" = _shapelint ]; then _shapelint \"$@\"; else compdef _shapelint shapelint; "
      "fi\n";
  return out;
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
  for (const Command& command : commands()) {
    // Without a command the first is meant.
    const bool is_first = command.name == commands().front().name;
    const std::string condition =
        is_first
            ? fmt::format("\"not __fish_seen_subcommand_from $commands; or __fish_seen_subcommand_from {}\"",
                          command.name)
            : fmt::format("\"__fish_seen_subcommand_from {}\"", command.name);
    GlobalOptions global;
    for (const Option& option : options_of(command, global)) {
      out += fmt::format("complete -c shapelint -n {}", condition);
      for (const std::string& name : names_of(option)) {
        out += name.starts_with("--") ? fmt::format(" -l {}", name.substr(2))
                                      : fmt::format(" -s {}", name.substr(1));
      }
      if (!option.is_flag()) out += " -r";
      if (!option.choices.empty()) out += fmt::format(" -f -a {}", quoted(joined(option.choices)));
      out += fmt::format(" -d {}\n", quoted(option.doc));
    }
  }
  return out;
}

}  // namespace

std::vector<Option> completion_options(CompletionOptions& options) {
  return {{.names = "SHELL",
           .value = "SHELL",
           .doc = "bash, zsh or fish",
           .set = [&options](std::string_view text) -> std::optional<std::string> {
             std::size_t index = 0;
             if (auto expected = into_choice(index, shells)(text)) return expected;
             options.shells = {std::string(text)};
             return std::nullopt;
           },
           .required = true}};
}

ExitCode completion(const CompletionOptions& options, Io& io) {
  const std::string& shell = options.shells.front();
  io.out << (shell == "bash" ? bash() : shell == "zsh" ? zsh() : fish());
  return ExitCode::clean;
}

}  // namespace shapelint::cli
