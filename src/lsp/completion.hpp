// Keys and values that may stand at a place of a native file in TOML, and keys of other files in JSON and
// YAML.
#pragma once

#include <cstddef>
#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace shapelint::lsp {

// The table of a JSON or YAML text that a place is in, also while the text is broken at that place.

struct TableAt {
  bool wants_key = false;  // a key may stand at the place
  bool is_quoted = false;  // within quotation marks that are there already
  bool is_braced = false;  // as JSON writes it, in YAML as well
  std::size_t begin = 0;   // of what was typed of it, and its end
  std::size_t end = 0;
  std::vector<std::string> path;  // keys around it
  std::set<std::string> keys;     // of the table, without the one at the place
};

TableAt json_table_at(std::string_view text, std::size_t offset);
TableAt yaml_table_at(std::string_view text, std::size_t offset);

// As the protocol counts: a module, a property, a member of an enumeration.
enum class CompletionKind : std::uint8_t { section = 9, key = 10, value = 20 };

struct Completion {
  CompletionKind kind = CompletionKind::key;
  std::string label;
  std::string text;           // that is put in the place of what was typed of it
  std::string detail;         // what it may be: `1 to 4,194,304 elements`
  std::string documentation;  // what it means
};

struct Completions {
  std::int64_t begin_byte = 0;  // of what was typed of it
  std::int64_t end_byte = 0;
  std::vector<Completion> items;
};

// None where the text is not of a native file: keys are offered in its tables alone, and those that the table
// has already are not.
Completions completions_at(std::string_view text, std::int64_t offset);

// The same in a file of a framework, whose dialect is known by its name: keys alone, and not those of fields
// that the table has already under another name.
Completions dialect_completions_at(std::string_view text, std::int64_t offset, bool is_json,
                                   std::string_view dialect);

}  // namespace shapelint::lsp
