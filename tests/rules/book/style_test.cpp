// What people read is in the field's terms, and titles are short.
#include <algorithm>
#include <filesystem>
#include <regex>
#include <sstream>
#include <string>
#include <string_view>

#include "base/counted.hpp"
#include "base/number.hpp"
#include "cli/help.hpp"
#include "contracts/book.hpp"
#include "model/fields.hpp"
#include "objects/types.hpp"
#include "project/data_files.hpp"
#include "rules/book/compiled.hpp"
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
    "shares weights",
    "shares its states",
    "holds as many",
    "have as many experts",
    "takes as many samples",
    "serves as many",
    "no part of the",
    "for the money",
    "system has not",
    "serves as many",
    "stops at any other",
    "has not come",
    "what keeps",
    "over micro-batches and",
    "tokens per second and GPU",
    "behind the program",
    "which no trace",
    "config.json will do",
    "numbers that are none",
    "TFLOPS",
    "cached text",
    "chunks per stage",
    "share its experts",
    "heads out",
    "twice over",
    "recalled",
    "left to another shell",
    "grows in a loop",
    "takes them out",
    "as have room",
    "busy server",
    "no comma may follow",
    "text is too long",
    "costed:",
    "also fixes this",
    "falls back at",
    "interconnect joins",
    "come on top",
    "operators without kernels of",
    "hardly any",
    "are told",
    "is told",
    "taken for one",
    "stays, with the reason",
    "has no price",
    "{} priced",
    "kernel launch overhead",
};

// Of "X is no Y" what English says so: comparisons, and what exists.
constexpr std::string_view compared[] = {"longer", "faster", "slower", "more",  "less",
                                         "larger", "better", "later",  "fewer", "newer"};

// "X is no Y" for "X is not a Y"; empty: none.
std::string negated_noun(const std::string& text) {
  static const std::regex pattern("\\b([A-Za-z]+) (?:is|are|was|were) no ([a-z]+)");
  for (std::sregex_iterator each(text.begin(), text.end(), pattern), end; each != end; ++each) {
    const std::string subject = (*each)[1].str();
    const std::string object = (*each)[2].str();
    const bool exists = subject == "there" || subject == "There";
    if (!exists && std::find(std::begin(compared), std::end(compared), object) == std::end(compared))
      return each->str();
  }
  return {};
}

// A clause that begins with a German "als" or ends with a possessive without its noun: "as SL601, but for …",
// "a head of its own".
std::string literal_german(const std::string& text) {
  static const std::regex pattern(
      "(?:^|[.\"] )As [a-z-]+ \\(SL[0-9]+\\)|\\bof (?:its|their) own(?=[.,;:)\"]|$)");
  std::smatch found;
  return std::regex_search(text, found, pattern) ? found.str() : std::string();
}

// Lines for people: of a number the unit and what it is a share of, and terms for sizes.
std::string unclear_number(const std::string& line) {
  static const std::regex patterns[] = {
      std::regex("[0-9] % less$"),
      std::regex("plus [0-9.,]+ GiB reserve"),
      std::regex("heads of [0-9]"),
      std::regex("MLPs? of [0-9]"),
      std::regex("(?:the )?rest idle [0-9.]+ %$"),
      std::regex("[0-9] GiB of KV cache, (?:at most|about) [0-9.,]+ GiB are left"),
      std::regex("^ *(?:= )?cost: [0-9.]+ (?:± [0-9.]+ )?%(?! of the step| per token| per GPU and token|,)"),
  };
  std::smatch found;
  for (const std::regex& pattern : patterns) {
    if (std::regex_search(line, found, pattern)) return found.str();
  }
  return {};
}

// What the names of rules have a term for.
constexpr std::string_view old_names[] = {"product", "contract", "chunks",  "mixture", "without-units",
                                          "costed",  "plan-",    "answers", "refused", "mlp-width"};

void check_words(std::string_view name, std::string_view text) {
  for (const std::string_view phrase : paraphrases) {
    INFO(name << ": " << text);
    CHECK(text.find(phrase) == std::string_view::npos);
  }
  INFO(name << ": " << text);
  CHECK(negated_noun(std::string(text)) == "");
  CHECK(literal_german(std::string(text)) == "");
}

