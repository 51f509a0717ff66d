// Whether a condition of a script holds, as far as the file tells.
#pragma once

#include "text/shell/expand.hpp"
#include "text/shell/grammar/syntax.hpp"

namespace shapelint::text::shell {

enum class Truth : std::uint8_t { no, yes, unknown };

Truth operator!(Truth truth);

// `[[ … ]]` (its inside) and `[ … ]` (its words without the brackets): string and number comparisons, -z, -n,
// `!`, `&&`, `||`, -a, -o. Anything else (files, patterns with variables, brackets) is unknown.
Truth evaluate_test(const std::vector<Word>& words, bool has_patterns, std::string_view source,
                    Expander& expander);

// The words inside of `[[ … ]]`, operators among them.
std::vector<Word> test_words(const Scanner& scanner, Word inside);

// Whether a text matches one of the patterns of a `case` branch.
Truth matches_case(const Text& subject, const std::vector<Word>& patterns, Expander& expander);

}  // namespace shapelint::text::shell
