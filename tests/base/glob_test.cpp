// Which texts a pattern matches, in each of its three spellings.
#include "base/strings.hpp"

#include <string>
#include <vector>

#include "tests/catch.hpp"

using namespace shapelint;

namespace {

// Those of the texts that match, separated by blanks.
std::string matching(std::string_view pattern, Glob kind, const std::vector<std::string>& texts) {
  std::string out;
  for (const std::string& text : texts) {
    if (glob_matches(pattern, text, kind)) out += (out.empty() ? "" : " ") + text;
  }
  return out;
}

}  // namespace

TEST_CASE("globs of paths: a slash ends what `*`, `?` and sets take", "[base][glob]") {
  const std::vector<std::string> paths{"a", "b", "ab", "a/b", "a/x/b", "a/x/y/b", "x/a/b"};
  const auto in = [&](std::string_view pattern) { return matching(pattern, Glob::path, paths); };
  CHECK(in("a*b") == "ab");
  CHECK(in("a?b") == "");
  CHECK(in("a[!x]b") == "");
  CHECK(in("a/*/b") == "a/x/b");
  CHECK(in("a/**/b") == "a/b a/x/b a/x/y/b");
  CHECK(in("**/b") == "b a/b a/x/b a/x/y/b x/a/b");
  CHECK(in("a/**") == "a/b a/x/b a/x/y/b");
  CHECK(in("**/a/*") == "a/b x/a/b");
  CHECK(in("**/x/**/b") == "a/x/b a/x/y/b x/a/b");
  CHECK(in("a**/b") == "a/b");  // two stars inside a name are one
  CHECK(in("[a-b]") == "a b");
  CHECK(in("[!a]") == "b");
}

TEST_CASE("globs of paths: what is quoted or not closed stands for itself", "[base][glob]") {
  const std::vector<std::string> paths{"[", "*", "a", "]", "\\"};
  CHECK(matching("\\*", Glob::path, paths) == "*");
  CHECK(matching("[", Glob::path, paths) == "[");
  CHECK(matching("[]a]", Glob::path, paths) == "a ]");
  CHECK(matching("\\", Glob::path, paths) == "\\");
}

TEST_CASE("globs of a shell cross slashes", "[base][glob]") {
  const std::vector<std::string> texts{"a/b", "ab", "a\\*", "7b", "70b", "é"};
  CHECK(matching("a*b", Glob::shell, texts) == "a/b ab");
  CHECK(matching("a?b", Glob::shell, texts) == "a/b");
  CHECK(matching("[0-9]*b", Glob::shell, texts) == "7b 70b");
  CHECK(matching("[!0-9]*b", Glob::shell, texts) == "a/b ab");
  CHECK(matching("?", Glob::shell, texts) == "é");
  CHECK(matching("*", Glob::shell, texts) == "a/b ab a\\* 7b 70b é");
}

TEST_CASE("globs of names know only `*`, and no case", "[base][glob]") {
  const std::vector<std::string> names{"Llama-3-8B", "llama-2", "a?", "ab", ""};
  CHECK(matching("LLAMA*", Glob::name, names) == "Llama-3-8B llama-2");
  CHECK(matching("*-*b", Glob::name, names) == "Llama-3-8B");
  CHECK(matching("a?", Glob::name, names) == "a?");
  CHECK(matching("", Glob::name, names) == "");
  CHECK(glob_matches("*", "", Glob::name));
}

TEST_CASE("a hostile glob costs no time", "[base][glob]") {
  const std::string text(20000, 'a');
  std::string nested;
  for (int i = 0; i < 30; ++i) nested += "*a";
  for (const Glob kind : {Glob::path, Glob::shell, Glob::name}) {
    CHECK_FALSE(glob_matches(std::string(40, '*') + "b", text, kind));
    CHECK_FALSE(glob_matches(nested + "b", text, kind));
    CHECK(glob_matches(nested, text, kind));
  }
}
