// What libyaml finds wrong with a text, in words for the person who wrote it.
#pragma once

#include <string>
#include <string_view>

namespace shapelint::text::yaml {

struct Explanation {
  std::string message;
  std::string hint;
  bool at_context = false;  // it is about what began earlier: a quote that is never closed
};

// Of a message of libyaml's; one that is not in the table stays as it is.
Explanation explain(std::string_view problem);

}  // namespace shapelint::text::yaml
