// What a name on a command line stands for: a file, a folder, or a published model.
#pragma once

#include <string>

#include "base/error.hpp"
#include "project/project.hpp"

namespace shapelint::project {

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
