// First half of the YAML reader: yaml-cpp's events, and the checks that it leaves out. The only file that
// sees its headers.
//
// Events come in the order of the text. `at_` is where the last one ended, so that whatever stands between
// two of them is looked at exactly once: only indicators, blanks and comments may be there.
#include "text/yaml.hpp"

#include <sstream>
#include <unordered_map>
#include <unordered_set>

#include <fmt/format.h>
#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/parser.h>

#include "text/yaml_layout.hpp"
#include "text/yaml_raw.hpp"

namespace shapelint::text {

namespace {

// Leaves yaml-cpp from inside of an event.
struct Stop {
  Error error;
};

class Events final : public YAML::EventHandler {
 public:
  // yaml-cpp reads the text after a byte-order mark: its positions count from `offset`.
  Events(std::string path, std::shared_ptr<const std::string> source, std::size_t offset)
      : path_(std::move(path)), source_(std::move(source)), layout_(*source_), offset_(offset), at_(offset) {}

  void OnDocumentStart(const YAML::Mark& mark) override {
    const std::size_t begin = position(mark);
    const bool is_marked = source_->compare(begin, 3, "---") == 0;
    if (document_started_ && !is_marked) {
      stop(begin, begin + 1, "the document ends before this",
           "the first value of a file decides whether it is a list (`- `) or a table (`key:`); `---` begins "
           "another document");
    }
    if (consume_directives(begin) && !is_marked) stop(begin, begin, "no `---` after the `%` directive");
    document_started_ = true;
    anchor_names_.clear();
    nodes_.clear();
    anchors_.clear();
    open_.clear();
  }

  void OnDocumentEnd() override {
    if (nodes_.empty()) nodes_.emplace_back();
    documents_.push_back(std::move(nodes_));
    nodes_.clear();
    if (documents_.size() > max_documents) {
      stop(at_, at_, fmt::format("the file holds more than {} documents", max_documents));
    }
  }

  void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    RawYaml node;
    const std::size_t begin = layout_.skip_properties(position(mark));
    const std::size_t word_end = null_word_end(begin);
    if (begin >= at_ && word_end > begin && belongs_here(begin)) {
      node.kind = RawYaml::Kind::scalar;
      node.plain = true;
      node.text = source_->substr(begin, word_end - begin);
      consume(begin, word_end);
      node.span = span(begin, word_end);
    } else {
      skip_to_missing_value();
      if (anchor != YAML::NullAnchor) at_ = layout_.skip_properties(layout_.skip_blanks(at_));
      node.span = span(at_, at_);
    }
    add(std::move(node), anchor);
  }

  void OnAnchor(const YAML::Mark& mark, const std::string& name) override {
    if (anchor_names_.insert(name).second) return;
    const std::size_t begin = source_->find('&', position(mark));
    stop(begin, layout_.name_end(begin), fmt::format("the anchor `&{}` is defined twice", name));
  }

  void OnAlias(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    RawYaml node;
    node.kind = RawYaml::Kind::alias;
    node.target = anchors_.at(anchor);
    const std::size_t begin = position(mark);
    node.span = span(begin, layout_.name_end(begin));
    check_indent(begin);
    consume(begin, layout_.name_end(begin));
    add(std::move(node), YAML::NullAnchor);
  }

  void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                const std::string& value) override {
    const std::size_t begin = layout_.skip_properties(position(mark));
    RawYaml node;
    node.kind = RawYaml::Kind::scalar;
    node.text = value;
    node.tag = written_tag(tag);
    const char first = layout_.at(begin);
    std::size_t end = begin;
    if (value.empty() && first != '"' && first != '\'' && first != '|' && first != '>') {
      node.plain = true;  // a tag and nothing behind it
      consume(position(mark), position(mark));
      at_ = std::max(at_, layout_.skip_properties(position(mark)));
      node.span = span(at_, at_);
      return add(std::move(node), anchor);
    }
    if (first == '"' || first == '\'') {
      const auto quote_end = layout_.quoted_end(begin);
      if (!quote_end) stop(begin, begin + 1, fmt::format("the quote `{}` is never closed", first));
      end = *quote_end;
    } else if (first == '|' || first == '>') {
      end = layout_.block_end(begin, value);
    } else {
      node.plain = true;
      end = layout_.plain_end(begin, value);
      refuse_tabs(begin, end);
    }
    node.span = span(begin, end);
    check_indent(begin);
    consume(begin, end);
    add(std::move(node), anchor);
  }

