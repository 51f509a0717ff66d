// Which GPUs a caller asks for.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "gpu/gpu.hpp"
#include "project/request.hpp"
#include "text/document.hpp"
#include "text/files.hpp"
#include "text/located_error.hpp"

namespace shapelint::project {

// Profiles of a user's own, one in each file. Errors: in reading them, and in what they say; nothing is
// returned then.
std::vector<text::Document> read_profiles(const text::FileSystem& files, std::span<const std::string> paths,
                                          std::vector<text::LocatedError>& errors);

// The GPUs that the request names, then those of its own profiles, each once. Empty when it asks for none.
// `profiles` are all that a name may mean besides the built-in ones, the request's own among them. Errors
// (unknown name, a number of SMs without exactly one GPU) are appended.
std::vector<gpu::Gpu> named_gpus(const GpuRequest& request, std::span<const text::Document> profiles,
                                 std::vector<Error>& errors);

// What is assumed when nobody names one.
std::vector<gpu::Gpu> assumed_gpus();

}  // namespace shapelint::project
