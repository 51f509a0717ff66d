// JSON through nlohmann's SAX interface; the only reader that sees its header.
//
// The library gives the values but not their places: a scanner runs along that knows just enough of the
// syntax to find the next token, and every event takes one token.
#include "text/json/json.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <string_view>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "text/printable.hpp"

namespace shapelint::text {

namespace {

class Scanner {
 public:
  explicit Scanner(std::string_view text) : text_(text) {}

  // The next bracket, string, number or word; commas, colons, blanks and comments are passed over. At the end
  // of the text an empty span.
  Span next() {
    skip();
    const std::size_t begin = at_;
    if (at_ >= text_.size()) return span(begin);
    const char c = text_[at_];
    if (c == '"') {
      for (++at_; at_ < text_.size() && text_[at_] != '"'; ++at_) {
        if (text_[at_] == '\\') ++at_;
      }
      at_ = std::min(at_ + 1, text_.size());
    } else if (c == '{' || c == '}' || c == '[' || c == ']') {
      ++at_;
    } else {
      do ++at_;
      while (at_ < text_.size() && !ends_word[static_cast<unsigned char>(text_[at_])]);
    }
    return span(begin);
  }

  std::string_view slice(Span span) const {
    return text_.substr(static_cast<std::size_t>(span.begin),
                        static_cast<std::size_t>(span.end - span.begin));
  }

 private:
  // By byte: a word may be all of a large file.
  static constexpr auto ends_word = [] {
    std::array<bool, 256> out{};
    for (const char c : std::string_view(" \t\r\n,:{}[]\"/")) out[static_cast<unsigned char>(c)] = true;
    return out;
  }();

  Span span(std::size_t begin) const {
    return {static_cast<std::int64_t>(begin), static_cast<std::int64_t>(at_)};
  }

  void skip() {
    if (at_ == 0 && text_.starts_with("\xEF\xBB\xBF")) at_ = 3;
    while (at_ < text_.size()) {
      const char c = text_[at_];
      if (c == ' ' || c == '\t' || c == '\r' || c == '\n' || c == ',' || c == ':') {
        ++at_;
      } else if (text_.substr(at_, 2) == "//") {
        // As the library ends it: also at a carriage return and a zero byte.
        at_ = std::min(text_.find_first_of(std::string_view("\n\r\0", 3), at_), text_.size() - 1) + 1;
      } else if (text_.substr(at_, 2) == "/*") {
        const std::size_t close = text_.find("*/", at_ + 2);
        at_ = close == std::string_view::npos ? text_.size() : close + 2;
      } else {
        return;
      }
    }
  }

  std::string_view text_;
  std::size_t at_ = 0;
};

bool is_python_constant(std::string_view token) {
  return token == "NaN" || token == "Infinity" || token == "-Infinity";
}

// Python writes and reads these three, the library rejects them: they become zeros of the same length, and
// the walker below looks at the real text. Returns an empty string when there are none.
std::string without_python_constants(std::string_view source) {
  std::string masked;
  if (source.find("NaN") == std::string_view::npos && source.find("Infinity") == std::string_view::npos) {
    return masked;
  }
  Scanner scanner(source);
  for (Span token = scanner.next(); token.begin != token.end; token = scanner.next()) {
    if (!is_python_constant(scanner.slice(token))) continue;
    if (masked.empty()) masked = std::string(source);
    const auto begin = static_cast<std::size_t>(token.begin);
    const auto end = static_cast<std::size_t>(token.end);
    masked.replace(begin, end - begin, "0." + std::string(end - begin - 2, '0'));
  }
  return masked;
}

class Walker final : public nlohmann::json_sax<nlohmann::json> {
 public:
  Walker(std::string path, std::string_view source)
      : path_(std::move(path)), source_(source), scanner_(source) {}

  bool null() override { return add(Kind::null) != no_node; }

  bool boolean(bool value) override {
    const std::int32_t index = add(Kind::boolean);
    if (index != no_node) tree_.set_boolean(index, value);
    return index != no_node;
  }

