// Short cuts for tests that read the native format.
#pragma once

#include <string>
#include <string_view>

#include "formats/native/native.hpp"

namespace shapelint::tests {

// Reads a correct native text; fails the test with the errors otherwise.
formats::NativeFile native(std::string_view source);
// The same for a file below the repository's root.
formats::NativeFile native_file(const std::string& path);
// The setup of a model's tables, run as `run` says.
model::Setup setup_of(const std::string& model, const std::string& run = "sequence_length = 4096\n");
// One line per error: "line:column: message; hint".
std::string native_errors(std::string_view source);
std::string read_source_file(const std::string& path);

}  // namespace shapelint::tests
