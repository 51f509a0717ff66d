// A text that trees, errors and reports hold together, without copies of it.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "text/source.hpp"

namespace shapelint::text {

// Never changes. Reads as a string wherever one is looked at.
class SharedText {
 public:
  SharedText();
  SharedText(std::string text);                                    // NOLINT: implicit by design
  SharedText(const char* text) : SharedText(std::string(text)) {}  // NOLINT

  const std::string& str() const;
  operator const std::string&() const { return str(); }  // NOLINT
  operator std::string_view() const { return str(); }    // NOLINT
  bool empty() const { return str().empty(); }
  std::size_t size() const { return str().size(); }
  // Lines and columns in it, worked out when they are first asked for.
  const Places& places() const;

 private:
  struct Shared;
  std::shared_ptr<Shared> shared_;
};

}  // namespace shapelint::text
