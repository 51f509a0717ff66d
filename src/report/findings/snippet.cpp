// Lines of a source file with carets under the places that matter.
#include "report/findings/snippet.hpp"

#include <algorithm>
#include <cctype>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "base/strings.hpp"
#include "report/style.hpp"
#include "text/source.hpp"

namespace shapelint::report {

namespace {

constexpr std::int64_t tab_stop = 4;
// Longest piece of a source line that is shown where there is no window, in columns: fits 80 with the gutter,
// for lines not that long.
constexpr std::int64_t max_shown = 96;
constexpr std::int64_t min_shown = 24;
// Columns left of a mark that stay visible when a line is cut.
constexpr std::int64_t context_width = 32;
// Bytes of a line on either side of its mark that are looked at: more than can be shown, of a character in
// two.
constexpr std::int64_t looked_at = 8 * max_shown;

struct Cell {
  std::string text;  // what is shown: a code point, or a tab's blanks
  std::int64_t width = 0;
  std::int64_t offset = 0;  // in the source
};

struct MarkedLine {
  std::int64_t number = 0;
  std::int64_t begin = 0;  // byte of the first character
  std::vector<Mark> marks;
};

std::vector<Cell> cells_of(std::string_view line, std::int64_t begin) {
  std::vector<Cell> cells;
  std::int64_t column = 0;
  std::int64_t offset = begin;
  while (!line.empty()) {
    Cell cell;
    cell.offset = offset;
    if (line.front() == '\t') {
      cell.width = tab_stop - column % tab_stop;
      cell.text.assign(static_cast<std::size_t>(cell.width), ' ');
      line.remove_prefix(1);
      ++offset;
    } else {
      const bool invalid = text::first_invalid_utf8(line.substr(0, 4)) == 0;
      std::string_view rest = line;
      if (invalid) {
        rest.remove_prefix(1);
      } else {
        next_code_point(rest);
      }
      const std::size_t size = line.size() - rest.size();
      cell.text = printable(line.substr(0, size));
      cell.width = display_width(cell.text);
      offset += static_cast<std::int64_t>(size);
      line = rest;
    }
    column += cell.width;
    cells.push_back(std::move(cell));
  }
  return cells;
}

struct Columns {
  std::int64_t begin = 0;
  std::int64_t end = 0;
};

Columns columns_of(const std::vector<Cell>& cells, Span span) {
  Columns columns{-1, 0};
  std::int64_t column = 0;
  for (const Cell& cell : cells) {
    const bool inside = cell.offset >= span.begin && cell.offset < span.end;
    if (columns.begin < 0 && cell.offset >= span.begin) columns.begin = column;
    column += cell.width;
    if (inside) columns.end = column;
  }
  if (columns.begin < 0) columns.begin = column;
  columns.end = std::max(columns.end, columns.begin + 1);  // an empty span still gets a caret
  return columns;
}

std::vector<MarkedLine> lines_of(const text::Places& places, std::span<const Mark> marks) {
  std::vector<MarkedLine> lines;
  for (const Mark& mark : marks) {
    const std::int64_t number = places.place(mark.span.begin).line;
    auto line =
        std::find_if(lines.begin(), lines.end(), [&](const MarkedLine& l) { return l.number == number; });
    if (line == lines.end()) {
      lines.push_back({number, places.offset({number, 1}), {}});
      line = lines.end() - 1;
    }
    line->marks.push_back(mark);
  }
  std::sort(lines.begin(), lines.end(),
            [](const MarkedLine& a, const MarkedLine& b) { return a.number < b.number; });
  for (MarkedLine& line : lines) {
    std::stable_sort(line.marks.begin(), line.marks.end(), [](const Mark& a, const Mark& b) {
      return a.span.begin != b.span.begin ? a.span.begin < b.span.begin : a.primary && !b.primary;
    });
  }
  return lines;
}

bool is_of_word(const Cell& cell) {
  const auto first = static_cast<unsigned char>(cell.text.empty() ? ' ' : cell.text.front());
  return std::isalnum(first) != 0 || std::string_view("_-+.").find(cell.text) != std::string_view::npos ||
         first >= 0x80;
}

// A cut before a cell, and the column where it is.
struct Cut {
  std::size_t cell = 0;
  std::int64_t column = 0;
};

Cut cut_at(const std::vector<Cell>& cells, std::int64_t column) {
  Cut cut;
  while (cut.cell < cells.size() && cut.column < column) cut.column += cells[cut.cell++].width;
  return cut;
}

bool is_within_word(const std::vector<Cell>& cells, const Cut& cut) {
  return cut.cell > 0 && cut.cell < cells.size() && is_of_word(cells[cut.cell - 1]) &&
         is_of_word(cells[cut.cell]);
}

// The nearest cut between words on one side, at most up to `last`.
Cut between_words(const std::vector<Cell>& cells, Cut cut, bool to_the_left, std::int64_t last) {
  while (is_within_word(cells, cut) && (to_the_left ? cut.column > last : cut.column < last)) {
    cut.column += to_the_left ? -cells[--cut.cell].width : cells[cut.cell++].width;
  }
  return cut;
}

// The piece [window.begin, window.end) of the line that is shown. Nothing but a word that leaves no other
// place is cut.
Columns window_of(const std::vector<Cell>& cells, std::int64_t width, Columns mark, std::int64_t most) {
  if (width <= most) return {0, width};
  const std::int64_t context = std::min(context_width, most / 3);
  const Cut near = cut_at(cells, std::clamp<std::int64_t>(mark.begin - context, 0, width - most));
  Cut begin = between_words(cells, near, true, std::max<std::int64_t>(0, near.column - context));
  if (is_within_word(cells, begin) || mark.end > begin.column + most)
    begin = between_words(cells, near, false, mark.begin);
  const std::int64_t last = std::min(width, begin.column + most);
  Cut end = cut_at(cells, last);
  if (end.column > last) end.column -= cells[--end.cell].width;  // of two columns
  return {begin.column, between_words(cells, end, true, mark.end).column};
}

// Columns of a source line next to the gutter, with room for what says that it was cut.
std::int64_t max_shown_in(const Style& style, std::size_t gutter) {
  if (style.window == 0) return max_shown;
  constexpr std::size_t frame = 4;  // "| " and two ellipses
  return std::max(min_shown,
                  static_cast<std::int64_t>(width_of(style)) - static_cast<std::int64_t>(gutter + frame));
}

// A line may be the whole of a file: what is around a mark, in whole characters.
struct Piece {
  std::string_view text;
  std::int64_t begin = 0;  // in the source
  bool is_cut_left = false;
  bool is_cut_right = false;
};

Piece piece_around(std::string_view line, std::int64_t begin, std::int64_t mark) {
  const auto size = static_cast<std::int64_t>(line.size());
  const auto within = [&](std::int64_t at) {
    at = std::clamp<std::int64_t>(at, 0, size);
    while (at > 0 && at < size && is_continuation(line[static_cast<std::size_t>(at)])) --at;
    return at;
  };
  const std::int64_t first = within(mark - begin - looked_at);
  const std::int64_t last = within(mark - begin + looked_at);
  return {line.substr(static_cast<std::size_t>(first), static_cast<std::size_t>(last - first)), begin + first,
          first > 0, last < size};
}

// The label behind its carets, which end at `end`; where a line of `room` columns is too short for that,
// below them.
std::string label_text(const Mark& mark, std::int64_t begin, std::int64_t end, std::int64_t room,
                       std::string_view bar, Role role, const Style& style) {
  const std::int64_t width = display_width(mark.label);
  if (end + 1 + width <= room) return fmt::format(" {}\n", style.paint(role, mark.label));
  const auto indent = static_cast<std::size_t>(std::clamp<std::int64_t>(room - width, 0, begin));
  const std::string pad(indent, ' ');
  std::string out = "\n";
  std::string rest = wrap(mark.label, 0, 0, static_cast<std::size_t>(std::max(room, min_shown)));
  while (!rest.empty()) {
    const std::size_t stop = std::min(rest.find('\n'), rest.size());
    out += fmt::format("{} {}{}\n", bar, pad, style.paint(role, rest.substr(0, stop)));
    rest.erase(0, stop + 1);
  }
  return out;
}

// What of a line is shown: around the primary mark, else the first.
struct ShownLine {
  std::string text;
  Columns window;
  std::int64_t begin = 0;  // columns before the window, the ellipsis taken off
  bool cut_right = false;
  std::vector<Cell> cells;
};

ShownLine shown_around(const MarkedLine& line, const text::SharedText& source, const Style& style,
                       std::size_t gutter) {
  auto leading = std::find_if(line.marks.begin(), line.marks.end(), [](const Mark& m) { return m.primary; });
  if (leading == line.marks.end()) leading = line.marks.begin();
  // A line may be as long as the file, and each of its values has a finding.
  const auto end = static_cast<std::size_t>(std::max(line.begin, leading->span.begin) + looked_at + 1);
  const std::string_view near = std::string_view(source).substr(0, end);
  const Piece piece = piece_around(text::line_at(near, line.begin), line.begin, leading->span.begin);
  ShownLine out;
  out.cells = cells_of(piece.text, piece.begin);
  std::int64_t width = 0;
  for (const Cell& cell : out.cells) width += cell.width;
  out.window = window_of(out.cells, width, columns_of(out.cells, leading->span), max_shown_in(style, gutter));
  const bool cut_left = piece.is_cut_left || out.window.begin > 0;
  out.cut_right = piece.is_cut_right || out.window.end < width;
  out.begin = cut_left ? -1 : 0;  // the ellipsis takes a column
  out.text = cut_left ? "…" : "";
  std::int64_t column = 0;
  for (const Cell& cell : out.cells) {
    if (column >= out.window.begin && column + cell.width <= out.window.end) out.text += cell.text;
    column += cell.width;
  }
  if (out.cut_right) out.text += "…";
  return out;
}

// Takes those out of the line's marks that the shown piece has; where it has none, the first.
std::vector<Mark> take_shown(MarkedLine& line, const ShownLine& shown) {
  const auto is_shown = [&](const Mark& mark) {
    const Columns columns = columns_of(shown.cells, mark.span);
    const bool is_read = !shown.cells.empty() && mark.span.begin >= shown.cells.front().offset &&
                         mark.span.begin <= shown.cells.back().offset + 1;
    const std::int64_t end = shown.window.end + (shown.cut_right ? 0 : 1);
    return is_read && columns.begin >= shown.window.begin && columns.begin < end;
  };
  const auto rest = std::stable_partition(line.marks.begin(), line.marks.end(), is_shown);
  const auto end = rest == line.marks.begin() ? rest + 1 : rest;
  std::vector<Mark> out(line.marks.begin(), end);
  line.marks.erase(line.marks.begin(), end);
  return out;
}

// The carets below a shown piece, and the label of the primary mark, else the first that has one.
std::string carets_text(const std::vector<Mark>& marks, const ShownLine& shown, std::string_view bar,
                        std::size_t gutter, Role role, const Style& style) {
  std::string out;
  std::int64_t at = shown.begin;
  const Mark* labelled = nullptr;
  std::int64_t label_at = 0;
  for (const Mark& mark : marks) {
    Columns columns = columns_of(shown.cells, mark.span);
    columns.begin = std::max(columns.begin, shown.window.begin) - shown.window.begin;
    columns.end = std::min(columns.end, std::max(shown.window.end, columns.begin + 1)) - shown.window.begin;
    columns.end = std::max(columns.end, columns.begin + 1);
    if (columns.begin < at) continue;  // hidden behind the mark before
    out.append(static_cast<std::size_t>(columns.begin - at), ' ');
    out += style.paint(
        mark.primary ? role : Role::gutter,
        std::string(static_cast<std::size_t>(columns.end - columns.begin), mark.primary ? '^' : '-'));
    at = columns.end;
    if (mark.label.empty() || (labelled != nullptr && labelled->primary)) continue;
    labelled = &mark;
    label_at = columns.begin;
  }
  if (labelled == nullptr) return out + '\n';
  const auto room = static_cast<std::int64_t>(width_of(style)) - static_cast<std::int64_t>(gutter) - 2;
  return out + label_text(*labelled, label_at, at, room, bar, labelled->primary ? role : Role::gutter, style);
}

}  // namespace

std::size_t gutter_width(const text::Places& places, std::span<const Mark> marks) {
  std::int64_t last = 1;
  for (const Mark& mark : marks) last = std::max(last, places.place(mark.span.begin).line);
  return fmt::format("{}", last).size() + 2;
}

std::string snippet(std::string_view path, const text::SharedText& source, std::span<const Mark> marks,
                    const Style& style, Role role) {
  const text::Places& places = source.places();
  const std::size_t gutter = gutter_width(places, marks);
  const auto primary =
      std::find_if(marks.begin(), marks.end(), [](const Mark& mark) { return mark.primary; });
  const text::Place place = places.place(primary == marks.end() ? 0 : primary->span.begin);

  std::string out =
      fmt::format("{}{} {}:{}:{}\n", std::string(gutter - 1, ' '), style.paint(Role::gutter, "-->"),
                  text::one_line(path), place.line, place.column);
  const std::string bar = std::string(gutter, ' ') + style.paint(Role::gutter, "|");
  out += bar + '\n';
  std::int64_t previous = 0;
  for (MarkedLine& line : lines_of(places, marks)) {
    while (!line.marks.empty()) {
      const bool is_next = previous == 0 || line.number == previous + 1;
      if (!is_next) out += style.paint(Role::gutter, "...").append("\n");
      previous = line.number;
      const ShownLine shown = shown_around(line, source, style, gutter);
      const std::string number = fmt::format("{:>{}} ", line.number, gutter - 1);
      out +=
          without_blank_end(fmt::format("{} {}", style.paint(Role::gutter, number + "|"), shown.text)) + '\n';
      out += fmt::format("{} {}", bar, carets_text(take_shown(line, shown), shown, bar, gutter, role, style));
    }
  }
  return out;
}

std::string render(const Error& error, const text::SharedText& source, const Style& style) {
  const std::string label = style.paint(Role::error, "error:");
  const std::string message = text::one_line(error.message);
  if (!error.span || error.path.empty()) {
    const std::string subject = error.path.empty() ? "" : text::one_line(error.path) + ": ";
    return headline(fmt::format("{} {}{}{}", label, subject, message,
                                error.hint.empty() ? "" : "; " + text::one_line(error.hint)),
                    2, 2, style) +
           '\n';
  }
  const std::vector<Mark> marks{{*error.span, true, {}}};
  std::string out = headline(fmt::format("{} {}", label, style.paint(Role::strong, message)), 2, 2, style);
  out += '\n';
  if (source.empty() && error.span->end > 0) {
    return out + "  --> " + text::one_line(error.path) + '\n' +
           (error.hint.empty() ? "" : "  = hint: " + text::one_line(error.hint) + '\n') + '\n';
  }
  out += snippet(error.path, source, marks, style, Role::error);
  if (!error.hint.empty()) {
    const std::size_t gutter = gutter_width(source.places(), marks);
    const std::size_t indent = gutter + std::string_view("= hint: ").size();
    out += fmt::format("{}{} hint: {}\n", std::string(gutter, ' '), style.paint(Role::gutter, "="),
                       headline(text::one_line(error.hint), indent, indent, style));
  }
  return out + '\n';
}

// A unified diff. Lines are matched greedily from the nearest equal line on: right for texts that differ in
// few places, which is all that is asked here.

namespace {

constexpr std::size_t context_lines = 3;

// With their line feeds, so that a missing one at the end is a difference.
std::vector<std::string_view> lines_of(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size() - 1) + 1;
    lines.push_back(text.substr(0, end));
    text.remove_prefix(end);
  }
  return lines;
}

