// The flat tree: reading and building.
#include "text/document.hpp"

#include <array>
#include <unordered_map>

#include <fmt/format.h>

#include "base/budget.hpp"
#include "base/keyed_hash.hpp"

namespace shapelint::text {

namespace {

// An item is found by going past those before it.
constexpr std::size_t items_per_unit = 2;

// A key that is looked for among those before it.
constexpr std::size_t units_per_key = 10;

}  // namespace

std::string_view describe(Kind kind) {
  static constexpr std::array<std::string_view, 8> names{
      "a table",  "a list",    "a string", "an integer",
      "a number", "a boolean", "null",     "a value known only at run time"};
  return names.at(static_cast<std::size_t>(kind));
}

struct Document::Owned {
  std::string path;
  SharedText source;
  std::vector<Node> nodes;
  std::string pool;
};

Document::Document(std::string path, SharedText source, std::vector<Node> nodes, std::string pool) {
  auto owned = std::make_shared<Owned>();
  owned->path = std::move(path);
  owned->source = std::move(source);
  owned->nodes = std::move(nodes);
  owned->pool = std::move(pool);
  path_ = owned->path;
  source_ = owned->source;
  nodes_ = owned->nodes;
  pool_ = owned->pool;
  owned_ = std::move(owned);
}

SharedText Document::shared_source() const {
  return owned_ ? owned_->source : SharedText(std::string(source_));
}

std::string_view NodeRef::key() const {
  return *this ? document_->pool().substr(node().key_offset, node().key_size) : std::string_view{};
}

Span NodeRef::key_span() const {
  return *this ? Span{node().key_begin, node().key_end} : Span{};
}

Span NodeRef::span() const {
  return *this ? Span{node().value_begin, node().value_end} : Span{};
}

std::optional<Span> NodeRef::use_span() const {
  if (!*this || node().use_end == 0) return std::nullopt;
  return Span{node().use_begin, node().use_end};
}

std::string_view NodeRef::note() const {
  return *this ? document_->pool().substr(node().note_offset, node().note_size) : std::string_view{};
}

std::string NodeRef::path() const {
  if (!*this || node().parent == no_node) return {};
  const NodeRef above = parent();
  const std::string prefix = above.path();
  charge_text(prefix.size() + key().size());
  if (!above.is(Kind::list)) return prefix.empty() ? std::string(key()) : prefix + "." + std::string(key());
  std::size_t position = 0;
  for (const NodeRef item : above) {
    if (item.index_ == index_) break;
    ++position;
  }
  charge(position / items_per_unit);
  return fmt::format("{}[{}]", prefix, position);
}

std::optional<std::string_view> NodeRef::as_string() const {
  if (!is(Kind::string)) return std::nullopt;
  return document_->pool().substr(node().text_offset, node().text_size);
}

std::optional<std::int64_t> NodeRef::as_integer() const {
  if (!is(Kind::integer)) return std::nullopt;
  return node().integer;
}

std::optional<double> NodeRef::as_number() const {
  if (!is(Kind::integer) && !is(Kind::number)) return std::nullopt;
  return node().number;
}

std::optional<bool> NodeRef::as_boolean() const {
  if (!is(Kind::boolean)) return std::nullopt;
  return node().integer != 0;
}

NodeRef NodeRef::operator[](std::string_view key) const {
  NodeRef found;
  if (!is(Kind::table)) return found;
  // Every look-up in a configuration and in a data file comes here.
  const Node* const nodes = document_->nodes().data();
  const char* const pool = document_->pool().data();
  for (std::int32_t each = node().first_child; each != no_node;) {
    const Node& child = nodes[static_cast<std::size_t>(each)];
    // Most differ in their length or first letter, which takes no call.
    const bool is_like = child.key_size == key.size() && (key.empty() || pool[child.key_offset] == key[0]);
    if (is_like && std::string_view(pool + child.key_offset, child.key_size) == key) found.index_ = each;
    each = child.next_sibling;
  }
  if (found) found.document_ = document_;
  return found;
}

NodeRef NodeRef::operator[](std::size_t index) const {
  if (!is(Kind::list)) return {};
  charge(index / items_per_unit);
  for (const NodeRef child : *this) {
    if (index-- == 0) return child;
  }
  return {};
}

std::size_t NodeRef::size() const {
  std::size_t count = 0;
  for (auto it = begin(); it != end(); ++it) ++count;
  return count;
}

NodeRef NodeRef::parent() const {
  return *this ? NodeRef(document_, node().parent) : NodeRef();
}

NodeRef::Iterator& NodeRef::Iterator::operator++() {
  index_ = document_->nodes()[static_cast<std::size_t>(index_)].next_sibling;
  return *this;
}

Error NodeRef::error(std::string message, std::string hint) const {
  return Error{std::move(message), std::move(hint), std::string(file()), span()};
}

Error NodeRef::key_error(std::string message, std::string hint) const {
  return Error{std::move(message), std::move(hint), std::string(file()), key_span()};
}

std::vector<DuplicateKey> duplicate_keys(const Document& document) {
  std::vector<DuplicateKey> found;
  for (std::size_t i = 0; i < document.nodes().size(); ++i) {
    if (document.nodes()[i].kind != Kind::table) continue;
    // A new one for each: to clear one takes as long as the largest table that it held.
    std::unordered_map<std::string_view, NodeRef, KeyedHash> seen;
    for (const NodeRef child : NodeRef(&document, static_cast<std::int32_t>(i))) {
      charge(units_per_key);
      charge_text(child.key().size());
      const auto [at, inserted] = seen.try_emplace(child.key(), child);
      if (inserted) continue;
      found.push_back({at->second, child});
      at->second = child;
    }
  }
  return found;
}

std::uint32_t TreeBuilder::intern(std::string_view value) {
  const auto offset = static_cast<std::uint32_t>(pool_.size());
  pool_ += value;
  return offset;
}

std::int32_t TreeBuilder::add(std::int32_t parent, Kind kind, std::string_view key, Span key_span,
                              Span value_span) {
  const auto index = static_cast<std::int32_t>(nodes_.size());
  Node node;
  node.kind = kind;
  node.parent = parent;
  node.key_offset = intern(key);
  node.key_size = static_cast<std::uint32_t>(key.size());
  node.key_begin = static_cast<std::uint32_t>(key_span.begin);
  node.key_end = static_cast<std::uint32_t>(key_span.end);
  node.value_begin = static_cast<std::uint32_t>(value_span.begin);
  node.value_end = static_cast<std::uint32_t>(value_span.end);
  nodes_.push_back(node);
  last_child_.push_back(no_node);
  if (parent != no_node) {
    std::int32_t& last = last_child_[static_cast<std::size_t>(parent)];
    if (last == no_node) {
      nodes_[static_cast<std::size_t>(parent)].first_child = index;
    } else {
      nodes_[static_cast<std::size_t>(last)].next_sibling = index;
    }
    last = index;
  }
  return index;
}

void TreeBuilder::set_string(std::int32_t index, std::string_view value) {
  Node& node = nodes_[static_cast<std::size_t>(index)];
  node.text_offset = intern(value);
  node.text_size = static_cast<std::uint32_t>(value.size());
}

void TreeBuilder::set_integer(std::int32_t index, std::int64_t value) {
  nodes_[static_cast<std::size_t>(index)].integer = value;
  nodes_[static_cast<std::size_t>(index)].number = static_cast<double>(value);
}

void TreeBuilder::set_number(std::int32_t index, double value) {
  nodes_[static_cast<std::size_t>(index)].number = value;
}

void TreeBuilder::set_boolean(std::int32_t index, bool value) {
  nodes_[static_cast<std::size_t>(index)].integer = value ? 1 : 0;
}

void TreeBuilder::set_use(std::int32_t index, Span use) {
  nodes_[static_cast<std::size_t>(index)].use_begin = static_cast<std::uint32_t>(use.begin);
  nodes_[static_cast<std::size_t>(index)].use_end = static_cast<std::uint32_t>(use.end);
}

void TreeBuilder::set_note(std::int32_t index, std::string_view note) {
  Node& node = nodes_[static_cast<std::size_t>(index)];
  node.note_offset = intern(note);
  node.note_size = static_cast<std::uint32_t>(note.size());
}

void TreeBuilder::set_expansion(std::int32_t index, std::uint32_t expansion) {
  nodes_[static_cast<std::size_t>(index)].expansion = expansion;
}

void TreeBuilder::set_value_end(std::int32_t index, std::int64_t end) {
  nodes_[static_cast<std::size_t>(index)].value_end = static_cast<std::uint32_t>(end);
}

Document TreeBuilder::finish(std::string path, SharedText source) && {
  return Document(std::move(path), std::move(source), std::move(nodes_), std::move(pool_));
}

}  // namespace shapelint::text
