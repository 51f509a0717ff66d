// A configuration file as a tree of values, each with the exact bytes of its key and value.
//
// The tree is flat (nodes in one array, strings in one pool, links by index), so that the files compiled
// into the binary are ready at start without any parsing and look just like files read from disk.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.hpp"
#include "text/source.hpp"

namespace shapelint::text {

// `unknown` is a value that only the run decides (a command's output, an unset variable, an unresolved
// interpolation): it reads as nothing, and NodeRef::note() says why. `null` is a null that the file states.
enum class Kind : std::uint8_t { table, list, string, integer, number, boolean, null, unknown };

// "a table", "an integer" … for messages.
std::string_view describe(Kind kind);

inline constexpr std::int32_t no_node = -1;

struct Node {
  Kind kind = Kind::null;
  std::int32_t parent = no_node;
  std::int32_t first_child = no_node;
  std::int32_t next_sibling = no_node;
  std::uint32_t key_offset = 0;  // into the pool; list items have an empty key
  std::uint32_t key_size = 0;
  std::uint32_t text_offset = 0;  // into the pool: a string's value
  std::uint32_t text_size = 0;
  std::uint32_t key_begin = 0;  // bytes of the source
  std::uint32_t key_end = 0;
  std::uint32_t value_begin = 0;
  std::uint32_t value_end = 0;
  std::int64_t integer = 0;     // Kind::integer, and Kind::boolean as 0 or 1
  double number = 0;            // Kind::number and Kind::integer
  std::uint32_t use_begin = 0;  // bytes of the source: see NodeRef::use_span
  std::uint32_t use_end = 0;
  std::uint32_t note_offset = 0;  // into the pool: see NodeRef::note and NodeRef::tag
  std::uint32_t note_size = 0;
  std::uint32_t expansion = 0;  // of a command's flag: see NodeRef::expansion
};

class NodeRef;

// A parsed file. Cheap to copy: what it points to is shared, or compiled in.
class Document {
 public:
  Document() = default;
  // A tree that lives for the whole program (compiled in): no source text.
  Document(std::string_view path, std::span<const Node> nodes, std::string_view pool)
      : path_(path), nodes_(nodes), pool_(pool) {}
  // Takes ownership of a parsed tree; the text that it was parsed from is shared.
  Document(std::string path, SharedText source, std::vector<Node> nodes, std::string pool);

  std::string_view path() const { return path_; }
  std::string_view source() const { return source_; }
  // The source for another document of the same text.
  SharedText shared_source() const;
  std::span<const Node> nodes() const { return nodes_; }
  std::string_view pool() const { return pool_; }
  // The whole file: a table for a configuration; an absent node when the document is empty.
  NodeRef root() const;

 private:
  struct Owned;
  std::shared_ptr<const Owned> owned_;
  std::string_view path_;
  std::string_view source_;
  std::span<const Node> nodes_;
  std::string_view pool_;
};

// One value of a document; valid while the document (or a copy of it) lives. A NodeRef may be absent (the
// result of looking for a key that is not there): it is false, has no children, and reads as nothing.
class NodeRef {
 public:
  NodeRef() = default;
  NodeRef(const Document* document, std::int32_t index) : document_(document), index_(index) {}

  explicit operator bool() const { return index_ != no_node; }
  Kind kind() const { return *this ? node().kind : Kind::null; }
  bool is(Kind kind) const { return *this && node().kind == kind; }
  std::string_view key() const;
  Span key_span() const;
  // Where the value is written: the bytes to change in order to change it.
  Span span() const;
  // Where the value is used, when it is written elsewhere: the alias (`*base`), the interpolation
  // (`${model.hidden_size}`), the variable (`$HIDDEN`). Absent when written in place.
  std::optional<Span> use_span() const;
  // Of a command's flag: which expansion brought it (`"${ARGS[@]}"`, `source args.sh`), numbered from 1; 0
  // where it is written in the command itself.
  std::uint32_t expansion() const { return *this ? node().expansion : 0; }
  // Kind::unknown: why it is unknown. Otherwise the YAML tag (`!include`), or nothing.
  std::string_view note() const;
  // Dotted path from the root: `model.moe.num_experts`, `conv[2].stride`.
  std::string path() const;
  std::string_view file() const { return document_ == nullptr ? std::string_view{} : document_->path(); }

  std::optional<std::string_view> as_string() const;
  std::optional<std::int64_t> as_integer() const;
  std::optional<double> as_number() const;  // integers count as numbers
  std::optional<bool> as_boolean() const;

  NodeRef operator[](std::string_view key) const;  // child of a table; the last of duplicates
  NodeRef operator[](std::size_t index) const;     // item of a list
  std::size_t size() const;
  NodeRef parent() const;
  std::int32_t index() const { return index_; }  // into Document::nodes

  class Iterator {
   public:
    Iterator(const Document* document, std::int32_t index) : document_(document), index_(index) {}
    NodeRef operator*() const { return NodeRef(document_, index_); }
    Iterator& operator++();
    bool operator==(const Iterator& other) const { return index_ == other.index_; }

   private:
    const Document* document_;
    std::int32_t index_;
  };
  Iterator begin() const { return {document_, *this ? node().first_child : no_node}; }
  Iterator end() const { return {document_, no_node}; }

  // An error that points at this value (or at its key).
  Error error(std::string message, std::string hint = {}) const;
  Error key_error(std::string message, std::string hint = {}) const;

 private:
  const Node& node() const { return document_->nodes()[static_cast<std::size_t>(index_)]; }
  const Document* document_ = nullptr;
  std::int32_t index_ = no_node;
};

inline NodeRef Document::root() const {
  return NodeRef(this, nodes_.empty() ? no_node : 0);
}

// A key that occurs more than once in a table; the last one counts, as in Python's json and PyYAML.
struct DuplicateKey {
  NodeRef first;  // the occurrence that is ignored
  NodeRef last;   // the next one, which overrides it
};
std::vector<DuplicateKey> duplicate_keys(const Document& document);

// Builds the flat arrays; readers use it, in file order.
class TreeBuilder {
 public:
  // Appends a node under `parent` (no_node for the root) and returns its index.
  std::int32_t add(std::int32_t parent, Kind kind, std::string_view key, Span key_span, Span value_span);
  void set_string(std::int32_t index, std::string_view value);
  void set_integer(std::int32_t index, std::int64_t value);
  void set_number(std::int32_t index, double value);
  void set_boolean(std::int32_t index, bool value);
  void set_use(std::int32_t index, Span use);
  void set_note(std::int32_t index, std::string_view note);
  void set_expansion(std::int32_t index, std::uint32_t expansion);
  void set_value_end(std::int32_t index, std::int64_t end);  // of a table or list, once it is closed
  std::size_t size() const { return nodes_.size(); }
  std::size_t pool_size() const { return pool_.size(); }
  Document finish(std::string path, SharedText source) &&;

 private:
  std::uint32_t intern(std::string_view value);
  std::vector<Node> nodes_;
  std::vector<std::int32_t> last_child_;
  std::string pool_;
};

}  // namespace shapelint::text
