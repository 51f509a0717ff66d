// Files of which nothing was checked: a clean exit would say that it was.
#pragma once

#include <string>

#include "lint/file.hpp"
#include "text/files.hpp"

namespace shapelint::lint {

// Why nothing in the file was checked. `given`: its text, where it is no file. Where its syntax is broken,
// the place is read again.
text::LocatedError not_understood(const std::string& path, const FileOutcome& outcome,
                                  const Result<std::string>* given, const text::FileSystem& files);

// Whether a file that nobody named is a model's by its name (Hugging Face's config.json), and broken. Other
// files of a folder may be anything.
bool is_broken_model(const std::string& path, const FileOutcome& outcome, const Result<std::string>* given,
                     const text::FileSystem& files);

}  // namespace shapelint::lint
