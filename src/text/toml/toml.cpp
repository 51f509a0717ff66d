// How deep and how large a text is, and what toml++ reads of it.
#include "text/toml/toml.hpp"

#include <algorithm>
#include <sstream>
#include <vector>

#include <fmt/format.h>
#include <toml++/toml.h>

#include "text/errors.hpp"
#include "text/source.hpp"

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

namespace {

// toml++ counts lines and code points.
Span span_of(const Places& places, const toml::source_region& region) {
  const auto offset = [&](const toml::source_position& position) {
    return places.offset(
        {static_cast<std::int64_t>(position.line), static_cast<std::int64_t>(position.column)});
  };
  const std::int64_t begin = offset(region.begin);
  return {begin, std::max(begin, offset(region.end))};
}

class Walker {
 public:
  explicit Walker(std::string_view text) : places_(text) {}

  void add(std::int32_t parent, std::string_view key, Span key_span, const toml::node& node) {
    const Span span = span_of(places_, node.source());
    if (const toml::table* table = node.as_table()) {
      add_table(tree_.add(parent, Kind::table, key, key_span, span), *table);
    } else if (const toml::array* array = node.as_array()) {
      const std::int32_t index = tree_.add(parent, Kind::list, key, key_span, span);
      for (const toml::node& item : *array) add(index, {}, {}, item);
    } else if (const auto* text = node.as_string()) {
      tree_.set_string(tree_.add(parent, Kind::string, key, key_span, span), text->get());
    } else if (const auto* integer = node.as_integer()) {
      tree_.set_integer(tree_.add(parent, Kind::integer, key, key_span, span), integer->get());
    } else if (const auto* number = node.as_floating_point()) {
      tree_.set_number(tree_.add(parent, Kind::number, key, key_span, span), number->get());
    } else if (const auto* boolean = node.as_boolean()) {
      tree_.set_boolean(tree_.add(parent, Kind::boolean, key, key_span, span), boolean->get());
    } else {
      std::ostringstream written;
      node.visit([&](const auto& value) {
        if constexpr (toml::is_value<decltype(value)>) written << value.get();
      });
      tree_.set_string(tree_.add(parent, Kind::string, key, key_span, span), written.str());
    }
  }

  TreeBuilder take() && { return std::move(tree_); }

 private:
  void add_table(std::int32_t index, const toml::table& table) {
    // toml++ keeps keys sorted by name; people read them in the order of the file.
    std::vector<std::pair<const toml::key*, const toml::node*>> entries;
    for (auto&& [key, value] : table) entries.emplace_back(&key, &value);
    std::stable_sort(entries.begin(), entries.end(), [](const auto& a, const auto& b) {
      const toml::source_position& x = a.first->source().begin;
      const toml::source_position& y = b.first->source().begin;
      return x.line != y.line ? x.line < y.line : x.column < y.column;
    });
    for (const auto& [key, value] : entries) add(index, key->str(), span_of(places_, key->source()), *value);
  }

  Places places_;
  TreeBuilder tree_;
};

}  // namespace

Result<Document> parse_toml(std::string path, SharedText source) {
  if (const auto problem = check_source(path, source)) return *problem;
  if (const auto problem = beyond_limits(path, source)) return *problem;
  try {
    const toml::table table = toml::parse(std::string_view(source), std::string_view(path));
    Walker walker(source);
    walker.add(no_node, {}, {}, table);
    return std::move(walker).take().finish(std::move(path), std::move(source));
  } catch (const toml::parse_error& problem) {
    const Span span = span_of(Places(source), problem.source());
    std::string message(problem.description());
    return Error{"not valid TOML: " + message, {}, std::move(path), span, ErrorCode::syntax};
  }
}

}  // namespace shapelint::text
