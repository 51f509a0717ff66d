// A file, and what is understood of it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "shapelint/catalog.hpp"
#include "shapelint/common.hpp"
#include "shapelint/files.hpp"

namespace shapelint::api {

// A file by its path, or a text that is called by it: an editor's buffer, standard input.
struct Source {
  std::string path;
  std::optional<std::string> text{};
  // What the file was before a change: lint() then tells only what the change introduced. Texts that the
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

struct Value {
  std::string field;
  std::string text;         // as a native file states it: `4096`, `true`, `bf16`; empty when unknown
  std::int64_t number = 0;  // 0 or 1 of a boolean, the index of a choice
  Origin origin = Origin::unknown;
  std::string note;                  // derived: from what; defaulted: whose default
  std::string path;                  // stated: in this file, which may be another one (inheritance)
  std::string key_path;              // stated: as the file calls it
  std::optional<Range> range{};      // stated: the value
  std::optional<Range> key_range{};  // stated: its key
};

struct Note {
  std::string message;
  std::string path;
  std::string key_path;
  std::optional<Range> range{};
};

// One model of a file. A file may hold several (a text and a vision part).
struct Model {
  std::string name;
  std::string path;
  std::string dialect;                 // `native`, `huggingface` …
  std::string type;                    // as the file calls it: `llama`
  std::string part;                    // which of several: `text`, `vision`
  bool complete = false;               // enough is known to cost it
  std::vector<Value> values;           // one for each of fields(), in its order
  std::int64_t parameters = 0;         // of all ranks; 0 unless complete
  std::int64_t active_parameters = 0;  // that take part in one token's forward pass
  std::vector<Note> notes;             // what was not understood, or had to be decided
};

struct ReadResult {
  bool recognised = false;  // a configuration of a known dialect; it may still hold no model
  std::vector<Model> models;
  std::vector<Note> notes;    // why it is not understood, or what in it was not
  std::vector<Error> errors;  // whatever else is in here is then not to be relied on
};

// Codes of errors: not-found, too-large, unreadable, invalid-file, invalid-config, invalid-option. A file
// that is not recognised is none.
SHAPELINT_API ReadResult read(const FileSystem& files, const Source& source, const ReadOptions& options = {});

}  // namespace shapelint::api