  void OnSequenceStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                       YAML::EmitterStyle::value style) override {
    open(RawYaml::Kind::list, '[', mark, tag, anchor, style);
  }
  void OnMapStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                  YAML::EmitterStyle::value style) override {
    open(RawYaml::Kind::table, '{', mark, tag, anchor, style);
  }
  void OnSequenceEnd() override { close(']'); }
  void OnMapEnd() override { close('}'); }

  // What follows the last document.
  void finish() {
    const std::size_t end = source_->size();
    consume(end, end);
  }

  std::vector<std::vector<RawYaml>> take() && { return std::move(documents_); }

 private:
  static constexpr std::size_t max_documents = 1000;

  struct Open {
    std::size_t node;
    bool is_flow;        // written with brackets
    std::size_t column;  // of a block table's keys or a block list's dashes
  };

  [[noreturn]] void stop(std::size_t begin, std::size_t end, std::string message,
                         std::string hint = {}) const {
    throw Stop{Error{"not valid YAML: " + std::move(message), std::move(hint), path_, span(begin, end)}};
  }

  std::size_t position(const YAML::Mark& mark) const {
    return std::min(offset_ + static_cast<std::size_t>(std::max(mark.pos, 0)), source_->size());
  }

  static Span span(std::size_t begin, std::size_t end) {
    return {static_cast<std::int64_t>(begin), static_cast<std::int64_t>(end)};
  }

  // yaml-cpp spells tags out; `!` and `?` stand for "quoted" and "plain" without a tag.
  static std::string written_tag(const std::string& tag) {
    constexpr std::string_view core = "tag:yaml.org,2002:";
    if (tag == "?" || tag == "!") return {};
    return tag.starts_with(core) ? "!!" + tag.substr(core.size()) : tag;
  }

  void refuse_tabs(std::size_t begin, std::size_t end) const {
    const std::size_t tab = source_->find('\t', begin);
    if (tab < end)
      stop(tab, tab + 1, "a tab where only spaces may be", "PyYAML refuses tabs outside of quotes");
  }

  // Looks at what is between the last token and the next one, and moves behind that.
  void consume(std::size_t begin, std::size_t end) {
    while (at_ < begin) {
      const char c = (*source_)[at_];
      if (c == '#') {
        at_ = std::min(source_->find('\n', at_), begin);
      } else if (c == '\t') {
        refuse_tabs(at_, at_ + 1);
      } else if (c == '&' || c == '!') {
        at_ = std::min(std::max(layout_.skip_properties(at_), at_ + 1), begin);
      } else if (layout_.column(at_) == 0 && source_->compare(at_, 3, "...") == 0) {
        at_ += 3;
      } else if (c == '?') {
        question_end_ = ++at_;
      } else if (std::string_view(" \r\n-:,[]{}").find(c) != std::string_view::npos) {
        ++at_;
      } else {
        stop(at_, at_ + 1, "text that belongs to no value");
      }
    }
    at_ = std::max(at_, end);
  }

  // `%YAML 1.1` and the like, before `---`. Returns whether there were any.
  bool consume_directives(std::size_t begin) {
    bool found = false;
    while (at_ < begin) {
      const std::size_t percent = source_->find('%', at_);
      const std::size_t comment = source_->find('#', at_);
      if (percent < begin && layout_.column(percent) == 0 && percent < comment) {
        consume(percent, std::min(source_->find('\n', percent), begin));
        found = true;
      } else {
        const std::size_t line = std::min(source_->find('\n', std::min(comment, begin)), begin);
        consume(line, line);
      }
    }
    return found;
  }

  std::size_t null_word_end(std::size_t begin) const {
    for (const std::string_view word : {"~", "null", "Null", "NULL"}) {
      if (source_->compare(begin, word.size(), word) == 0) return begin + word.size();
    }
    return begin;
  }

  // Whether the word at `begin` is the value that is due, and not the next key (`a:` above `null: 1`).
  bool belongs_here(std::size_t begin) const {
    if (open_.empty() || open_.back().is_flow) return true;
    const std::size_t newline = source_->find('\n', at_);
    const bool same_line = newline == std::string::npos || newline >= begin;
    return same_line || layout_.column(begin) > open_.back().column || key_is_due();
  }

  bool key_is_due() const {
    if (open_.empty()) return false;
    const RawYaml& parent = nodes_[open_.back().node];
    return parent.kind == RawYaml::Kind::table && parent.items.size() % 2 == 0;
  }

  // Behind the `:` or `-` after which nothing stands.
  void skip_to_missing_value() {
    if (open_.empty()) return;
    const std::size_t next = layout_.skip_blanks(at_);
    const char due = nodes_[open_.back().node].kind == RawYaml::Kind::table ? ':' : '-';
    const char found = layout_.at(next);
    if (key_is_due()) {
      // `: value` without a key; behind a `?` it may be left out.
      if (found == '?') {
        consume(next, next + 1);
      } else if (question_end_ != at_) {
        stop(next, next + 1, "a key is missing");
      }
      return;
    }
    if (open_.back().is_flow && due == '-') stop(next, next + 1, "a value is missing");
    if (found == due) {
      consume(next, next + 1);
    } else if (due == ':' && !open_.back().is_flow) {
      const RawYaml& key = nodes_[nodes_[open_.back().node].items.back()];
      const auto begin = static_cast<std::size_t>(key.span.begin);
      if (question_end_ == std::string::npos ||
          layout_.skip_properties(layout_.skip_blanks(question_end_)) != begin) {
        stop(begin, static_cast<std::size_t>(key.span.end), "no `:` after the key");
      }
    }
  }

  // The value of a block table's key may be on a later line only when it stands right of the key (a list may
  // stand under it).
  void check_indent(std::size_t begin) const {
    if (open_.empty() || open_.back().is_flow || key_is_due()) return;
    if (nodes_[open_.back().node].kind != RawYaml::Kind::table) return;
    const std::size_t newline = source_->find('\n', at_);
    if (newline < begin && layout_.column(begin) <= open_.back().column) {
      stop(begin, begin + 1, "no `:` after the key",
           "or indent it more, if it is the value of the key above");
    }
  }

  void add(RawYaml node, YAML::anchor_t anchor) {
    if (static_cast<std::int64_t>(nodes_.size()) >= max_values) {
      throw Stop{too_many_values(path_, node.span.begin)};
    }
    const std::size_t index = nodes_.size();
    if (!open_.empty()) {
      const bool is_container = node.kind == RawYaml::Kind::table || node.kind == RawYaml::Kind::list;
      if (is_container && key_is_due()) {
        stop(static_cast<std::size_t>(node.span.begin), static_cast<std::size_t>(node.span.end),
             "a key is a table or a list");
      }
      nodes_[open_.back().node].items.push_back(index);
    }
    if (anchor != YAML::NullAnchor) anchors_[anchor] = index;
    nodes_.push_back(std::move(node));
  }

  void open(RawYaml::Kind kind, char bracket, const YAML::Mark& mark, const std::string& tag,
            YAML::anchor_t anchor, YAML::EmitterStyle::value style) {
    const std::size_t begin = layout_.skip_properties(position(mark));
    if (open_.size() >= static_cast<std::size_t>(max_depth)) {
      throw Stop{too_deep(path_, static_cast<std::int64_t>(begin))};
    }
    RawYaml node;
    node.kind = kind;
    node.tag = written_tag(tag);
    const bool is_flow = style == YAML::EmitterStyle::Flow && layout_.at(begin) == bracket;
    node.span = span(begin, begin + (is_flow ? 1 : 0));
    const std::size_t index = nodes_.size();
    if (is_flow) check_indent(begin);
    add(std::move(node), anchor);
    if (is_flow) {
      consume(begin, begin + 1);
    } else {
      consume(begin, begin);
    }
    open_.push_back({index, is_flow, layout_.column(begin)});
  }

  void close(char bracket) {
    const Open closed = open_.back();
    if (closed.is_flow) {
      std::size_t end = layout_.skip_blanks(at_);
      while (layout_.at(end) == ',' || layout_.at(end) == ':') end = layout_.skip_blanks(end + 1);
      if (layout_.at(end) != bracket) stop(end, end + 1, fmt::format("expected `{}`", bracket));
      consume(end, end + 1);
    }
    open_.pop_back();
    nodes_[closed.node].span.end = static_cast<std::int64_t>(at_);
  }

  std::string path_;
  std::shared_ptr<const std::string> source_;
  YamlLayout layout_;
  std::size_t offset_;
  std::size_t at_;
  bool document_started_ = false;
  std::vector<RawYaml> nodes_;
  std::vector<Open> open_;
  std::unordered_map<YAML::anchor_t, std::size_t> anchors_;
  std::unordered_set<std::string> anchor_names_;
  std::size_t question_end_ = std::string::npos;  // behind the last `?`
  std::vector<std::vector<RawYaml>> documents_;
};

