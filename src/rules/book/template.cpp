// Messages with expressions in braces.
#include "rules/book/template.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>

#include "base/budget.hpp"
#include "base/counted.hpp"
#include "base/number.hpp"
#include "base/strings.hpp"

namespace shapelint::rules {

namespace {

// Read one by one. A piece is a small allocation, and a number that is written is another.
constexpr std::size_t characters_read_per_unit = 4;
constexpr std::size_t units_per_piece = 10;

constexpr std::array<std::string_view, 6> formats{"percent", "commas",   "tenths",
                                                  "count",   "duration", "times"};

// Before a noun: `{tiles:plural tile}`.
constexpr std::string_view plural = "plural ";

std::string write(double value, std::string_view format) {
  if (!std::isfinite(value)) return "?";
  if (format.starts_with(plural)) {
    const std::string_view noun = format.substr(plural.size());
    if (std::floor(value) == value) return counted(std::llround(value), noun);
    return fmt::format("{} {}", fixed(value, 2), in_number(false, noun));
  }
  if (format == "percent") return percent(value);
  if (format == "commas") return with_commas(std::llround(value));
  if (format == "tenths") return tenths(value);
  if (format == "duration") return duration(value);
  if (format == "count") return count_short(value);
  if (format == "times") return fixed(value, 2) + "x";
  constexpr double largest_plain = 1e15;
  if (std::floor(value) == value && std::fabs(value) < largest_plain) return fixed(value, 0);
  return fixed(value, 2);
}

Error error_at(std::string message, std::string hint, std::size_t begin, std::size_t end) {
  return Error{std::move(message),
               std::move(hint),
               {},
               Span{static_cast<std::int64_t>(begin), static_cast<std::int64_t>(end)}};
}

}  // namespace

std::span<const std::string_view> number_formats() {
  return formats;
}

Template Template::compile(std::string_view text, std::span<const std::string_view> names,
                           std::span<const std::string_view> words, std::vector<Error>& errors) {
  Template out;
  charge(1 + text.size() / characters_read_per_unit);
  std::string literal;
  const auto flush = [&] {
    if (literal.empty()) return;
    out.pieces_.push_back({literal, 0, {}, {}});
    literal.clear();
  };
  std::size_t i = 0;
  while (i < text.size()) {
    const char c = text[i];
    if ((c == '{' || c == '}') && i + 1 < text.size() && text[i + 1] == c) {
      literal += c;
      i += 2;
      continue;
    }
    if (c == '}') {
      errors.push_back(error_at("a brace is closed that was not opened", "write `}}` for a brace", i, i + 1));
      return out;
    }
    if (c != '{') {
      literal += c;
      ++i;
      continue;
    }
    const std::size_t close = text.find('}', i);
    if (close == std::string_view::npos) {
      errors.push_back(error_at("a brace is not closed", "write `{{` for a brace", i, i + 1));
      return out;
    }
    std::string_view inside = text.substr(i + 1, close - i - 1);
    std::string_view format;
    const std::size_t colon = inside.rfind(':');
    if (colon != std::string_view::npos) {
      format = trimmed(inside.substr(colon + 1), " ");
      inside = inside.substr(0, colon);
      if (!format.starts_with(plural) && std::find(formats.begin(), formats.end(), format) == formats.end()) {
        std::string hint = did_you_mean(format, formats);
        if (hint.empty()) hint = fmt::format("formats are {}, plural NOUN", fmt::join(formats, ", "));
        errors.push_back(
            error_at(fmt::format("unknown format `{}`", format), std::move(hint), i + 2 + colon, close));
      }
    }
    flush();
    charge(units_per_piece);
    charge_bytes(2 * sizeof(Piece));
    const auto word = std::find(words.begin(), words.end(), trimmed(inside, " "));
    if (word != words.end()) {
      out.pieces_.push_back({{}, 0, {}, *word});
    } else {
      const std::size_t before = errors.size();
      auto compiled = expr::compile(inside, names, errors);
      for (std::size_t e = before; e < errors.size(); ++e) {
        if (!errors[e].span) continue;
        errors[e].span->begin += static_cast<std::int64_t>(i + 1);
        errors[e].span->end += static_cast<std::int64_t>(i + 1);
      }
      if (compiled) {
        out.pieces_.push_back({{}, out.expressions_.size(), format, {}});
        out.expressions_.push_back(*std::move(compiled));
      }
    }
    i = close + 1;
  }
  flush();
  return out;
}

std::string Template::fill(std::span<const double> values, std::span<const Word> words) const {
  std::string out;
  // What is written is held until it is reported.
  const auto add = [&](std::string_view text) {
    charge_text(text.size());
    charge_bytes(text.size());
    out += text;
  };
  for (const Piece& piece : pieces_) {
    charge(units_per_piece);
    if (!piece.literal.empty()) {
      add(piece.literal);
    } else if (!piece.word.empty()) {
      for (const Word& word : words) {
        if (word.name == piece.word) add(word.text());
      }
    } else {
      add(write(values[piece.expression], piece.format));
    }
  }
  return out;
}

}  // namespace shapelint::rules
