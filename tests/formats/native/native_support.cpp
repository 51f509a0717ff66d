// Short cuts for tests that read the native format.
#include "tests/formats/native/native_support.hpp"

#include <fstream>
#include <sstream>
#include <vector>

#include "tests/catch.hpp"
#include "tests/source_dir.hpp"
#include "text/source.hpp"
#include "text/toml/toml.hpp"

namespace shapelint::tests {

namespace {

std::string listed(std::string_view source, const std::vector<Error>& errors) {
  std::string out;
  for (const Error& error : errors) {
    if (error.span) {
      const text::Place place = text::place_of(source, error.span->begin);
      out += std::to_string(place.line) + ":" + std::to_string(place.column) + ": ";
    }
    out += error.message;
    if (!error.hint.empty()) out += "; " + error.hint;
    out += "\n";
  }
  return out;
}

}  // namespace

formats::NativeFile native(std::string_view source) {
  const auto document = text::parse_toml("model.toml", std::string(source));
  if (!document) FAIL(listed(source, {document.error()}));
  std::vector<Error> errors;
  auto file = formats::read_native(*document, errors);
  if (!file) FAIL(listed(source, errors));
  return std::move(*file);
}

formats::NativeFile native_file(const std::string& path) {
  INFO(path);
  return native(read_source_file(path));
}

model::Setup setup_of(const std::string& model, const std::string& run) {
  return native("[run]\n" + run + model).readings[0].setup;
}

std::string native_errors(std::string_view source) {
  const auto document = text::parse_toml("model.toml", std::string(source));
  if (!document) return listed(source, {document.error()});
  std::vector<Error> errors;
  const auto file = formats::read_native(*document, errors);
  CHECK(file.has_value() == errors.empty());
  return listed(source, errors);
}

std::string read_source_file(const std::string& path) {
  std::ifstream in(tests::source_dir() + "/" + path, std::ios::binary);
  INFO(path);
  REQUIRE(in.good());
  std::ostringstream out;
  out << in.rdbuf();
  return out.str();
}

}  // namespace shapelint::tests
