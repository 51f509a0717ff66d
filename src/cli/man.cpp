// The man page, in roff, from the tables of commands and options.
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
    out += ".TP\n";
    if (option.is_positional()) {
      out += fmt::format("\\fI{}\\fR\n", names);
    } else if (option.is_flag()) {
      out += fmt::format("\\fB{}\\fR\n", names);
    } else {
      out += fmt::format("\\fB{}\\fR \\fI{}\\fR\n", names, option.value);
    }
    out += roff(option.doc + choices_of(option)) + '\n';
  }
  return out;
}

std::string synopsis(const Command& command, const std::vector<Option>& options) {
  std::string out = fmt::format(".B shapelint {}\n[\\fIOPTIONS\\fR]", roff(command.name));
  for (const Option& option : options) {
    if (!option.is_positional()) continue;
    const std::string name = fmt::format("\\fI{}\\fR{}", option.names, option.many ? " ..." : "");
    out += option.required ? " " + name : " [" + name + "]";
  }
  return out + '\n';
}

}  // namespace

std::string man_page() {
  std::string out =
      ".\\\" Written from the tables of commands and options: see CONTRIBUTING.md.\n"
      ".TH SHAPELINT 1 \"\" \"shapelint " SHAPELINT_VERSION
      "\" \"User Commands\"\n"
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
          "step, "
          "predicts how long each takes, and says which dimensions waste time, how much, why, and what to "
          "use "
          "instead. Without a command, `lint` is run. It needs no GPU and no network.") +
      "\n.SH COMMANDS\n";
  for (const Command& command : commands()) {
    const Bound bound = command.bind();
    out += fmt::format(".SS {}\n{}", roff(command.name), synopsis(command, bound.options));
    out += paragraphs(fmt::format("`{}`: {}.", command.name, command.summary));
    out += paragraphs(command.details);
    out += entries(bound.options);
    if (!command.examples.empty()) {
      out += fmt::format(".PP\nExamples:\n.PP\n.nf\n{}\n.fi\n", roff(command.examples));
    }
  }
  GlobalOptions global;
  out += ".SH OPTIONS OF EVERY COMMAND\n" + entries(global_options(global));
  out +=
      ".SH EXIT STATUS\n"
      ".TP\n0\nnothing was found at or above the fail level\n"
      ".TP\n1\nsomething was found\n"
      ".TP\n2\nwrong usage, or input that cannot be read\n"
      ".SH ENVIRONMENT\n"
      ".TP\n\\fBNO_COLOR\\fR, \\fBFORCE_COLOR\\fR\n"
      "when not empty: never and always colour the output; \\-\\-color wins over both, and FORCE_COLOR over "
      "NO_COLOR\n";
  return out;
}

}  // namespace shapelint::cli
