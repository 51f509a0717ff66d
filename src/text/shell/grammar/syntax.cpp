// A recursive-descent parser of the compound commands: if, case, loops, lists.
#include "text/shell/grammar/syntax.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "text/errors.hpp"
#include "text/shell/grammar/command.hpp"

namespace shapelint::text::shell {

namespace {

using Operator = Statement::Operator;
using Words = CommandParser::Words;

// Most commands of one script, of which each takes about a kilobyte until it has been followed.
constexpr std::int64_t max_statements = 200'000;

class Parser : private CommandParser {
 public:
  using CommandParser::CommandParser;

  std::vector<Statement> script() {
    std::vector<Statement> statements = list({}, 0);
    if (at_ < source_.size()) {
      // A closing word without its opening one.
      const std::size_t end = std::max(scanner_.word_end(at_, 0), at_ + 1);
      scanner_.stop(at_, end, fmt::format("`{}` closes nothing", source_.substr(at_, end - at_)));
    }
    place_here_documents(statements);
    return statements;
  }

 private:
  // Statements up to one of the words in `ends` (or `)` or `;;`), which is left.
  std::vector<Statement> list(Words ends, int depth) {
    if (depth > max_depth) {
      scanner_.stop(at_, at_ + 1, fmt::format("commands are nested more than {} deep", max_depth));
    }
    std::vector<Statement> statements;
    while (true) {
      skip_separators();
      if (at_ >= source_.size() || scanner_.at(at_) == ')' || is_at(";;") || is_at_word(ends)) break;
      if (is_at_word({"then", "fi", "elif", "else", "do", "done", "esac", "}"})) break;
      const std::size_t before = at_;
      statements.push_back(and_or(depth));
      if (at_ == before) ++at_;  // a character that begins nothing
    }
    return statements;
  }

  Statement and_or(int depth) {
    Statement first = statement(depth);
    std::vector<Statement> statements;
    std::vector<Operator> operators;
    const std::size_t begin = first.extent.begin;
    statements.push_back(std::move(first));
    while (true) {
      skip_blanks();
      Operator found = Operator::pipe;
      if (is_at("&&")) {
        found = Operator::and_;
        at_ += 2;
      } else if (is_at("||")) {
        found = Operator::or_;
        at_ += 2;
      } else if (is_at("|&")) {
        at_ += 2;
      } else if (is_at("|")) {
        ++at_;
      } else {
        break;
      }
      skip_separators();
      if (at_ >= source_.size()) break;
      operators.push_back(found);
      statements.push_back(statement(depth));
    }
    if (statements.size() == 1) return std::move(statements.front());
    Statement joined;
    joined.kind = StatementKind::and_or;
    joined.extent = {begin, at_};
    operators.resize(statements.size() - 1);
    joined.body = std::move(statements);
    joined.operators = std::move(operators);
    return joined;
  }

  Statement statement(int depth) {
    if (++statements_ > max_statements) {
      scanner_.stop(at_, at_ + 1, fmt::format("the script holds more than {} commands", max_statements));
    }
    skip_blanks();
    Statement result;
    bool negated = false;
    while (is_at_word({"!", "time"})) {
      negated = negated != is_at("!");
      at_ += peek_word().size();
      skip_blanks();
    }
    const std::size_t begin = at_;
    const std::string_view word = peek_word();
    if (word == "if") {
      result = if_statement(depth);
    } else if (word == "case") {
      result = case_statement(depth);
    } else if (word == "for" || word == "select") {
      result = for_statement(depth);
    } else if (word == "while" || word == "until") {
      at_ += word.size();
      result.kind = StatementKind::loop;
      list({"do"}, depth + 1);
      result.body = loop_body(begin, depth);
    } else if (word == "function") {
      at_ += word.size();
      skip_blanks();
      const std::size_t name = at_;
      at_ = scanner_.word_end(at_, depth);
      const std::string_view named = source_.substr(name, at_ - name);
      skip_parentheses();
      result = function_body(named, depth);
    } else if (word == "{") {
      ++at_;
      result.kind = StatementKind::group;
      result.body = list({"}"}, depth + 1);
      close(begin, "}");
      skip_redirections();
    } else if (word == "[[") {
      result = test();
    } else if (is_at("((")) {
      result.kind = StatementKind::arithmetic;
      const std::size_t end = scanner_.parenthesis_end(at_, depth);
      result.subject = {at_ + 2, std::max(at_ + 2, end - 2)};
      at_ = end;
    } else if (is_at("(")) {
      ++at_;
      result.kind = StatementKind::group;
      result.body = list({}, depth + 1);
      close(begin, ")");
      skip_redirections();
    } else if (is_function_definition()) {
      at_ += word.size();
      skip_parentheses();
      result = function_body(word, depth);
    } else {
      result = command(depth);
    }
    result.negated = negated;
    result.extent = {begin, at_};
    return result;
  }

  bool is_function_definition() const {
    const std::string_view word = peek_word();
    if (word.empty() || word.find('=') != std::string_view::npos) return false;
    const std::size_t open = scanner_.skip_blanks(at_ + word.size());
    return scanner_.at(open) == '(' && scanner_.at(scanner_.skip_blanks(open + 1)) == ')';
  }

