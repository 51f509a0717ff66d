// Quotes, variables and `$((…))` of a word, with the place of every piece. Nothing is run: the output of a
// command is unknown.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "text/shell/grammar/syntax.hpp"
#include "text/shell/value.hpp"

namespace shapelint::text::shell {

// A script that another one sources.
struct Included {
  Span place;           // of the statement that sources it
  std::int64_t number;  // how many were sourced before it, and it
};

class Expander {
 public:
  // `variables` changes when a word says so (`${NAME:=value}`). `included`: the source is that of a script
  // that another one sources, and everything in it counts as written there.
  Expander(const std::string& path, std::string_view source, Variables& variables,
           const Included* included = nullptr)
      : source_(source), scanner_(path, source), variables_(variables), included_(included) {}

  // As on a command line: one word may become none or many.
  std::vector<Text> words(Word word);
  // As on the right of `=`: always one text.
  Text text(Word word);
  // The same for bytes that are read as if in double quotes.
  Text quoted_text(Word word);
  // With nothing expanded.
  Text verbatim(Word word);
  // The value of an arithmetic expression; nothing when it depends on the run.
  std::optional<std::int64_t> arithmetic(Word expression);

 private:
  struct Sink {
    std::vector<Text> fields;
    Text current;
    bool splits = true;  // several fields are possible
  };

  void walk(std::size_t begin, std::size_t end, bool quoted, Sink& sink, int depth);
  void literal(std::size_t begin, std::size_t end, Sink& sink);
  void empty_quotes(std::size_t at, Sink& sink);
  void expansion(std::size_t begin, std::size_t end, bool quoted, Sink& sink, int depth);
  void parameter(std::size_t begin, std::size_t end, bool quoted, Sink& sink, int depth);
  void insert(const Text& text, Word use, bool quoted, Sink& sink);
  void insert_array(const Value& value, Word use, bool quoted, bool joined, Sink& sink);
  void unknown(Word use, std::string_view name, std::string reason, bool not_given, Sink& sink);
  void not_set(Word use, std::string_view name, Sink& sink);
  void computed(Word use, std::string text, bool quoted, Sink& sink);
  void push(Piece piece, Sink& sink);
  void place(Piece& piece, std::size_t begin, std::size_t end) const;
  bool here_document(Word command, bool quoted, Word use, Sink& sink);
  bool substitute(Word command, bool quoted, Word use, Sink& sink);
  std::string_view slice(std::size_t begin, std::size_t end) const {
    return source_.substr(begin, end - begin);
  }

  std::string_view source_;
  Scanner scanner_;
  Variables& variables_;
  const Included* included_;
  std::string joint_ = " ";  // between the items of `"${NAME[*]}"`
};

// Whether a condition of a script holds, as far as the file shows.

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
