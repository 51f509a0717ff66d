// Words, assignments, redirections.
#include "text/shell/grammar/command.hpp"

#include <algorithm>

#include "base/budget.hpp"

namespace shapelint::text::shell {

std::string_view CommandParser::peek_word() const {
  std::size_t end = at_;
  while (end < source_.size() &&
         std::string_view(" \t\r\n;&|<>()\\\"'`$").find(source_[end]) == std::string_view::npos) {
    ++end;
  }
  return source_.substr(at_, end - at_);
}

bool CommandParser::is_at_word(Words words) const {
  return std::find(words.begin(), words.end(), peek_word()) != words.end();
}

void CommandParser::skip_comment() {
  if (scanner_.at(at_) == '#') at_ = std::min(source_.find('\n', at_), source_.size());
}

void CommandParser::skip_here_documents() {
  for (const HereDocument& document : here_documents_) {
    Word& body = here_bodies_[document.sign];
    body = {at_, at_};
    while (at_ < source_.size()) {
      const std::size_t stop = std::min(source_.find('\n', at_), source_.size());
      std::string_view line = source_.substr(at_, stop - at_);
      at_ = std::min(stop + 1, source_.size());
      if (line.ends_with('\r')) line.remove_suffix(1);
      if (document.strips_tabs) line.remove_prefix(std::min(line.find_first_not_of('\t'), line.size()));
      if (line == document.end_word) break;
      body.end = at_;
    }
  }
  here_documents_.clear();
}

void CommandParser::place_here_documents(std::vector<Statement>& statements) const {
  if (here_bodies_.empty()) return;
  for (Statement& statement : statements) {
    place_here_documents(statement.body);
    for (Branch& branch : statement.branches) {
      place_here_documents(branch.condition);
      place_here_documents(branch.body);
    }
    if (statement.here_document.end == 0) continue;
    const auto body = here_bodies_.find(statement.here_document.begin);
    statement.here_document = body == here_bodies_.end() ? Word{} : body->second;
  }
}

void CommandParser::skip_newline() {
  ++at_;
  skip_here_documents();
}

void CommandParser::skip_separators() {
  while (true) {
    skip_blanks();
    skip_comment();
    if (scanner_.at(at_) == '\n') {
      skip_newline();
    } else if (scanner_.at(at_) == ';' && scanner_.at(at_ + 1) != ';') {
      ++at_;
    } else if (scanner_.at(at_) == '&' && scanner_.at(at_ + 1) != '&') {
      ++at_;
    } else {
      return;
    }
  }
}

bool CommandParser::redirection(Statement* statement) {
  std::size_t i = at_;
  while (scanner_.at(i) >= '0' && scanner_.at(i) <= '9') ++i;
  if (scanner_.at(i) == '&' && scanner_.at(i + 1) == '>' && i == at_) ++i;
  const char c = scanner_.at(i);
  if (c != '<' && c != '>') return false;
  if (scanner_.at(i + 1) == '(') {  // process substitution stands for a file name
    at_ = scanner_.parenthesis_end(i + 1, 0);
    return true;
  }
  const std::string_view rest = source_.substr(i);
  if (rest.starts_with("<<") && !rest.starts_with("<<<")) {
    const std::size_t sign = i;
    i += 2;
    const bool strips_tabs = scanner_.at(i) == '-';
    if (strips_tabs) ++i;
    at_ = scanner_.skip_blanks(i);
    const std::size_t end = scanner_.word_end(at_, 0);
    std::string word;
    for (std::size_t j = at_; j < end; ++j) {
      if (std::string_view("'\"\\").find(source_[j]) == std::string_view::npos) word += source_[j];
    }
    here_documents_.push_back({word, strips_tabs, sign});
    if (statement != nullptr) {
      statement->here_document = {sign, end};
      statement->here_is_literal = word.size() < end - at_;
    }
    at_ = end;
    return true;
  }
  while (std::string_view("<>&|").find(scanner_.at(i)) != std::string_view::npos && scanner_.at(i) != '\0')
    ++i;
  at_ = scanner_.skip_blanks(i);
  at_ = scanner_.word_end(at_, 0);
  return true;
}

void CommandParser::skip_redirections() {
  skip_blanks();
  while (redirection()) skip_blanks();
}

bool CommandParser::assignment(Statement& result, int depth) {
  std::size_t i = at_;
  if (!is_name_start(scanner_.at(i))) return false;
  while (is_name(scanner_.at(i))) ++i;
  Assignment found;
  found.name = std::string(source_.substr(at_, i - at_));
  found.name_word = {at_, i};
  if (scanner_.at(i) == '[') {
    const std::size_t line = std::min(source_.find('\n', i), source_.size());
    const std::size_t bracket = i + source_.substr(i, line - i).find(']');
    charge_text(std::min(bracket, line) - i);
    if (bracket < i || bracket >= line) return false;
    found.is_element = true;
    i = bracket + 1;
  }
  if (scanner_.at(i) == '+') {
    found.append = true;
    ++i;
  }
  if (scanner_.at(i) != '=') return false;
  ++i;
  if (scanner_.at(i) == '(') {
    found.is_array = true;
    const std::size_t end = scanner_.parenthesis_end(i, depth);
    array_items(i + 1, end - 1, depth, found.items);
    found.value = {i, end};
    at_ = end;
  } else {
    at_ = scanner_.word_end(i, depth);
    found.value = {i, at_};
  }
  charge_bytes(2 * sizeof(Assignment) + found.name.size());
  result.assignments.push_back(std::move(found));
  return true;
}

void CommandParser::array_items(std::size_t begin, std::size_t end, int depth,
                                std::vector<Word>& items) const {
  std::size_t i = begin;
  while (i < end) {
    const char c = source_[i];
    if (c == ' ' || c == '\t' || c == '\n' || c == '\r') {
      ++i;
    } else if (const std::size_t size = scanner_.continuation_size(i); size > 0) {
      i += size;
    } else if (c == '#') {
      i = std::min(source_.find('\n', i), end);
    } else {
      const std::size_t stop = std::min(std::max(scanner_.word_end(i, depth), i + 1), end);
      charge(2);
      charge_bytes(2 * sizeof(Word));
      items.push_back({i, stop});
      i = stop;
    }
  }
}

Statement CommandParser::command(int depth) {
  charge_bytes(sizeof(Statement));
  Statement result;
  bool may_assign = true;
  while (true) {
    skip_blanks();
    skip_comment();
    const char c = scanner_.at(at_);
    if (at_ >= source_.size() || c == '\n' || c == ';' || c == '|' || c == ')') break;
    if (redirection(&result)) continue;
    if (c == '&') break;
    if (may_assign && assignment(result, depth)) continue;
    if (c == '(') {
      // Not a command that is understood; what is inside of the brackets is none of it.
      at_ = scanner_.parenthesis_end(at_, depth);
      continue;
    }
    const std::size_t end = std::max(scanner_.word_end(at_, depth), at_ + 1);
    const std::string_view word = source_.substr(at_, end - at_);
    const bool declares =
        word == "export" || word == "declare" || word == "local" || word == "readonly" || word == "typeset";
    // Options of these words come before the names.
    if (!(may_assign && word.starts_with('-'))) may_assign = result.words.empty() && declares;
    charge(2);
    charge_bytes(2 * sizeof(Word));
    result.words.push_back({at_, end});
    at_ = end;
  }
  return result;
}

Statement CommandParser::test() {
  const std::size_t begin = at_;
  Statement result;
  result.kind = StatementKind::test;
  at_ += 2;
  while (true) {
    while (at_ < source_.size() &&
           std::string_view(" \t\r\n()<>&|;").find(source_[at_]) != std::string_view::npos) {
      ++at_;
    }
    if (const std::size_t size = scanner_.continuation_size(at_); size > 0) {
      at_ += size;
      continue;
    }
    if (at_ >= source_.size()) scanner_.stop(begin, begin + 2, "no `]]` closes this");
    if (is_at_word({"]]"})) break;
    at_ = std::max(scanner_.word_end(at_, 0), at_ + 1);
  }
  result.subject = {begin + 2, at_};
  at_ += 2;
  return result;
}

}  // namespace shapelint::text::shell
