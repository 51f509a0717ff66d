// Outputs of commands, where the words of the command give them.
#include "text/shell/expand.hpp"

namespace shapelint::text::shell {

// `$(cat <<EOF … EOF)`.
bool Expander::here_document(Word command, bool quoted, Word use, Sink& sink) {
  std::size_t at = scanner_.skip_blanks(command.begin);
  constexpr std::string_view sign = "<<";
  if (!slice(at, command.end).starts_with("cat ")) return false;
  at = scanner_.skip_blanks(at + 4);
  if (!slice(at, command.end).starts_with(sign) || scanner_.at(at + 2) == '<') return false;
  at += sign.size();
  const bool strips_tabs = scanner_.at(at) == '-';
  at = scanner_.skip_blanks(at + (strips_tabs ? 1 : 0));
  const std::size_t end = scanner_.word_end(at, 0);
  std::string last;
  for (const char c : slice(at, end)) {
    if (std::string_view("'\"\\").find(c) == std::string_view::npos) last += c;
  }
  const bool is_literal = last.size() < end - at;
  const std::size_t begin = source_.find('\n', end) + 1;
  if (begin == 0 || scanner_.skip_blanks(end) + 1 != begin) return false;
  for (at = begin; at < command.end;) {
    const std::size_t stop = std::min(source_.find('\n', at), command.end);
    std::string_view line = slice(at, stop);
    if (strips_tabs) line.remove_prefix(std::min(line.find_first_not_of('\t'), line.size()));
    if (line == last) {
      const Word lines{begin, at};
      insert(is_literal ? verbatim(lines) : quoted_text(lines), use, quoted, sink);
      return true;
    }
    at = stop + 1;
  }
  return false;
}

// `$(echo …)` and `$(IFS=,; echo …)`, whose output the words give; of other commands it is not known.
bool Expander::substitute(Word command, bool quoted, Word use, Sink& sink) {
  if (here_document(command, quoted, use, sink)) return true;
  std::size_t at = scanner_.skip_blanks(command.begin);
  std::string joint = " ";
  constexpr std::string_view separator = "IFS=";
  constexpr std::string_view echo = "echo ";
  if (slice(at, command.end).starts_with(separator)) {
    const std::size_t end = scanner_.word_end(at, 0);
    const Text value = text({at + separator.size(), end});
    if (!is_known(value)) return false;
    joint = as_string(value).substr(0, 1);
    at = scanner_.skip_blanks(end);
    if (scanner_.at(at) != ';') return false;
    at = scanner_.skip_blanks(at + 1);
  }
  if (!slice(at, command.end).starts_with(echo)) return false;
  at += echo.size();
  std::swap(joint_, joint);
  std::string output;
  bool is_told = true;
  for (at = scanner_.skip_blanks(at); is_told && at < command.end; at = scanner_.skip_blanks(at)) {
    const std::size_t end = scanner_.word_end(at, 0);
    is_told = end > at && end <= command.end && scanner_.at(at) != '-';
    if (!is_told) break;
    for (const Text& each : words({at, end})) {
      is_told = is_told && is_known(each);
      if (!output.empty()) output += ' ';
      charge_bytes(as_string(each).size());
      output += as_string(each);
    }
    at = end;
  }
  std::swap(joint_, joint);
  if (is_told) computed(use, std::move(output), quoted, sink);
  return is_told;
}

}  // namespace shapelint::text::shell
