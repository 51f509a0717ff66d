// Help texts from the tables of commands and options.
#include "cli/help.hpp"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "base/utf8.hpp"
#include "report/wrap.hpp"

namespace shapelint::cli {

using report::wrap;

namespace {

constexpr std::size_t doc_column = 30;

std::string described(const Option& option) {
  std::string text = option.doc;
  if (option.required && !option.is_positional()) text += text.empty() ? "required" : "; required";
  if (option.choices.empty()) return text;
  text += option.doc.empty() ? "one of " : "; one of ";
  for (std::size_t i = 0; i < option.choices.size(); ++i) {
    text += (i == 0 ? "" : ", ") + option.choices[i];
  }
  return text;
}

std::string heading_of(const Option& option) {
  std::string names = option.names;
  if (const auto comma = names.find(','); comma != std::string::npos) names.replace(comma, 1, ", ");
  if (option.is_positional() || option.is_flag()) return names;
  return names + " " + option.value;
}

std::string entry(const std::string& heading, const std::string& doc) {
  std::string line = "  " + heading;
  // Columns, of which `…` takes one.
  const auto width = static_cast<std::size_t>(
      std::count_if(line.begin(), line.end(), [](char byte) { return !is_continuation(byte); }));
  if (width + 2 > doc_column) {
    line += '\n';
    return line + wrap(doc, doc_column, 0) + '\n';
  }
  return line + wrap(doc, doc_column, width) + '\n';
}

std::string usage_of(const Command& command, std::span<const Option> options) {
  std::string text = fmt::format("shapelint {} [OPTIONS]", command.name);
  for (const Option& option : options) {
    if (option.required && !option.is_positional()) text += ' ' + heading_of(option);
  }
  for (const Option& option : options) {
    if (!option.is_positional()) continue;
    const std::string name = option.names + (option.many ? "…" : "");
    text += option.required ? " " + name : " [" + name + "]";
  }
  return text;
}

std::string sections(std::span<const Option> options) {
  std::vector<std::string> groups;
  for (const Option& option : options) {
    const std::string group = option.is_positional() ? "Arguments"
                              : option.group.empty() ? "Options"
                                                     : option.group;
    if (std::find(groups.begin(), groups.end(), group) == groups.end()) groups.push_back(group);
  }
  std::string text;
  for (const std::string& group : groups) {
    text += '\n' + group + ":\n";
    for (const Option& option : options) {
      const std::string its = option.is_positional() ? "Arguments"
                              : option.group.empty() ? "Options"
                                                     : option.group;
      if (its == group) text += entry(heading_of(option), described(option));
    }
  }
  return text;
}

std::string examples_of(std::string_view examples) {
  if (examples.empty()) return {};
  std::string text = "\nExamples:\n  ";
  for (const char c : examples) {
    text += c;
    if (c == '\n') text += "  ";
  }
  return text + '\n';
}

constexpr std::array<std::string_view, 3> colors{"auto", "always", "never"};

}  // namespace

std::span<const std::string_view> color_choices() {
  return colors;
}

std::vector<Option> global_options(GlobalOptions& options) {
  constexpr auto group = "Everywhere";
  return {
      {.names = "--color",
       .value = "WHEN",
       .doc = "color the output",
       .set = into_choice(options.color, colors),
       .group = group,
       .choices = strings(colors)},
      {.names = "-h,--help", .doc = "show this help", .set = into(options.help), .group = group},
      {.names = "-V,--version", .doc = "show the version", .set = into(options.version), .group = group},
  };
}

std::string overview() {
  std::string text =
      "shapelint finds the dimensions of a neural network that waste time on a GPU,\n"
      "says what each costs, and proposes better ones.\n"
      "\n"
      "Usage: shapelint [OPTIONS] FILE…\n"
      "       shapelint COMMAND …\n"
      "\n"
      "Commands:\n";
  for (const Command& command : commands()) {
    text += entry(std::string(command.name), std::string(command.summary));
  }
  text +=
      "\n`shapelint COMMAND --help` lists a command's options; `lint` is the default.\n"
      "`shapelint help --for-agents` is a guide for coding agents.\n";
  GlobalOptions global;
  text += sections(global_options(global));
  text += examples_of(commands().front().examples);
  return text;
}

std::string help(const Command& command) {
  Bound bound = command.bind();
  std::erase_if(bound.options, [](const Option& option) { return option.hidden; });
  std::string text =
      fmt::format("{}\n\nUsage: {}\n", wrap(command.summary, 0, 0), usage_of(command, bound.options));
  if (!command.details.empty()) text += '\n' + wrap(command.details, 0, 0) + '\n';
  GlobalOptions global;
  for (Option& option : global_options(global)) bound.options.push_back(std::move(option));
  text += sections(bound.options);
  text += examples_of(command.examples);
  return text;
}

}  // namespace shapelint::cli
