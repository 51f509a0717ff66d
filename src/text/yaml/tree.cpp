// Second half of the YAML reader: from the file as written to what it means.
#include <algorithm>
#include <array>
#include <unordered_map>

#include <fmt/format.h>

#include "base/budget.hpp"
#include "base/keyed_hash.hpp"
#include "text/errors.hpp"
#include "text/printable.hpp"
#include "text/yaml/nodes.hpp"

namespace shapelint::text::yaml {

namespace {

using RawKind = RawNode::Kind;

// Longest piece of the source that a message repeats.
constexpr std::int64_t longest_shown = 40;

// A key that is looked for among those of merged tables, which may be one long text many times.
constexpr std::size_t units_per_name = 10;
constexpr std::size_t bytes_per_unit = 16;

// Tags of YAML itself say nothing that the value does not.
bool is_core_tag(std::string_view tag) {
  constexpr std::array<std::string_view, 13> core = {"",       "!",       "!!str",  "!!int", "!!float",
                                                     "!!bool", "!!null",  "!!map",  "!!seq", "!!set",
                                                     "!!omap", "!!pairs", "!!merge"};
  return std::find(core.begin(), core.end(), tag) != core.end();
}

// HyperPyYAML's `!ref <a.b>`, `!ref <a> // 2` and `!ref <folder>/x`, as OmegaConf writes them.
std::string as_interpolation(std::string_view text) {
  std::string references;
  bool has_letters = false;
  std::size_t count = 0;
  while (!text.empty()) {
    const std::size_t open = text.find('<');
    const std::size_t close = open == std::string_view::npos ? open : text.find('>', open);
    const std::string_view between = text.substr(0, close == std::string_view::npos ? close : open);
    has_letters = has_letters || between.find_first_not_of("0123456789.+-*/%() ") != std::string_view::npos;
    references += between;
    if (close == std::string_view::npos) break;
    references.append("${").append(text.substr(open + 1, close - open - 1)).append("}");
    text.remove_prefix(close + 1);
    ++count;
  }
  const bool is_one = count == 1 && references.front() == '$' && references.back() == '}';
  if (count == 0 || has_letters || is_one) return references;
  return "${eval:" + references + "}";
}

class Builder {
 public:
  Builder(const std::string& path, std::string_view source, const std::vector<RawNode>& raw)
      : path_(path), source_(source), raw_(raw), open_(raw.size(), false) {}

  std::optional<Error> build() {
    add(no_node, Entry{no_key, 0, std::nullopt}, 0);
    return std::move(error_);
  }

  TreeBuilder take() && { return std::move(tree_); }

 private:
  static constexpr std::size_t no_key = static_cast<std::size_t>(-1);

  // One entry of a table, or an item of a list (without a key). `use` is the outermost alias that led here.
  struct Entry {
    std::size_t key;
    std::size_t value;
    std::optional<Span> use;
  };

  bool failed() const { return error_.has_value(); }

  void fail(Error error) {
    if (!error_) error_ = std::move(error);
  }

  // Every step counts, also those that leave no value behind (merges of merges), so that time is bounded.
  bool count_step(Span span) {
    if (++steps_ > max_values) fail(too_many_values(path_, span.begin));
    // The pool is addressed in 32 bits, and a long text behind many aliases would fill the memory.
    if (tree_.pool_size() > static_cast<std::size_t>(2 * max_source_bytes)) {
      fail(too_many_values(path_, span.begin));
    }
    return !failed();
  }

  std::string_view key_text(std::size_t key) const {
    const RawNode& node = raw_[key];
    return node.kind == RawKind::scalar ? std::string_view(node.text) : slice(node.span);
  }

  // Follows aliases; `use` becomes the first of them. An alias to an alias is not possible in YAML.
  std::size_t resolve(std::size_t index, std::optional<Span>& use) {
    const RawNode& node = raw_[index];
    if (node.kind != RawKind::alias) return index;
    if (!use) use = node.span;
    if (open_[node.target]) {
      fail(Error{
          fmt::format("the alias `{}` is inside its own anchor", shortened(slice(node.span), longest_shown)),
          {},
          path_,
          node.span});
    }
    return node.target;
  }

  std::string_view slice(Span span) const {
    return source_.substr(static_cast<std::size_t>(span.begin),
                          static_cast<std::size_t>(span.end - span.begin));
  }

  void add(std::int32_t parent, Entry entry, int depth) {
    std::optional<Span> use = entry.use;
    const std::size_t index = resolve(entry.value, use);
    const RawNode& node = raw_[index];
    if (failed() || !count_step(node.span)) return;
    if (depth > max_depth) return fail(too_deep(path_, node.span.begin));
    const auto begin_node = [&](Kind kind) {
      std::int32_t added = no_node;
      if (entry.key == no_key) {
        added = tree_.add(parent, kind, {}, {}, node.span);
      } else {
        std::optional<Span> key_use;
        const std::size_t key = resolve(entry.key, key_use);
        added = tree_.add(parent, kind, key_text(key), key_use.value_or(raw_[key].span), node.span);
      }
      if (use) tree_.set_use(added, *use);
      if (!is_core_tag(node.tag)) tree_.set_note(added, node.tag);
      return added;
    };
    switch (node.kind) {
      case RawKind::table: {
        const std::int32_t added = begin_node(Kind::table);
        open_[index] = true;
        for (const Entry& each : entries(index, use, depth)) {
          if (failed()) break;
          add(added, each, depth + 1);
        }
        open_[index] = false;
        return;
      }
      case RawKind::list: {
        const std::int32_t added = begin_node(Kind::list);
        open_[index] = true;
        for (const std::size_t item : node.items) {
          if (failed()) break;
          add(added, Entry{no_key, item, use}, depth + 1);
        }
        open_[index] = false;
        return;
      }
      case RawKind::scalar:
        return add_scalar(node, begin_node);
      case RawKind::alias:
        return;  // followed above
    }
  }

