// Texts over files, which nothing goes through.
#include "text/files.hpp"

#include "tests/catch.hpp"

using namespace shapelint;

TEST_CASE("a text lies over the file of that path, however it is spelled, until it is taken away") {
  text::MemoryFileSystem below;
  below.files["c/a.toml"] = "below";
  text::OverlayFileSystem files(below);
  CHECK(files.read("c/a.toml", 100).value() == "below");
  files.put("c/../c/a.toml", "above");
  files.put("new.toml", "new");
  CHECK(files.read("c/a.toml", 100).value() == "above");
  CHECK(files.read("/project/c/./a.toml", 100).value() == "above");
  CHECK(files.exists("./new.toml"));
  std::int64_t size = 0;
  CHECK(files.read_start("c/a.toml", 2, size).value() == "ab");
  CHECK(size == 5);
  CHECK_FALSE(files.write("c/a.toml", "through"));
  files.take_away("./c/a.toml");
  CHECK(files.read("c/a.toml", 100).value() == "below");
  CHECK(below.files.size() == 1);
}
