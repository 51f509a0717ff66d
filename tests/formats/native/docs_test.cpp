// docs/reference/native-format.md is generated.
#include "formats/native/native.hpp"
#include "tests/catch.hpp"
#include "tests/golden.hpp"

TEST_CASE("docs/reference/native-format.md is what the table of fields says", "[native]") {
  const std::string difference = shapelint::tests::compare_with_file(
      "docs/reference/native-format.md", shapelint::formats::native_format_markdown());
  CHECK(difference == "");
}
