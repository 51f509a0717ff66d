// Fuzz target of text::parse_shell.
#include <cstddef>
#include <cstdint>
#include <string>

#include "tests/fuzz/check.hpp"
#include "text/shell/shell.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const shapelint::Budget budget(shapelint::fuzz::work, shapelint::fuzz::working_bytes);
  const std::string text(reinterpret_cast<const char*>(data), size);
  shapelint::fuzz::check(shapelint::text::parse_shell("input", text), size);
  return 0;
}
