// The man pages, in roff, from the tables of commands and options.
#include <algorithm>

#include <fmt/format.h>

#include "cli/help.hpp"

namespace shapelint::cli {

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
    "when not empty: never and always colour the output; \\-\\-color wins over both, and FORCE_COLOR over "
    "NO_COLOR\n"
    ".TP\n\\fBCLICOLOR_FORCE\\fR, \\fBCLICOLOR\\fR\n"
    "after those: colour the output unless it is 0, and never when it is 0\n"
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
  text += ".SS Of every command\n" + entries(global_options(global));
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
          "shapelint reads the configuration of a model, works out every operation that a GPU runs for one "
          "step, predicts how long each takes, and says which dimensions waste time, how much, why, and what "
          "to use instead. Without a command, `lint` is run: its options are in shapelint-lint(1). It needs "
          "no GPU and no network.") +
      "\n.SH COMMANDS\nEach has a page of its own.\n";
  for (const Command& command : commands()) {
    text += fmt::format(".TP\n.BR shapelint\\-{} (1)\n{}\n", roff(command.name), roff(command.summary));
  }
  GlobalOptions global;
  text += ".SH OPTIONS OF EVERY COMMAND\n" + entries(global_options(global));
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
