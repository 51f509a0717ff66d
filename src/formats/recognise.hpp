// Which dialect a configuration is written in, by its content.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/error.hpp"
#include "formats/dialect/dialects.hpp"
#include "formats/dialect/view.hpp"

namespace shapelint::formats {

// Whether the key is there as the test wants it.
bool holds(const View& view, const KeyTest& test);

// The first dialect (by `order`) for this syntax one of whose tests holds; nullptr when there is none.
const Dialect* recognise(const Dialects& dialects, const text::Document& document, std::string_view syntax);

// How far one test of a dialect holds for a file.
struct Match {
  const Dialect* dialect = nullptr;
  const Test* test = nullptr;
  std::vector<const KeyTest*> found;    // that are there, of `has` and `any`
  std::vector<const KeyTest*> missing;  // of `has`
  std::vector<const KeyTest*> open;     // of `any`, that are not there
  std::vector<const KeyTest*> against;  // of `lacks`, that are there
  std::int64_t more = 0;                // how many of `open` are wanted still
  bool file_fits = true;
  bool holds() const { return missing.empty() && against.empty() && more == 0 && file_fits; }
};

// For each dialect of this syntax with a key of the file, the test that is nearest to passing: those that
// hold in the order in which dialects are tried, then the rest by how much is missing.
std::vector<Match> nearest_dialects(const Dialects& dialects, const text::Document& document,
                                    std::string_view syntax);

// `model.d_model`, `model.name = mpt_*`, `flags (a table)`.
std::string written(const KeyTest& test);

// For a text that cannot be parsed: the dialect whose keys it seems to hold, or nullptr.
const Dialect* recognise_broken(const Dialects& dialects, std::string_view source, std::string_view path,
                                std::string_view syntax);

// Templates: texts that a program fills in before anything reads them as a configuration.

// What is to be filled in where a text cannot be parsed: a word of capitals in the place of a value
// (`GBSIZE`), or what opens a Jinja, Go or ERB expression on that line (`{{`, `{%`, `<%`). Empty: the text is
// no template there.
std::string_view placeholder_at(std::string_view source, Span problem);

}  // namespace shapelint::formats
