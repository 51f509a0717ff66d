// What is written from tables or from real runs is fresh; UPDATE_GOLDEN=1 writes it anew.
#include <fstream>
#include <sstream>
#include <string>

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

}  // namespace

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
