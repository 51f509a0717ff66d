// Keys, from the tables of dialects.
#include "api/keys.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "formats/dialect/dialects.hpp"
#include "model/fields.hpp"

namespace shapelint::api {

namespace {

using Path = std::vector<std::string>;

class Keys {
 public:
  Keys() {
    for (Field& each : fields()) fields_.emplace(each.name, std::move(each));
  }

  void add_native() {
    for (const auto& [name, field] : fields_) {
      const std::size_t dot = field.section.find('.');
      Path table{field.section.substr(0, dot)};
      if (dot != std::string::npos) table.push_back(field.section.substr(dot + 1));
      add(table, field.key, field);
    }
  }

  void add_fields(const formats::FieldRules& rules, const std::vector<Path>& places) {
    for (const auto& [name, alternatives] : rules) {
      const auto field = fields_.find(name);
      if (field == fields_.end()) continue;  // a helper value of the dialect
      for (const formats::Alternative& each : alternatives) {
        if (each.kind != formats::Alternative::Kind::key) continue;
        for (const formats::KeyPath& key : each.keys) add_path(key, places, field->second);
      }
    }
  }

  std::vector<DialectKey> take() { return std::move(keys_); }

 private:
  void add_path(const formats::KeyPath& key, const std::vector<Path>& places, const Field& field) {
    const auto depends = [](const std::string& each) {
      return each.empty() || each.find_first_of("*[(") != each.npos;
    };
    if (key.up > 0 || key.components.empty() ||
        std::any_of(key.components.begin(), key.components.end(), depends)) {
      return;
    }
    static const std::vector<Path> root{{}};
    for (const Path& place : key.absolute ? root : places) {
      Path table = place;
      table.insert(table.end(), key.components.begin(), key.components.end() - 1);
      add(table, key.components.back(), field);
    }
  }

  void add(const Path& table, const std::string& name, const Field& field) {
    if (seen_.emplace(table, name).second) keys_.push_back({table, name, field});
  }

  std::map<std::string, Field, std::less<>> fields_;
  std::set<std::pair<Path, std::string>> seen_;
  std::vector<DialectKey> keys_;
};

}  // namespace

std::vector<DialectKey> dialect_keys(std::string_view dialect) {
  Keys keys;
  if (dialect == "native") {
    keys.add_native();
    return keys.take();
  }
  const formats::Dialect* found = formats::Dialects::builtin().find(dialect);
  if (found == nullptr) return {};
  std::vector<Path> places;
  for (const formats::Part& part : found->parts) {
    for (const formats::KeyPath& at : part.at) {
      const bool is_fixed =
          at.up == 0 && std::none_of(at.components.begin(), at.components.end(), [](const auto& each) {
            return each.find_first_of("*[(") != std::string::npos;
          });
      if (is_fixed) places.push_back(at.components);
    }
  }
  if (places.empty()) places.emplace_back();
  for (const formats::Part& part : found->parts) keys.add_fields(part.fields, places);
  keys.add_fields(found->fields, places);
  for (const auto& [name, type] : found->types) {
    keys.add_fields(type.fields, places);
    keys.add_fields(type.defaults, places);
  }
  return keys.take();
}

}  // namespace shapelint::api
