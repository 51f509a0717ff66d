// Lines that fit a window: broken between words, never within a word or a value.
#include "report/style.hpp"

#include "tests/catch.hpp"

using namespace shapelint;
using report::wrap;

TEST_CASE("text is broken at blanks, and a long word stays whole", "[report][wrap]") {
  CHECK(wrap("one two three", 0, 0, 8) == "one two\nthree");
  CHECK(wrap("one two three", 2, 2, 8) == "one\n  two\n  three");
  CHECK(wrap("a incomprehensibilities b", 0, 0, 8) == "a\nincomprehensibilities\nb");
  CHECK(wrap("one\ntwo", 0, 0, 8) == "one\ntwo");
  CHECK(wrap("", 4, 4, 8).empty());
}

TEST_CASE("a number and its unit, and a change of a value, are never parted", "[report][wrap]") {
  CHECK(wrap("it saves 7.3 % now", 0, 0, 12) == "it saves\n7.3 % now");
  CHECK(wrap("it saves 16.2 ± 3.0 %; yes", 0, 0, 16) == "it saves\n16.2 ± 3.0 %;\nyes");
  CHECK(wrap("heads 32 → 20, then", 0, 0, 10) == "heads\n32 → 20,\nthen");
  CHECK(wrap("memory 61 of 80 GB", 0, 0, 15) == "memory 61 of\n80 GB");
  CHECK(wrap("it has 2.652 B parameters", 0, 0, 14) == "it has 2.652 B\nparameters");
  CHECK(wrap("takes (14.2 ms) here", 0, 0, 10) == "takes\n(14.2 ms)\nhere");
  // The end of a sentence is no number with its unit.
  CHECK(wrap("there are 12. B is", 0, 0, 13) == "there are 12.\nB is");
  // As wide as a line that has no room for it.
  CHECK(wrap("16.2 ± 3.0 % more", 0, 0, 6) == "16.2 ±\n3.0 %\nmore");
}

TEST_CASE("a short piece of code is kept together, so that it can be copied", "[report][wrap]") {
  CHECK(wrap("see `shapelint explain SL101` (it)", 0, 0, 26) == "see\n`shapelint explain SL101`\n(it)");
  CHECK(wrap("`one two three four five six seven eight nine ten` x", 0, 0, 20) ==
        "`one two three four\nfive six seven eight\nnine ten` x");
  CHECK(wrap("a `b` c d `e f` g", 0, 0, 9) == "a `b` c d\n`e f` g");
}

TEST_CASE("colours take no room and do not part values", "[report][wrap]") {
  const std::string green = "\x1b[32m";
  const std::string off = "\x1b[0m";
  CHECK(wrap("it " + green + "saves 7.3 %" + off + " now", 0, 0, 8) ==
        "it " + green + "saves\n7.3 %" + off + "\nnow");
}

TEST_CASE("a window is used, and elsewhere a line is 80 wide and a headline one line", "[report][wrap]") {
  const std::string words =
      "word word word word word word word word word word word word word word word word word";
  CHECK(report::width_of({}) == 80);
  CHECK(report::width_of({false, 200}) == 200);
  CHECK(report::width_of({false, 12}) == 40);
  CHECK(report::headline(words, 2, 2, {}) == words);
  CHECK(report::headline(words, 2, 2, {false, 200}) == words);
  CHECK(report::headline(words, 2, 2, {false, 40}) ==
        "word word word word word word word\n  word word word word word word word\n  word word word");
  CHECK(wrap(words, 0, 0, report::Style{}) == wrap(words, 0, 0));
}