struct DiffLine {
  char kind;  // ' ', '-', '+'
  std::string_view text;
};

std::vector<DiffLine> compare(const std::vector<std::string_view>& a,
                              const std::vector<std::string_view>& b) {
  std::vector<DiffLine> out;
  std::size_t i = 0;
  std::size_t j = 0;
  while (i < a.size() || j < b.size()) {
    if (i < a.size() && j < b.size() && a[i] == b[j]) {
      out.push_back({' ', a[i]});
      ++i;
      ++j;
      continue;
    }
    // The nearest pair of equal lines ahead, by the number of lines skipped.
    std::size_t skip_a = a.size() - i;
    std::size_t skip_b = b.size() - j;
    for (std::size_t total = 1; total < skip_a + skip_b; ++total) {
      bool found = false;
      // No more of either than is left.
      const std::size_t first = total < b.size() - j ? 0 : total - (b.size() - j) + 1;
      for (std::size_t x = first; x <= total && i + x < a.size() && !found; ++x) {
        const std::size_t y = total - x;
        if (a[i + x] == b[j + y]) {
          skip_a = x;
          skip_b = y;
          found = true;
        }
      }
      if (found) break;
    }
    for (std::size_t x = 0; x < skip_a; ++x) out.push_back({'-', a[i++]});
    for (std::size_t y = 0; y < skip_b; ++y) out.push_back({'+', b[j++]});
  }
  return out;
}

}  // namespace

