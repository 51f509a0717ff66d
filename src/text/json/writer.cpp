// JSON written as it comes.
#include "text/json/writer.hpp"

#include <cmath>
#include <iterator>
#include <ostream>

#include <fmt/format.h>

#include "text/json/json.hpp"
#include "text/source.hpp"

namespace shapelint::text {

namespace {

void add_escaped(std::string_view valid, std::string& out) {
  for (const char c : valid) {
    if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (c == '\n') {
      out += "\\n";
    } else if (c == '\t') {
      out += "\\t";
    } else if (static_cast<unsigned char>(c) < 0x20) {
      fmt::format_to(std::back_inserter(out), "\\u{:04x}", static_cast<unsigned>(c));
    } else {
      out += c;
    }
  }
}

// With its quotes. Invalid UTF-8 becomes U+FFFD.
std::string quoted(std::string_view value) {
  std::string out = "\"";
  while (!value.empty()) {
    const std::int64_t bad = first_invalid_utf8(value);
    const std::size_t good = bad < 0 ? value.size() : static_cast<std::size_t>(bad);
    add_escaped(value.substr(0, good), out);
    value.remove_prefix(good);
    if (value.empty()) break;
    out += "\xEF\xBF\xBD";
    value.remove_prefix(1);
  }
  out += '"';
  return json_text(std::move(out));
}

}  // namespace

void JsonWriter::feed() {
  if (indent_ == 0) return;
  out_ += '\n';
  out_.append(indent_ * has_items_.size(), ' ');
}

void JsonWriter::flush() {
  if (stream_ == nullptr) return;
  *stream_ << out_;
  out_.clear();
}

void JsonWriter::separate() {
  constexpr std::size_t max_held = std::size_t{1} << 16U;
  if (out_.size() > max_held) flush();
  if (is_after_key_) {
    is_after_key_ = false;
    return;
  }
  if (has_items_.empty()) return;
  if (has_items_.back()) out_ += ',';
  has_items_.back() = true;
  feed();
}

void JsonWriter::begin(char bracket) {
  separate();
  out_ += bracket;
  has_items_.push_back(false);
}

void JsonWriter::end(char bracket) {
  const bool has_items = has_items_.back();
  has_items_.pop_back();
  if (has_items) feed();
  out_ += bracket;
}

void JsonWriter::key(std::string_view name) {
  separate();
  out_ += quoted(name);
  out_ += indent_ == 0 ? ":" : ": ";
  is_after_key_ = true;
}

void JsonWriter::text(std::string_view value) {
  separate();
  out_ += quoted(value);
}

void JsonWriter::boolean(bool value) {
  separate();
  out_ += value ? "true" : "false";
}

void JsonWriter::integer(std::int64_t value) {
  separate();
  fmt::format_to(std::back_inserter(out_), "{}", value);
}

void JsonWriter::number(double value) {
  constexpr double exact_up_to = 9'007'199'254'740'992;  // 2^53
  if (!std::isfinite(value)) return null();
  if (std::trunc(value) == value && std::abs(value) <= exact_up_to)
    return integer(static_cast<std::int64_t>(value));
  separate();
  fmt::format_to(std::back_inserter(out_), "{:.9g}", value);
}

void JsonWriter::null() {
  separate();
  out_ += "null";
}

void JsonWriter::raw(std::string_view json) {
  separate();
  out_ += json;
}

}  // namespace shapelint::text
