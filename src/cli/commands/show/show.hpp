// `shapelint show`: what was understood of a file.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "cli/io.hpp"
#include "cli/option.hpp"
#include "cli/project_options.hpp"
#include "formats/read.hpp"
#include "model/op.hpp"
#include "model/reading.hpp"
#include "report/style.hpp"
#include "text/files.hpp"
#include "text/source.hpp"

namespace shapelint::cli {

struct ShowOptions {
  std::vector<std::string> files;
  std::size_t format = 0;
  bool ops = false;
  bool fields_only = false;
  bool verbose = false;
  bool why = false;
  ProjectOptions project;
};

std::vector<Option> show_options(ShowOptions& options);
ExitCode show(const ShowOptions& options, Io& io);

// Lines and columns; a file is read again, once, when the first of its places is asked for.
class Places {
 public:
  explicit Places(const text::FileSystem& files) : files_(files) {}
  // Standard input cannot be read again.
  void remember(const std::string& path, std::string source) { sources_[path] = std::move(source); }
  text::Place of(const std::string& path, Span span);

 private:
  const text::FileSystem& files_;
  std::map<std::string, text::SharedText> sources_;
};

std::string_view kind_name(model::Origin::Kind kind);
// Where a field's value comes from, for whoever reads it: micro-batches that follow from a global batch stand
// nowhere, though the key that says them does.
model::Origin::Kind shown_kind(const model::Reading& reading, model::FieldId field);
// `4096`, `yes`, `bf16`; `?` when it is unknown.
std::string field_text(const model::Reading& reading, model::FieldId field);

struct PerRank {
  std::string_view name;
  std::string_view from;  // the fields that it follows from
  std::int64_t value = 0;
};
// What one rank holds of the widths that tensor parallelism cuts, rounded up, and the rows of the embedding.
std::vector<PerRank> per_rank(const model::Reading& reading);

// `8192 x 4096 x 4096` for a product, heads and lengths for attention, bytes for the rest.
std::string op_text(const model::Op& op);

struct ShownFile {
  std::string path;
  text::SharedText text;
  formats::ReadResult result;
  std::vector<std::string> gpus;  // ids of those that the file or its configuration names
  std::string gpus_from;
};

// The model as its list of layers, and the fields that are not at shapelint's default, all if `verbose`.
std::string show_text(const model::Reading& reading, const ShowOptions& options, Places& places,
                      const report::Style& style);
// Which dialect the file is written in and why; otherwise which are nearest, what they miss, and the file's
// keys, all of them if `verbose`.
std::string why_text(const text::Source& source, const formats::Dialects& dialects, bool verbose,
                     const report::Style& style);
std::string show_json(const std::vector<ShownFile>& files, bool fields_only, const Io& io);

}  // namespace shapelint::cli