// The same of each line of a long text.
void check_lines(std::string_view name, std::string_view text) {
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    check_words(name, text.substr(begin, end - begin));
    begin = end + 1;
  }
}

// A message with what `number` gives in place of each placeholder, and with the nouns that follow these.
std::string filled(std::string_view message, bool is_one, std::string_view number) {
  std::string out;
  for (std::size_t i = 0; i < message.size(); ++i) {
    if (message[i] != '{') {
      out += message[i];
      continue;
    }
    const std::size_t end = message.find('}', i);
    const std::string_view inside = message.substr(i + 1, end - i - 1);
    const std::size_t format = inside.rfind(':');
    const std::string_view of = format == std::string_view::npos ? "" : inside.substr(format + 1);
    const auto words = rules::message_words();
    const bool is_number = std::find(words.begin(), words.end(), inside) == words.end() &&
                           (of.empty() || of == "commas" || of.starts_with("plural "));
    out += is_number ? number : "x.xx%";
    if (of.starts_with("plural "))
      out += ' ' + in_number(is_one, of.substr(std::string_view("plural ").size()));
    i = end;
  }
  return out;
}

// Characters of a message as it is printed, with 5 for each placeholder.
std::size_t printed_length(std::string_view message) {
  return filled(message, false, "12345").size();
}

// The first plural that follows a 1, and what is around it; empty: none.
std::string plural_of_one(const std::string& text) {
  if (text.find("1 ") == std::string::npos) return {};
  static const std::regex pattern(
      "(^|[^0-9A-Za-z.,/=_-])1 ((query|attention|value|key|linear-attention "
      "key|KV|input|output|pipeline|routing|more|further) )?("
      "tokens|sequences|requests|layers|stages|heads|experts|groups|ranks|GPUs|nodes|replicas|micro-batches|"
      "layouts|plans|shapes|rows|columns|tiles|waves|elements|bytes|kernels|GEMMs|images|samples|channels|"
      "filters|files|findings|errors|warnings|infos|rules|requirements|combinations|points|steps|others|"
      "models|"
      "numbers|embeddings|positions|rounds|FMAs|fields|sizes|lines|pairs|versions|operations|values|"
      "parameters)"
      "\\b");
  std::smatch found;
  if (!std::regex_search(text, found, pattern)) return {};
  const std::string before = found.prefix().str();
  // p - 1 micro-batches, and the exit codes of the program.
  if (before.ends_with('-') || before.starts_with("Exit code")) return {};
  return before.substr(before.size() - std::min<std::size_t>(before.size(), 40)) + found.str();
}

}  // namespace

TEST_CASE("rules speak in the terms of the field", "[rules][style]") {
  for (const rules::Rule& rule : rules::builtin_rules().rules()) {
    for (const std::string_view text :
         {std::string_view(rule.message.value), std::string_view(rule.message_without_time.value),
          std::string_view(rule.label.value), rule.summary, rule.mechanism, rule.why})
      check_words(rule.code, text);
  }
}

TEST_CASE("rules are called in the terms of the field", "[rules][style]") {
  for (const rules::Rule& rule : rules::builtin_rules().rules()) {
    INFO(rule.name);
    for (const std::string_view word : old_names) CHECK(rule.name.find(word) == std::string_view::npos);
  }
}

TEST_CASE("a count of one has a singular noun in every rule", "[rules][style]") {
  for (const rules::Rule& rule : rules::builtin_rules().rules()) {
    for (const std::string_view text :
         {std::string_view(rule.message.value), std::string_view(rule.label.value),
          std::string_view(rule.brief.value)}) {
      INFO(rule.code);
      CHECK(plural_of_one(filled(text, true, "1")) == "");
    }
  }
}

