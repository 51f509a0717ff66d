// Whether a condition of a script holds, as far as the file tells.
#pragma once

#include "text/shell/expand.hpp"
#include "text/shell/syntax.hpp"

namespace shapelint::text {

enum class ShellTruth : std::uint8_t { no, yes, unknown };

ShellTruth operator!(ShellTruth truth);

// `[[ … ]]` (its inside) and `[ … ]` (its words without the brackets): string and number comparisons, -z, -n,
// `!`, `&&`, `||`, -a, -o. Anything else (files, patterns with variables, brackets) is unknown.
ShellTruth evaluate_shell_test(const std::vector<ShellWord>& words, bool has_patterns,
                               std::string_view source, ShellExpander& expander);

// The words inside of `[[ … ]]`, operators among them.
std::vector<ShellWord> shell_test_words(const ShellScanner& scanner, ShellWord inside);

// Whether a text matches one of the patterns of a `case` branch.
ShellTruth matches_shell_case(const ShellText& subject, const std::vector<ShellWord>& patterns,
                              ShellExpander& expander);

}  // namespace shapelint::text
