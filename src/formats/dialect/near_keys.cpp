// Did-you-mean for keys.
#include "formats/dialect/near_keys.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "base/names.hpp"
#include "base/words.hpp"
#include "model/fields.hpp"

namespace shapelint::formats {

namespace {

using model::FieldId;
using text::Kind;
using text::NodeRef;

// Shorter keys are near too much: `dim` and `vim`.
constexpr std::size_t shortest_key = 5;
// Words of which two letters may differ; one of shorter ones.
constexpr std::size_t letters_for_two = 9;

// Without these nothing is predicted, or something else is: a default in their place is worth a warning.
constexpr std::array needed{
    FieldId::hidden_size, FieldId::num_layers, FieldId::num_attention_heads, FieldId::num_key_value_heads,
    FieldId::head_dim,    FieldId::vocab_size, FieldId::intermediate_size,   FieldId::moe_num_experts};

// A table of the file and the keys that the dialect reads from it.
struct Table {
  NodeRef node;
  std::set<std::string, std::less<>> known;
  std::vector<std::pair<std::string, FieldId>> wanted;  // keys of fields that the file does not state
};

// What is written with dashes and underscores, and with the dashes of a flag, is one key.
std::string folded(std::string_view key) {
  if (key.starts_with("--")) key.remove_prefix(2);
  std::string out(key);
  std::replace(out.begin(), out.end(), '-', '_');
  return out;
}

std::vector<std::string_view> words_of(std::string_view key) {
  std::vector<std::string_view> words;
  for (std::size_t end = 0; end != std::string_view::npos; key.remove_prefix(end == key.npos ? 0 : end + 1)) {
    end = key.find('_');
    words.push_back(key.substr(0, end));
  }
  return words;
}

// Letters that may differ in a word: `num` and `sum`, `file` and `size` are others, not each other misspelt.
std::size_t allowed(std::size_t length) {
  return length < 4 ? 0 : length < letters_for_two ? 1 : 2;
}

bool is_near(std::string_view written, std::string_view key) {
  // Another number (`fc1`, `fc2`) or another first letter (`n_head`, `d_head`) is another word.
  if (written.front() != key.front()) return false;
  const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
  if (std::count_if(written.begin(), written.end(), is_digit) !=
      std::count_if(key.begin(), key.end(), is_digit))
    return false;
  const std::vector<std::string_view> left = words_of(written);
  const std::vector<std::string_view> right = words_of(key);
  // `hiddensize`: a missing or doubled `_`.
  if (left.size() != right.size()) return edit_distance(written, key) == 1;
  for (std::size_t i = 0; i < left.size(); ++i) {
    const std::size_t length = std::min(left[i].size(), right[i].size());
    const std::size_t longer = std::max(left[i].size(), right[i].size());
    if (longer - length > allowed(length) || edit_distance(left[i], right[i]) > allowed(length)) return false;
  }
  return true;
}

class Looker {
 public:
  Looker(const View& view, std::span<const Place> scopes, const model::Reading& reading)
      : view_(view), scopes_(scopes), reading_(reading) {}

  void add(const FieldRules& rules) {
    for (const auto& [name, alternatives] : rules) {
      const FieldId field = model::find_field(name);
      for (const Alternative& each : alternatives) {
        for (const KeyPath& path : each.keys) add(path, field);
      }
    }
  }

  void look(std::vector<model::Remark>& out) const {
    for (const auto& [id, table] : tables_) {
      if (!table.node.is(Kind::table)) continue;
      for (const NodeRef child : table.node) look_at(table, child, out);
    }
  }

 private:
  void add(const KeyPath& path, FieldId field) {
    if (path.absolute || path.up > 0 || path.components.empty()) return;
    if (std::find(path.components.begin(), path.components.end(), "*") != path.components.end()) return;
    KeyPath above = path;
    above.components.pop_back();
    std::string id = fmt::format("{}", fmt::join(above.components, "."));
    for (std::size_t i = 0; i < scopes_.size(); ++i) {
      const auto [at, is_new] = tables_.try_emplace({i, id});
      Table& table = at->second;
      if (is_new) table.node = view_.find(above, scopes_[i]);
      const std::string key = folded(path.components.back());
      table.known.insert(key);
      if (field != model::no_field && !model::is_stated(reading_, field) && key.size() >= shortest_key)
        table.wanted.emplace_back(key, field);
    }
  }

  void look_at(const Table& table, NodeRef child, std::vector<model::Remark>& out) const {
    const std::string written = folded(child.key());
    // What a file inherits is told when that file is linted.
    if (written.size() < shortest_key || table.known.contains(written) || child.file() != reading_path())
      return;
    if (child.is(Kind::table) || child.is(Kind::null)) return;
    for (const auto& [key, field] : table.wanted) {
      if (!is_near(written, key)) continue;
      model::Remark remark;
      const bool is_needed = std::find(needed.begin(), needed.end(), field) != needed.end();
      remark.kind = is_needed ? model::Remark::Kind::needed_key_misspelt : model::Remark::Kind::key_misspelt;
      remark.path = std::string(child.file());
      remark.span = child.key_span();
      remark.key_path = child.path();
      remark.key = std::string(child.key());
      remark.meaning = in_its_place(field);
      remark.instead = child.key().starts_with("--") ? "--" + dashed(key) : key;
      remark.field = field;
      out.push_back(std::move(remark));
      return;
    }
  }

  // What counts as long as the key is not read.
  std::string in_its_place(FieldId field) const {
    const std::string_view name = model::info(field).name;
    if (!model::is_known(reading_, field)) return fmt::format("`{}` is unknown", name);
    return fmt::format("`{}` is taken as {}", name,
                       model::value_text(field, model::get(reading_.setup, field)));
  }

  std::string_view reading_path() const {
    return view_.layers().empty() ? std::string_view{} : view_.layers().front().document->path();
  }

  const View& view_;
  std::span<const Place> scopes_;
  const model::Reading& reading_;
  std::map<std::pair<std::size_t, std::string>, Table> tables_;
};

}  // namespace

void remark_on_near_keys(std::span<const FieldRules* const> tables, const View& view,
                         std::span<const Place> scopes, const model::Reading& reading,
                         std::vector<model::Remark>& out) {
  Looker looker(view, scopes, reading);
  for (const FieldRules* each : tables) looker.add(*each);
  looker.look(out);
}

}  // namespace shapelint::formats
