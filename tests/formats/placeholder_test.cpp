// Templates among the files of a repository.
#include "formats/recognise.hpp"

#include <string>

#include "formats/read.hpp"
#include "tests/catch.hpp"
#include "text/files.hpp"

using namespace shapelint;

namespace {

// The note or the error that a text gives.
std::string said(const std::string& path, const std::string& text) {
  text::MemoryFileSystem files;
  files.files[path] = text;
  const formats::ReadResult result = formats::read_any(files, path, {}, formats::Dialects::builtin());
  if (!result.errors.empty()) return "error: " + result.errors.front().message;
  return result.notes.empty() ? "" : "note: " + result.notes.front().message;
}

}  // namespace

TEST_CASE("templates: what is to be filled in is no mistake") {
  CHECK(said("ds_config.json",
             "{\"train_batch_size\": GBSIZE, \"zero_optimization\": {}, \"bf16\": {}, \"fp16\": {}}") ==
        "note: the file is a template: `GBSIZE` must be filled in first");
  CHECK(said("config.json",
             "{\"hidden_size\": {{ width }}, \"num_attention_heads\": 32, \"num_hidden_layers\": 32}") ==
        "note: the file is a template: `{{` must be filled in first");
  CHECK(said("values.yaml",
             "hidden_size: 4096\n{% if deep %}\nnum_hidden_layers: 32\n{% endif %}\nnum_attention_heads: "
             "32\n") == "note: the file is a template: `{%` must be filled in first");
}

TEST_CASE("templates: a word of Python's and a forgotten comma are mistakes") {
  const std::string rest =
      "\"model_type\": \"llama\", \"num_attention_heads\": 32, \"num_hidden_layers\": 32}";
  CHECK(said("config.json", "{\"hidden_size\": 4096, \"tie_word_embeddings\": True, " + rest) ==
        "error: not valid JSON: `True` is not a value");
  CHECK(said("config.json", "{\"hidden_size\": NAN, " + rest) ==
        "error: not valid JSON: `NAN` is not a value");
  CHECK(said("config.json", "{\"hidden_size\": 4096 " + rest).starts_with("error: not valid JSON"));
}

TEST_CASE("templates: what stands at a place") {
  CHECK(formats::placeholder_at("", {}).empty());
  CHECK(formats::placeholder_at("a: ZERO_STAGE", {4, 5}) == "ZERO_STAGE");
  // What a shell fills in, but only where it is what cannot be read.
  CHECK(formats::placeholder_at("{\"stage\": ${zero_stage}}", {10, 11}) == "${");
  CHECK(formats::placeholder_at("a: ${b}\nc: ]", {11, 12}).empty());
  CHECK(formats::placeholder_at("{{ a }}\nb: ]", {11, 12}).empty());
  CHECK(formats::placeholder_at("a: <% b %>\n", {11, 11}) == "<%");
}
