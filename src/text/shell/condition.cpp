// `[`, `[[` and the patterns of `case`.
#include "text/shell/expand.hpp"

#include <algorithm>
#include <charconv>

#include "base/strings.hpp"

namespace shapelint::text::shell {

namespace {

Truth truth(bool value) {
  return value ? Truth::yes : Truth::no;
}

Truth both(Truth a, Truth b) {
  if (a == Truth::no || b == Truth::no) return Truth::no;
  return a == Truth::yes && b == Truth::yes ? Truth::yes : Truth::unknown;
}

Truth either(Truth a, Truth b) {
  return !both(!a, !b);
}

std::optional<std::int64_t> integer(std::string_view text) {
  std::int64_t value = 0;
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (problem != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

class Test {
 public:
  Test(const std::vector<Word>& words, bool has_patterns, std::string_view source, Expander& expander)
      : words_(words), has_patterns_(has_patterns), source_(source), expander_(expander) {}

  Truth whole() {
    const Truth value = any();
    return at_ == words_.size() ? value : Truth::unknown;
  }

 private:
  std::string_view peek(std::size_t ahead = 0) const {
    if (at_ + ahead >= words_.size()) return {};
    const Word word = words_[at_ + ahead];
    return source_.substr(word.begin, word.end - word.begin);
  }

  Truth any() {
    Truth value = all();
    while (peek() == "||" || peek() == "-o") {
      ++at_;
      value = either(value, all());
    }
    return value;
  }

  Truth all() {
    Truth value = one();
    while (peek() == "&&" || peek() == "-a") {
      ++at_;
      value = both(value, one());
    }
    return value;
  }

  bool ends_after(std::size_t count) const {
    const std::string_view next = peek(count);
    return next.empty() || next == "&&" || next == "||" || next == "-a" || next == "-o";
  }

  Truth one() {
    bool negated = false;
    while (peek() == "!") {
      negated = !negated;
      ++at_;
    }
    Truth value = Truth::unknown;
    if (ends_after(1)) {
      value = is_not_empty(0);
      at_ = std::min(at_ + 1, words_.size());
    } else if (ends_after(2)) {
      if (peek() == "-n") value = is_not_empty(1);
      if (peek() == "-z") value = !is_not_empty(1);
      at_ += 2;
    } else if (ends_after(3)) {
      value = compare();
      at_ += 3;
    } else {
      at_ = words_.size();
    }
    return negated ? !value : value;
  }

  Truth is_not_empty(std::size_t ahead) {
    if (at_ + ahead >= words_.size()) return Truth::unknown;
    const Text text = expander_.text(words_[at_ + ahead]);
    return is_known(text) ? truth(!as_string(text).empty()) : Truth::unknown;
  }

  Truth compare() {
    const Text left = expander_.text(words_[at_]);
    const Text right = expander_.text(words_[at_ + 2]);
    if (!is_known(left) || !is_known(right)) return Truth::unknown;
    const std::string a = as_string(left);
    const std::string b = as_string(right);
    const std::string_view sign = peek(1);
    const bool is_quoted = peek(2).find_first_of("'\"") != std::string_view::npos;
    const bool is_equal = has_patterns_ && !is_quoted ? glob_matches(b, a, Glob::shell) : a == b;
    if (sign == "=" || sign == "==") return truth(is_equal);
    if (sign == "!=") return truth(!is_equal);
    const auto x = integer(a);
    const auto y = integer(b);
    if (!x || !y) return Truth::unknown;
    if (sign == "-eq") return truth(*x == *y);
    if (sign == "-ne") return truth(*x != *y);
    if (sign == "-lt") return truth(*x < *y);
    if (sign == "-le") return truth(*x <= *y);
    if (sign == "-gt") return truth(*x > *y);
    if (sign == "-ge") return truth(*x >= *y);
    return Truth::unknown;
  }

  const std::vector<Word>& words_;
  bool has_patterns_;
  std::string_view source_;
  Expander& expander_;
  std::size_t at_ = 0;
};

}  // namespace

Truth operator!(Truth value) {
  if (value == Truth::unknown) return value;
  return value == Truth::yes ? Truth::no : Truth::yes;
}

Truth evaluate_test(const std::vector<Word>& words, bool has_patterns, std::string_view source,
                    Expander& expander) {
  return Test(words, has_patterns, source, expander).whole();
}

std::vector<Word> test_words(const Scanner& scanner, Word inside) {
  charge(1 + (inside.end - inside.begin) / 4);
  std::vector<Word> words;
  constexpr std::string_view signs = "&|<>();";
  std::size_t at = inside.begin;
  while (at < inside.end) {
    at = scanner.skip_blanks(at);
    while (scanner.at(at) == '\n' && at < inside.end) at = scanner.skip_blanks(at + 1);
    if (at >= inside.end) break;
    std::size_t end = scanner.word_end(at, 0);
    if (end == at) {
      while (end < inside.end && signs.find(scanner.at(end)) != std::string_view::npos) ++end;
      end = std::max(end, at + 1);
    }
    words.push_back({at, std::min(end, inside.end)});
    at = end;
  }
  return words;
}

Truth matches_case(const Text& subject, const std::vector<Word>& patterns, Expander& expander) {
  Truth value = Truth::no;
  const std::string text = as_string(subject);
  for (const Word& word : patterns) {
    const Text pattern = expander.text(word);
    if (is_known(pattern) && as_string(pattern) == "*") return Truth::yes;
    if (!is_known(subject) || !is_known(pattern)) {
      value = Truth::unknown;
    } else if (glob_matches(as_string(pattern), text, Glob::shell)) {
      return value == Truth::unknown ? value : Truth::yes;
    }
  }
  return value;
}

}  // namespace shapelint::text::shell
