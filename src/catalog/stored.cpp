// How checkpoints are stored.
#include "catalog/stored.hpp"

#include <algorithm>
#include <array>

#include "base/strings.hpp"
#include "catalog/catalog.hpp"

namespace shapelint::catalog {

using text::NodeRef;

namespace {

// The entry's own; the others are fields.
constexpr std::array<std::string_view, 6> stored_keys{"means",  "endings",   "names",
                                                      "source", "is_packed", "quantization_block"};

// The built-in rows, loaded at the first call; never destroyed, as the table of models.
const std::vector<StoredWeights>& builtin_rows() {
  static const std::vector<StoredWeights>& rows = *[] {
    auto* out = new std::vector<StoredWeights>;
    std::vector<Error> errors;  // the data files are checked by a test
    for (const text::Document& document : builtin("formats/models"))
      load_stored_weights(document, *out, errors);
    return out;
  }();
  return rows;
}

// `-awq` at the end, or before a further hyphen.
bool has_ending(std::string_view last, std::string_view ending) {
  for (auto at = last.find(ending); at != std::string_view::npos; at = last.find(ending, at + 1)) {
    const std::size_t end = at + ending.size();
    if (at > 0 && last[at - 1] == '-' && (end == last.size() || last[end] == '-')) return true;
  }
  return false;
}

bool is_named(std::span<const std::string> patterns, std::string_view name) {
  const std::string_view last = name.substr(name.find_last_of('/') + 1);  // npos + 1: all of it
  return std::any_of(patterns.begin(), patterns.end(), [&](const std::string& each) {
    const bool is_whole = each.find('/') != std::string::npos;
    return glob_matches(each, is_whole ? name : last, Glob::name);
  });
}

bool holds(const StoredWeights& row, std::string_view name, std::string_view last) {
  return std::any_of(row.endings.begin(), row.endings.end(),
                     [&](const std::string& each) { return has_ending(last, each); }) ||
         is_named(row.names, name);
}

// A number, and words, that go with names.
struct Named {
  std::int64_t value = 0;
  std::string means;
  std::vector<std::string> names;
};

// The rows of a table, loaded once; never destroyed.
const std::vector<Named>& loaded_rows(std::string_view table, std::string_view key) {
  auto* out = new std::vector<Named>;
  for (const text::Document& document : builtin("formats/models")) {
    for (const NodeRef entry : document.root()[table]) {
      Named& row = out->emplace_back();
      row.value = entry[key].as_integer().value_or(0);
      row.means = entry["means"].as_string().value_or("");
      for (const NodeRef each : entry["names"]) row.names.emplace_back(each.as_string().value_or(""));
    }
  }
  return *out;
}

// The first row that holds for the name.
const Named& row_of(std::string_view name, const std::vector<Named>& rows) {
  static const Named none;
  const auto found =
      std::find_if(rows.begin(), rows.end(), [&](const Named& each) { return is_named(each.names, name); });
  return found == rows.end() ? none : *found;
}

}  // namespace

const StoredWeights* stored_weights(std::string_view name, std::string_view last,
                                    std::span<const StoredWeights> rows) {
  const auto found = std::find_if(rows.begin(), rows.end(),
                                  [&](const StoredWeights& each) { return holds(each, name, last); });
  return found == rows.end() ? nullptr : &*found;
}

const StoredWeights* stored_weights(std::string_view name, std::string_view last) {
  return stored_weights(name, last, builtin_rows());
}

std::int64_t max_positions(std::string_view name) {
  static const std::vector<Named>& rows = loaded_rows("positions", "max_positions");
  return row_of(name, rows).value;
}

std::int64_t drafting_layers(std::string_view name) {
  static const std::vector<Named>& rows = loaded_rows("drafting", "layers");
  return row_of(name, rows).value;
}

Towers towers(std::string_view name) {
  static const std::vector<Named>& rows = loaded_rows("towers", "parameters");
  const Named& row = row_of(name, rows);
  return {row.means, row.value};
}

bool tells_storage(std::string_view word) {
  // An ending of several words is taken off word by word.
  static const std::vector<std::string_view>& words = *[] {
    auto* out = new std::vector<std::string_view>;
    for (const StoredWeights& row : builtin_rows()) {
      for (std::string_view rest : row.endings) {
        while (!rest.empty()) {
          const std::size_t end = std::min(rest.find('-'), rest.size());
          out->push_back(rest.substr(0, end));
          rest.remove_prefix(std::min(end + 1, rest.size()));
        }
      }
    }
    return out;
  }();
  return std::find(words.begin(), words.end(), word) != words.end();
}

void load_stored_weights(const text::Document& document, std::vector<StoredWeights>& rows,
                         std::vector<Error>& errors) {
  for (const NodeRef entry : document.root()["stored"]) {
    StoredWeights& row = rows.emplace_back();
    row.means = entry["means"].as_string().value_or("");
    if (row.means.empty()) errors.push_back(entry.error("a way of storing weights needs `means`"));
    row.is_packed = entry["is_packed"].as_boolean().value_or(true);
    row.quantization_block = entry["quantization_block"].as_integer().value_or(0);
    for (const NodeRef each : entry["endings"]) row.endings.emplace_back(each.as_string().value_or(""));
    for (const NodeRef each : entry["names"]) row.names.emplace_back(each.as_string().value_or(""));
    for (const NodeRef each : entry) {
      if (std::find(stored_keys.begin(), stored_keys.end(), each.key()) != stored_keys.end()) continue;
      if (const auto value = field_value(each, errors)) put(row.values, *value);
    }
  }
}

}  // namespace shapelint::catalog
