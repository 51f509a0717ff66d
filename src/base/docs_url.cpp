// The address that the build was given.
#include "base/docs_url.hpp"

namespace shapelint {

std::string_view docs_url() {
  constexpr std::string_view address = SHAPELINT_HOME;
  static_assert(address.empty() || address.ends_with('/'), "SHAPELINT_HOME must end with a slash");
  return address;
}

}  // namespace shapelint
