// The words of one command: assignments, arrays, redirections, here-documents, `[[ … ]]`.
#pragma once

#include <initializer_list>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "text/shell/grammar/syntax.hpp"

namespace shapelint::text::shell {

// Reads from `at_` on; the parser of compound commands builds on it.
class CommandParser {
 public:
  using Words = std::initializer_list<std::string_view>;

  CommandParser(const std::string& path, std::string_view source) : scanner_(path, source), source_(source) {}

 protected:
  bool is_at(std::string_view text) const { return source_.substr(at_, text.size()) == text; }
  void skip_blanks() { at_ = scanner_.skip_blanks(at_); }
  // The unquoted word at the position, for comparing with reserved words.
  std::string_view peek_word() const;
  bool is_at_word(Words words) const;
  void skip_comment();
  void skip_newline();
  // Blanks, comments, line breaks and `;`.
  void skip_separators();
  void skip_redirections();
  // Where the bodies of here-documents were found, into the commands that have them.
  void place_here_documents(std::vector<Statement>& statements) const;
  Statement command(int depth);
  Statement test();

  Scanner scanner_;
  std::string_view source_;
  std::size_t at_ = 0;

 private:
  struct HereDocument {
    std::string end_word;
    bool strips_tabs;
    std::size_t sign;  // where its `<<` is
  };

  // The bodies of here-documents begin on the line after the command.
  void skip_here_documents();
  // `> file`, `2>&1`, `<<EOF`, `<<< word`, `&> file`, `<(…)`. Returns whether there was one.
  bool redirection(Statement* statement = nullptr);
  bool assignment(Statement& result, int depth);
  void array_items(std::size_t begin, std::size_t end, int depth, std::vector<Word>& items) const;

  std::vector<HereDocument> here_documents_;
  std::map<std::size_t, Word> here_bodies_;  // by their `<<`
};

}  // namespace shapelint::text::shell
