// Brackets, dots and commas of TOML, outside of strings and comments.
#include "text/toml/measure.hpp"

#include <algorithm>
#include <vector>

#include "text/limits.hpp"

namespace shapelint::text {

namespace {

class Measure {
 public:
  Measure(const std::string& path, std::string_view text) : path_(path), text_(text) {}

  std::optional<Error> run() {
    if (text_.starts_with("\xEF\xBB\xBF")) at_ = 3;
    begin_line();
    while (at_ < text_.size() && !problem_) step();
    return std::move(problem_);
  }

 private:
  enum class In { line_begin, header, key, value };
  // An open list or inline table.
  struct Open {
    bool is_table = false;
    int around = 0;  // depth of what it is a value of
  };

  void begin_line() {
    in_ = In::line_begin;
    depth_ = header_depth_;
  }

  void begin_key(int depth) {
    in_ = In::key;
    depth_ = depth;
    deeper();
  }

  // One more table, list or value, within all that is open.
  void deeper() {
    ++values_;
    if (++depth_ > max_depth) problem_ = too_deep(path_, static_cast<std::int64_t>(at_));
    if (values_ > max_values) problem_ = too_many_values(path_, static_cast<std::int64_t>(at_));
  }

  void step() {
    const char c = text_[at_];
    if (c == '#') {
      at_ = std::min(text_.find('\n', at_), text_.size());
    } else if (c == '"' || c == '\'') {
      if (in_ == In::line_begin) begin_key(header_depth_);
      skip_string(c);
    } else if (c == '\n') {
      if (in_ == In::header) header_depth_ = depth_;
      if (open_.empty()) begin_line();
      ++at_;
    } else {
      if (c != ' ' && c != '\t' && c != '\r') sign(c);
      ++at_;
    }
  }

  void sign(char c) {
    switch (in_) {
      case In::line_begin:
        if (c == '[') {
          in_ = In::header;
          depth_ = 0;
          deeper();
        } else {
          begin_key(header_depth_);
        }
        return;
      case In::header:
        // `[[` is a list of tables.
        if (c == '.' || c == '[') deeper();
        return;
      case In::key:
        if (c == '.') deeper();
        if (c == '=') in_ = In::value;
        if (c == '}') close();
        return;
      case In::value:
        return in_value(c);
    }
  }

  void in_value(char c) {
    if (c == '[' || c == '{') {
      open_.push_back({c == '{', depth_});
      if (c == '{') {
        begin_key(depth_);
      } else {
        deeper();
      }
    } else if (c == ']' || c == '}') {
      close();
    } else if (c == ',' && !open_.empty()) {
      if (open_.back().is_table) {
        begin_key(open_.back().around);
      } else {
        depth_ = open_.back().around;
        deeper();
      }
    }
  }

  void close() {
    in_ = In::value;
    if (open_.empty()) return;
    depth_ = open_.back().around;
    open_.pop_back();
  }

  // Of one line, or of several between three quotes.
  void skip_string(char quote) {
    const std::string_view rest = text_.substr(at_);
    const bool is_long = rest.size() >= 3 && rest[1] == quote && rest[2] == quote;
    at_ += is_long ? 3 : 1;
    while (at_ < text_.size()) {
      const char c = text_[at_];
      if (c == '\\' && quote == '"') {
        at_ += 2;
      } else if (!is_long && c == '\n') {
        return;
      } else if (c == quote && (!is_long || text_.substr(at_).starts_with(std::string(3, quote)))) {
        at_ += is_long ? 3 : 1;
        // Up to two quotes may stand before the three that close.
        for (int i = 0; is_long && i < 2 && at_ < text_.size() && text_[at_] == quote; ++i) ++at_;
        return;
      } else {
        ++at_;
      }
    }
  }

  const std::string& path_;
  std::string_view text_;
  std::size_t at_ = 0;
  In in_ = In::line_begin;
  int depth_ = 0;
  int header_depth_ = 0;
  std::int64_t values_ = 0;
  std::vector<Open> open_;
  std::optional<Error> problem_;
};

}  // namespace

std::optional<Error> beyond_limits(const std::string& path, std::string_view toml) {
  return Measure(path, toml).run();
}

}  // namespace shapelint::text
