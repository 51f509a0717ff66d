// Tables of data files: their keys, each described once (its name, what reads it, what it is for), and every
// mistake in how a file states them. Readers, schemas for editors and reference pages go by the same list.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "text/document.hpp"

namespace shapelint::text {

enum class ValueType : std::uint8_t {
  text,
  texts,  // a list of strings, or one
  boolean,
  integer,
  number,
  expression,  // a string, or a number or a boolean as such
  table,
  tables,
  map,  // a table whose keys are names
  any,
};

enum class Presence : std::uint8_t { optional, required };

// What schemas and pages tell of a key.
struct KeyInfo {
  std::string_view name;
  std::string_view doc;
  ValueType type = ValueType::any;
  Presence presence = Presence::optional;
  std::vector<std::string_view> choices{};  // that a text or texts are of; empty: not listed
  std::vector<KeyInfo> nested{};            // of a table and tables, and of a map's tables
  std::string_view unit{};
  bool is_figure = false;  // may be a table of the value and what is known of it
};

// How a value is read into a T. A `Reader` has the errors, and whatever else a file's values need.
template <class T, class Reader>
struct KeyValue {
  void (*read)(Reader& reader, NodeRef value, T& into);
  ValueType type = ValueType::any;
  std::vector<std::string_view> (*choices)() = nullptr;
  std::vector<KeyInfo> (*nested)() = nullptr;
};

template <class T, class Reader>
struct Key {
  std::string_view name;
  KeyValue<T, Reader> value;
  std::string_view doc;
  Presence presence = Presence::optional;
};

template <class T, class Reader, std::size_t N>
std::vector<KeyInfo> infos(const std::array<Key<T, Reader>, N>& keys) {
  std::vector<KeyInfo> out;
  for (const Key<T, Reader>& key : keys) {
    KeyInfo info{key.name, key.doc, key.value.type, key.presence};
    if (key.value.choices != nullptr) info.choices = key.value.choices();
    if (key.value.nested != nullptr) info.nested = key.value.nested();
    out.push_back(std::move(info));
  }
  return out;
}

// Reads values by their kinds; what is of another kind is an error at its place, and reads as absent.
class TableReader {
 public:
  explicit TableReader(std::vector<Error>& errors) : errors_(errors) {}

  std::vector<Error>& errors() const { return errors_; }
  std::string_view text(NodeRef node);
  std::vector<NodeRef> list(NodeRef node);

  // What `value` below reads into members of these types; readers add theirs.
  void read_value(NodeRef node, std::string_view& into) { into = text(node); }
  void read_value(NodeRef node, std::vector<std::string_view>& into);
  void read_value(NodeRef node, bool& into);

  // The position of a name among others; the error says that it is not a known `kind`.
  std::optional<std::size_t> choice(NodeRef node, std::string_view kind,
                                    std::span<const std::string_view> known);

  // An error for each key that is none of these, and for each that is required and absent. The values are
  // read in the order of `keys`.
  template <class T, class Reader, std::size_t N>
  static void read_table(Reader& reader, NodeRef table, const std::array<Key<T, Reader>, N>& keys, T& into) {
    std::array<std::string_view, N> names;
    for (std::size_t i = 0; i < N; ++i) names[i] = keys[i].name;
    std::array<NodeRef, N> values;
    look_up(table, names, values, reader.errors());
    for (std::size_t i = 0; i < N; ++i) {
      if (values[i]) {
        keys[i].value.read(reader, values[i], into);
      } else if (keys[i].presence == Presence::required) {
        reader.errors().push_back(missing(table, keys[i].name));
      }
    }
  }

  static Error missing(NodeRef table, std::string_view key);

 private:
  static void look_up(NodeRef table, std::span<const std::string_view> known, std::span<NodeRef> values,
                      std::vector<Error>& errors);

  std::vector<Error>& errors_;
};

template <class Member>
struct MemberPointer;
template <class Value, class T>
struct MemberPointer<Value T::*> {
  using Object = T;
  using Type = Value;
};
template <auto member>
using ObjectOf = typename MemberPointer<decltype(member)>::Object;
template <auto member>
using TypeOf = typename MemberPointer<decltype(member)>::Type;

template <class T>
inline constexpr bool is_vector = false;
template <class T>
inline constexpr bool is_vector<std::vector<T>> = true;

template <class T>
constexpr ValueType value_type() {
  if constexpr (std::is_same_v<T, bool>) return ValueType::boolean;
  if constexpr (std::is_same_v<T, std::int64_t>) return ValueType::integer;
  if constexpr (std::is_same_v<T, double>) return ValueType::number;
  if constexpr (is_vector<T>) return ValueType::texts;
  return ValueType::text;
}

// A member that `Reader::read_value` reads.
template <class Reader, auto member>
inline constexpr KeyValue<ObjectOf<member>, Reader> value{
    [](Reader& reader, NodeRef node, ObjectOf<member>& into) { reader.read_value(node, into.*member); },
    value_type<TypeOf<member>>()};

// A member that is a table, by its own keys.
template <class Reader, auto member, const auto& keys>
inline constexpr KeyValue<ObjectOf<member>, Reader> table{
    [](Reader& reader, NodeRef node, ObjectOf<member>& into) {
      TableReader::read_table(reader, node, keys, into.*member);
    },
    ValueType::table, nullptr, [] { return infos(keys); }};

// A list of tables.
template <class Reader, auto member, const auto& keys>
inline constexpr KeyValue<ObjectOf<member>, Reader> tables{
    [](Reader& reader, NodeRef node, ObjectOf<member>& into) {
      for (const NodeRef item : reader.list(node)) {
        TableReader::read_table(reader, item, keys, (into.*member).emplace_back());
      }
    },
    ValueType::tables, nullptr, [] { return infos(keys); }};

}  // namespace shapelint::text
