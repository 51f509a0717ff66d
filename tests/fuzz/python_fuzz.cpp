// Fuzz target of text::parse_python, with statements of its grammar.
#include <cstddef>
#include <cstdint>
#include <string>

#include "tests/fuzz/check.hpp"
#include "tests/fuzz/grammar.hpp"
#include "text/python/python.hpp"

namespace {

const shapelint::fuzz::Grammar grammar{
    {"statement",
     {"a = 1",
      "<target> = <value>",
      "<target> = <value>",
      "<target> <sign>= <value>",
      "<value>",
      "for <name> in <value>:\n    <line>\n    <line>",
      "while <value>:\n    <line>\n    break",
      "if <value>:\n    <line>\nelif <value>:\n    <line>\nelse:\n    <line>",
      "def <name>(<name>, <name>=<value>, *<name>, **<name>):\n    <line>\n    return <value>",
      "class <name>(<name>):\n    <name>: int = <value>\n    def <name>(self, <name>=1):\n        "
      "self.<name> = <value>",
      "try:\n    <line>\nexcept Exception as e:\n    <line>\nfinally:\n    <line>",
      "with <value> as <name>:\n    <line>",
      "from <name> import <name> as <name>",
      "import <name>.<name>",
      "assert <value>",
      "del <target>",
      "global <name>",
      "@<name>(<value>)\ndef <name>():\n    return <value>",
      "match <value>:\n    case <value>:\n        <line>",
      "lambda <name>: <value>"}},
    {"line",
     {"pass", "<target> = <value>", "<target> <sign>= <value>", "<call>", "return <value>", "continue",
      "break"}},
    {"target",
     {"a", "<name>", "<name>[<value>]", "<name>.<name>", "<name>, <name>", "[<name>, *<name>]",
      "<name>[<value>:]"}},
    {"name",
     {"a", "b", "c", "f", "L", "D", "T", "x_1", "self", "config", "hidden_size", "num_layers", "dict",
      "list"}},
    {"sign", {"+", "-", "*", "//", "%", "**", "|", "&", "^", "<<", ">>", "/"}},
    {"compared", {"==", "!=", "<", ">=", "in", "not in", "is", "is not", "and", "or"}},
    {"value",
     {"1",
      "<name>",
      "<number>",
      "<text>",
      "<value> <sign> <value>",
      "<value> <compared> <value>",
      "-<value>",
      "not <value>",
      "(<value>, <value>)",
      "[<value>, <value>]",
      "[<value>] * <number>",
      "{<value>: <value>}",
      "{**<name>, 'k': <value>}",
      "[<value> for <name> in <value>]",
      "{<name>: <value> for <name> in <value> if <value>}",
      "<call>",
      "<value>.<name>",
      "<value>[<value>]",
      "<value>[<value>:<value>]",
      "<value> if <value> else <value>",
      "f'{<value>}'",
      "(<name> := <value>)",
      "lambda: <value>"}},
    {"number",
     {"0", "1", "2", "-1", "64", "1e9", "10**9", "0x40", "1_000", "99999999999999999999", "0.5", "2**63"}},
    {"text",
     {"''", "'a'", "'k' * <number>", "\"x\"", "'''a\nb'''", "'\\ud800'", "'{} {}'.format(<value>, <value>)",
      "r'\\'"}},
    {"call",
     {"f()",
      "<name>(<value>)",
      "<name>(*<value>, **<name>)",
      "max(<value>)",
      "min(<value>, <value>)",
      "sum(<value>)",
      "len(<value>)",
      "range(<value>)",
      "range(<value>, <value>, <value>)",
      "list(<value>)",
      "dict(<name>=<value>)",
      "dict(<value>)",
      "tuple(<value>)",
      "zip(<value>, <value>)",
      "enumerate(<value>)",
      "sorted(<value>)",
      "str(<value>)",
      "int(<value>)",
      "float(<value>)",
      "getattr(<value>, <text>)",
      "setattr(<value>, <text>, <value>)",
      "<name>.append(<value>)",
      "<name>.extend(<value>)",
      "<name>.pop(<value>)",
      "<name>.update(<value>)",
      "<name>.setdefault(<value>, <value>)",
      "<name>.copy()",
      "<name>.items()",
      "<name>.keys()",
      "<name>.values()",
      "<name>.get(<value>)",
      "copy.deepcopy(<value>)",
      "functools.partial(<name>, <value>)",
      "dataclasses.replace(<value>, <name>=<value>)",
      "math.ceil(<value>)",
      "any(<value>)",
      "all(<value>)",
      "round(<value>)",
      "abs(<value>)",
      "isinstance(<value>, <name>)",
      "print(<value>)"}}};

}  // namespace

extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size, std::size_t most,
                                               unsigned seed) {
  return shapelint::fuzz::mutate(grammar, data, size, most, seed);
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const shapelint::Budget budget(shapelint::fuzz::work, shapelint::fuzz::working_bytes);
  const std::string text(reinterpret_cast<const char*>(data), size);
  shapelint::fuzz::check(shapelint::text::parse_python("input", text), size);
  return 0;
}
