// Lines of a source file with carets under the places that matter, and two texts compared line by line.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "base/error.hpp"
#include "report/style.hpp"
#include "text/source.hpp"

namespace shapelint::report {

struct Mark {
  Span span;
  bool primary = true;  // ^^^^; otherwise ----
  std::string label;    // after the carets; may be empty
};

//   --> path:9:14
//    |
//  9 | vocab_size = 50257
//    |              ^^^^^ label
//
// One primary mark, and others in the same file; lines are shown in file order, a gap as "...". Of a span
// over several lines the first is shown; a line too long for a terminal is cut around its mark. Ends with a
// line feed.
std::string snippet(std::string_view path, const text::SharedText& source, std::span<const Mark> marks,
                    const Style& style, Role role);

// Spaces that the gutter of snippet() takes up to its bar, so that what follows lines up with it.
std::size_t gutter_width(const text::Places& places, std::span<const Mark> marks);

// "error: …" with the place (when there is a span and the source is known) and the hint; several lines end
// with an empty one.
std::string render(const Error& error, const text::SharedText& source, const Style& style);

// A unified diff with three lines of context, as `diff -u` and git print it; empty for equal texts.
std::string unified_diff(std::string_view old_name, std::string_view new_name, std::string_view old_text,
                         std::string_view new_text);

}  // namespace shapelint::report
