// What applies to one file, from all who have a say in it.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/budget.hpp"
#include "base/dtype.hpp"
#include "base/error.hpp"
#include "contracts/stack.hpp"
#include "formats/native/native.hpp"
#include "formats/read.hpp"
#include "gpu/gpu.hpp"
#include "model/reading.hpp"
#include "project/project.hpp"
#include "rules/book/select.hpp"
#include "rules/finding.hpp"
#include "text/files.hpp"

namespace shapelint::project {

// Default shape policy by type of file.

// Whether files of weights are in the same folder: what a file there says of the shape is what they were
// trained with.
bool lies_beside_weights(const std::string& path, const text::FileSystem& files);

struct ShapeChoice {
  rules::Shape shape = rules::Shape::free;
  std::string because;  // why it is taken as that; empty: somebody said so, or it is free
};

// As somebody asked for. Else free for who names a dimension of the model to vary (`names_shape`); fixed
// where the model is trained already: it is served (prefill, decode), is named by its Hub name or by a
// framework's preset of it, adapters are trained on it, it is in a file
// of weights, or in a config.json that equals a published model or lies next to weights. Other files, which
// say what to train, leave it free.
ShapeChoice shape_of(std::optional<rules::Shape> asked, const model::Reading& reading,
                     const text::FileSystem& files, bool names_shape = false);

// "shape taken as fixed: ...", and how to free it; empty if there is nothing to say.
std::string shape_note(const ShapeChoice& choice);

// The error about a file whose account is spent, with what it ended in.
Error too_costly(const Budget& budget, const text::Source& source);

// Reads a file's text with the dialects, overrides and model cache that apply to it. `assume_native`: a text
// of no known dialect is meant as a native file.
formats::ReadResult read_model(const Configured& configured, const text::Source& source,
                               const text::FileSystem& files, bool assume_native = false);

// Who chose the GPUs.
enum class GpusFrom : std::uint8_t { request, file, configuration, assumption };

// In each: the request, then the file's [lint] table, then the configuration, then the defaults.
struct Applied {
  rules::Options rules;
  rules::Severity fail_level = rules::Severity::warning;
  bool min_severity_stated = false;   // somebody asked for what `rules` has: it holds for programs, too
  std::optional<rules::Shape> shape;  // what somebody asked for; else shape_of() decides for each model
  std::vector<std::string> stack;     // packages with contracts, or `auto`, `none`; empty: not stated
  std::vector<gpu::Gpu> gpus;
  GpusFrom gpus_from = GpusFrom::assumption;
  // Named GPUs that remove_unsupported_gpus() left out although naming them is no error.
  std::vector<std::string> left_out;  // ids
};

// `stated` is the file's [lint] table; names in it that do not exist are appended to `errors`.
Applied what_applies(const Configured& configured, const std::string& path,
                     const formats::LintOptions& stated, std::vector<Error>& errors);

// Takes away the GPUs that have no unit for the number format and returns them, where that is a mistake:
// somebody named them, or no other is left.
std::vector<gpu::Gpu> remove_unsupported_gpus(Applied& applied, DType dtype);
// The same for the model's own format; GPUs that unpack a checkpoint's weights are no mistake, and are left
// out next to those that multiply them.
std::vector<gpu::Gpu> remove_unsupported_gpus(Applied& applied, const model::Reading& reading);

// Whether the number format is that of a checkpoint's weights, which an engine may unpack.
bool stores_packed(const model::Reading& reading);

// The packages that a file's model is run with.

// The packages that are asked about a file.
struct AskedStack {
  contracts::Stack stack;                 // empty: none is known
  const contracts::Book* book = nullptr;  // in which it is looked up; lives as long as the project
  // No stack was named, and the file's format is of one package: its refusals count, and steps are priced
  // as they are written. Only the contracts of that package are read.
  bool is_implied = false;
};
// What the file's own format says: a script of Megatron-LM runs Megatron-core.
AskedStack stack_of_format(const Configured& configured, const model::Reading& reading);

// That the model was read in; null where the file is of no framework.
const formats::Dialect* dialect_of(const Configured& configured, const model::Reading& reading);

// What applies to the file (Applied::stack), with `auto` looked up: what its format says, and what the
// requirements.txt, pyproject.toml or uv.lock in its folder name. A version that is given goes before one
// that is found. Empty for `none`.
contracts::Stack stack_of(const Configured& configured, std::span<const std::string> applied,
                          const model::Reading& reading, const text::FileSystem& files);

// That, or without a named stack that of the format.
AskedStack asked_stack(const Configured& configured, std::span<const std::string> applied,
                       const model::Reading& reading, const text::FileSystem& files);

}  // namespace shapelint::project
