// The interface of the generated source that holds the data files.
#pragma once

#include <span>
#include <string_view>

#include "text/document.hpp"

namespace shapelint::catalog {

struct EmbeddedFolder {
  std::string_view path;
  std::span<const text::Document> (*documents)();  // made when first asked for
};

std::span<const EmbeddedFolder> embedded_folders();

}  // namespace shapelint::catalog
