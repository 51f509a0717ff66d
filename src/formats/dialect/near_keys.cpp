// Did-you-mean for keys.
#include "formats/dialect/resolve.hpp"

#include <algorithm>
#include <array>
#include <deque>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <tsl/robin_set.h>

#include "base/budget.hpp"
#include "base/strings.hpp"
#include "formats/remarks.hpp"
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

// What is written with dashes and underscores, and with the dashes of a flag, is one key. `texts` keeps the
// few that are written otherwise.
std::string_view folded(std::string_view key, std::deque<std::string>& texts) {
  if (key.starts_with("--")) key.remove_prefix(2);
  if (key.find('-') == std::string_view::npos) return key;
  std::string& out = texts.emplace_back(key);
  std::replace(out.begin(), out.end(), '-', '_');
  return out;
}

// Tables of the file at one place, a scope each, and the keys that the dialect reads from there.
struct Tables {
  std::vector<NodeRef> nodes;
  tsl::robin_set<std::string_view> known;
  std::vector<std::pair<std::string_view, FieldId>> wanted;  // of fields that the file does not state
};

// Letters that may differ in a word: `num` and `sum`, `file` and `size` are others, not each other misspelt.
std::size_t allowed(std::size_t length) {
  return length < 4 ? 0 : length < letters_for_two ? 1 : 2;
}

// Another number (`fc1`, `fc2`) makes another word.
bool same_digits(std::string_view a, std::string_view b) {
  const auto digits = [](std::string_view key) {
    return std::count_if(key.begin(), key.end(), [](char c) { return c >= '0' && c <= '9'; });
  };
  return digits(a) == digits(b);
}

// Takes the word that `key` begins with, and the `_` after it.
std::string_view next_word(std::string_view& key) {
  const std::size_t end = std::min(key.find('_'), key.size());
  const std::string_view word = key.substr(0, end);
  key.remove_prefix(std::min(end + 1, key.size()));
  return word;
}

bool is_near(std::string_view written, std::string_view key) {
  // Another first letter (`n_head`, `d_head`) is another word.
  if (written.front() != key.front()) return false;
  const auto apart = [](std::string_view a, std::string_view b) {
    return std::max(a.size(), b.size()) - std::min(a.size(), b.size());
  };
  // `hiddensize`: a missing or doubled `_`.
  if (std::count(written.begin(), written.end(), '_') != std::count(key.begin(), key.end(), '_'))
    return apart(written, key) <= 1 && edit_distance(written, key) == 1 && same_digits(written, key);
  std::string_view here = written;
  std::string_view there = key;
  while (!here.empty() || !there.empty()) {
    const std::string_view left = next_word(here);
    const std::string_view right = next_word(there);
    if (left == right) continue;
    const std::size_t most = allowed(std::min(left.size(), right.size()));
    if (apart(left, right) > most || edit_distance(left, right) > most) return false;
  }
  return same_digits(written, key);
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

  void look(std::vector<model::Remark>& out) {
    for (std::size_t scope = 0; scope < scopes_.size(); ++scope) {
      for (const auto& [id, tables] : tables_) {
        const NodeRef table = tables.nodes[scope];
        if (!table.is(Kind::table)) continue;
        for (const NodeRef child : table) {
          if (out.size() > max_remarks) return;
          check_key(tables, child, out);
        }
      }
    }
  }

 private:
  void add(const KeyPath& path, FieldId field) {
    if (path.absolute || path.up > 0 || path.components.empty()) return;
    if (std::find(path.components.begin(), path.components.end(), "*") != path.components.end()) return;
    std::string id;
    for (std::size_t i = 0; i + 1 < path.components.size(); ++i) {
      if (i > 0) id += '.';
      id += path.components[i];
    }
    const auto [at, is_new] = tables_.try_emplace(std::move(id));
    Tables& tables = at->second;
    if (is_new) {
      KeyPath above = path;
      above.components.pop_back();
      for (const Place& scope : scopes_) tables.nodes.push_back(view_.find(above, scope));
    }
    const std::string_view key = folded(path.components.back(), folded_);
    tables.known.insert(key);
    if (field != model::no_field && !model::is_stated(reading_, field) && key.size() >= shortest_key)
      tables.wanted.emplace_back(key, field);
  }

  void check_key(const Tables& tables, NodeRef child, std::vector<model::Remark>& out) {
    if (child.is(Kind::table) || child.is(Kind::null)) return;
    const std::string_view written = folded(child.key(), folded_);
    // What a file inherits is reported when that file is linted.
    if (written.size() < shortest_key || tables.known.contains(written) || child.file() != reading_path())
      return;
    for (const auto& [key, field] : tables.wanted) {
      if (!is_near(written, key)) continue;
      model::Remark remark;
      const bool is_needed = std::find(needed.begin(), needed.end(), field) != needed.end();
      remark.kind = is_needed ? model::Remark::Kind::needed_key_misspelt : model::Remark::Kind::key_misspelt;
      remark.path = std::string(child.file());
      remark.span = child.key_span();
      remark.key_path = child.path();
      remark.key = std::string(child.key());
      charge_bytes(remark.key_path.size() + remark.key.size());
      remark.meaning = in_its_place(field);
      remark.instead = child.key().starts_with("--") ? "--" + dashed(key) : std::string(key);
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
  std::map<std::string, Tables> tables_;  // by their place in a scope
  std::deque<std::string> folded_;
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
