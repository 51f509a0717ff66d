// Lines and columns of a text.
#include "text/source.hpp"

#include <algorithm>
#include <mutex>
#include <optional>
#include <utility>

#include "base/strings.hpp"

namespace shapelint::text {

namespace {

constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF";

std::size_t clamped(std::string_view text, std::int64_t offset) {
  return static_cast<std::size_t>(
      std::clamp<std::int64_t>(offset, 0, static_cast<std::int64_t>(text.size())));
}

std::size_t line_begin(std::string_view text, std::size_t at) {
  const std::size_t newline = at == 0 ? std::string_view::npos : text.rfind('\n', at - 1);
  const std::size_t begin = newline == std::string_view::npos ? 0 : newline + 1;
  return begin == 0 && text.starts_with(byte_order_mark) ? std::min(at, byte_order_mark.size()) : begin;
}

}  // namespace

Place place_of(std::string_view text, std::int64_t offset) {
  const std::size_t at = clamped(text, offset);
  const std::size_t begin = line_begin(text, at);
  Place place;
  place.line = 1 + std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(begin), '\n');
  for (std::size_t i = begin; i < at; ++i) place.column += is_continuation(text[i]) ? 0 : 1;
  return place;
}

std::string_view line_at(std::string_view text, std::int64_t offset) {
  const std::size_t at = clamped(text, offset);
  const std::size_t begin = line_begin(text, at);
  std::string_view line = text.substr(begin, text.find('\n', at) - begin);
  if (line.ends_with('\r')) line.remove_suffix(1);
  return line;
}

std::int64_t offset_of(std::string_view text, Place place) {
  std::size_t at = 0;
  for (std::int64_t line = 1; line < place.line; ++line) {
    const std::size_t newline = text.find('\n', at);
    if (newline == std::string_view::npos) return static_cast<std::int64_t>(text.size());
    at = newline + 1;
  }
  if (at == 0 && text.starts_with(byte_order_mark)) at = byte_order_mark.size();
  for (std::int64_t column = 1; column < place.column && at < text.size() && text[at] != '\n'; ++column) {
    do ++at;
    while (at < text.size() && is_continuation(text[at]));
  }
  return static_cast<std::int64_t>(at);
}

namespace {

// Characters between two marks: few enough to count, and enough for the marks to be few.
constexpr std::int64_t stride = 128;

}  // namespace

// Of a text in which every byte is a character there are no marks: nothing needs to be counted.
Places::Places(std::string_view text) : text_(text) {
  const std::size_t begin = text.starts_with(byte_order_mark) ? byte_order_mark.size() : 0;
  const auto first = text.begin() + static_cast<std::ptrdiff_t>(begin);
  lines_.reserve(1 + static_cast<std::size_t>(std::count(first, text.end(), '\n')));
  lines_.push_back({static_cast<std::int64_t>(begin), 0});
  if (std::count_if(first, text.end(), is_continuation) == 0) {
    for (std::size_t feed = text.find('\n', begin); feed != text.npos; feed = text.find('\n', feed + 1)) {
      const auto next = static_cast<std::int64_t>(feed + 1);
      lines_.push_back({next, next - lines_.front().begin});
    }
    return;
  }
  std::int64_t character = 0;
  for (std::size_t i = begin; i < text.size(); ++i) {
    if (is_continuation(text[i])) continue;
    if (character++ % stride == 0) marks_.push_back(static_cast<std::int64_t>(i));
    if (text[i] == '\n') lines_.push_back({static_cast<std::int64_t>(i) + 1, character});
  }
}

Place Places::place(std::int64_t offset) const {
  const auto at = static_cast<std::int64_t>(clamped(text_, offset));
  const auto line = std::upper_bound(lines_.begin() + 1, lines_.end(), at,
                                     [](std::int64_t byte, const Line& each) { return byte < each.begin; }) -
                    1;
  if (marks_.empty()) {
    const std::int64_t character = std::max<std::int64_t>(0, at - lines_.front().begin);
    return {line - lines_.begin() + 1, character - line->character + 1};
  }
  const auto mark = std::upper_bound(marks_.begin(), marks_.end(), at);
  std::int64_t character = 0;
  if (mark != marks_.begin()) {
    character = (mark - marks_.begin() - 1) * stride;
    for (std::int64_t i = *(mark - 1); i < at; ++i)
      character += is_continuation(text_[static_cast<std::size_t>(i)]) ? 0 : 1;
  }
  return {line - lines_.begin() + 1, character - line->character + 1};
}

std::int64_t Places::offset(Place place) const {
  if (place.line > static_cast<std::int64_t>(lines_.size())) return static_cast<std::int64_t>(text_.size());
  const auto line = lines_.begin() + static_cast<std::ptrdiff_t>(std::max<std::int64_t>(place.line, 1) - 1);
  const std::int64_t character = line->character + std::max<std::int64_t>(place.column, 1) - 1;
  const auto next = line + 1;
  return byte(next == lines_.end() ? character : std::min(character, next->character - 1));
}

std::int64_t Places::byte(std::int64_t character) const {
  if (marks_.empty())
    return std::min(lines_.front().begin + character, static_cast<std::int64_t>(text_.size()));
  if (character / stride >= static_cast<std::int64_t>(marks_.size()))
    return static_cast<std::int64_t>(text_.size());
  auto at = static_cast<std::size_t>(marks_[static_cast<std::size_t>(character / stride)]);
  for (std::int64_t left = character % stride; left > 0 && at < text_.size(); --left) {
    do ++at;
    while (at < text_.size() && is_continuation(text_[at]));
  }
  return static_cast<std::int64_t>(at);
}

std::int64_t first_invalid_utf8(std::string_view text) {
  std::size_t i = 0;
  while (i < text.size()) {
    const auto lead = static_cast<unsigned char>(text[i]);
    if (lead < 0x80) {
      ++i;
      continue;
    }
    const std::size_t length = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : 2;
    bool valid = lead >= 0xC2 && lead <= 0xF4 && i + length <= text.size();
    for (std::size_t j = 1; valid && j < length; ++j) valid = is_continuation(text[i + j]);
    if (valid && length > 2) {
      // Overlong forms, surrogates and values past U+10FFFF show in the second byte.
      const auto second = static_cast<unsigned char>(text[i + 1]);
      if (lead == 0xE0) valid = second >= 0xA0;
      if (lead == 0xED) valid = second < 0xA0;
      if (lead == 0xF0) valid = second >= 0x90;
      if (lead == 0xF4) valid = second < 0x90;
    }
    if (!valid) return static_cast<std::int64_t>(i);
    i += length;
  }
  return -1;
}

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
