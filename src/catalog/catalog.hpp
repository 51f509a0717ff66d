// The data files that are compiled into the binary, as documents that need no parsing.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "base/error.hpp"
#include "text/document.hpp"
#include "text/files.hpp"

namespace shapelint::catalog {

// Documents of one folder of data (`gpus`, `gpus/architectures`, `rules`, `formats`), sorted by path.
std::span<const text::Document> builtin(std::string_view folder);

// A user's own files: every *.toml directly in `folder`. Errors are appended.
std::vector<text::Document> load(const text::FileSystem& files, const std::string& folder,
                                 std::vector<Error>& errors);

// What the generated source defines, which holds the data files.

struct EmbeddedFolder {
  std::string_view path;
  std::span<const text::Document> (*documents)();  // made when first asked for
};

std::span<const EmbeddedFolder> embedded_folders();

}  // namespace shapelint::catalog
