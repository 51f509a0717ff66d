// Files of which nothing was checked: a clean exit would say that it was.
#pragma once

#include <string>

#include "lint/file.hpp"

namespace shapelint::lint {

// Why nothing in the file was checked, and where its syntax is broken.
text::LocatedError not_understood(const std::string& path, const FileOutcome& outcome);

// Whether a file that nobody named is a model's by its name (Hugging Face's config.json), and broken. Other
// files of a folder may be anything.
bool is_broken_model(const std::string& path, const FileOutcome& outcome);

}  // namespace shapelint::lint
