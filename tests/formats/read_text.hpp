// A text, read as a file of that name.
#pragma once

#include <string>

#include "formats/read.hpp"

namespace shapelint::tests {

inline formats::ReadResult read_text(const std::string& path, const std::string& text) {
  text::MemoryFileSystem files;
  files.files[path] = text;
  return formats::read_any(files, path);
}

}  // namespace shapelint::tests
