// Bytes for characters: libyaml counts these.
#pragma once

#include <cstddef>
#include <string_view>

namespace shapelint::text::yaml {

// Characters of a UTF-8 text from byte `begin` on. It walks from the place that was asked for last, so
// questions roughly in order cost little.
class Offsets {
 public:
  Offsets(std::string_view text, std::size_t begin) : text_(text), at_(begin) {}

  // The byte at which a character begins; the end of the text for one past it.
  std::size_t of(std::size_t character) {
    for (; character_ < character && at_ < text_.size(); ++character_) {
      do ++at_;
      while (continues());
    }
    for (; character_ > character; --character_) {
      do --at_;
      while (continues());
    }
    return at_;
  }

 private:
  bool continues() const {
    return at_ < text_.size() && (static_cast<unsigned char>(text_[at_]) & 0xC0U) == 0x80U;
  }
  std::string_view text_;
  std::size_t at_;
  std::size_t character_ = 0;
};

}  // namespace shapelint::text::yaml
