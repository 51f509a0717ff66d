// How many mistakes of one file are told.
#include "text/errors.hpp"

#include "tests/catch.hpp"

using namespace shapelint;

TEST_CASE("of a hundred mistakes each is told, of more the others are counted") {
  std::vector<Error> errors;
  for (int i = 0; i < 100; ++i) errors.push_back({"unknown key", "", "a.toml", Span{i, i + 1}});
  text::summarize_rest(errors);
  CHECK(errors.size() == 100);
  for (int i = 0; i < 1234; ++i) errors.push_back({"unknown key", "", "a.toml", Span{i, i + 1}});
  errors.push_back({"unknown key", "", "b.toml", Span{7, 8}});
  text::summarize_rest(errors);
  REQUIRE(errors.size() == 102);
  CHECK((errors[99].span == Span{99, 100}));
  CHECK(errors[100].path == "b.toml");
  CHECK(errors[101].message == "1,234 more errors are not listed");
  CHECK(errors[101].path == "a.toml");
  CHECK_FALSE(errors[101].span);
  // Once more, with what was found since.
  text::summarize_rest(errors);
  CHECK(errors.size() == 102);
}

TEST_CASE("errors about one text share it") {
  std::vector<text::LocatedError> errors;
  const text::SharedText source(std::string(1000, 'x'));
  for (int i = 0; i < 200; ++i) errors.push_back({{"unknown key", "", "a.toml", Span{i, i + 1}}, source});
  text::summarize_rest(errors);
  REQUIRE(errors.size() == 101);
  CHECK(&errors[0].source.str() == &source.str());
  CHECK(&errors[99].source.str() == &source.str());
}
