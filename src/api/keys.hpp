// The keys that files of a framework may hold, for editors.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <shapelint/shapelint.hpp>

namespace shapelint::api {

struct DialectKey {
  std::vector<std::string> table;  // the keys around it, from the root of the file on
  std::string name;
  Field field;  // that it becomes
};

// Those that a built-in dialect reads as a field, each once; none of a dialect that is not known. Keys of
// which several make one value, or whose place depends on others, are left out.
std::vector<DialectKey> dialect_keys(std::string_view dialect);

}  // namespace shapelint::api
