// Texts that are shared.
#include "text/shared_text.hpp"

#include <mutex>
#include <optional>
#include <utility>

namespace shapelint::text {

struct SharedText::Shared {
  std::string text;
  std::once_flag is_placed;
  std::optional<Places> places;
};

SharedText::SharedText() {
  static const auto none = std::make_shared<Shared>();
  shared_ = none;
}

SharedText::SharedText(std::string text) : shared_(std::make_shared<Shared>()) {
  shared_->text = std::move(text);
}

const std::string& SharedText::str() const {
  return shared_->text;
}

const Places& SharedText::places() const {
  std::call_once(shared_->is_placed, [this] { shared_->places.emplace(shared_->text); });
  return *shared_->places;
}

}  // namespace shapelint::text