  bool number_integer(number_integer_t value) override {
    const std::int32_t index = add(Kind::integer);
    if (index != no_node) tree_.set_integer(index, value);
    return index != no_node;
  }

  bool number_unsigned(number_unsigned_t value) override {
    if (value > static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max())) {
      return number_float(static_cast<double>(value), {});
    }
    return number_integer(static_cast<std::int64_t>(value));
  }

  bool number_float(double value, const string_t& /*written*/) override {
    const std::int32_t index = add(Kind::number);
    if (index == no_node) return false;
    const std::string_view token = scanner_.slice(last_);
    if (token == "NaN") value = std::numeric_limits<double>::quiet_NaN();
    if (token == "Infinity") value = std::numeric_limits<double>::infinity();
    if (token == "-Infinity") value = -std::numeric_limits<double>::infinity();
    tree_.set_number(index, value);
    return true;
  }

  bool string(string_t& value) override {
    const std::int32_t index = add(Kind::string);
    if (index != no_node) tree_.set_string(index, value);
    return index != no_node;
  }

  bool binary(binary_t& /*value*/) override { return false; }  // no JSON text has it

  bool key(string_t& value) override {
    key_ = value;
    key_span_ = scanner_.next();
    return true;
  }

  bool start_object(std::size_t /*size*/) override { return open(Kind::table); }
  bool start_array(std::size_t /*size*/) override { return open(Kind::list); }
  bool end_object() override { return close(); }
  bool end_array() override { return close(); }

  // `position` counts the bytes that were read, the last of which did not fit.
  bool parse_error(std::size_t position, const std::string& /*token*/,
                   const nlohmann::json::exception& problem) override {
    error_ = syntax_error(static_cast<std::int64_t>(position) - 1, problem);
    return false;
  }

  std::optional<Error> error() const { return error_; }
  TreeBuilder take() && { return std::move(tree_); }

 private:
  // Longest value that a message repeats, in bytes.
  static constexpr std::int64_t longest_shown = 40;
  // nlohmann::json error number (manual, "Exceptions", out_of_range.406).
  static constexpr int number_overflow = 406;

  // The token that byte `at` belongs to, or ends (the library sees that a word is wrong one byte late).
  Span token_at(std::int64_t at) const {
    Scanner scanner(source_);
    Span token = scanner.next();
    while (token.end < at && token.begin != token.end) token = scanner.next();
    return token;
  }

  // The value before a token that begins another one, where the library wanted the table or list to end.
  std::optional<Span> value_without_comma(std::string_view message, Span token) const {
    const bool wants_end = message.ends_with("; expected '}'") || message.ends_with("; expected ']'");
    const bool begins_value = message.find(" literal;") != std::string_view::npos ||
                              message.starts_with("unexpected '{'") || message.starts_with("unexpected '['");
    if (!wants_end || !begins_value) return std::nullopt;
    Scanner scanner(source_);
    Span before{};
    for (Span next = scanner.next(); next.begin < token.begin && next.begin != next.end;
         next = scanner.next())
      before = next;
    return before.end > before.begin ? std::optional(before) : std::nullopt;
  }

  Error syntax_error(std::int64_t at, const nlohmann::json::exception& problem) {
    at = std::min(at, static_cast<std::int64_t>(source_.size()));
    const Span token = token_at(at);
    const std::string written = shortened(scanner_.slice(token), longest_shown);
    if (problem.id == number_overflow) {
      return Error{fmt::format("`{}` is past the range of a double", written), {}, path_, token};
    }
    const auto is_empty = [](Span span) { return span.begin == span.end; };
    if (is_empty(token) && is_empty(token_at(0))) return Error{"the file is empty", {}, path_, {}};
    std::string_view message = problem.what();
    if (message.find("invalid literal") != std::string_view::npos) {
      return Error{fmt::format("not valid JSON: `{}` is not a value", written),
                   "words other than `true`, `false` and `null` need quotes", path_, token};
    }
    // "[json.exception…] parse error at line 1, column 2: syntax error while parsing X - what; last read …"
    const std::size_t dash = message.find(" - ");
    if (dash != std::string_view::npos) message.remove_prefix(dash + 3);
    message = message.substr(0, message.find("; last read"));
    if (const auto before = value_without_comma(message, token)) {
      return Error{fmt::format("not valid JSON: a comma is missing after {}",
                               before->end - before->begin > longest_shown
                                   ? "this value"
                                   : fmt::format("`{}`", scanner_.slice(*before))),
                   {},
                   path_,
                   *before};
    }
    const bool at_close = message.starts_with("unexpected '}'") || message.starts_with("unexpected ']'");
    return Error{fmt::format("not valid JSON: {}", message), at_close ? "remove the trailing comma" : "",
                 path_, Span{at, std::min(at + 1, static_cast<std::int64_t>(source_.size()))}};
  }

