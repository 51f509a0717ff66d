// What must hold of every document that a reader accepts or refuses.
#pragma once

#include <rapidcheck.h>

#include <cstdint>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "text/document.hpp"

namespace shapelint::tests {

// Places of values, keys and errors lie within the text. Within a property of rapidcheck.
inline void assert_spans(const Result<std::vector<text::Document>>& documents, const std::string& text) {
  const auto size = static_cast<std::int64_t>(text.size());
  if (!documents) {
    if (documents.error().span) RC_ASSERT(documents.error().span->end <= size);
    return;
  }
  for (const text::Document& document : *documents) {
    for (const text::Node& node : document.nodes()) {
      RC_ASSERT(node.value_begin <= node.value_end);
      RC_ASSERT(node.value_end <= size);
      RC_ASSERT(node.use_begin <= node.use_end);
      RC_ASSERT(node.use_end <= size);
      RC_ASSERT(node.key_begin <= node.key_end);
      RC_ASSERT(node.key_end <= size);
    }
  }
}

}  // namespace shapelint::tests
