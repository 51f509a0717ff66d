// `[`, `[[` and the patterns of `case`.
#include "text/shell/condition.hpp"

#include <algorithm>
#include <charconv>

namespace shapelint::text {

namespace {

ShellTruth truth(bool value) {
  return value ? ShellTruth::yes : ShellTruth::no;
}

ShellTruth both(ShellTruth a, ShellTruth b) {
  if (a == ShellTruth::no || b == ShellTruth::no) return ShellTruth::no;
  return a == ShellTruth::yes && b == ShellTruth::yes ? ShellTruth::yes : ShellTruth::unknown;
}

ShellTruth either(ShellTruth a, ShellTruth b) {
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
  Test(const std::vector<ShellWord>& words, bool has_patterns, std::string_view source,
       ShellExpander& expander)
      : words_(words), has_patterns_(has_patterns), source_(source), expander_(expander) {}

  ShellTruth whole() {
    const ShellTruth value = any();
    return at_ == words_.size() ? value : ShellTruth::unknown;
  }

 private:
  std::string_view peek(std::size_t ahead = 0) const {
    if (at_ + ahead >= words_.size()) return {};
    const ShellWord word = words_[at_ + ahead];
    return source_.substr(word.begin, word.end - word.begin);
  }

  ShellTruth any() {
    ShellTruth value = all();
    while (peek() == "||" || peek() == "-o") {
      ++at_;
      value = either(value, all());
    }
    return value;
  }

  ShellTruth all() {
    ShellTruth value = one();
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

  ShellTruth one() {
    bool negated = false;
    while (peek() == "!") {
      negated = !negated;
      ++at_;
    }
    ShellTruth value = ShellTruth::unknown;
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

  ShellTruth is_not_empty(std::size_t ahead) {
    if (at_ + ahead >= words_.size()) return ShellTruth::unknown;
    const ShellText text = expander_.text(words_[at_ + ahead]);
    return is_known(text) ? truth(!as_string(text).empty()) : ShellTruth::unknown;
  }

  ShellTruth compare() {
    const ShellText left = expander_.text(words_[at_]);
    const ShellText right = expander_.text(words_[at_ + 2]);
    if (!is_known(left) || !is_known(right)) return ShellTruth::unknown;
    const std::string a = as_string(left);
    const std::string b = as_string(right);
    const std::string_view sign = peek(1);
    const bool is_quoted = peek(2).find_first_of("'\"") != std::string_view::npos;
    const bool is_equal = has_patterns_ && !is_quoted ? matches_shell_pattern(a, b) : a == b;
    if (sign == "=" || sign == "==") return truth(is_equal);
    if (sign == "!=") return truth(!is_equal);
    const auto x = integer(a);
    const auto y = integer(b);
    if (!x || !y) return ShellTruth::unknown;
    if (sign == "-eq") return truth(*x == *y);
    if (sign == "-ne") return truth(*x != *y);
    if (sign == "-lt") return truth(*x < *y);
    if (sign == "-le") return truth(*x <= *y);
    if (sign == "-gt") return truth(*x > *y);
    if (sign == "-ge") return truth(*x >= *y);
    return ShellTruth::unknown;
  }

  const std::vector<ShellWord>& words_;
  bool has_patterns_;
  std::string_view source_;
  ShellExpander& expander_;
  std::size_t at_ = 0;
};

}  // namespace

ShellTruth operator!(ShellTruth value) {
  if (value == ShellTruth::unknown) return value;
  return value == ShellTruth::yes ? ShellTruth::no : ShellTruth::yes;
}

ShellTruth evaluate_shell_test(const std::vector<ShellWord>& words, bool has_patterns,
                               std::string_view source, ShellExpander& expander) {
  return Test(words, has_patterns, source, expander).whole();
}

std::vector<ShellWord> shell_test_words(const ShellScanner& scanner, ShellWord inside) {
  std::vector<ShellWord> words;
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

ShellTruth matches_shell_case(const ShellText& subject, const std::vector<ShellWord>& patterns,
                              ShellExpander& expander) {
  ShellTruth value = ShellTruth::no;
  for (const ShellWord& word : patterns) {
    const ShellText pattern = expander.text(word);
    if (is_known(pattern) && as_string(pattern) == "*") return ShellTruth::yes;
    if (!is_known(subject) || !is_known(pattern)) {
      value = ShellTruth::unknown;
    } else if (matches_shell_pattern(as_string(subject), as_string(pattern))) {
      return value == ShellTruth::unknown ? value : ShellTruth::yes;
    }
  }
  return value;
}

}  // namespace shapelint::text
