// Outputs of commands, where the words of the command give them.
#include "text/shell/expand.hpp"

namespace shapelint::text::shell {

// `$(echo …)` and `$(IFS=,; echo …)`, whose output the words give; of other commands it is not known.
bool Expander::substitute(Word command, bool quoted, Word use, Sink& sink) {
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
      output += as_string(each);
    }
    at = end;
  }
  std::swap(joint_, joint);
  if (is_told) computed(use, std::move(output), quoted, sink);
  return is_told;
}

}  // namespace shapelint::text::shell
