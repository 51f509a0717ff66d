// What a terminal's window does to what is printed.
#include <algorithm>
#include <sstream>
#include <string>
#include <vector>

#include "report/style.hpp"
#include "tests/catch.hpp"
#include "tests/cli/run_support.hpp"

using namespace shapelint;

namespace {

text::MemoryFileSystem one_file() {
  text::MemoryFileSystem files;
  files.files["m.toml"] =
      "[model]\nhidden_size = 5130\nnum_layers = 24\nnum_attention_heads = 38\nvocab_size = 50257\n"
      "[run]\nmicro_batch_size = 4\nsequence_length = 2048\n";
  return files;
}

std::string printed(const std::vector<std::string>& args, const std::string& columns, bool is_terminal) {
  return tests::run(args, one_file(), {{"COLUMNS", columns}, {"NO_COLOR", "1"}}, is_terminal).out;
}

std::vector<std::string> words_of(const std::string& text) {
  std::istringstream in(text);
  std::vector<std::string> words;
  for (std::string word; in >> word;) words.push_back(word);
  return words;
}

// The longest line, except for those of the source and what is one word beside its indentation.
std::int64_t widest(const std::string& text) {
  std::istringstream lines(text);
  std::int64_t most = 0;
  for (std::string line; std::getline(lines, line);) {
    if (line.find(" | ") == std::string::npos && words_of(line).size() > 1)
      most = std::max(most, report::display_width(line));
  }
  return most;
}

}  // namespace

TEST_CASE("no line is wider than its window, and a wide one is used", "[cli][window]") {
  const std::vector<std::vector<std::string>> commands{
      {"lint", "m.toml", "--gpu", "a100"},
      {"lint", "m.toml", "--gpu", "a100", "-v"},
      {"suggest", "m.toml", "--gpu", "a100", "--vary", "vocab_size,num_attention_heads", "--threads", "1"},
      {"explain", "SL101"},
      {"rules"}};
  for (const auto& command : commands) {
    INFO(command.front());
    const std::string elsewhere = printed(command, "40", false);
    REQUIRE_FALSE(elsewhere.empty());
    for (const int columns : {60, 80, 120, 200}) {
      INFO(columns);
      const std::string out = printed(command, std::to_string(columns), true);
      if (command.front() != "explain" && command.front() != "suggest") CHECK(widest(out) <= columns);
      // The same words: nothing is broken within one. (What is cut of a source line is another matter.)
      if (command.front() != "lint") CHECK(words_of(out) == words_of(elsewhere));
    }
    CHECK(widest(printed(command, "200", true)) > 80);
    CHECK(printed(command, "200", false) == elsewhere);
  }
}

TEST_CASE("a headline is broken at words in a window, and is one line elsewhere", "[cli][window]") {
  const std::string narrow = printed({"lint", "m.toml", "--gpu", "a100"}, "60", true);
  const std::string elsewhere = printed({"lint", "m.toml", "--gpu", "a100"}, "60", false);
  const auto headlines = [](const std::string& text) {
    std::istringstream lines(text);
    std::vector<std::string> found;
    for (std::string line; std::getline(lines, line);) {
      if (line.find("[SL") != std::string::npos) found.push_back(line);
    }
    return found;
  };
  const auto whole = headlines(elsewhere);
  const auto broken = headlines(narrow);
  REQUIRE(whole.size() == broken.size());
  bool is_longer = false;
  for (std::size_t i = 0; i < whole.size(); ++i) {
    CHECK(whole[i].starts_with(broken[i]));
    CHECK(broken[i].size() <= 64);  // bytes of 60 columns
    is_longer = is_longer || whole[i].size() > 60;
  }
  CHECK(is_longer);
}
