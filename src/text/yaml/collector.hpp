// The events of a YAML parser, in the order of the text, to RawNode with exact bytes.
//
// A parser says where a value begins; where it ends is found here. Whatever stands between two values is
// looked at exactly once: only indicators, blanks and comments may be there.
#pragma once

#include <memory>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "base/error.hpp"
#include "text/yaml/layout.hpp"
#include "text/yaml/raw.hpp"

namespace shapelint::text::yaml {

// Thrown to leave the parser from inside of an event.
struct Stop {
  Error error;
};

// Positions are bytes of the text; `at` may be that of a tag or an anchor before the value. Anchors are
// the parser's numbers; no_anchor when a value has none. Tags are spelt out (`tag:yaml.org,2002:int`).
class Collector {
 public:
  static constexpr std::size_t no_anchor = 0;

  // Begins at byte `offset` (after a byte-order mark).
  Collector(std::string path, std::shared_ptr<const std::string> source, std::size_t offset)
      : path_(std::move(path)), source_(std::move(source)), layout_(*source_), at_(offset) {}

  void begin_document(std::size_t begin);
  void end_document();
  void null(std::size_t at, std::size_t anchor);
  void anchor(std::size_t at, const std::string& name);
  void alias(std::size_t begin, std::size_t anchor);
  void scalar(std::size_t at, const std::string& tag, std::size_t anchor, const std::string& value);
  void open(RawNode::Kind kind, std::size_t at, const std::string& tag, std::size_t anchor, bool may_be_flow);
  void close();
  // Looks at what follows the last document.
  void finish();

  // The values of each document.
  std::vector<std::vector<RawNode>> take() && { return std::move(documents_); }

 private:
  struct Open {
    std::size_t node;
    bool is_flow;        // written with brackets
    std::size_t column;  // of a block table's keys or a block list's dashes
  };

  [[noreturn]] void stop(std::size_t begin, std::size_t end, std::string message,
                         std::string hint = {}) const;
  // The first `c` in [begin, end), or end.
  std::size_t find(char c, std::size_t begin, std::size_t end) const;
  void refuse_tabs(std::size_t begin, std::size_t end) const;
  // Looks at what is between the last value and `begin`, and moves to `end`.
  void consume(std::size_t begin, std::size_t end);
  // The same for `%YAML 1.1` and the like, before `---`. Returns whether there were any.
  bool consume_directives(std::size_t begin);
  std::size_t null_word_end(std::size_t begin) const;
  // Whether the null at `begin` is the value that is due, and not the next key (`a:` above `null: 1`).
  bool belongs_here(std::size_t begin) const;
  bool key_is_due() const;
  // Behind the `:` or `-` after which nothing stands.
  void skip_to_missing_value();
  // The value of a block table's key may be on a later line only when it stands right of the key (a list may
  // stand under it).
  void check_indent(std::size_t begin) const;
  void add(RawNode node, std::size_t anchor);

  std::string path_;
  std::shared_ptr<const std::string> source_;
  Layout layout_;
  std::size_t at_;  // where the last value ended
  bool document_started_ = false;
  std::vector<RawNode> nodes_;
  std::vector<Open> open_;
  std::unordered_map<std::size_t, std::size_t> anchors_;
  std::unordered_set<std::string> anchor_names_;
  std::size_t question_end_ = std::string::npos;  // behind the last `?`
  std::vector<std::vector<RawNode>> documents_;
};

}  // namespace shapelint::text::yaml
