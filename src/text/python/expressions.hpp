// Expressions of Python as a syntax tree.
#pragma once

#include <vector>

#include "text/python/scan.hpp"
#include "text/python/syntax.hpp"

namespace shapelint::text::python {

// Reads expressions from the tokens of one line, and appends them to the syntax tree.
class ExpressionReader {
 public:
  ExpressionReader(Syntax& out, const std::vector<Token>& tokens, std::size_t at = 0)
      : out_(out), tokens_(tokens), at_(at) {}

  // One expression, or several with commas as a tuple; ExpressionKind::missing, and failed(), where it is
  // neither.
  Index list();
  Index one();

  bool failed() const { return failed_; }
  bool done() const { return at_ >= tokens_.size(); }
  std::size_t position() const { return at_; }
  void skip() { ++at_; }
  void back_to(std::size_t position) { at_ = position; }
  std::uint32_t last() const { return tokens_.empty() ? 0 : tokens_.back().end; }
  bool is_at(std::string_view text) const;
  bool take(std::string_view text);
  bool at_name() const;
  std::string_view text() const { return done() ? std::string_view{} : slice(tokens_[at_]); }
  std::uint32_t begin() const;
  std::uint32_t end() const;  // of the token before
  void fail() { failed_ = true; }
  // Without `in`, which a loop needs, or `if`.
  Index target();
  Index target_of_with() { return binary(0); }

 private:
  std::string_view slice(const Token& token) const {
    return out_.source.substr(token.begin, token.end - token.begin);
  }
  Index add(Expression::Kind kind, std::uint32_t begin, const std::vector<Index>& children);
  Index add(Expression::Kind kind, std::uint32_t begin, const std::vector<Index>& children,
            const Token& text);
  Index broken(std::uint32_t begin);
  Index choice();
  Index logic(bool only_and);
  Index negation();
  Index comparison();
  int level_here(Token& sign) const;
  Index binary(int level);
  Index signed_value();
  Index postfix();
  Index call(Index called, std::uint32_t begin);
  Index subscript(Index of, std::uint32_t begin);
  Index atom();
  Index bracket(std::string_view close, Expression::Kind kind);
  Index braces();
  Index listed(Index value, std::uint32_t begin, std::string_view close);
  Index strings();
  void pieces(const Token& token, std::vector<Index>& parts);
  Index within(const Line& line);
  Index argument();
  Index lambda();

  Syntax& out_;
  const std::vector<Token>& tokens_;
  std::size_t at_;
  int depth_ = 0;
  bool failed_ = false;
};

// Parts of statement headers, after the bracket or at the first word.
Range read_bases(Syntax& out, ExpressionReader& header);
Range read_parameters(Syntax& out, ExpressionReader& header);
Range read_imports(Syntax& out, ExpressionReader& reader);

}  // namespace shapelint::text::python