TEST_CASE("counts, guesses and changes are written one way in everything that is printed",
          "[golden][style]") {
  namespace fs = std::filesystem;
  const fs::path root = tests::source_dir();
  std::size_t lines = 0;
  for (const char* folder :
       {"tests/golden", "tests/formats/fixtures", "docs/reference/rules", "docs/tutorial", "docs/how-to"}) {
    for (const auto& entry : fs::recursive_directory_iterator(root / folder)) {
      const std::string path = entry.path().lexically_relative(root).generic_string();
      const bool is_output = path.ends_with(".out") || path.ends_with(".expected") || path.ends_with(".md") ||
                             path.starts_with("tests/golden/formats/");
      if (!entry.is_regular_file() || !is_output || path.ends_with("/variables.md")) continue;
      std::istringstream text(tests::read_source_file(path));
      for (std::string line; std::getline(text, line); ++lines) {
        INFO(path << ": " << line);
        CHECK(plural_of_one(line) == "");
        // A guess is a question, and a change has one arrow.
        if (const std::size_t guess = line.find("did you mean `"); guess != std::string::npos)
          CHECK(line.find("`?", guess) != std::string::npos);
        CHECK(negated_noun(line) == "");
        if (!path.starts_with("docs/")) CHECK(unclear_number(line) == "");
        if (!path.ends_with(".out")) continue;
        CHECK(line.find(" -> ") == std::string::npos);
        const bool is_text =
            line.find_first_of("{},\"") == std::string::npos;  // JSON and CSV have the API's names
        if (is_text) CHECK(line.find("refused") == std::string::npos);
      }
    }
  }
  CHECK(lines > 20'000);
}

TEST_CASE("notes of data files speak in the terms of the field", "[formats][gpus][style]") {
  namespace fs = std::filesystem;
  const fs::path root = tests::source_dir();
  const std::regex note("\\bnotes? = \"((?:[^\"\\\\]|\\\\.)*)\"");
  std::size_t notes = 0;
  for (const char* folder : {"formats", "gpus"}) {
    for (const auto& entry : fs::recursive_directory_iterator(root / folder)) {
      if (entry.path().extension() != ".toml") continue;
      const std::string path = entry.path().lexically_relative(root).generic_string();
      std::istringstream text(tests::read_source_file(path));
      for (std::string line; std::getline(text, line);) {
        if (line.starts_with("#")) continue;
        for (std::sregex_iterator each(line.begin(), line.end(), note), end; each != end; ++each, ++notes)
          check_words(path, (*each)[1].str());
      }
    }
  }
  CHECK(notes > 1'000);
}

TEST_CASE("the texts in the sources speak in the terms of the field", "[style]") {
  namespace fs = std::filesystem;
  const fs::path root = tests::source_dir();
  const std::regex literal("\"((?:[^\"\\\\]|\\\\.)*)\"");
  for (const char* folder : {"src", "include"}) {
    for (const auto& entry : fs::recursive_directory_iterator(root / folder)) {
      const std::string path = entry.path().lexically_relative(root).generic_string();
      if (!path.ends_with(".cpp") && !path.ends_with(".hpp")) continue;
      std::istringstream text(tests::read_source_file(path));
      for (std::string line; std::getline(text, line);) {
        const std::size_t begin = line.find_first_not_of(' ');
        const bool is_code = begin != std::string::npos && line.compare(begin, 2, "//") != 0;
        if (!is_code || line.find('"') == std::string::npos) continue;
        for (std::sregex_iterator each(line.begin(), line.end(), literal), end; each != end; ++each)
          check_words(path, (*each)[1].str());
      }
    }
  }
}

// A line of a table is read alone, so its subject is in it.
TEST_CASE("keys of data files are described by whole phrases", "[docs][style]") {
  const std::regex row("^\\| `[^`]+`(?: \\(required\\))? \\| [^|]+ \\| (.*) \\|$");
  const std::regex fragment(
      "^(?:of|that|its|it|before|after|as|instead|only|replaced|whatever|the same)\\b|^\\[");
  std::istringstream page(project::data_files_page());
  std::size_t rows = 0;
  for (std::string line; std::getline(page, line);) {
    std::smatch found;
    if (!std::regex_match(line, found, row)) continue;
    ++rows;
    const std::string doc = found[1].str();
    INFO(line);
    CHECK(!doc.empty());
    CHECK(!std::regex_search(doc, fragment));
  }
  CHECK(rows > 200);
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
