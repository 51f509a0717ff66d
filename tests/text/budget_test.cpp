// Everything that works out a file is charged for what it touches: each operator and each builtin of the
// interpreters, with arguments of 100,000 elements (25,600 with AddressSanitizer). No test here looks at a
// clock.
#include "base/budget.hpp"

#include <algorithm>
#include <cctype>
#include <fstream>
#include <iterator>
#include <regex>
#include <set>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "base/sanitizer.hpp"
#include "base/strings.hpp"
#include "tests/catch.hpp"
#include "tests/source_dir.hpp"
#include "text/interpolation/interpolate.hpp"
#include "text/python/python.hpp"
#include "text/shell/shell.hpp"
#include "text/yaml/yaml.hpp"

using namespace shapelint;
using namespace shapelint::text;

namespace {

constexpr std::int64_t elements = has_address_sanitizer ? 25'600 : 100'000;

std::string repeated(std::string_view text, std::int64_t times) {
  std::string out;
  for (std::int64_t i = 0; i < times; ++i) out += text;
  return out;
}

// The units that `read` takes for a text.
template <class Read>
std::int64_t units_of(const std::string& source, const Read& read) {
  constexpr std::int64_t plenty = 2'000'000'000;
  const Budget budget(plenty, plenty, plenty);
  read(source);
  return budget.used();
}

std::int64_t python_units(const std::string& line) {
  static const std::string before = [] {
    std::string out =
        "L = [" + repeated("0,", elements) + "]\nS = [" + repeated("0,", elements / 10) + "]\nD = {";
    for (std::int64_t i = 0; i < elements; ++i) out += fmt::format("{}:0,", i);
    out += "}\nT = '" + repeated("a", elements) + "'\nH = '" + repeated("a", elements / 2) + "'\n";
    out += "Z = ['" + std::string(20'000, 'a') + "','" + std::string(20'000, 'a') + "']\n";
    return out + "def f(*x, **y):\n    pass\ndef g(a=1):\n    pass\nclass C:\n    a = 1\n";
  }();
  const auto read = [](const std::string& source) { REQUIRE(parse_python("c.py", source)); };
  static const std::int64_t before_units = units_of(before, read);
  return units_of(before + line + "\n", read) - before_units;
}

std::int64_t shell_units(const std::string& line) {
  static const std::string before = [] {
    return "X=" + repeated("a", elements) + "\nA=(" + repeated("a ", elements / 10) +
           ")\nf() {\n  local B=1\n}\n";
  }();
  const auto read = [](const std::string& source) { REQUIRE(parse_shell("c.sh", source)); };
  static const std::int64_t before_units = units_of(before, read);
  return units_of(before + line + "\n", read) - before_units;
}

std::string text_of(const std::string& path) {
  std::ifstream file(tests::source_dir() + "/" + path);
  return {std::istreambuf_iterator<char>(file), {}};
}

struct Charged {
  std::string line;
  std::int64_t least;
};

// Whether a name stands in a line for itself.
bool stands_in(const std::string& line, const std::string& name) {
  const bool is_word = std::isalnum(static_cast<unsigned char>(name.back())) != 0;
  const std::string_view joined = is_word ? "_" : "=<>!&|-./:+";
  const auto is_part = [&](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || joined.find(c) != std::string_view::npos;
  };
  for (std::size_t at = line.find(name); at != std::string::npos; at = line.find(name, at + 1)) {
    const std::size_t end = at + name.size();
    if ((at == 0 || !is_part(line[at - 1])) && (end == line.size() || !is_part(line[end]))) return true;
  }
  return false;
}

// Names that the sources compare one of `variables` with, and that stand in none of the lines.
std::set<std::string> names_without_line(const std::vector<Charged>& all, const std::string& variables,
                                         const std::vector<std::string>& sources) {
  const std::regex compared("\\b(?:" + variables + ") [!=]= \"([^\"]+)\"");
  std::set<std::string> missing;
  for (const std::string& path : sources) {
    INFO(path);
    const std::string source = text_of(path);
    REQUIRE(std::regex_search(source, compared));
    for (std::sregex_iterator each(source.begin(), source.end(), compared), end; each != end; ++each) {
      const std::string name = (*each)[1];
      const bool is_there = std::any_of(
          all.begin(), all.end(), [&](const Charged& charged) { return stands_in(charged.line, name); });
      if (!is_there) missing.insert(name);
    }
  }
  return missing;
}

}  // namespace

