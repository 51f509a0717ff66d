// From the words of a command line to flags and their values.
#pragma once

#include <string_view>
#include <vector>

#include "text/document.hpp"
#include "text/shell/value.hpp"

namespace shapelint::text {

struct ShellFlag {
  ShellText name;
  std::vector<ShellText> values;  // none: a flag on its own
};

struct ShellFlags {
  std::vector<ShellText> command;  // words before the first flag
  std::vector<ShellFlag> flags;
  std::vector<ShellText> arguments;
};

// Words that hold several flags (`eval "$CMD"`, `bash -c "…"`) are split first.
ShellFlags collect_shell_flags(const std::vector<ShellText>& words);

// Adds one word as a typed value. `beside`: the text that the word is used next to (its flag's name), which
// decides what counts as the place of use; empty for a variable.
void add_shell_value(TreeBuilder& tree, std::int32_t parent, std::string_view key, Span key_span,
                     const ShellText& word, const ShellText& beside);

// The bytes of a flag's name.
Span shell_name_span(const ShellText& name);

// From the first to the last value of a flag that has some.
Span shell_values_span(const ShellFlag& flag);

}  // namespace shapelint::text
