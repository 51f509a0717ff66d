// Reads a configuration of any known dialect, the native one included.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "catalog/known_models.hpp"
#include "formats/dialect/dialects.hpp"
#include "formats/native/native.hpp"
#include "model/reading.hpp"
#include "text/files.hpp"
#include "text/parse_any.hpp"

namespace shapelint::formats {

// The size of a symbolic dimension of an ONNX graph.
struct GraphDimension {
  std::string name;
  std::int64_t size = 0;
};

struct ReadOptions {
  std::vector<model::Override> overrides;
  std::vector<GraphDimension> dimensions;  // of graphs only
  // The hub folder of a local Hugging Face cache: where `base_model: org/name` is looked for. Empty: nowhere.
  std::string model_cache;
  std::span<const catalog::KnownModel>
      models;                  // a user's own, which go before the cache and the built-in table
  bool assume_native = false;  // a text of no known syntax or dialect is meant as a native file
  bool names_folders = true;  // a model may be named by a folder of the repository that holds its config.json
};

struct ReadResult {
  // A file of no known dialect is no error: a folder holds many others.
  bool recognised = false;
  std::string dialect;
  // One per model of the file; none when the file is of a known dialect but holds no model's shape.
  std::vector<model::Reading> readings;
  std::vector<Error> errors;
  // Why the file is not understood, or what was not understood in it.
  std::vector<model::Note> notes;
  // Likely mistakes in what is written, each place once.
  std::vector<model::Remark> remarks;
  // The table [lint] of a native file.
  LintOptions lint;
};

// The reference of the dialects in Markdown, from their data files.
std::string formats_markdown(const Dialects& dialects);

ReadResult read_any(const text::FileSystem& files, const std::string& path, const ReadOptions& options = {},
                    const Dialects& dialects = Dialects::builtin());

// A text that may be a configuration (of a model file: the listing, text::read_source), parsed for read() and
// all others who look at it; a graph in ONNX's format is none.
text::Source parse(std::string path, text::SharedText text, bool assume_native = false);

// The same as read_any for a text that is parsed already.
ReadResult read(const text::FileSystem& files, const text::Source& source, const ReadOptions& options,
                const Dialects& dialects);

// The same with the built-in dialects, which are not loaded for a file that is plainly a native one.
ReadResult read(const text::FileSystem& files, const text::Source& source, const ReadOptions& options = {});

// What has no decoding step is read as one forward pass over its input; `note` says why.
void read_in_one_pass(model::Reading& reading, std::string note);

}  // namespace shapelint::formats