  void skip_parentheses() {
    skip_blanks();
    if (scanner_.at(at_) != '(') return;
    at_ = scanner_.skip_blanks(at_ + 1);
    if (scanner_.at(at_) == ')') ++at_;
  }

  Statement function_body(std::string_view name, int depth) {
    skip_separators();
    Statement result;
    if (at_ < source_.size()) result.body.push_back(statement(depth + 1));
    result.kind = StatementKind::function;
    result.variable = std::string(name);
    return result;
  }

  void close(std::size_t begin, std::string_view word) {
    if (at_ < source_.size() && is_at(word) && (word == ")" || is_at_word({word}))) {
      at_ += word.size();
      return;
    }
    scanner_.stop(begin, begin + 1, fmt::format("no `{}` closes this", word));
  }

  Statement if_statement(int depth) {
    const std::size_t begin = at_;
    Statement result;
    result.kind = StatementKind::if_;
    std::string_view word = "if";
    while (word == "if" || word == "elif") {
      at_ += word.size();
      Branch branch;
      skip_separators();
      const std::size_t label = at_;
      branch.condition = list({"then"}, depth + 1);
      branch.label = trimmed(label, at_);
      close(begin, "then");
      branch.body = list({"elif", "else", "fi"}, depth + 1);
      result.branches.push_back(std::move(branch));
      word = peek_word();
    }
    if (word == "else") {
      Branch branch;
      branch.label = {at_, at_ + word.size()};
      at_ += word.size();
      branch.body = list({"fi"}, depth + 1);
      result.branches.push_back(std::move(branch));
    }
    close(begin, "fi");
    skip_redirections();
    return result;
  }

  Word trimmed(std::size_t begin, std::size_t end) const {
    while (end > begin && std::string_view(" \t\r\n;").find(source_[end - 1]) != std::string_view::npos)
      --end;
    return {begin, end};
  }

  Statement case_statement(int depth) {
    const std::size_t begin = at_;
    Statement result;
    result.kind = StatementKind::case_;
    at_ += 4;
    skip_blanks();
    result.subject = {at_, scanner_.word_end(at_, depth)};
    at_ = result.subject.end;
    skip_separators();
    close(begin, "in");
    while (true) {
      skip_separators();
      if (is_at(";;")) {
        at_ += 2;
        if (is_at("&")) ++at_;
        continue;
      }
      if (at_ >= source_.size() || is_at_word({"esac"})) break;
      Branch branch;
      if (is_at("(")) ++at_;
      const std::size_t label = scanner_.skip_blanks(at_);
      while (true) {
        skip_blanks();
        const std::size_t end = scanner_.word_end(at_, depth);
        if (end == at_) break;
        branch.patterns.push_back({at_, end});
        at_ = end;
        skip_blanks();
        if (!is_at("|")) break;
        ++at_;
      }
      branch.label = trimmed(label, at_);
      close(begin, ")");
      branch.body = list({"esac"}, depth + 1);
      if (!is_at(";;") && !is_at_word({"esac"})) scanner_.stop(begin, begin + 4, "no `esac` closes this");
      result.branches.push_back(std::move(branch));
    }
    close(begin, "esac");
    return result;
  }

  Statement for_statement(int depth) {
    const std::size_t begin = at_;
    Statement result;
    result.kind = StatementKind::loop;
    at_ += peek_word().size();
    skip_blanks();
    if (is_at("((")) {
      const std::size_t end = scanner_.parenthesis_end(at_, depth);
      result.subject = {at_ + 2, std::max(at_ + 2, end - 2)};
      at_ = end;
    } else {
      result.variable = std::string(peek_word());
      at_ += result.variable.size();
      skip_blanks();
      const bool has_words = is_at_word({"in"});
      if (has_words) at_ += 2;
      while (at_ < source_.size() && scanner_.at(at_) != ';' && scanner_.at(at_) != '\n') {
        skip_blanks();
        skip_comment();
        const std::size_t end = scanner_.word_end(at_, depth);
        if (end == at_) break;
        if (has_words) result.words.push_back({at_, end});
        at_ = end;
      }
    }
    skip_separators();
    result.body = loop_body(begin, depth);
    return result;
  }

  std::vector<Statement> loop_body(std::size_t begin, int depth) {
    skip_separators();
    if (is_at_word({"{"})) {
      ++at_;
      std::vector<Statement> body = list({"}"}, depth + 1);
      close(begin, "}");
      return body;
    }
    close(begin, "do");
    std::vector<Statement> body = list({"done"}, depth + 1);
    close(begin, "done");
    skip_redirections();
    return body;
  }

  std::int64_t statements_ = 0;
};

}  // namespace

Result<std::vector<Statement>> parse_statements(const std::string& path, std::string_view source) {
  try {
    return Parser(path, source).script();
  } catch (const Stop& stopped) {
    return refused(stopped.error);
  }
}

}  // namespace shapelint::text::shell
