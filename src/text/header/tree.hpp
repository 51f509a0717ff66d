// Names with dots as nested tables, written as JSON with one value per line.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace shapelint::text::header {

class Tree {
 public:
  Tree();
  // `json` under `name`, whose dots are tables. A name that is both a value and a table keeps what came
  // first. False when there are too many names, or one has too many dots.
  bool add(std::string_view name, std::string json);
  std::string write() const;

 private:
  struct Entry {
    std::string key;
    std::string json;  // of a value; empty: a table
    std::int32_t first_child = -1;
    std::int32_t last_child = -1;
    std::int32_t next_sibling = -1;
  };
  std::int32_t child(std::int32_t table, std::string_view key);
  void write(std::int32_t table, int level, std::string& out) const;
  std::vector<Entry> entries_;
  std::map<std::pair<std::int32_t, std::string>, std::int32_t> by_name_;
};

}  // namespace shapelint::text::header
