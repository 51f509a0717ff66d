// docs/contributing/gpu.md is true: its examples load.
#include <fstream>
#include <sstream>
#include <string>

#include "gpu/registry.hpp"
#include "tests/catch.hpp"
#include "tests/source_dir.hpp"
#include "text/toml/toml.hpp"

using namespace shapelint;
using namespace shapelint::gpu;

namespace {

std::string page() {
  std::ifstream file(tests::source_dir() + "/docs/contributing/gpu.md");
  std::ostringstream out;
  out << file.rdbuf();
  return out.str();
}

}  // namespace

TEST_CASE("the examples in docs/contributing/gpu.md load without an error") {
  const std::string text = page();
  const std::string opening = "```toml\n";
  int examples = 0;
  for (std::size_t at = text.find(opening); at != std::string::npos; at = text.find(opening, at + 1)) {
    const std::size_t begin = at + opening.size();
    const auto document =
        text::parse_toml("example.toml", text.substr(begin, text.find("```", begin) - begin));
    REQUIRE(document);
    std::vector<Error> errors;
    read_gpu(*document, errors);
    for (const Error& error : errors) UNSCOPED_INFO(error.message);
    CHECK(errors.empty());
    ++examples;
  }
  CHECK(examples == 2);
}
