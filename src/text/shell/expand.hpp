// Quotes, variables and `$((…))` of a word, with the place of every piece. Nothing is run: the output of a
// command is unknown.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "text/shell/syntax.hpp"
#include "text/shell/value.hpp"

namespace shapelint::text {

// Counts work, so that time and memory are bounded whatever a script does; throws ShellStop.
struct ShellBudget {
  std::int64_t left;
  void spend(std::int64_t steps, const std::string& path, std::size_t at);
};

class ShellExpander {
 public:
  // `variables` changes when a word says so (`${NAME:=value}`).
  ShellExpander(const std::string& path, std::string_view source, ShellVariables& variables,
                ShellBudget& budget)
      : path_(path), source_(source), scanner_(path, source), variables_(variables), budget_(budget) {}

  // As on a command line: one word may become none or many.
  std::vector<ShellText> words(ShellWord word);
  // As on the right of `=`: always one text.
  ShellText text(ShellWord word);
  // The same for bytes that are read as if in double quotes.
  ShellText quoted_text(ShellWord word);
  // The value of an arithmetic expression; nothing when it depends on the run.
  std::optional<std::int64_t> arithmetic(ShellWord expression);

 private:
  struct Sink {
    std::vector<ShellText> fields;
    ShellText current;
    bool splits = true;  // several fields are possible
  };

  void walk(std::size_t begin, std::size_t end, bool quoted, Sink& sink, int depth);
  void literal(std::size_t begin, std::size_t end, Sink& sink);
  void empty_quotes(std::size_t at, Sink& sink);
  void expansion(std::size_t begin, std::size_t end, bool quoted, Sink& sink, int depth);
  void parameter(std::size_t begin, std::size_t end, bool quoted, Sink& sink, int depth);
  void insert(const ShellText& text, ShellWord use, bool quoted, Sink& sink);
  void insert_array(const ShellValue& value, ShellWord use, bool quoted, bool joined, Sink& sink);
  void unknown(ShellWord use, std::string_view name, std::string reason, bool not_given, Sink& sink);
  void not_set(ShellWord use, std::string_view name, Sink& sink);
  void computed(ShellWord use, std::string text, bool quoted, Sink& sink);
  void push(ShellPiece piece, Sink& sink);
  std::string_view slice(std::size_t begin, std::size_t end) const {
    return source_.substr(begin, end - begin);
  }

  const std::string& path_;
  std::string_view source_;
  ShellScanner scanner_;
  ShellVariables& variables_;
  ShellBudget& budget_;
};

}  // namespace shapelint::text
