// What names on a command line stand for: a file, a folder, a published model, a GPU.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "gpu/gpu.hpp"
#include "project/project.hpp"
#include "project/request.hpp"
#include "text/document.hpp"
#include "text/errors.hpp"
#include "text/files.hpp"

namespace shapelint::project {

// Which GPUs a caller asks for.

// Profiles of a user's own, one in each file. Errors: in reading them, and in what they say; nothing is
// returned then.
std::vector<text::Document> read_profiles(const text::FileSystem& files, std::span<const std::string> paths,
                                          std::vector<text::LocatedError>& errors);

// The GPUs that the request names, then those of its own profiles, each once. Empty when it asks for none.
// `profiles` are all that a name may mean apart from the built-in ones, with the request's own. Errors
// (unknown name, a number of SMs without exactly one GPU) are appended.
std::vector<gpu::Gpu> named_gpus(const GpuRequest& request, std::span<const text::Document> profiles,
                                 std::vector<Error>& errors);

// The default if none is named.
std::vector<gpu::Gpu> assumed_gpus();
// Leaves those that run the dtype and the recipe, or assumes a newer one: an unnamed GPU is no
// mistake of the file.
void assume_able_gpus(std::vector<gpu::Gpu>& assumed, DType dtype, Recipe recipe);

// The path to look at: `name` itself where it is a file or folder (or `-`), otherwise the config.json of the
// model that it names in the local Hugging Face cache (`meta-llama/Llama-3.1-8B`); where the cache has none,
// `name` again if it is in the table of published models. The error says where was looked. A name of no such
// form is given back: whoever opens it says that it is not there.
Result<std::string> path_named(const Project& project, const std::string& name);

// The same for who wants one file: of a folder its config.json, where it has one.
Result<std::string> file_named(const Project& project, const std::string& name);

// What stands there: the file's text or, where there is none, the published model of that name as a file that
// names it. The error for neither proposes a similar name.
Result<std::string> text_named(const Project& project, const std::string& path);

}  // namespace shapelint::project
