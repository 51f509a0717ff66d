// A package of contracts of a test's own.
#include "tests/contracts/own_book_support.hpp"

#include <utility>
#include <vector>

#include "formats/read.hpp"
#include "tests/catch.hpp"
#include "text/files.hpp"
#include "text/toml/toml.hpp"

namespace shapelint::test {

contracts::Book book_of(const std::string& contracts) {
  const std::string package = R"([package]
name = "ours"
repository = "us/ours"
version = "1.0"
commit = "0123abc"
date = "2026-01-01"
)";
  std::vector<Error> errors;
  auto document = text::parse_toml("ours.toml", package + contracts);
  REQUIRE(document);
  contracts::Book book({&*document, 1}, true, errors);
  for (const Error& each : errors) FAIL_CHECK(each.message);
  return book;
}

model::Reading read_config(const std::string& config) {
  const text::MemoryFileSystem files;
  formats::ReadResult file = formats::read(files, formats::parse("model.toml", config, true));
  for (const Error& each : file.errors) UNSCOPED_INFO(each.message << "; " << each.hint);
  REQUIRE(file.readings.size() == 1);
  return std::move(file.readings.front());
}

}  // namespace shapelint::test