  std::int32_t add(Kind kind) {
    last_ = scanner_.next();
    if (static_cast<std::int64_t>(tree_.size()) >= max_values) {
      error_ = too_many_values(path_, last_.begin);
      return no_node;
    }
    const std::int32_t parent = open_.empty() ? no_node : open_.back();
    const std::int32_t index = tree_.add(parent, kind, key_, key_span_, last_);
    key_.clear();
    key_span_ = {};
    return index;
  }

  bool open(Kind kind) {
    const std::int32_t index = add(kind);
    if (index == no_node) return false;
    if (open_.size() >= static_cast<std::size_t>(max_depth)) {
      error_ = too_deep(path_, last_.begin);
      return false;
    }
    open_.push_back(index);
    return true;
  }

  bool close() {
    tree_.set_value_end(open_.back(), scanner_.next().end);
    open_.pop_back();
    return true;
  }

  std::string path_;
  std::string_view source_;
  Scanner scanner_;
  TreeBuilder tree_;
  std::vector<std::int32_t> open_;
  std::string key_;
  Span key_span_;
  Span last_;
  std::optional<Error> error_;
};

}  // namespace

Result<Document> parse_json(std::string path, SharedText source) {
  if (const auto problem = check_source(path, source)) return *problem;
  const std::string masked = without_python_constants(source);
  const std::string_view text = masked.empty() ? std::string_view(source) : std::string_view(masked);
  Walker walker(path, source);
  const bool ok = nlohmann::json::sax_parse(text.begin(), text.end(), &walker,
                                            nlohmann::json::input_format_t::json, true, true);
  if (!ok) return refused(walker.error().value_or(Error{"not valid JSON", {}, path, {}}));
  return std::move(walker).take().finish(std::move(path), std::move(source));
}

std::string json_text(std::string dumped) {
  // nlohmann escapes what is below a blank. All that is looked for stands in strings alone.
  const auto is_suspect = [](char c) { return c == '#' || static_cast<unsigned char>(c) >= 0x7F; };
  auto suspect = std::find_if(dumped.begin(), dumped.end(), is_suspect);
  if (suspect == dumped.end()) return dumped;
  std::string_view left = dumped;
  std::string out;
  out.reserve(dumped.size());
  while (!left.empty()) {
    const auto plain =
        static_cast<std::size_t>(std::find_if(left.begin(), left.end(), is_suspect) - left.begin());
    out += left.substr(0, plain);
    left.remove_prefix(plain);
    if (left.empty()) break;
    constexpr std::size_t longest_command = std::string_view("##teamcity[").size();
    std::string_view rest = left;
    const char32_t code_point = next_code_point(rest);
    const std::string_view bytes = left.substr(0, left.size() - rest.size());
    const bool is_harmful =
        code_point == '#' ? without_commands(left.substr(0, longest_command), false).starts_with("# ") &&
                                left.substr(1, 1) == "#"
                          : printable(bytes) != bytes;
    out += is_harmful ? fmt::format("\\u{:04x}", static_cast<std::uint32_t>(code_point)) : std::string(bytes);
    left = rest;
  }
  return out;
}

}  // namespace shapelint::text
