// What applies to one file, from all who have a say in it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/budget.hpp"
#include "base/dtype.hpp"
#include "base/error.hpp"
#include "formats/native/native.hpp"
#include "formats/read.hpp"
#include "gpu/gpu.hpp"
#include "project/project.hpp"
#include "rules/book/select.hpp"
#include "rules/finding.hpp"
#include "text/files.hpp"

namespace shapelint::project {

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
  std::vector<std::string> stack;     // packages with contracts, or `auto`, `none`; empty: nobody said
  std::vector<gpu::Gpu> gpus;
  GpusFrom gpus_from = GpusFrom::assumption;
  // Of those that somebody named, what take_unable() left out though it is no mistake.
  std::vector<std::string> left_out;  // ids
};

// `stated` is the file's [lint] table; names in it that do not exist are appended to `errors`.
Applied what_applies(const Configured& configured, const std::string& path,
                     const formats::LintOptions& stated, std::vector<Error>& errors);

// Takes away the GPUs that have no unit for the number format and returns them, where that is a mistake:
// somebody named them, or no other is left.
std::vector<gpu::Gpu> take_unable(Applied& applied, DType dtype);
// The same for the model's own format; GPUs that unpack a checkpoint's weights are no mistake, and are left
// out beside those that multiply them.
std::vector<gpu::Gpu> take_unable(Applied& applied, const model::Reading& reading);

// Whether the number format is that of a checkpoint's weights, which an engine may unpack.
bool stores_packed(const model::Reading& reading);

}  // namespace shapelint::project
