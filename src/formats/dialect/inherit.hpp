// The files that a configuration builds on, and where hydra puts their values.
#pragma once

#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "formats/dialect/dialect.hpp"
#include "formats/dialect/view.hpp"
#include "model/reading.hpp"
#include "text/document.hpp"
#include "text/files.hpp"

namespace shapelint::formats {

// A file and those that it inherits from, as one. `documents` owns what `view` looks at.
struct AssembledConfig {
  explicit AssembledConfig(bool flags) : view(flags) {}
  std::deque<text::Document> documents;
  View view;
  std::vector<model::Note> notes;  // files that are named but not there (also in `view`), cycles, limits
};

// Follows `extends`, hydra's `defaults`, `base_config` and `!include` from `document` to files that exist in
// the same repository (see ancestors()), each once, to a limited depth and number.
AssembledConfig assemble(const text::FileSystem& files, const Dialect& dialect,
                         const text::Document& document);

// Packages of hydra's files, written with dots or slashes.

// `model/encoder` or `model.encoder` below `mount`.
Place place_of(std::string_view dotted, Place mount);

// What `# @package model.encoder` in the first lines of a file says; nothing where there is no such line.
std::optional<Place> package_of(const text::Document& document, const Place& group);

}  // namespace shapelint::formats
