// A package of contracts of a test's own.
#include "tests/contracts/own_book_support.hpp"

#include <vector>

#include "tests/catch.hpp"
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

}  // namespace shapelint::test
