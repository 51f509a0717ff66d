// A file, and what is understood of it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "shapelint/catalog.hpp"
#include "shapelint/common.hpp"
#include "shapelint/files.hpp"

namespace shapelint::api {

// A file by its path, or a text that is called by it: an editor's buffer, standard input.
struct Source {
  std::string path;
  std::optional<std::string> text{};
  // What the file was before a change: lint() then reports only what the change introduced. Texts that the
  // others inherit from may have one, too. Not for folders.
  std::optional<std::string> base{};
};

// The size of a symbolic dimension of an ONNX graph.
struct Dimension {
  std::string name;
  std::int64_t size = 0;
};

struct ReadOptions {
  std::vector<Setting> settings{};
  std::vector<Dimension> dimensions{};
  std::string config{};        // path of the linter's configuration; empty: the closest to the file
  bool isolated = false;       // no configuration
  bool allow_outside = false;  // what a configuration names may lie outside of its repository
  std::string
      model_cache{};  // hub folder of a Hugging Face cache, where a base model is looked for; or empty
  bool assume_native = false;  // a text that is not recognised is meant as a native file
};

// Where a value came from: nobody gave it, the file, the caller or the configuration, other fields, or
// somebody's default.
enum class Origin : std::uint8_t { unknown, stated, given, derived, defaulted };
SHAPELINT_API std::string_view name(Origin origin);  // `default` of defaulted
constexpr std::string_view type_name(Origin) {
  return "Origin";
}
constexpr Origin last_of(Origin) {
  return Origin::defaulted;
}

struct Value {
  std::string field;
  std::optional<Scalar> value{};
  Origin origin = Origin::unknown;
  std::string note;
  std::string path;
  std::string key_path;
  std::optional<Range> range{};
  std::optional<Range> key_range{};
};
template <class Visitor>
void describe(Visitor& of, const Value*) {
  of.type("Value", "A field's value, and where it comes from.");
  of("value", &Value::value, "", When::or_null);
  of("origin", &Value::origin,
     "unknown: nobody gave it; stated: the file; given: the caller or the configuration; derived: other "
     "fields; "
     "default: somebody's default");
  of("note", &Value::note, "derived: from what; default: whose", When::unless_empty);
  of("path", &Value::path, "stated: in this file, which may be another one (inheritance)",
     When::unless_empty);
  of("key_path", &Value::key_path, "stated: as the file calls it", When::unless_empty);
  of("range", &Value::range, "stated: the value");
  of("key_range", &Value::key_range, "stated: its key");
}

struct Note {
  std::string message;
  std::string path;
  std::string key_path;
  std::optional<Range> range{};
};
template <class Visitor>
void describe(Visitor& of, const Note*) {
  of.type("Note", "Something in a file that was not understood, or had to be decided.");
  of("message", &Note::message, "");
  of("path", &Note::path, "of the file", When::unless_empty);
  of("key_path", &Note::key_path, "", When::unless_empty);
  of("range", &Note::range, "");
}

// One model of a file. A file may hold several (a text and a vision part).
struct Model {
  std::string id;
  std::string name;
  std::string path;
  std::string part;
  std::string dialect;
  std::string type;
  bool complete = false;
  std::int64_t parameters = 0;
  std::int64_t active_parameters = 0;
  std::vector<Value> values;  // one for each of fields(), in its order
  std::vector<Note> notes;
};
template <class Visitor>
void describe(Visitor& of, const Model*) {
  of.type("Model", "One model of a file, as it is understood.");
  of("id", &Model::id, "path and part: `config.json#text`; what other objects call it by");
  of("name", &Model::name, "");
  of("path", &Model::path, "of its file");
  of("part", &Model::part, "which of several: `text`, `vision`", When::unless_empty);
  of("dialect", &Model::dialect, "`native`, `huggingface` …");
  of("type", &Model::type, "as the file calls it: `llama`", When::unless_empty);
  of("complete", &Model::complete, "enough is known to cost it");
  of("parameters", &Model::parameters, "of all ranks together", When::or_null);
  of("active_parameters", &Model::active_parameters, "that take part in one token's forward pass",
     When::or_null);
  of.keyed("fields", &Model::values, &Value::field, "by name, where they are asked for", When::unless_empty);
  of("notes", &Model::notes, "what was not understood, or had to be decided");
}

struct ReadResult {
  bool recognised = false;
  std::vector<Model> models;
  std::vector<Note> notes;
  std::vector<Error> errors;
};
template <class Visitor>
void describe(Visitor& of, const ReadResult*) {
  of.type("ReadResult", "What is understood of a file.");
  of("recognised", &ReadResult::recognised, "a configuration of a known dialect; it may still hold no model");
  of("models", &ReadResult::models, "");
  of("notes", &ReadResult::notes, "why it is not understood, or what in it was not");
  of("problems", &ReadResult::errors, "whatever else is in here is then not to be relied on");
}

// Codes of errors: not-found, too-large, unreadable, invalid-file, invalid-config, invalid-option. A file
// that is not recognised is none.
SHAPELINT_API ReadResult read(const FileSystem& files, const Source& source, const ReadOptions& options = {});

}  // namespace shapelint::api
