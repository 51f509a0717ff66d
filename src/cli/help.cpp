// Help texts and man pages.
#include "cli/help.hpp"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "base/strings.hpp"
#include "report/style.hpp"

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
  constexpr auto group = "Global options";
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
      "their cost, and better values.\n"
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
  append(bound.options, global_options(global));
  text += sections(bound.options);
  text += examples_of(command.examples);
  return text;
}

namespace {

// Text as roff: backslashes and leading control characters escaped, `code` in bold, hyphens that are typed.
std::string roff(std::string_view text) {
  std::string out;
  bool code = false;
  bool line_begins = true;
  for (const char c : text) {
    if (line_begins && (c == '.' || c == '\'')) out += "\\&";
    line_begins = c == '\n';
    if (c == '`') {
      code = !code;
      out += code ? "\\fB" : "\\fR";
    } else if (c == '\\') {
      out += "\\e";
    } else if (c == '-') {
      out += "\\-";
    } else {
      out += c;
    }
  }
  return out;
}

std::string paragraphs(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find("\n\n"), text.size());
    out += fmt::format(".PP\n{}\n", roff(text.substr(0, end)));
    text.remove_prefix(std::min(text.size(), end + 2));
  }
  return out;
}

std::string choices_of(const Option& option) {
  std::string out;
  for (const std::string& choice : option.choices) out += (out.empty() ? "; one of " : ", ") + choice;
  return out;
}

std::string entries(const std::vector<Option>& options) {
  std::string out;
  for (const Option& option : options) {
    std::string names;
    for (const char c : option.names) {
      if (c == ',') {
        names += "\\fR, \\fB";
      } else {
        names += c == '-' ? "\\-" : std::string(1, c);
      }
    }
    if (option.is_positional()) {
      out += fmt::format(".IP \"\\fI{}\\fR\"\n", names);
    } else if (option.is_flag()) {
      out += fmt::format(".IP \"\\fB{}\\fR\"\n", names);
    } else {
      out += fmt::format(".IP \"\\fB{}\\fR \\fI{}\\fR\"\n", names, option.value);
    }
    const bool is_told = option.required && !option.is_positional();
    out += roff(option.doc + (is_told ? "; required" : "") + choices_of(option)) + '\n';
  }
  return out;
}

std::string synopsis(const Command& command, const std::vector<Option>& options) {
  std::string out = fmt::format(".B shapelint {}\n[\\fIOPTIONS\\fR]", roff(command.name));
  for (const Option& option : options) {
    if (!option.required || option.is_positional()) continue;
    out += fmt::format(" \\fB{}\\fR \\fI{}\\fR", roff(option.names), option.value);
  }
  for (const Option& option : options) {
    if (!option.is_positional()) continue;
    const std::string name = fmt::format("\\fI{}\\fR{}", option.names, option.many ? " ..." : "");
    out += option.required ? " " + name : " [" + name + "]";
  }
  return out + '\n';
}

constexpr std::string_view first_line =
    ".\\\" Written from the tables of commands and options: see CONTRIBUTING.md.\n";

std::string title(std::string_view name) {
  std::string upper(name);
  std::transform(upper.begin(), upper.end(), upper.begin(),
                 [](char c) { return c >= 'a' && c <= 'z' ? static_cast<char>(c & ~0x20) : c; });
  return fmt::format("{}.TH {} 1 \"\" \"shapelint " SHAPELINT_VERSION "\" \"User Commands\"\n", first_line,
                     upper);
}

// The options of a command under the headings that its help has.
std::string grouped_entries(const std::vector<Option>& options) {
  std::vector<std::string> groups;
  for (const Option& option : options) {
    if (std::find(groups.begin(), groups.end(), option.group) == groups.end()) groups.push_back(option.group);
  }
  std::string out;
  for (const std::string& group : groups) {
    std::vector<Option> of_group;
    std::copy_if(options.begin(), options.end(), std::back_inserter(of_group),
                 [&](const Option& option) { return option.group == group; });
    if (!group.empty()) out += fmt::format(".SS {}\n", roff(group));
    out += entries(of_group);
  }
  return out;
}

constexpr std::string_view exit_status =
    ".SH EXIT STATUS\n"
    ".TP\n0\nnothing was found at or above the fail level\n"
    ".TP\n1\nsomething was found\n"
    ".TP\n2\nwrong usage, or input that cannot be read\n";

constexpr std::string_view environment =
    ".SH ENVIRONMENT\n"
    ".TP\n\\fBNO_COLOR\\fR, \\fBFORCE_COLOR\\fR\n"
    "when not empty: never and always color the output; \\-\\-color wins over both, and FORCE_COLOR over "
    "NO_COLOR\n"
    ".TP\n\\fBCLICOLOR_FORCE\\fR, \\fBCLICOLOR\\fR\n"
    "after those: color the output unless it is 0, and never when it is 0\n"
    ".TP\n\\fBHF_HUB_CACHE\\fR, \\fBHF_HOME\\fR, \\fBXDG_CACHE_HOME\\fR\n"
    "where published models are looked for, as the Hub's own library has it\n";

ManPage page_of(const Command& command) {
  const std::string name = fmt::format("shapelint-{}", command.name);
  Bound bound = command.bind();
  std::erase_if(bound.options, [](const Option& option) { return option.hidden; });
  std::string text = title(name);
  text += fmt::format(".SH NAME\n{} \\- {}\n.SH SYNOPSIS\n{}", roff(name), roff(command.summary),
                      synopsis(command, bound.options));
  if (!command.details.empty()) text += ".SH DESCRIPTION\n" + paragraphs(command.details);
  if (!bound.options.empty()) text += ".SH OPTIONS\n" + grouped_entries(bound.options);
  GlobalOptions global;
  text += ".SS Global options\n" + entries(global_options(global));
  if (!command.examples.empty()) text += fmt::format(".SH EXAMPLES\n.nf\n{}\n.fi\n", roff(command.examples));
  text += ".SH SEE ALSO\n.BR shapelint (1)\n";
  return {name + ".1", std::move(text)};
}

ManPage overview_page() {
  std::string text = title("shapelint");
  text +=
      ".SH NAME\n"
      "shapelint \\- find the dimensions of a neural network that waste time on a GPU\n"
      ".SH SYNOPSIS\n"
      ".B shapelint\n"
      "[\\fIOPTIONS\\fR] \\fIFILE\\fR ...\n"
      ".br\n"
      ".B shapelint\n"
      "\\fICOMMAND\\fR ...\n"
      ".SH DESCRIPTION\n" +
      roff(
          "shapelint reads the configuration of a model, derives every operation that a GPU runs for one "
          "step, predicts its time, and reports the dimensions that waste time, with cost, reason and a "
          "better "
          "value. Without a command, `lint` is run: its options are in shapelint-lint(1). shapelint needs "
          "no GPU and no network.") +
      "\n.SH COMMANDS\nEach has its own page.\n";
  for (const Command& command : commands()) {
    text += fmt::format(".TP\n.BR shapelint\\-{} (1)\n{}\n", roff(command.name), roff(command.summary));
  }
  GlobalOptions global;
  text += ".SH GLOBAL OPTIONS\n" + entries(global_options(global));
  text += exit_status;
  text += environment;
  return {"shapelint.1", std::move(text)};
}

}  // namespace

std::vector<ManPage> man_pages() {
  std::vector<ManPage> pages{overview_page()};
  for (const Command& command : commands()) pages.push_back(page_of(command));
  return pages;
}

}  // namespace shapelint::cli
