// A text, read as a file of that name.
#pragma once

#include <string>

#include "formats/read.hpp"
#include "tests/catch.hpp"

namespace shapelint::tests {

inline formats::ReadResult read_text(const std::string& path, const std::string& text) {
  text::MemoryFileSystem files;
  files.files[path] = text;
  return formats::read_any(files, path);
}

// The setup of a text that holds one model.
inline model::Setup one_setup(const std::string& path, const std::string& text) {
  const formats::ReadResult result = read_text(path, text);
  REQUIRE(result.readings.size() == 1);
  return result.readings.front().setup;
}

}  // namespace shapelint::tests
