// Internal to the public face: a source, read with what applies to it.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <shapelint/shapelint.hpp>

#include "api/files.hpp"
#include "contracts/stack.hpp"
#include "formats/read.hpp"
#include "model/fields.hpp"
#include "objects/convert.hpp"
#include "project/project.hpp"

namespace shapelint::api {

// What a caller asks for, as the rooms take it. Errors are appended.
project::Request request_of(const ReadOptions& read, const GpuSelection& gpus, const text::FileSystem& files,
                            std::vector<Error>& errors);

// The value of a field as it is written: a choice's index, a boolean as 0 or 1. Else what was expected.
std::optional<std::int64_t> parse_value(const model::FieldInfo& field, std::string_view text,
                                        std::string& expected);

// What proposals may be: `shape` and `head_multiple` of the options, as they are written in them.
void limit_proposals(project::Request& request, std::optional<Shape> shape,
                     std::optional<std::int64_t> head_multiple, std::vector<Error>& errors);

// A single file, read. With errors the rest is not to be used.
struct Loaded {
  explicit Loaded(const FileSystem& outer) : files(outer), sources(&files) {}
  InnerFiles files;
  Sources sources;
  std::string path;
  std::string text;
  std::unique_ptr<const project::Project> project;
  const project::Configured* configured = nullptr;
  formats::ReadResult result;
  std::vector<Error> errors;
};
std::unique_ptr<Loaded> load(const FileSystem& files, const Source& source, const ReadOptions& read,
                             const GpuSelection& gpus, std::optional<Shape> shape = std::nullopt,
                             std::optional<std::int64_t> head_multiple = std::nullopt);

// What of it can be priced, and on which GPUs. Errors, among those of `loaded` as well: no model, GPUs that
// do not exist or cannot multiply the model's number format, missing fields.
struct Priceable {
  std::vector<const model::Reading*> readings;
  std::vector<contracts::Stack> stacks;  // by reading; empty without one
  std::vector<gpu::Gpu> gpus;
  rules::ShapePolicy policy;          // without the shape
  std::optional<rules::Shape> shape;  // that the configuration asks for
  std::vector<Error> errors;
};
Priceable priceable_models(const Loaded& loaded);

// The one of that part or name; the first unless it is named. Null with an error where there is none.
const model::Reading* choose_model(const Priceable& priceable, std::string_view name, const std::string& path,
                                   std::vector<Error>& errors);

// A number for each GPU of the run; `otherwise` for those that are not named.
std::vector<double> by_gpu(const std::map<std::string, double>& numbers, std::string_view what,
                           const std::vector<gpu::Gpu>& gpus, double otherwise, std::vector<Error>& errors);

}  // namespace shapelint::api