std::string unified_diff(std::string_view old_name, std::string_view new_name, std::string_view old_text,
                         std::string_view new_text) {
  if (old_text == new_text) return {};
  const std::vector<DiffLine> lines = compare(lines_of(old_text), lines_of(new_text));
  std::string out = fmt::format("--- {}\n+++ {}\n", old_name, new_name);
  std::size_t old_line = 1;
  std::size_t new_line = 1;
  std::size_t at = 0;
  while (at < lines.size()) {
    std::size_t first = at;
    while (first < lines.size() && lines[first].kind == ' ') ++first;
    if (first == lines.size()) break;
    const std::size_t begin = first - at > context_lines ? first - context_lines : at;
    // Changes that are nearer than two contexts share a hunk.
    std::size_t end = first;
    for (std::size_t i = first, same = 0; i < lines.size() && same <= 2 * context_lines; ++i) {
      same = lines[i].kind == ' ' ? same + 1 : 0;
      if (same == 0) end = i + 1;
    }
    end = std::min(end + context_lines, lines.size());
    for (; at < begin; ++at) {
      ++old_line;
      ++new_line;
    }
    std::size_t old_count = 0;
    std::size_t new_count = 0;
    std::string body;
    for (; at < end; ++at) {
      const DiffLine& line = lines[at];
      old_count += line.kind != '+' ? 1 : 0;
      new_count += line.kind != '-' ? 1 : 0;
      body += line.kind;
      body += line.text;
      if (!line.text.ends_with('\n')) body += "\n\\ No newline at end of file\n";
    }
    out += fmt::format("@@ -{},{} +{},{} @@\n", old_count == 0 ? old_line - 1 : old_line, old_count,
                       new_count == 0 ? new_line - 1 : new_line, new_count);
    out += body;
    old_line += old_count;
    new_line += new_count;
  }
  return out;
}

}  // namespace shapelint::report
