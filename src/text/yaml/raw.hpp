// Between the two halves of the YAML reader: the file as it is written, aliases and merge keys not followed.
#pragma once

#include <string>
#include <vector>

#include "base/error.hpp"
#include "text/document.hpp"

namespace shapelint::text::yaml {

struct RawNode {
  enum class Kind : std::uint8_t { table, list, scalar, alias };
  Kind kind = Kind::scalar;
  bool plain = true;  // a scalar without quotes: its text decides its type (none: a null)
  Span span;
  std::string text;                // scalar
  std::string tag;                 // as written, `!include`; empty when there is none
  std::size_t target = 0;          // alias: the node at the anchor
  std::vector<std::size_t> items;  // list: its items; table: key, value, key, value …
};

// Node 0 is the root. Follows aliases and merge keys, and types the scalars.
Result<Document> build(const std::string& path, const SharedText& source, const std::vector<RawNode>& nodes);

}  // namespace shapelint::text::yaml
