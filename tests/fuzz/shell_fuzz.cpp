// Fuzz target of text::parse_shell, with statements of its grammar.
#include <cstddef>
#include <cstdint>
#include <string>

#include "tests/fuzz/check.hpp"
#include "tests/fuzz/grammar.hpp"
#include "text/shell/shell.hpp"

namespace {

const shapelint::fuzz::Grammar grammar{
    {"statement",
     {"A=1",
      "<name>=<word>",
      "<name>+=<word>",
      "<name>=(<word> <word>)",
      "<name>+=(<word>)",
      "<name>[<number>]=<word>",
      "<name>=$((<sum>))",
      "((<name> = <sum>))",
      "let <name>=<sum>",
      "export <name>=<word>",
      "local <name>=<word>",
      "declare -a <name>=(<word>)",
      "readonly <name>=<word>",
      "unset <name>",
      "set -- <word> <word>",
      "shift <number>",
      "printf -v <name> <text> <word>",
      "read -r <name> <<< <word>",
      "<name>=$(cat <<E\n<word>\nE\n)",
      "if <condition>; then\n  <line>\nelif <condition>; then\n  <line>\nelse\n  <line>\nfi",
      "for <name> in <word> <word>; do\n  <line>\ndone",
      "for ((<name> = 0; <name> < <number>; <name>++)); do\n  <line>\ndone",
      "while <condition>; do\n  <line>\ndone",
      "until <condition>; do\n  <line>\ndone",
      "case <word> in\n  <pattern>) <line> ;;\n  <pattern> | <pattern>) <line> ;;\n  *) <line> ;;\nesac",
      "<function>() {\n  local <name>=<word>\n  <line>\n  return <number>\n}",
      "function <function> {\n  <line>\n}",
      "<function> <word>",
      "<condition> && <line>",
      "<condition> || <line>",
      "! <line>",
      "(<line>)",
      "{ <line>; <line>; }",
      "<line> | <line>",
      "source ./<function>.sh <word>",
      "eval <word>",
      "python train.py --<function> <word> \"${<name>[@]}\"",
      "torchrun --nproc_per_node <number> train.py $<name>",
      "mapfile -t <name> <<< <word>",
      "exit <number>",
      "while getopts <text> <name>; do\n  <line>\ndone"}},
    {"line",
     {":", "<name>=<word>", "<name>=$((<sum>))", "<name>+=(<word>)", "echo <word>", "<function> <word>",
      "break", "python train.py --a <word>", "return <number>", "shift"}},
    {"name", {"A", "B", "C", "X", "ARGS", "HIDDEN", "NUM_LAYERS", "1", "i"}},
    {"function", {"f", "g", "h", "run", "hidden-size", "num-layers"}},
    {"number", {"0", "1", "2", "3", "-1", "64", "100000", "9223372036854775807"}},
    {"sum",
     {"1", "<name>", "$<name>", "<number>", "<sum> + <sum>", "<sum> * <sum>", "<sum> ** <sum>",
      "(<sum>) / <sum>", "<sum> % <sum>", "<sum> << <sum>", "<sum> ? <sum> : <sum>", "-<sum>", "<name>++",
      "<name> += <sum>", "<sum> < <sum>", "<name>[<sum>]", "<sum> && <sum>"}},
    {"word",
     {"a",
      "$<name>",
      "\"$<name>\"",
      "${<name>}",
      "${#<name>}",
      "${<name>:-<word>}",
      "${<name>:=<word>}",
      "${<name>:+<word>}",
      "${<name>:?<word>}",
      "${<name>#<pattern>}",
      "${<name>##<pattern>}",
      "${<name>%<pattern>}",
      "${<name>%%<pattern>}",
      "${<name>/<pattern>/<word>}",
      "${<name>//<pattern>/<word>}",
      "${<name>:<number>:<number>}",
      "${<name>^^}",
      "${<name>,,}",
      "${<name>[@]}",
      "\"${<name>[*]}\"",
      "${#<name>[@]}",
      "${!<name>}",
      "$(echo <word>)",
      "$((<sum>))",
      "<word><word>",
      "'a b'",
      "\"a <word>\"",
      "`echo <word>`",
      "{a,b}<word>",
      "$@",
      "\"$@\"",
      "$*",
      "$#",
      "$1",
      "~",
      "<text>"}},
    {"text", {"x", "%s", "'%d %s'", "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa", "\\n", "a*b", "1e3", "''"}},
    {"pattern",
     {"a", "*", "?", "a*", "*a*b*", "[a-z]*", "[!a]", "<word>", "*<word>", "<pattern><pattern>", "\\*",
      "@(a|b)"}},
    {"condition",
     {"true", "[ -n <word> ]", "[ <word> = <word> ]", "[ <word> -gt <word> ]", "[[ <word> == <pattern> ]]",
      "[[ -z <word> && <word> != <word> ]]", "[[ <word> =~ <pattern> ]]", "((<sum>))", "test -f <word>",
      "[ ! -d <word> ]", "false", "[ <word> -eq <number> -o <word> -lt <number> ]"}}};

}  // namespace

extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size, std::size_t most,
                                               unsigned seed) {
  return shapelint::fuzz::mutate(grammar, data, size, most, seed);
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const shapelint::Budget budget(shapelint::fuzz::work, shapelint::fuzz::working_bytes);
  const std::string text(reinterpret_cast<const char*>(data), size);
  shapelint::fuzz::check(shapelint::text::parse_shell("input", text), size);
  return 0;
}
