// The files that profilers write, and the profile that their name of a device is of.
#pragma once

#include <istream>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "base/error.hpp"
#include "text/document.hpp"
#include "text/files.hpp"
#include "trace/stream.hpp"
#include "trace/trace.hpp"

namespace shapelint::trace {

// Whichever it is, by its first bytes. `in`: what `-` reads. Memory does not grow with the file but with the
// kernels, launches and operators in it.
Result<Trace> read_trace(const text::FileSystem& files, const std::string& path, std::istream& in,
                         const ProgressCallback& on_progress = {});

// Chrome's trace events in JSON, as PyTorch writes them.
Result<Trace> read_chrome(const std::string& path, ByteSource& source);
// What `nsys export --type sqlite` writes; `path` is absolute.
Result<Trace> read_nsight(const std::string& path, const std::string& shown,
                          const ProgressCallback& on_progress);

// "NVIDIA H100 80GB HBM3" → the id of the profile; nothing when none is called so.
std::optional<std::string> gpu_of(std::string_view device, std::span<const text::Document> own = {});

}  // namespace shapelint::trace