// YAML 1.1, 5.1: control characters other than tab and line breaks are not allowed. (yaml-cpp takes one of
// them for the end of the file, and zeros for UTF-16.)
std::optional<Error> find_control_character(const std::string& path, std::string_view source) {
  for (std::size_t i = 0; i < source.size(); ++i) {
    const auto c = static_cast<unsigned char>(source[i]);
    if ((c >= 0x20 && c != 0x7F) || c == '\t' || c == '\n' || c == '\r') continue;
    return Error{fmt::format("not valid YAML: control character {:#04x}", static_cast<unsigned>(c)),
                 {},
                 path,
                 Span{static_cast<std::int64_t>(i), static_cast<std::int64_t>(i) + 1}};
  }
  return std::nullopt;
}

// yaml-cpp's messages name its own rules; these say what a reader of the file can do.
struct Explanation {
  std::string_view of;
  std::string_view message;
  std::string_view hint;
};
constexpr Explanation explanations[] = {
    {"end of map not found", "this does not belong to the table above", "check the indentation"},
    {"end of sequence not found", "this does not belong to the list above", "check the indentation"},
    {"end of map flow not found", "expected `,` or `}`", ""},
    {"end of sequence flow not found", "expected `,` or `]`", ""},
    {"illegal map value", "`:` cannot stand here", "text that holds `: ` needs quotes"},
    {"illegal block entry", "`- ` cannot stand here", ""},
    {"illegal EOF in scalar", "a quote is never closed", ""},
    {"unknown token", "no value can begin like this", "put it in quotes"},
    {"the referenced anchor is not defined", "no anchor (`&`) of this name comes before the alias", ""},
};

