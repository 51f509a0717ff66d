// Where the values of a hydra file stand: packages, written with dots or slashes.
#pragma once

#include <optional>
#include <string_view>

#include "formats/dialect/view.hpp"
#include "text/document.hpp"

namespace shapelint::formats {

// `model/encoder` or `model.encoder` below `mount`.
Place place_of(std::string_view dotted, Place mount);

// What `# @package model.encoder` in the first lines of a file says; nothing where there is no such line.
std::optional<Place> package_of(const text::Document& document, const Place& group);

}  // namespace shapelint::formats
