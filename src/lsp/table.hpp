// The table of a JSON or YAML text that a place is in, also while the text is broken at that place.
#pragma once

#include <cstddef>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace shapelint::lsp {

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

}  // namespace shapelint::lsp
