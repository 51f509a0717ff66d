// A file, as read.
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
  bool allow_outside = false;  // a configuration may name paths outside of its repository
  std::string
      model_cache{};  // hub folder of a Hugging Face cache, where a base model is looked for; or empty
  bool assume_native = false;  // read an unrecognized text as a native file
};

// Origin of a value: none, the file, the caller or the configuration, other fields, or a default.
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
  of.type("Value", "A field's value and its origin.");
  of("value", &Value::value, "", When::or_null);
  of("origin", &Value::origin,
     "unknown; stated: in the file; given: by the caller or the configuration; derived: from other fields; "
     "default: of the framework or of shapelint");
  of("note", &Value::note, "derived: the source field; default: the framework", When::unless_empty);
  of("path", &Value::path, "stated: the file, which may be an inherited one", When::unless_empty);
  of("key_path", &Value::key_path, "stated: key in the file", When::unless_empty);
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
  of.type("Note", "A part of a file that was not understood, or a decision made.");
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
  of.type("Model", "One model of a file, as read.");
  of("id", &Model::id, "path and part: `config.json#text`; other objects refer to it");
  of("name", &Model::name, "");
  of("path", &Model::path, "of its file");
  of("part", &Model::part, "one of several: `text`, `vision`", When::unless_empty);
  of("dialect", &Model::dialect, "config format: `native`, `huggingface` …");
  of("type", &Model::type, "model type in the file: `llama`", When::unless_empty);
  of("complete", &Model::complete, "enough fields are known to price it");
  of("parameters", &Model::parameters, "of the whole model", When::or_null);
  of("active_parameters", &Model::active_parameters, "used in one token's forward pass", When::or_null);
  of.keyed("fields", &Model::values, &Value::field, "by name, if requested", When::unless_empty);
  of("notes", &Model::notes, "parts that were not understood, and decisions made");
}

struct ReadResult {
  bool recognised = false;
  std::vector<Model> models;
  std::vector<Note> notes;
  std::vector<Error> errors;
};
template <class Visitor>
void describe(Visitor& of, const ReadResult*) {
  of.type("ReadResult", "A file, as read.");
  of("recognised", &ReadResult::recognised, "the config format is known; the file may still hold no model");
  of("models", &ReadResult::models, "");
  of("notes", &ReadResult::notes, "why it is not understood, or which parts are not");
  of("problems", &ReadResult::errors, "if there are any, the rest is unreliable");
}

// Codes of errors: not-found, too-large, unreadable, invalid-file, invalid-config, invalid-option. A file
// that is not recognised is none.
SHAPELINT_API ReadResult read(const FileSystem& files, const Source& source, const ReadOptions& options = {});

}  // namespace shapelint::api
