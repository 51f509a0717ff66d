// What tables of data files say, and every mistake in how they say it.
#pragma once

#include <array>
#include <span>
#include <string_view>
#include <vector>

#include "base/error.hpp"
#include "text/document.hpp"

namespace shapelint::text {

// An error for each key that is none of these, with a did-you-mean. `also` is one more.
void check_keys(NodeRef table, std::span<const std::string_view> known, std::vector<Error>& errors,
                std::string_view also = {});

// See values_of.
void read_values(NodeRef table, std::span<const std::string_view> known, std::span<NodeRef> values,
                 std::vector<Error>& errors);

// Values of a table by the place of their keys among `known`, with an error for each other key.
template <std::size_t N>
std::array<NodeRef, N> values_of(NodeRef table, const std::array<std::string_view, N>& known,
                                 std::vector<Error>& errors) {
  std::array<NodeRef, N> values;
  read_values(table, known, values, errors);
  return values;
}

// Reads values by their kinds; what is of another kind is an error at its place, and reads as absent.
class TableReader {
 public:
  explicit TableReader(std::vector<Error>& errors) : errors_(errors) {}

  std::string_view string_or(NodeRef node, std::string_view fallback);
  // An error where there is none.
  std::string_view required(NodeRef table, std::string_view key) { return required(table, key, table[key]); }
  // The same of a value that was looked up.
  std::string_view required(NodeRef table, std::string_view key, NodeRef value);
  std::vector<NodeRef> list(NodeRef node);

 private:
  std::vector<Error>& errors_;
};

}  // namespace shapelint::text
