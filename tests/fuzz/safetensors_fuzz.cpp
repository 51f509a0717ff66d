// Fuzz target of text::safetensors_listing, and of the listing's way through the reader.
#include <cstddef>
#include <cstdint>
#include <string>

#include "tests/fuzz/check.hpp"
#include "text/header/model_header.hpp"
#include "text/parse_any.hpp"

namespace {

using namespace shapelint;

void check_listing(const std::string& bytes) {
  const auto listing = text::safetensors_listing("input", bytes, static_cast<std::int64_t>(bytes.size()));
  if (!listing) {
    fuzz::check(listing.error(), bytes.size());
    return;
  }
  fuzz::require(text::listing_of(*listing) == text::ModelFile::safetensors);
  const auto documents = text::parse_any("input", *listing);
  fuzz::require(static_cast<bool>(documents));
  fuzz::check(documents, listing->size());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string bytes(reinterpret_cast<const char*>(data), size);
  check_listing(bytes);
  // The same as a header of the right length, which mutations seldom hit.
  std::string whole;
  for (unsigned shift = 0; shift < 64; shift += 8) whole += static_cast<char>(size >> shift & 0xFFU);
  check_listing(whole + bytes);
  return 0;
}
