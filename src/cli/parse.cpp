// Command-line arguments to options: CLI11 splits the arguments, the options' own setters read the values.
#include "cli/option.hpp"

#include <algorithm>
#include <limits>

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include "base/strings.hpp"

namespace shapelint::cli {

namespace {

std::string long_name(const Option& option) {
  return option.names.substr(option.names.rfind(',') + 1);
}

UsageError unexpected(const std::string& argument, std::span<const Option> options) {
  const bool is_option = argument.starts_with('-') && argument != "-";
  if (!is_option) return {fmt::format("unexpected argument `{}`", argument), {}};
  const std::string name = argument.substr(0, argument.find('='));
  std::vector<std::string> known;
  for (const Option& option : options) {
    if (!option.is_positional()) known.push_back(long_name(option));
  }
  const std::vector<std::string_view> candidates(known.begin(), known.end());
  return {fmt::format("unknown option `{}`", name), did_you_mean(name, candidates)};
}

// `--gpu=` would otherwise take the next argument as its value.
std::vector<UsageError> empty_values(std::span<const std::string> args) {
  std::vector<UsageError> errors;
  for (const std::string& arg : args) {
    if (arg == "--") break;
    if (arg.starts_with("--") && arg.find('=') + 1 == arg.size()) {
      errors.push_back({fmt::format("`{}` has no value", arg.substr(0, arg.size() - 1)), {}});
    }
  }
  return errors;
}

void read_values(const Option& option, const std::vector<std::string>& values,
                 std::vector<UsageError>& errors) {
  const std::string name = long_name(option);
  if (values.empty() && option.required) errors.push_back({fmt::format("`{}` is missing", name), {}});
  const std::size_t first = option.many || values.empty() ? 0 : values.size() - 1;
  for (std::size_t i = first; i < values.size(); ++i) {
    // As an empty variable of a script gives it: what was meant is not that the option is absent.
    if (values[i].empty() && !option.is_positional()) {
      errors.push_back({fmt::format("`{}` has no value", name), {}});
      continue;
    }
    const auto expected = option.set(values[i]);
    if (expected) {
      errors.push_back({fmt::format("`{}` is `{}`", name, values[i]), fmt::format("expected {}", *expected)});
    }
  }
}

// Whether an argument could be the option; of positional ones always.
bool is_named(const Option& option, std::span<const std::string> args) {
  if (option.is_positional()) return true;
  std::string_view names = option.names;
  while (!names.empty()) {
    const std::string_view name = names.substr(0, names.find(','));
    names.remove_prefix(std::min(names.size(), name.size() + 1));
    const bool is_short = !name.starts_with("--");  // several may stand together: `-qv`
    for (const std::string_view arg : args) {
      if (is_short ? arg.starts_with('-') && arg.find(name.back()) != std::string_view::npos
                   : arg.starts_with(name)) {
        return true;
      }
    }
  }
  return false;
}

}  // namespace

std::vector<UsageError> parse(std::span<const Option> options, std::span<const std::string> args) {
  std::vector<UsageError> errors = empty_values(args);
  if (!errors.empty()) return errors;

  CLI::App app;
  app.set_help_flag();
  app.allow_extras();
  std::vector<CLI::Option*> handles;
  for (const Option& option : options) {
    // CLI11 compares each new option with all before it, which takes longer than linting a model.
    if (!is_named(option, args)) {
      handles.push_back(nullptr);
      continue;
    }
    CLI::Option* handle =
        option.is_flag() ? app.add_flag(option.names) : app.add_option(option.names, CLI::callback_t{});
    handle->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
    if (option.is_positional() && option.many) {
      handle->expected(1, std::numeric_limits<int>::max() / 2)->allow_extra_args();
    }
    handles.push_back(handle);
  }
  std::vector<std::string> reversed(args.rbegin(), args.rend());  // as CLI11 wants them
  try {
    app.parse(std::move(reversed));
  } catch (const CLI::ParseError& problem) {
    // What is left for CLI11 to find: a value that is missing. Its message starts with the option's name.
    const std::string text = problem.what();
    const std::string name = text.substr(0, text.find_first_of(": "));
    if (dynamic_cast<const CLI::ArgumentMismatch*>(&problem) != nullptr && name.starts_with('-')) {
      errors.push_back({fmt::format("`{}` needs a value", name), {}});
    } else {
      errors.push_back({text, {}});
    }
    return errors;
  }
  const std::vector<std::string> remaining = app.remaining();
  const auto is_unknown_option = [](const std::string& arg) {
    return arg.size() > 1 && arg.starts_with('-') && arg != "--";
  };
  // What follows an unknown option may be its value: not an error of its own.
  const bool has_unknown_option = std::any_of(remaining.begin(), remaining.end(), is_unknown_option);
  for (const std::string& argument : remaining) {
    if (argument == "--" || (has_unknown_option && !is_unknown_option(argument))) continue;
    errors.push_back(unexpected(argument, options));
  }
  for (std::size_t i = 0; i < options.size(); ++i) {
    if (options[i].is_flag()) {
      if (handles[i] != nullptr && handles[i]->count() > 0) read_values(options[i], {"true"}, errors);
    } else {
      read_values(options[i], handles[i] != nullptr ? handles[i]->results() : std::vector<std::string>{},
                  errors);
    }
  }
  return errors;
}

}  // namespace shapelint::cli
