// The part of the shell's grammar (POSIX, with bash's arrays, `[[` and `((`) that launch scripts use, as a
// tree of statements. Words stay ranges of bytes; Expander says what they mean.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/error.hpp"

namespace shapelint::text::shell {

// A word as written, with its quotes and expansions.
struct Word {
  std::size_t begin = 0;
  std::size_t end = 0;
};

struct Assignment {
  std::string name;
  Word name_word;
  bool append = false;      // `+=`
  bool is_array = false;    // `=( … )`: `items`; otherwise `value`
  bool is_element = false;  // `name[…]=`
  Word value;
  std::vector<Word> items;
};

struct Statement;

// One way through an `if` or a `case`. An `else` has no condition, a `*)` the pattern `*`.
struct Branch {
  std::vector<Statement> condition;
  std::vector<Word> patterns;
  std::vector<Statement> body;
  Word label;  // the condition or the patterns as written
};

struct Statement {
  enum class Kind : std::uint8_t {
    command,     // assignments and words
    test,        // `[[ … ]]`: subject
    arithmetic,  // `(( … ))`: subject
    if_,         // branches
    case_,       // subject, branches
    loop,        // body; of `for`: variable and words, or subject, what stands in `((…))`
    group,       // body of `{ }` or `( )`
    and_or,      // body, joined by `operators`
    function     // variable: its name; body
  };
  enum class Operator : std::uint8_t { and_, or_, pipe };

  Kind kind = Kind::command;
  Word extent;
  bool negated = false;
  std::vector<Assignment> assignments;
  std::vector<Word> words;
  Word subject;
  std::vector<Branch> branches;
  std::string variable;
  std::vector<Statement> body;
  std::vector<Operator> operators;  // one less than statements
  Word here_document;               // of a command: the lines of its `<<EOF`
  bool here_is_literal = false;     // as of `<<'EOF'`: nothing in them is expanded
};
using StatementKind = Statement::Kind;

// Calls for all of them and for those inside, the innermost first.
template <class Call>
void for_each_statement(const std::vector<Statement>& statements, Call&& call) {
  for (const Statement& statement : statements) {
    for_each_statement(statement.body, call);
    for (const Branch& branch : statement.branches) {
      for_each_statement(branch.condition, call);
      for_each_statement(branch.body, call);
    }
    call(statement);
  }
}

// Errors: a quote, bracket or compound command that is never closed, with the place where it opens; depth.
Result<std::vector<Statement>> parse_statements(const std::string& path, std::string_view source);

bool is_name_start(char c);
bool is_name(char c);

// Thrown to leave a scan that finds something unclosed or too deep.
struct Stop {
  Error error;
};

// Where quotes, expansions and words end. Positions are bytes; each function begins at the opening characters
// and returns one past the closing ones. `depth` counts the nesting around.
class Scanner {
 public:
  Scanner(const std::string& path, std::string_view source) : path_(path), source_(source) {}

  std::size_t single_quoted_end(std::size_t at) const;  // '…', $'…' from its quote on
  // End of the item there: an escaped character, a quoted text, an expansion, or a single character.
  std::size_t item_end(std::size_t at, int depth) const;
  std::size_t double_quoted_end(std::size_t at, int depth) const;  // "…"
  std::size_t backquoted_end(std::size_t at) const;                // `…`
  std::size_t parenthesis_end(std::size_t at, int depth) const;    // ( … ), with everything that nests
  std::size_t brace_end(std::size_t at, int depth) const;          // ${ … } from its brace on
  std::size_t expansion_end(std::size_t at, int depth) const;      // $name ${…} $(…) $((…)) $1 …
  std::size_t word_end(std::size_t at, int depth) const;
  // Past blanks and continuation lines, not past line breaks.
  std::size_t skip_blanks(std::size_t at) const;
  // The length of a continuation (backslash and line break) at `at`, or 0.
  std::size_t continuation_size(std::size_t at) const;
  char at(std::size_t position) const { return position < source_.size() ? source_[position] : '\0'; }

  [[noreturn]] void stop(std::size_t begin, std::size_t end, std::string message) const;

 private:
  void check_depth(std::size_t at, int depth) const;
  const std::string& path_;
  std::string_view source_;
};

}  // namespace shapelint::text::shell
