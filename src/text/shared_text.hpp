// A text that trees, errors and reports hold together, without copies of it.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <utility>

namespace shapelint::text {

// Never changes. Reads as a string wherever one is looked at.
class SharedText {
 public:
  SharedText() = default;
  SharedText(std::string text) : text_(std::make_shared<const std::string>(std::move(text))) {}  // NOLINT
  SharedText(const char* text) : SharedText(std::string(text)) {}                                // NOLINT

  const std::string& str() const {
    static const std::string none;
    return text_ == nullptr ? none : *text_;
  }
  operator const std::string&() const { return str(); }  // NOLINT: implicit by design
  operator std::string_view() const { return str(); }    // NOLINT
  bool empty() const { return str().empty(); }
  std::size_t size() const { return str().size(); }

 private:
  std::shared_ptr<const std::string> text_;
};

}  // namespace shapelint::text
