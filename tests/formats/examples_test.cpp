// The examples that the dialects' files give.
#include <algorithm>
#include <string>

#include "formats/read.hpp"
#include "tests/catch.hpp"
#include "text/files.hpp"

using namespace shapelint;

TEST_CASE("each dialect's example is of that dialect", "[formats]") {
  std::size_t read = 0;
  std::size_t with_models = 0;
  for (const formats::Dialect* listed : formats::Dialects::builtin().all()) {
    const formats::Dialect& dialect = *listed;
    INFO(dialect.name);
    // Headers of model files are no text that a person writes.
    const bool is_text =
        std::none_of(dialect.syntax.begin(), dialect.syntax.end(),
                     [](const std::string& each) { return each == "gguf" || each == "safetensors"; });
    if (!is_text) continue;
    CHECK_FALSE(dialect.example.file.empty());
    text::MemoryFileSystem files;
    const std::string path = "/project/" + dialect.example.file;
    files.files[path] = dialect.example.text;
    const formats::ReadResult result = formats::read_any(files, path);
    CHECK(result.errors.empty());
    // Command lines that a file holds are of the dialects of what they start.
    if (dialect.commands.empty())
      CHECK(result.dialect == dialect.name);
    else
      CHECK_FALSE(result.readings.empty());
    ++read;
    with_models += result.readings.empty() ? 0 : 1;
  }
  CHECK(read >= 40);
  // An index of shards, and a registry whose models are elsewhere, hold none.
  CHECK(with_models + 3 >= read);
}