Error explain(const YAML::Exception& problem, const std::string& path, std::string_view source,
              std::size_t offset) {
  const auto size = static_cast<std::int64_t>(source.size());
  const std::int64_t at = std::min(static_cast<std::int64_t>(offset) + std::max(problem.mark.pos, 0), size);
  Error error{problem.msg, {}, path, Span{at, std::min(at + 1, size)}};
  for (const Explanation& each : explanations) {
    if (problem.msg != each.of) continue;
    error.message = each.message;
    error.hint = each.hint;
  }
  error.message = fmt::format("not valid YAML: {}", error.message);
  return error;
}

}  // namespace

Result<std::vector<Document>> parse_yaml(std::string path, std::string text) {
  if (const auto problem = check_source(path, text)) return *problem;
  if (const auto problem = find_control_character(path, text)) return *problem;
  const auto source = std::make_shared<const std::string>(std::move(text));
  const std::size_t offset = source->starts_with("\xEF\xBB\xBF") ? 3 : 0;
  Events events(path, source, offset);
  try {
    std::istringstream stream(source->substr(offset));
    YAML::Parser parser(stream);
    while (parser.HandleNextDocument(events)) {
    }
    events.finish();
  } catch (const Stop& stopped) {
    return stopped.error;
  } catch (const YAML::Exception& problem) {
    return explain(problem, path, *source, offset);
  }
  std::vector<Document> documents;
  std::vector<std::vector<RawYaml>> raw = std::move(events).take();
  if (raw.empty()) raw.emplace_back(1);
  for (const std::vector<RawYaml>& nodes : raw) {
    Result<Document> document = build_yaml(path, source, nodes);
    if (!document) return document.error();
    documents.push_back(*std::move(document));
  }
  return documents;
}

}  // namespace shapelint::text
