// What the tests of launch scripts share.
#pragma once

#include <string>

#include "tests/text/text_support.hpp"
#include "text/shell/shell.hpp"

namespace shapelint::text {

// The flags of each command line, with the branches it depends on.
inline std::string flags(const std::string& source) {
  const auto documents = parse_shell("run.sh", source);
  if (!documents) return outline(documents.error(), source);
  std::string all;
  for (const Document& document : *documents) {
    if (!all.empty()) all += " | ";
    const NodeRef branches = document.root()["branches"];
    if (branches.size() > 0) all += outline(branches) + " ";
    all += outline(document.root()["flags"]);
  }
  return all;
}

}  // namespace shapelint::text
