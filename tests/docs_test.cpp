// What is written from tables or from real runs is fresh; UPDATE_GOLDEN=1 writes it anew.
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "cli/help.hpp"
#include "tests/catch.hpp"
#include "tests/cli/run_support.hpp"
#include "tests/golden.hpp"

using shapelint::tests::compare_with_file;
using shapelint::tests::transcript;

namespace {

std::string content(const std::string& path) {
  std::ifstream file(std::string(SHAPELINT_SOURCE_DIR) + "/" + path, std::ios::binary);
  std::ostringstream out;
  out << file.rdbuf();
  return out.str();
}

// The text with what stands in each ```-block after `<!-- output of: ARGS -->` replaced by the real output of
// `shapelint ARGS`.
std::string with_real_outputs(const std::string& text) {
  const std::string marker = "<!-- output of: ";
  std::string out;
  std::size_t at = 0;
  for (std::size_t begin = text.find(marker); begin != std::string::npos; begin = text.find(marker, at)) {
    const std::size_t args = begin + marker.size();
    const std::size_t args_end = text.find(" -->", args);
    const std::size_t block = text.find("```", args_end);
    const std::size_t body = text.find('\n', block) + 1;
    const std::size_t body_end = text.find("```", body);
    REQUIRE(body_end != std::string::npos);
    std::string shown = transcript("shapelint " + text.substr(args, args_end - args));
    shown.erase(0, shown.find('\n') + 1);  // the command line
    shown.erase(shown.rfind("--- exit"));  // and the exit code
    out += text.substr(at, body - at) + shown;
    at = body_end;
  }
  return out + text.substr(at);
}

// The cells of the only row of a Markdown table that begins so.
std::vector<std::string> cells(const std::string& text, const std::string& begin) {
  const std::size_t at = text.find("\n" + begin);
  REQUIRE(at != std::string::npos);
  REQUIRE(text.find("\n" + begin, at + 1) == std::string::npos);
  std::istringstream row(text.substr(at + 1, text.find('\n', at + 1) - at - 1));
  std::vector<std::string> out;
  for (std::string cell; std::getline(row, cell, '|');) {
    const std::size_t first = cell.find_first_not_of(' ');
    out.push_back(first == std::string::npos ? ""
                                             : cell.substr(first, cell.find_last_not_of(' ') - first + 1));
  }
  return out;
}

// The README's table of errors, from docs/accuracy.md and docs/roofline.md.
std::string accuracy_table() {
  const std::string accuracy = content("docs/accuracy.md");
  const std::string roofline = content("docs/roofline.md");
  std::string out = "| mean error of | on | how many | shapelint | roofline |\n|---|---|---|---|---|\n";
  const auto products = [&](const char* gpu, const char* row) {
    const auto found =
        cells(accuracy, row);  // "", file and GPU, slice, rows, MAPE, median, p90, bias, roofline
    out += fmt::format("| matrix products | {} | {} | {} | {} |\n", gpu, found[3], found[4], found[8]);
  };
  products("A100, bf16", "| a100_sxm-bf16 a100-sxm4-80gb bf16 | all |");
  products("H100, bf16", "| h100_sxm-bf16 h100-sxm5 bf16 | all |");
  products("B200, bf16", "| b200_sxm-bf16 b200 bf16 | all |");
  const auto runs = [&](const char* gpus, const char* row) {
    const auto found = cells(roofline, row);  // "", runs, GPU, how many, error, bias, roofline
    out +=
        fmt::format("| published training runs | {} | {} | {} | {} |\n", gpus, found[3], found[4], found[6]);
  };
  runs("8 x A100", "| all of these | a100 |");
  runs("8 x H100, software of today", "| runs on software of today | h100 |");
  runs("8 x H100, all", "| all of these | h100 |");
  return out;
}

}  // namespace

TEST_CASE("the README's errors are those of the reports that it refers to", "[docs]") {
  const std::string readme = content("README.md");
  const std::size_t begin = readme.find("| mean error of |");
  const std::size_t end = readme.find("\n\n", begin);
  REQUIRE(end != std::string::npos);
  const std::string difference =
      compare_with_file("README.md", readme.substr(0, begin) + accuracy_table() + readme.substr(end + 1));
  if (!difference.empty()) FAIL_CHECK(difference);
}

TEST_CASE("the man page is what the tables of commands and options say", "[docs]") {
  const std::string difference = compare_with_file("man/shapelint.1", shapelint::cli::man_page());
  if (!difference.empty()) FAIL_CHECK(difference);
}

TEST_CASE("the output that the README shows is real", "[docs]") {
  const std::string difference = compare_with_file("README.md", with_real_outputs(content("README.md")));
  if (!difference.empty()) FAIL_CHECK(difference);
}

TEST_CASE("the output that docs/roofline.md shows is real", "[docs]") {
  const std::string difference =
      compare_with_file("docs/roofline.md", with_real_outputs(content("docs/roofline.md")));
  if (!difference.empty()) FAIL_CHECK(difference);
}

TEST_CASE("the output that docs/cnn.md shows is real", "[docs]") {
  const std::string difference = compare_with_file("docs/cnn.md", with_real_outputs(content("docs/cnn.md")));
  if (!difference.empty()) FAIL_CHECK(difference);
}

TEST_CASE("the model that the README describes can be linted as it stands", "[docs]") {
  const std::string readme = content("README.md");
  const std::size_t begin = readme.find("```toml\n") + 8;
  shapelint::text::MemoryFileSystem files;
  files.files["my-model.toml"] = readme.substr(begin, readme.find("```", begin) - begin);
  const auto ran = shapelint::tests::run({"my-model.toml", "--gpu", "h100"}, files);
  CHECK(ran.err.empty());
  CHECK(ran.code != 2);
  CHECK(shapelint::tests::run({"my-model.toml", "--gpu", "h100", "--tensor", "4"}, files).code != 2);
}
