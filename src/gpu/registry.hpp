// GPU profiles by name: the files of gpus/ compiled in, and a user's own.
#pragma once

#include <string_view>
#include <vector>

#include "base/error.hpp"
#include "gpu/gpu.hpp"
#include "text/document.hpp"

namespace shapelint::gpu {

// The profile with this id or alias (case, `-` and `_` do not matter). Error: did you mean.
Result<Gpu> find_gpu(std::string_view name_or_alias);

// All ids, in the order of the catalogue.
std::vector<std::string_view> gpu_ids();

// A profile from a file: everything stated in it, or `based_on = "h100"` and what differs. All errors found
// (unknown keys, wrong types, implausible figures) are appended to `errors`.
Gpu read_gpu(const text::Document& document, std::vector<Error>& errors);

}  // namespace shapelint::gpu
