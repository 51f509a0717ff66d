// How published checkpoints store their weights, from the tables `stored` of formats/models/*.toml.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.hpp"
#include "catalog/entry.hpp"
#include "text/document.hpp"

namespace shapelint::catalog {

struct StoredWeights {
  std::string means;  // `FP8, scaled in blocks of 128`
  bool is_packed = true;
  std::int64_t quantization_block = 0;  // values that share a scale, where its config.json was read
  std::vector<FieldValue> values;
  std::vector<std::string> endings;  // words that follow a hyphen, in small letters
  std::vector<std::string> names;    // patterns
};

// Of the first row that holds for a name: `name` with its organisation, where it has one; `last` without, in
// the one spelling that names are compared in. nullptr: nothing is known, and most are in 16 bits.
const StoredWeights* stored_weights(std::string_view name, std::string_view last,
                                    std::span<const StoredWeights> rows);
const StoredWeights* stored_weights(std::string_view name, std::string_view last);

// The longest sequence of a published model, from the tables `positions`; 0: not known.
std::int64_t max_positions(std::string_view name);
// Its layers of multi-token prediction, from the tables `drafting`; 0: none are known.
std::int64_t drafting_layers(std::string_view name);
// What a published model has apart from its language model: "vision tower", and its parameters; 0: not known.
struct Towers {
  std::string means;
  std::int64_t parameters = 0;
};
// From the tables `towers`; without `means`: nothing is known.
Towers towers(std::string_view name);

// Whether a word of a name says only how weights are stored.
bool tells_storage(std::string_view word);

// Loads the rows of one data file; errors are appended with their place.
void load_stored_weights(const text::Document& document, std::vector<StoredWeights>& rows,
                         std::vector<Error>& errors);

}  // namespace shapelint::catalog
