// Options and positionals as tables: how they are called, what they set, what shells complete for them, and
// how arguments are read by them.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace shapelint::cli {

// What a subcommand says of an option: its names, what it means, and where the value goes. The parser,
// --help, the man page and did-you-mean are all driven by it.

// Stores one value of an option. Returns what was expected instead ("a whole number") when the text is not
// one, and nothing when all is well.
using Setter = std::function<std::optional<std::string>(std::string_view)>;

struct Option {
  std::string names;    // "--gpu", "-o,--output"; a positional has no dash: "FILE"
  std::string value{};  // what the help calls its value; empty for a flag
  std::string doc;      // one sentence, lower case, no full stop
  Setter set;           // a flag is set with "true"
  bool many = false;    // may be given several times (a positional: takes all that follow)
  bool required = false;
  std::string group{};  // heading in the help; empty for the first
  std::vector<std::string> choices{};
  // What shells complete where the choices are too many to list, and whether several may
  // stand with commas between them.
  std::vector<std::string> (*words)() = nullptr;
  bool is_list = false;
  bool hidden = false;  // accepted, but listed by `shapelint fields` alone

  bool is_positional() const { return !names.starts_with('-'); }
  bool is_flag() const { return value.empty() && !is_positional(); }
};

// Setters for the usual types. The target must outlive the option.
Setter into(bool& target);
Setter into(std::string& target);
Setter into(std::int64_t& target);
Setter into(std::optional<std::int64_t>& target);
Setter into(std::vector<std::string>& target);  // each use appends
// Each use appends the items between commas: `--gpu a100,h100`.
Setter into_list(std::vector<std::string>& target);
// A share: `2%` or `0.02`.
Setter into_share(double& target);
// One of `choices`, by index.
Setter into_choice(std::size_t& target, std::span<const std::string_view> choices);
// An enumeration whose values are the indices of `choices`.
template <class Enum>
Setter into_enum(Enum& target, std::span<const std::string_view> choices) {
  return [&target, choices](std::string_view text) {
    std::size_t index = 0;
    auto expected = into_choice(index, choices)(text);
    if (!expected) target = static_cast<Enum>(index);
    return expected;
  };
}

inline constexpr std::array<std::string_view, 2> text_or_json{"text", "json"};

// `--format`: one of a command's formats, by index.
Option format_option(std::size_t& format, std::span<const std::string_view> formats,
                     std::string doc = "output format");

// Moves `more` behind `all`.
void append(std::vector<Option>& all, std::vector<Option> more);

struct UsageError {
  std::string message;
  std::string hint;
};

// Fills in `options` from `args`. Options and positionals may be mixed; `--` ends the options; an option that
// may be given only once takes its last value. All errors found are returned.
std::vector<UsageError> parse(std::span<const Option> options, std::span<const std::string> args);

// What shells complete where a value is a name out of many; asked for by `shapelint completion` only.

std::vector<std::string> gpu_words();      // ids and aliases
std::vector<std::string> package_words();  // with contracts
std::vector<std::string> contract_words();
std::vector<std::string> rule_words();    // codes and names
std::vector<std::string> field_words();   // of a model and its plan
std::vector<std::string> output_words();  // formats with `=` behind them, as --output wants them

}  // namespace shapelint::cli
