// From bytes to Documents, whichever syntax they are written in.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/error.hpp"
#include "text/document.hpp"
#include "text/toml.hpp"

namespace shapelint::formats {

// "json", "yaml", "toml", "shell", "python", "gguf", "safetensors", or empty when the text is none of them.
// The file's ending only chooses the reader; a file without a known one is told by how it begins.
std::string_view syntax_of(std::string_view path, std::string_view source);

// One document, except for YAML, where a file may hold several.
Result<std::vector<text::Document>> parse(const std::string& path, std::string source,
                                          std::string_view syntax);

}  // namespace shapelint::formats
