// The address that the build was given.
#include "base/home.hpp"

namespace shapelint {

std::string_view home() {
  constexpr std::string_view address = SHAPELINT_HOME;
  static_assert(address.empty() || address.ends_with('/'), "SHAPELINT_HOME must end with a slash");
  return address;
}

}  // namespace shapelint
