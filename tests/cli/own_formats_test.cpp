// A user's own dialects, from a folder that the configuration names; model files; files of no dialect.
#include <string>

#include "tests/catch.hpp"
#include "tests/cli/run_support.hpp"
#include "text/files.hpp"

using namespace shapelint;

namespace {

text::MemoryFileSystem own_project() {
  text::MemoryFileSystem files;
  files.files["shapelint.toml"] = "format-folders = [\"dialects\"]\ngpu = \"a100\"\n";
  files.files["dialects/ours.toml"] = R"(
name = "ours"
title = "our own format"
source = "our wiki"
order = 1
syntax = ["yaml"]
[[recognise]]
has = ["net.breite", "net.tiefe"]
[[part]]
at = ["net"]
[fields]
hidden_size = "breite"
num_layers = "tiefe"
num_attention_heads = "koepfe"
vocab_size = { default = 32000 }
)";
  files.files["ours.yaml"] = "net: {breite: 4100, tiefe: 24, koepfe: 32}\n";
  return files;
}

}  // namespace

TEST_CASE("a user's own format is linted and shown") {
  const text::MemoryFileSystem files = own_project();
  const tests::Ran lint = tests::run({"ours.yaml", "--format", "concise"}, files);
  INFO(lint.out << lint.err);
  CHECK(lint.code == 1);
  CHECK(lint.out.find(
            "ours.yaml:1:40: error: `hidden_size` 4100 is not divisible by `num_attention_heads` 32") !=
        std::string::npos);
  const tests::Ran show = tests::run({"show", "ours.yaml"}, files);
  INFO(show.out << show.err);
  CHECK(show.out.find("ours.yaml: ours") != std::string::npos);
  CHECK(show.out.find("4100") != std::string::npos);
}

TEST_CASE("a mistake in a user's own format is shown at its place") {
  text::MemoryFileSystem files = own_project();
  files.files["dialects/ours.toml"] +=
      "num_layer = \"x\"\n[otherwise]\nvocab_size = { derive = \"hiden_size\" }\n";
  const tests::Ran ran = tests::run({"ours.yaml"}, files);
  INFO(ran.out << ran.err);
  CHECK(ran.code == 2);
  CHECK(ran.err.find("dialects/ours.toml: unknown name `hiden_size`") != std::string::npos);
  CHECK(ran.err.find("hiden_size") != std::string::npos);
}

TEST_CASE("an export that nothing reads is a mistake in a user's own format") {
  text::MemoryFileSystem files = own_project();
  files.files["dialects/ours.toml"] += "fixes_bach = { derive = \"1\" }\n";
  files.files["dialects/ours.toml"].insert(0, "exports = [\"fixes_bach\"]");
  const tests::Ran ran = tests::run({"ours.yaml"}, files);
  INFO(ran.out << ran.err);
  CHECK(ran.code == 2);
  CHECK(ran.err.find("dialects/ours.toml: nothing reads `fixes_bach` of exports") != std::string::npos);
  CHECK(ran.err.find("`fixes_batch`") != std::string::npos);
}

TEST_CASE("a file that is named and not understood is an error, unless such files are allowed") {
  text::MemoryFileSystem files;
  files.files["README.md"] = "# A project\n\nIt does things. Run `make --jobs 4`.\n";
  files.files["data.json"] = "{\"a\": [1, 2, 3]}";
  files.files["broken.yaml"] = "a: [1, 2\nb: }\n";
  files.files["notes.toml.txt"] = "x = = 3\n";
  files.files["library.bin"] = std::string(
      "\x7F"
      "ELF\0\0\0",
      7);
  for (const char* path : {"README.md", "data.json", "broken.yaml", "notes.toml.txt", "library.bin"}) {
    const tests::Ran ran = tests::run({path}, files);
    CAPTURE(path);
    INFO(ran.out << ran.err);
    CHECK(ran.code == 2);
    CHECK(ran.err.find("nothing in it was checked") != std::string::npos);
    const tests::Ran allowed = tests::run({path, "--allow-unrecognised", "--quiet"}, files);
    CHECK(allowed.code == 0);
    CHECK(allowed.err.empty());
    CHECK(tests::run({path, "--allow-unrecognised", "--verbose"}, files).err.find("note: ") !=
          std::string::npos);
  }
}