  template <class BeginNode>
  void add_scalar(const RawNode& node, const BeginNode& begin_node) {
    Scalar scalar;
    const bool is_text = node.tag == "!!str" || node.tag == "!";
    const bool is_typed =
        node.tag == "!!int" || node.tag == "!!float" || node.tag == "!!bool" || node.tag == "!!null";
    if ((node.plain && !is_text) || is_typed) scalar = resolve_scalar(node.text);
    if (node.tag == "!!float" && scalar.kind == Kind::integer) scalar.kind = Kind::number;
    const std::int32_t added = begin_node(scalar.kind);
    switch (scalar.kind) {
      case Kind::integer:
        return tree_.set_integer(added, scalar.integer);
      case Kind::number:
        return tree_.set_number(added, scalar.number);
      case Kind::boolean:
        return tree_.set_boolean(added, scalar.boolean);
      case Kind::string:
        return tree_.set_string(added, node.tag == "!ref" ? as_interpolation(node.text) : node.text);
      default:
        return;
    }
  }

  bool is_merge(std::size_t key) const {
    const RawNode& node = raw_[key];
    return node.kind == RawKind::scalar && ((node.plain && node.text == "<<") || node.tag == "!!merge");
  }

  // The entries of a table with those of its merge keys before its own, as PyYAML orders them. Of entries
  // with the same key only those stay that the table itself wrote (a duplicate is the user's), and the last
  // merged.
  std::vector<Entry> entries(std::size_t table, std::optional<Span> use, int depth) {
    const RawNode& node = raw_[table];
    std::vector<Entry> merged;
    std::vector<Entry> own;
    for (std::size_t i = 0; i + 1 < node.items.size() && !failed(); i += 2) {
      if (is_merge(node.items[i])) {
        merge(node.items[i + 1], use, depth, merged);
      } else {
        own.push_back({node.items[i], node.items[i + 1], use});
      }
    }
    if (merged.empty()) return own;
    std::unordered_map<std::string_view, std::size_t, KeyedHash> last;
    const auto name = [&](const Entry& entry) {
      std::optional<Span> ignored;
      const std::string_view key = key_text(resolve(entry.key, ignored));
      charge(units_per_name + key.size() / bytes_per_unit);
      return key;
    };
    for (std::size_t i = 0; i < merged.size(); ++i) last[name(merged[i])] = i;
    for (const Entry& entry : own) last[name(entry)] = no_key;
    std::vector<Entry> all;
    for (std::size_t i = 0; i < merged.size(); ++i) {
      if (last[name(merged[i])] == i) all.push_back(merged[i]);
    }
    all.insert(all.end(), own.begin(), own.end());
    return all;
  }

  void merge(std::size_t value, std::optional<Span> use, int depth, std::vector<Entry>& merged) {
    const std::size_t index = resolve(value, use);
    const RawNode& node = raw_[index];
    if (failed() || !count_step(node.span)) return;
    if (depth > max_depth) return fail(too_deep(path_, node.span.begin));
    if (node.kind == RawKind::table) {
      open_[index] = true;
      for (const Entry& entry : entries(index, use, depth + 1)) {
        if (!count_step(node.span)) break;
        merged.push_back(entry);
      }
      open_[index] = false;
    } else if (node.kind == RawKind::list) {
      // The first of a list wins, so it comes last.
      for (auto item = node.items.rbegin(); item != node.items.rend() && !failed(); ++item) {
        std::optional<Span> inner = use;
        const std::size_t target = resolve(*item, inner);
        if (!failed() && raw_[target].kind != RawKind::table) return fail(not_a_table(raw_[*item].span));
        merge(*item, use, depth + 1, merged);
      }
    } else {
      fail(not_a_table(raw_[value].span));
    }
  }

  Error not_a_table(Span span) const {
    return Error{fmt::format("`<<` merges `{}`, which is not a table", shortened(slice(span), longest_shown)),
                 {},
                 path_,
                 span};
  }

  const std::string& path_;
  std::string_view source_;
  const std::vector<RawNode>& raw_;
  std::vector<bool> open_;
  TreeBuilder tree_;
  std::int64_t steps_ = 0;
  std::optional<Error> error_;
};

}  // namespace

Result<Document> build(const std::string& path, const SharedText& source, const std::vector<RawNode>& nodes) {
  Builder builder(path, source, nodes);
  if (auto error = builder.build()) return *std::move(error);
  return std::move(builder).take().finish(path, source);
}

}  // namespace shapelint::text::yaml
