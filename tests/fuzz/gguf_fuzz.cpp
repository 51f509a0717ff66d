// Fuzz target of text::gguf_listing, and of the listing's way through the reader.
#include <cstddef>
#include <cstdint>
#include <string>

#include "tests/fuzz/check.hpp"
#include "text/header/model_header.hpp"
#include "text/parse_any.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace shapelint;
  const std::string bytes(reinterpret_cast<const char*>(data), size);
  // As a whole file, and as the beginning of a larger one.
  for (const std::int64_t file_bytes :
       {static_cast<std::int64_t>(size), static_cast<std::int64_t>(size) + 1}) {
    const auto listing = text::gguf_listing("input", bytes, file_bytes);
    if (!listing) {
      fuzz::check(listing.error(), size);
      continue;
    }
    fuzz::require(text::listing_of(*listing) == text::ModelFile::gguf);
    const auto documents = text::parse_any("input", *listing);
    fuzz::require(static_cast<bool>(documents));
    fuzz::check(documents, listing->size());
  }
  return 0;
}
