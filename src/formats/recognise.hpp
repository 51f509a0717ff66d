// Which dialect a configuration is written in, by its content.
#pragma once

#include <span>
#include <string_view>

#include "formats/dialect/dialect.hpp"
#include "formats/dialect/view.hpp"

namespace shapelint::formats {

// Whether the key is there as the test wants it.
bool holds(const View& view, const KeyTest& test);

// The first dialect (by `order`) for this syntax one of whose tests holds; nullptr when there is none.
const Dialect* recognise(std::span<const Dialect> dialects, const text::Document& document,
                         std::string_view syntax);

// For a text that cannot be parsed: the dialect whose keys it seems to hold, or nullptr.
const Dialect* recognise_broken(std::span<const Dialect> dialects, std::string_view source,
                                std::string_view path, std::string_view syntax);

}  // namespace shapelint::formats