TEST_CASE("budget: each builtin and operator of Python is charged by the size that it touches", "[budget]") {
  constexpr std::int64_t text = elements / 64;  // units of looking at a text
  const std::vector<Charged> all{
      {"x = max(L)", elements},
      {"x = min(L)", elements},
      {"x = sum(L)", elements},
      {"x = any(L)", elements},
      {"x = all([1, *S])", elements / 10},
      {"x = list(L)", elements},
      {"x = tuple(L)", elements},
      {"x = dict(D)", elements},
      {"x = enumerate(S)", elements / 10},
      {"x = range(-20000, 20000)", 40'000},
      {"x = getattr(C, T)", text},
      {"setattr(C, T, 1)", text},
      {"x = int(T)", text},
      {"x = float(T)", text},
      {"x = str(T)", text},
      {"x = print(T)", text},
      {"x = bool(T)", text},
      {"x = len(T)", text},
      {"x = round(T)", text},
      {"x = abs(T)", text},
      {"x = S + S", elements / 10},
      {"x = S * 2", elements / 10},
      {"x = 2 * S", elements / 10},
      {"x = D | D", elements},
      {"x = H + H", text / 2},
      {"x = T == T", text},
      {"x = T < T", text},
      {"x = T in T", elements * elements / 64},
      {"x = T in L", elements},
      {"x = 1 in L", elements},
      {"x = T in D", text},
      {"x = D[T]", text},
      {fmt::format("x = L[{}]", elements - 1), 10},
      {"x = L[:]", elements},
      {"x = [*L]", elements},
      {"x = [i for i in L]", elements},
      {"x = {**D}", elements},
      {"x = f'{T}'", text},
      {"x = 1 ** 1000", 1000},
      {"x = f(*L)", elements},
      {"x = f(**D)", elements},
      {"x = g(*L)", elements},
      {"x = C(**D)", elements},
      {"x = C.parse_arg(None, a=T)", text},
      {"for i in L:\n    pass", elements},
      {"L[i] = 1", elements},
      {"S += S", elements / 10},
      {"x = L.copy()", elements},
      {"L.append(T)", text},
      {"L.extend(L)", elements},
      {"x = D.copy()", elements},
      {"x = D.get(T)", text},
      {"D.pop(0)", elements},
      {"D.setdefault(T, 1)", text},
      {"D.update(D)", elements},
      {"D.update(i)", elements},
      {"x = D.keys()", elements},
      {"x = D.values()", elements},
      {"x = D.items()", elements},
      {"x = T.lower()", text},
      {"x = T.upper()", text},
      {"x = T.startswith(T)", text},
      {"x = T.endswith(T)", text},
      {"import argparse\np = argparse.ArgumentParser()\np.add_argument(T, default=1)", text},
      {"import argparse\np = argparse.ArgumentParser()\np.add_argument_group(T)", text},
      {"import argparse\np = argparse.ArgumentParser()\np.add_mutually_exclusive_group(T)", text},
      {"import argparse\np = argparse.ArgumentParser()\np.set_defaults(a=T)", text},
      {"import argparse\np = argparse.ArgumentParser()\np.set_defaults(a=T)\nx = p.parse_args()", text},
      {"import argparse\np = argparse.ArgumentParser()\np.set_defaults(a=T)\nx = p.parse_known_args()", text},
      {"import copy\nx = copy.copy(L)", elements},
      {"import copy\nx = copy.deepcopy(L)", elements},
      {"import dataclasses\nx = dataclasses.replace(C(**D))", elements},
      {"import functools\nx = functools.partial(f, *L)", elements},
      {"import nemo_run\nx = nemo_run.Config(C, *L)", elements},
      {"import nemo_run\nx = nemo_run.Partial(C, *L)", elements},
      {"import typing\nx = typing.cast(C, T)", text},
      {"import math\nx = math.ceil(T)", text},
      {"import math\nx = math.floor(T)", text},
      {"import math\nx = math.trunc(T)", text},
      {"import math\nx = math.sqrt(T)", text},
      {"import math\nx = math.log2(T)", text},
  };
  for (const Charged& each : all) {
    INFO(each.line);
    CHECK(python_units(each.line) >= each.least);
  }
  CHECK(names_without_line(all, "name", {"src/text/python/builtins.cpp", "src/text/python/call.cpp"}) ==
        std::set<std::string>{});
}

TEST_CASE("budget: each expansion and command of a shell is charged by the size that it touches",
          "[budget]") {
  constexpr std::int64_t text = elements / 64;
  constexpr std::int64_t items = elements / 10;
  const std::vector<Charged> all{
      {"Y=$X", text},
      {"Y=\"${X}\"", text},
      {"Y=${X:-b}", text},
      {"Y=${X-b}", text},
      {"Y=${X:=b}", text},
      {"Y=${X:?b}", text},
      {"Y=${X:+$X}", text},
      {"Y=${#X}", text},
      {"Y=${X,,}", text},
      {"Y=${X^^}", text},
      {"Y=${X#b}", text},
      {"Y=${X##*b}", elements / 4},
      {"Y=${X%b}", text},
      {"Y=${X%%b*}", elements / 4},
      {"Y=${A[*]}", items},
      {"Y=(\"${A[@]}\")", items},
      {fmt::format("Y=${{A[{}]}}", items - 1), 10},
      {"Y=(\"${A[@]:1}\")", items},
      {"X+=b", text},
      {"A+=(b)", items},
      {"[[ $X == b ]] && Y=1", text},
      {"[ $X = b ] && Y=1", text},
      {"[ -n $X ] && Y=1", text},
      {"case $X in *b*) Y=1 ;; esac", elements / 4},
      {"printf -v Y %s \"$X\"", text},
      {"printf -v Y %s \"${A[@]}\"", items},
      {"Y=$((X + 1))", text},
      {"((Y = X + 1))", text},
      {"let Y=X+1", text},
      {"export Y=$X", text},
      {"declare Y=$X", text},
      {"set -- \"${A[@]}\"", items},
      {"set -- \"${A[@]}\"\nshift", 2 * items},
      {"set -- \"${A[@]}\"\nY=\"$*\"", 2 * items},
      {"set -- \"${A[@]}\"\nf \"$@\"", 2 * items},
      {"f \"${A[@]}\"", items},
      {"for i in \"${A[@]}\"; do Y=$i; done", items},
      {"for ((i = 0; i < 1000; i++)); do Y=$i; done", 1000},
      {"Y=$(echo $X)", text},
      {"Y=$(cat <<E\n$X\nE\n)", text},
      {"read -r -d '' Y <<E\n$X\nE", text},
      {"train --x $X", text},
      {"train \"${A[@]}\"", items},
      {"eval \"train $X\"", text},
      {"if [ $Q ]; then Y=$X; elif [ $R ]; then Y=$X; else Y=b$X; fi", 3 * text},
      {"local Y=$X", text},
      {"readonly Y=$X", text},
      {"typeset Y=$X", text},
      {"unset Q", 10},
      {"mapfile Y", 10},
      {"readarray Y", 10},
      {"getopts ab Y", 10},
      {"exit 1", 10},
      {"g() {\n  return 1\n}\ng \"${A[@]}\"", items},
      {"source ./b.sh $X", 10},
      {". ./b.sh $X", 10},
      {"true $X && Y=1", 10},
      {"false $X || Y=1", 10},
      {": $X && Y=1", 10},
      {"test $X && Y=1", text},
      {"[ $X -a b -o c ] && Y=1", text},
      {"[ $X == b ] && Y=1", text},
      {"[ $X != b ] && Y=1", text},
      {"[ $X -eq 1 ] && Y=1", text},
      {"[ $X -ne 1 ] && Y=1", text},
      {"[ $X -lt 1 ] && Y=1", text},
      {"[ $X -le 1 ] && Y=1", text},
      {"[ $X -gt 1 ] && Y=1", text},
      {"[ $X -ge 1 ] && Y=1", text},
      {"[[ $X == b && ! $X || $Q ]] && Y=1", text},
      {"while [ $X ]; do Y=$X; done", text},
      {"until [ $X ]; do Y=$X; done", text},
      {"select i in $X; do Y=$i; done", text},
      {"function h {\n  Y=$X\n}\nh", text},
      {"bash -c \"train $X\"", text},
      {"docker run -e V=$X image train --x 1", text},
      {"podman container run --env V=$X image train --x 1", text},
      {"nerdctl run image train --x $X", text},
      {"ray stop $X", text},
  };
  for (const Charged& each : all) {
    INFO(each.line);
    CHECK(shell_units(each.line) >= each.least);
  }
  CHECK(names_without_line(
            all, "first|name|word|sign|next",
            {"src/text/shell/commands.cpp", "src/text/shell/condition.cpp", "src/text/shell/launch.cpp",
             "src/text/shell/functions.cpp", "src/text/shell/loops.cpp", "src/text/shell/paths.cpp",
             "src/text/shell/run.cpp", "src/text/shell/grammar/syntax.cpp"}) == std::set<std::string>{});
}

// torchtitan, experiments/transformers_modeling_backend/tests/run_moe_tests.sh: a function that starts a job
// and looks how it ended, called for each of many. It takes a tenth of a second.
TEST_CASE("budget: a script that starts a hundred jobs by a function is read", "[budget]") {
  std::string source =
      "run_test() {\n  if RANK=$1 ./run_train.sh --training.steps 10 \"$@\"; then\n    echo PASSED > "
      "\"$1.status\"\n"
      "  else\n    echo FAILED > \"$1.status\"\n  fi\n}\n";
  for (int i = 0; i < 100; ++i) source += fmt::format("run_test \"test {}\" --parallel {}\n", i, i);
  const Budget budget;
  CHECK(parse_shell("c.sh", source));
  CHECK(!budget.is_spent());
}

TEST_CASE("budget: references of YAML are charged by what they look at and hold", "[budget]") {
  const auto units = [](const std::string& line) {
    static const std::string before =
        "l: [" + repeated("0,", elements) + "]\nt: " + repeated("a", elements) + "\n";
    const auto read = [](const std::string& source) {
      const auto documents = parse_yaml("c.yaml", source);
      REQUIRE(documents);
      REQUIRE(interpolate(documents->front()));
    };
    static const std::int64_t before_units = units_of(before, read);
    return units_of(before + line + "\n", read) - before_units;
  };
  constexpr std::int64_t text = elements / 64;
  std::vector<Charged> all{
      {fmt::format("x: ${{l.{}}}", elements - 1), 10},
      {"x: ${l}", elements},
      {"x: ${t}", text},
      {"x: a${t}", text},
      {"x: ${oc.select:t,1}", text},
      {"x: ${oc.decode:${t}}", text},
      {"x: ${oc.env:NAME,${t}}", text},
      {"x: ${env:NAME,${t}}", text},
      {"x: ${eval:${t}}", text},
      {"x: ${NAME:${t}}", text},
  };
  // A text is no number, and ends it at once: what counts are the operands.
  for (const char* const name : {"add", "sum", "multiply", "mul", "subtract", "divide", "divide_floor",
                                 "floor_divide", "divide_ceil", "div_up"})
    all.push_back({fmt::format("x: ${{{}:{}1}}", name, repeated("1,", elements)), 10 * elements});
  for (const Charged& each : all) {
    INFO(each.line.substr(0, 40));
    CHECK(units(each.line) >= each.least);
  }
  CHECK(names_without_line(all, "name",
                           {"src/text/interpolation/interpolate.cpp", "src/text/interpolation/value.cpp"}) ==
        std::set<std::string>{});
}

TEST_CASE("budget: a glob is charged for each step, a set for its length", "[budget]") {
  const auto units = [](std::string_view pattern, std::string_view text, Glob kind) {
    const Budget budget;
    glob_matches(pattern, text, kind);
    return budget.used();
  };
  const std::string text(10'000, 'a');
  for (const Glob kind : {Glob::path, Glob::shell, Glob::name}) {
    CHECK(units("*b", text, kind) >= 10'000 / 4);
    CHECK(units("*aaaaaaaaaab", text, kind) >= 100'000 / 4);
  }
  CHECK(units("*[" + std::string(1000, 'b') + "]c", text, Glob::shell) >= 10'000'000 / 8);
}

TEST_CASE("budget: what is spent stays spent, and ends with its file", "[budget]") {
  const auto spent = [](std::int64_t work, std::int64_t bytes, std::int64_t ms) {
    const Budget budget(work, bytes, ms);
    try {
      for (int i = 0; i < 1'000'000; ++i) {
        charge(1000);
        charge_bytes(1000);
      }
    } catch (const Spent& first) {
      CHECK(budget.is_spent());
      CHECK_THROWS_AS(charge(), Spent);
      CHECK_THROWS_AS(charge_bytes(1), Spent);
      const Budget within;  // the same account
      CHECK(within.is_spent());
      return std::string(first.what());
    }
    return std::string();
  };
  constexpr std::int64_t plenty = 2'000'000'000'000;
  CHECK(spent(10'000, plenty, plenty) == "reading it takes more work than any configuration needs");
  CHECK(spent(plenty, 10'000, plenty) == "reading it takes more memory than any configuration needs");
  CHECK(spent(plenty, plenty, -1) == "reading it takes longer than any configuration needs");
  CHECK_NOTHROW(charge(1'000'000'000));  // without an account
  {
    const Budget budget;
    {
      const WorkingBytes working;
      HeldBytes held;
      held.add(max_working_bytes - 1);
      CHECK_THROWS_AS(charge_bytes(2), Spent);
    }
  }
  const Budget next;
  CHECK_FALSE(next.is_spent());
  for (int i = 0; i < 100; ++i) {
    HeldBytes held;  // given back
    held.add(max_working_bytes / 2);
  }
  for (int i = 0; i < 100; ++i) {
    const WorkingBytes working;
    charge_bytes(max_working_bytes / 2);
  }
  CHECK_FALSE(next.is_spent());
}
