// Everything that works out a file is charged for what it touches: each operator and each builtin of the
// interpreters, with arguments of 100,000 elements. No test here looks at a clock.
#include "base/budget.hpp"

#include <fstream>
#include <iterator>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "base/glob.hpp"
#include "tests/catch.hpp"
#include "tests/source_dir.hpp"
#include "text/interpolation/interpolate.hpp"
#include "text/python/python.hpp"
#include "text/shell/shell.hpp"
#include "text/yaml/yaml.hpp"

using namespace shapelint;
using namespace shapelint::text;

namespace {

constexpr std::int64_t elements = 100'000;

std::string repeated(std::string_view text, std::int64_t times) {
  std::string out;
  for (std::int64_t i = 0; i < times; ++i) out += text;
  return out;
}

// The units that a text takes beyond those of what stands before it.
template <class Read>
std::int64_t units_of(const std::string& before, const std::string& line, const Read& read) {
  const auto used = [&](const std::string& source) {
    constexpr std::int64_t plenty = 2'000'000'000;
    const Budget budget(plenty, plenty, plenty);
    read(source);
    return budget.used();
  };
  return used(before + line) - used(before);
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
  return units_of(before, line + "\n",
                  [](const std::string& source) { REQUIRE(parse_python("c.py", source)); });
}

std::int64_t shell_units(const std::string& line) {
  static const std::string before = [] {
    return "X=" + repeated("a", elements) + "\nA=(" + repeated("a ", elements / 10) +
           ")\nf() {\n  local B=1\n}\n";
  }();
  return units_of(before, line + "\n",
                  [](const std::string& source) { REQUIRE(parse_shell("c.sh", source)); });
}

std::string text_of(const std::string& path) {
  std::ifstream file(tests::source_dir() + "/" + path);
  return {std::istreambuf_iterator<char>(file), {}};
}

struct Charged {
  std::string line;
  std::int64_t least;
};

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
      {"x = L[99999]", 10},
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
  std::string lines;
  for (const Charged& each : all) {
    INFO(each.line);
    CHECK(python_units(each.line) >= each.least);
    lines += each.line + "\n";
  }
  // Whatever the interpreter compares a name with is among them.
  const std::string source = text_of("src/text/python/builtins.cpp");
  const std::regex compared("name (?:==|\\.starts_with\\() ?\"([a-z0-9_.]+)\"");
  std::set<std::string> missing;
  for (std::sregex_iterator each(source.begin(), source.end(), compared), end; each != end; ++each) {
    if (lines.find((*each)[1].str()) == std::string::npos) missing.insert((*each)[1].str());
  }
  missing.erase("os.");  // unknown whatever follows
  missing.erase("os.path");
  CHECK(missing == std::set<std::string>{});
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
      {"Y=${A[9999]}", 10},
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
      {"f \"${A[@]}\"", items},
      {"for i in \"${A[@]}\"; do Y=$i; done", items},
      {"for ((i = 0; i < 1000; i++)); do Y=$i; done", 1000},
      {"Y=$(echo $X)", text},
      {"Y=$(cat <<E\n$X\nE\n)", text},
      {"read -r -d '' Y <<E\n$X\nE", text},
      {"train --x $X", text},
      {"train \"${A[@]}\"", items},
      {"eval \"train $X\"", text},
      {"if [ $Q ]; then Y=$X; else Y=b$X; fi", 2 * text},
  };
  for (const Charged& each : all) {
    INFO(each.line);
    CHECK(shell_units(each.line) >= each.least);
  }
}

TEST_CASE("budget: references of YAML are charged by what they look at and hold", "[budget]") {
  const auto units = [](const std::string& line) {
    static const std::string before =
        "l: [" + repeated("0,", elements) + "]\nt: " + repeated("a", elements) + "\n";
    return units_of(before, line + "\n", [](const std::string& source) {
      const auto documents = parse_yaml("c.yaml", source);
      REQUIRE(documents);
      REQUIRE(interpolate(documents->front()));
    });
  };
  CHECK(units("x: ${l.99999}") >= elements / 8);
  CHECK(units("x: ${l}") >= elements);
  CHECK(units("x: ${t}") >= elements / 64);
  CHECK(units("x: ${oc.select:t,1}") >= elements / 64);
  CHECK(units("x: ${oc.decode:${t}}") >= elements / 64);
  CHECK(units("x: ${eval:${t}}") >= elements / 64);
  CHECK(units("x: ${multiply:${t},1}") >= elements / 64);
  CHECK(units("x: ${NAME:${t}}") >= elements / 64);
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
  CHECK(spent(10'000, plenty, plenty) == "it takes more work to read than any configuration");
  CHECK(spent(plenty, 10'000, plenty) == "it takes more memory to read than any configuration");
  CHECK(spent(plenty, plenty, -1) == "it takes longer to read than any configuration");
  CHECK_NOTHROW(charge(1'000'000'000));  // without an account
  {
    const Budget budget;
    {
      const WorkingBytes working;
      HeldBytes held;
      held.add(most_working_bytes - 1);
      CHECK_THROWS_AS(charge_bytes(2), Spent);
    }
  }
  const Budget next;
  CHECK_FALSE(next.is_spent());
  for (int i = 0; i < 100; ++i) {
    HeldBytes held;  // given back
    held.add(most_working_bytes / 2);
  }
  for (int i = 0; i < 100; ++i) {
    const WorkingBytes working;
    charge_bytes(most_working_bytes / 2);
  }
  CHECK_FALSE(next.is_spent());
}
