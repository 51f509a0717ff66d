// Whether this build has AddressSanitizer, under which the same work takes about ten times as long, and what
// is freed stays in memory.
#pragma once

#if defined(__SANITIZE_ADDRESS__)
#define SHAPELINT_ADDRESS_SANITIZER 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define SHAPELINT_ADDRESS_SANITIZER 1
#endif
#endif

namespace shapelint {

#if defined(SHAPELINT_ADDRESS_SANITIZER)
inline constexpr bool has_address_sanitizer = true;
#else
inline constexpr bool has_address_sanitizer = false;
#endif

}  // namespace shapelint
