// Whatever is done to a file, it is read or refused with messages that point into it.
#include <rapidcheck.h>

#include <string>
#include <vector>

#include "formats/native/native.hpp"
#include "model/lower/lower.hpp"
#include "tests/catch.hpp"
#include "tests/formats/native/native_support.hpp"
#include "text/toml/toml.hpp"

using namespace shapelint;

namespace {

void check_error(const Error& error, const std::string& source) {
  RC_ASSERT(!error.message.empty());
  RC_ASSERT(error.message.back() != '.');
  RC_ASSERT(error.path == "model.toml");
  RC_ASSERT(error.span.has_value());
  RC_ASSERT(error.span->begin >= 0);
  RC_ASSERT(error.span->begin <= error.span->end);
  RC_ASSERT(error.span->end <= static_cast<std::int64_t>(source.size()));
}

void check_source(const std::string& source) {
  const auto document = text::parse_toml("model.toml", source);
  if (!document) return check_error(document.error(), source);
  std::vector<Error> errors;
  const auto file = formats::read_native(*document, errors);
  RC_ASSERT(file.has_value() == errors.empty());
  for (const Error& error : errors) check_error(error, source);
  if (file) RC_ASSERT(model::lower(file->readings[0].setup).model_flops >= 0);
}

// A few edits of the kind that hands and merges make.
std::string damaged(std::string source) {
  const std::vector<std::string> pieces{"",     "0",   "-1",      "99999999999999999999",     "1.5", "nan",
                                        "true", "\"",  "[model]", "[[conv]]\nimage = 3",      "=",   "\n",
                                        "{}",   "[1]", "[lint]",  "x = { y = [ { z = 1 } ] }"};
  const int edits = *rc::gen::inRange(1, 5);
  for (int i = 0; i < edits; ++i) {
    const std::size_t at = *rc::gen::inRange<std::size_t>(0, source.size() + 1);
    const std::size_t length = *rc::gen::inRange<std::size_t>(0, 12);
    source.replace(at, std::min(length, source.size() - at), *rc::gen::elementOf(pieces));
  }
  return source;
}

// A document in which any value may have any type.
std::string scrambled() {
  static const std::vector<std::string> values{"1",    "2",    "64",        "-3",     "0",        "1e3",
                                               "true", "\"\"", "\"flash\"", "[1, 2]", "{ a = 1}", "4194304"};
  std::string source;
  for (const std::string_view section : {"model", "model.moe", "model.mla", "model.mixer", "model.window",
                                         "model.indexer", "run", "parallel"}) {
    if (*rc::gen::inRange(0, 4) == 0) continue;
    source.append("[").append(section).append("]\n");
    for (const model::FieldInfo& field : model::fields()) {
      if (field.section != section || *rc::gen::inRange(0, 3) == 0) continue;
      source.append(field.key).append(" = ").append(*rc::gen::elementOf(values)).append("\n");
    }
  }
  return source;
}

}  // namespace

TEST_CASE("damaged files are refused at a place, or read and lowered", "[native]") {
  for (const char* name : {"gpt3-2.7b", "deepseek-v3", "mixtral-8x7b"}) {
    const std::string source = tests::read_source_file(std::string("examples/") + name + ".toml");
    CHECK(rc::check(name, [&] { check_source(damaged(source)); }));
  }
  CHECK(rc::check("any types", [] { check_source(scrambled()); }));
}
