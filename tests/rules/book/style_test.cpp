// What people read is in the field's terms, and titles are short.
#include <algorithm>
#include <filesystem>
#include <string>
#include <string_view>

#include "cli/help.hpp"
#include "contracts/book.hpp"
#include "model/fields.hpp"
#include "objects/types.hpp"
#include "rules/book/rule.hpp"
#include "tests/catch.hpp"
#include "tests/formats/native/native_support.hpp"
#include "tests/source_dir.hpp"

using namespace shapelint;

namespace {

// What docs/contributing/style.md has a term for.
constexpr std::string_view paraphrases[] = {
    "no multiple of",
    "stops at its start",
    "at a multiple nearby",
    " processors",
    "thrown away",
    "the last round",
    "spent on zeros",
    "key-value heads",
    "matrix product",
    "but for",
    "all the same",
    " anew",
    "waits for other GPUs",
    "numbers in a row",
    "a slip",
    "as narrow pieces",
    "keys and values",
    "cannot be split evenly",
    "shared out",
    "computed again",
    "nothing is found",
    "nothing is said",
    " beside ",
    "number format",
    "state space",
    "whoever",
    "nobody",
    "somebody",
    "behind computation",
    "hides behind",
    "exchange of tokens",
    "the exchange",
    "chunks of layers",
    "is said",
    "taken apart",
    "network of layers",
    "a further token",
    "key and value heads",
    "table of scores",
    "filled up",
    "ways out",
    "waits for memory",
    "unless given",
    "unless stated",
};

void check_words(std::string_view name, std::string_view text) {
  for (const std::string_view phrase : paraphrases) {
    INFO(name << ": " << text);
    CHECK(text.find(phrase) == std::string_view::npos);
  }
}

// The same of each line of a long text.
void check_lines(std::string_view name, std::string_view text) {
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    check_words(name, text.substr(begin, end - begin));
    begin = end + 1;
  }
}

// Characters of a message as it is printed, with 5 for each placeholder.
std::size_t printed_length(std::string_view message) {
  std::size_t length = 0;
  for (std::size_t i = 0; i < message.size(); ++i, ++length) {
    if (message[i] != '{') continue;
    std::size_t depth = 1;
    while (depth > 0 && ++i < message.size()) {
      if (message[i] == '{') ++depth;
      if (message[i] == '}') --depth;
    }
    length += 4;
  }
  return length;
}

}  // namespace

TEST_CASE("rules speak in the terms of the field", "[rules][style]") {
  for (const rules::Rule& rule : rules::builtin_rules().rules()) {
    for (const std::string_view text :
         {std::string_view(rule.message.value), std::string_view(rule.label.value), rule.summary,
          rule.mechanism, rule.why})
      check_words(rule.code, text);
  }
}

TEST_CASE("requirements speak in the terms of the field", "[contracts][style]") {
  for (const contracts::Contract& contract : contracts::builtin_contracts().contracts()) {
    for (const std::string_view text : {contract.summary, contract.why, contract.instead})
      check_words(contract.id, text);
  }
}

TEST_CASE("fields are described in the terms of the field", "[model][style]") {
  for (const model::FieldInfo& field : model::fields()) check_words(field.name, field.doc);
}

TEST_CASE("documents for programs and man pages speak in the terms of the field", "[style]") {
  check_lines("objects", objects::markdown());
  for (const cli::ManPage& page : cli::man_pages()) check_lines(page.name, page.text);
}

TEST_CASE("documentation speaks in the terms of the field", "[docs][style]") {
  namespace fs = std::filesystem;
  const fs::path root = tests::source_dir();
  for (const char* path : {"README.md", "CONTRIBUTING.md", "SECURITY.md", "skills/shapelint/SKILL.md"})
    check_lines(path, tests::read_source_file(path));
  for (const auto& entry : fs::recursive_directory_iterator(root / "docs")) {
    const std::string path = entry.path().lexically_relative(root).generic_string();
    // The style guide names what not to write; rules are checked above.
    const bool is_checked =
        path.ends_with(".md") && !path.ends_with("/style.md") && path.find("/rules/") == std::string::npos;
    if (is_checked) check_lines(path, tests::read_source_file(path));
  }
}

TEST_CASE("a rule's title is a fact of one line", "[rules][style]") {
  constexpr std::size_t longest = 110;
  constexpr double longest_on_average = 70;
  double sum = 0;
  for (const rules::Rule& rule : rules::builtin_rules().rules()) {
    const std::size_t length = printed_length(rule.message.value);
    INFO(rule.code << ": " << length);
    CHECK(length <= longest);
    sum += static_cast<double>(length);
  }
  CHECK(sum / static_cast<double>(rules::builtin_rules().rules().size()) <= longest_on_average);
}

TEST_CASE("a label at the value tells what it leads to", "[rules][style]") {
  constexpr std::size_t longest = 95;
  constexpr double longest_on_average = 65;
  double sum = 0;
  double labels = 0;
  for (const rules::Rule& rule : rules::builtin_rules().rules()) {
    if (rule.scope == rules::Scope::contract) continue;  // theirs is the contract's summary
    const std::size_t length = printed_length(rule.label.value);
    INFO(rule.code << ": " << length);
    CHECK(length > 0);
    CHECK(length <= longest);
    sum += static_cast<double>(length);
    ++labels;
  }
  CHECK(sum / labels <= longest_on_average);
}
