// Strings as JSON and TOML write them.
#include "base/strings.hpp"

#include "tests/catch.hpp"

using shapelint::quoted;

TEST_CASE("a string is written with the escapes that JSON and TOML share") {
  CHECK(quoted("") == R"("")");
  CHECK(quoted("gpt-3 2.7B") == R"("gpt-3 2.7B")");
  CHECK(quoted(R"(a "b" c:\d)") == R"("a \"b\" c:\\d")");
  CHECK(quoted("line\nend\x7f") == R"("line\u000aend\u007f")");
  CHECK(quoted("Größe") == R"("Größe")");
}
