// Which keys a profile may have: one table per struct says key, unit, member, bounds and meaning, and one
// reader serves them all. A figure is a bare value, or a table { value, sources, note, confidence }.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/error.hpp"
#include "gpu/architecture.hpp"
#include "gpu/gpu.hpp"
#include "text/document.hpp"

namespace shapelint::text {
struct KeyInfo;
}

namespace shapelint::gpu {

enum class Type : std::uint8_t { integer, number, boolean, text };

// Where the value goes. monostate: nowhere, the figure is only shown.
template <class T>
using Member = std::variant<std::monostate, std::int64_t T::*, double T::*, bool T::*, std::string T::*,
                            double& (*)(T&)>;

template <class T>
struct Field {
  std::string_view section;  // the table that holds it; empty: the file itself
  std::string_view key;
  std::string_view unit;
  Type type;
  Member<T> member;
  double least;  // bounds of a number, inclusive
  double most;
  std::string_view doc;
};

// A tile of more than a million rows is a typing mistake.
inline constexpr double max_rows = 1e6;

std::span<const Field<Gpu>> gpu_fields();
// Keys of a profile that are no figures, and those that one without `based_on` needs.
std::vector<text::KeyInfo> plain_profile_keys();
std::span<const std::string_view> required_keys();
std::span<const Field<Architecture>> architecture_fields();
std::span<const Field<Tile>> tile_fields();
std::span<const Field<Alignment>> alignment_fields();

// Keys of a figure that is written as a table.
inline constexpr std::string_view figure_keys[] = {"value", "sources", "note", "confidence"};

// The value of a figure, bare or in its table.
inline text::NodeRef value_of(text::NodeRef figure) {
  return figure.is(text::Kind::table) ? figure["value"] : figure;
}

// An error for each key of `table` that is not among `known`.
void check_keys(text::NodeRef table, std::span<const std::string_view> known, std::vector<Error>& errors);
// The strings of a list (or one string); errors for anything else.
std::vector<std::string> read_strings(text::NodeRef list, std::vector<Error>& errors);

// An error unless `node` is absent or a table.
void expect_table(text::NodeRef node, std::vector<Error>& errors);
// sources, notes and confidence of a file: only shown, but of the right types.
void check_remarks(text::NodeRef root, std::vector<Error>& errors);

// What a field allows, without the struct that it belongs to.
struct Limits {
  Type type;
  double least;
  double most;
};
// The figure's value if it is of the right type and within bounds, otherwise an absent node and an error.
text::NodeRef checked_value(text::NodeRef figure, Limits limits, std::vector<Error>& errors);

// Reads the fields of `section` that `table` states into `into`; the others stay as they are. Keys that are
// neither fields nor in `also` are errors.
template <class T>
void read_fields(text::NodeRef table, std::string_view section, std::span<const Field<T>> fields,
                 std::span<const std::string_view> also, T& into, std::vector<Error>& errors) {
  std::vector<std::string_view> known(also.begin(), also.end());
  for (const Field<T>& field : fields) {
    if (field.section != section) continue;
    known.push_back(field.key);
    const text::NodeRef figure = table[field.key];
    if (!figure) continue;
    const text::NodeRef value = checked_value(figure, {field.type, field.least, field.most}, errors);
    if (!value) continue;
    if (const auto* whole = std::get_if<std::int64_t T::*>(&field.member))
      into.** whole = *value.as_integer();
    if (const auto* real = std::get_if<double T::*>(&field.member)) into.** real = *value.as_number();
    if (const auto* flag = std::get_if<bool T::*>(&field.member)) into.** flag = *value.as_boolean();
    if (const auto* words = std::get_if<std::string T::*>(&field.member)) into.** words = *value.as_string();
    if (const auto* access = std::get_if<double& (*)(T&)>(&field.member))
      (*access)(into) = *value.as_number();
  }
  check_keys(table, known, errors);
}

}  // namespace shapelint::gpu
