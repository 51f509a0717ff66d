// What stands where in a YAML text.
#include "text/yaml/collector.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "text/limits.hpp"

namespace shapelint::text::yaml {

namespace {

constexpr std::size_t max_documents = 1000;

// yaml-cpp spells tags out; `!` and `?` stand for "quoted" and "plain" without a tag.
std::string written_tag(const std::string& tag) {
  constexpr std::string_view core = "tag:yaml.org,2002:";
  if (tag == "?" || tag == "!") return {};
  return tag.starts_with(core) ? "!!" + tag.substr(core.size()) : tag;
}

Span span(std::size_t begin, std::size_t end) {
  return {static_cast<std::int64_t>(begin), static_cast<std::int64_t>(end)};
}

}  // namespace

void Collector::begin_document(std::size_t begin) {
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

void Collector::end_document() {
  if (nodes_.empty()) nodes_.emplace_back();
  documents_.push_back(std::move(nodes_));
  nodes_.clear();
  if (documents_.size() > max_documents) {
    stop(at_, at_, fmt::format("the file holds more than {} documents", max_documents));
  }
}

void Collector::null(std::size_t at, std::size_t anchor) {
  RawNode node;
  const std::size_t begin = layout_.skip_properties(at);
  const std::size_t word_end = null_word_end(begin);
  if (begin >= at_ && word_end > begin && belongs_here(begin)) {
    node.kind = RawNode::Kind::scalar;
    node.plain = true;
    node.text = source_->substr(begin, word_end - begin);
    consume(begin, word_end);
    node.span = span(begin, word_end);
  } else {
    skip_to_missing_value();
    if (anchor != no_anchor) at_ = layout_.skip_properties(layout_.skip_blanks(at_));
    node.span = span(at_, at_);
  }
  add(std::move(node), anchor);
}

void Collector::anchor(std::size_t at, const std::string& name) {
  if (anchor_names_.insert(name).second) return;
  const std::size_t begin = source_->find('&', at);
  stop(begin, layout_.name_end(begin), fmt::format("the anchor `&{}` is defined twice", name));
}

void Collector::alias(std::size_t begin, std::size_t anchor) {
  RawNode node;
  node.kind = RawNode::Kind::alias;
  node.target = anchors_.at(anchor);
  node.span = span(begin, layout_.name_end(begin));
  check_indent(begin);
  consume(begin, layout_.name_end(begin));
  add(std::move(node), no_anchor);
}

void Collector::scalar(std::size_t at, const std::string& tag, std::size_t anchor, const std::string& value) {
  const std::size_t begin = layout_.skip_properties(at);
  RawNode node;
  node.kind = RawNode::Kind::scalar;
  node.text = value;
  node.tag = written_tag(tag);
  const char first = layout_.at(begin);
  std::size_t end = begin;
  if (value.empty() && first != '"' && first != '\'' && first != '|' && first != '>') {
    node.plain = true;  // a tag and nothing behind it
    consume(at, at);
    at_ = std::max(at_, layout_.skip_properties(at));
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

void Collector::finish() {
  const std::size_t end = source_->size();
  consume(end, end);
}

std::size_t Collector::find(char c, std::size_t begin, std::size_t end) const {
  if (begin >= end) return end;
  const std::size_t found = std::string_view(*source_).substr(begin, end - begin).find(c);
  return found == std::string_view::npos ? end : begin + found;
}

void Collector::stop(std::size_t begin, std::size_t end, std::string message, std::string hint) const {
  end = std::min(end, source_->size());
  throw Stop{Error{"not valid YAML: " + std::move(message), std::move(hint), path_,
                   span(std::min(begin, end), end)}};
}

void Collector::refuse_tabs(std::size_t begin, std::size_t end) const {
  const std::size_t tab = find('\t', begin, end);
  if (tab < end)
    stop(tab, tab + 1, "a tab where only spaces may be", "PyYAML refuses tabs outside of quotes");
}

void Collector::consume(std::size_t begin, std::size_t end) {
  while (at_ < begin) {
    const char c = (*source_)[at_];
    if (c == '#') {
      at_ = find('\n', at_, begin);
    } else if (c == '\t') {
      refuse_tabs(at_, at_ + 1);
    } else if (c == '&' || c == '!') {
      at_ = std::min(std::max(layout_.skip_properties(at_), at_ + 1), begin);
    } else if (c == '.' && source_->compare(at_, 3, "...") == 0 && layout_.column(at_) == 0) {
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

bool Collector::consume_directives(std::size_t begin) {
  bool found = false;
  while (at_ < begin) {
    const std::size_t percent = find('%', at_, begin);
    const std::size_t comment = find('#', at_, begin);
    if (percent < begin && layout_.column(percent) == 0 && percent < comment) {
      consume(percent, find('\n', percent, begin));
      found = true;
    } else {
      const std::size_t line = find('\n', comment, begin);
      consume(line, line);
    }
  }
  return found;
}

std::size_t Collector::null_word_end(std::size_t begin) const {
  for (const std::string_view word : {"~", "null", "Null", "NULL"}) {
    if (source_->compare(begin, word.size(), word) == 0) return begin + word.size();
  }
  return begin;
}

bool Collector::belongs_here(std::size_t begin) const {
  if (open_.empty() || open_.back().is_flow) return true;
  return find('\n', at_, begin) == begin || layout_.column(begin) > open_.back().column || key_is_due();
}

bool Collector::key_is_due() const {
  if (open_.empty()) return false;
  const RawNode& parent = nodes_[open_.back().node];
  return parent.kind == RawNode::Kind::table && parent.items.size() % 2 == 0;
}

void Collector::skip_to_missing_value() {
  if (open_.empty()) return;
  const std::size_t next = layout_.skip_blanks(at_);
  const char due = nodes_[open_.back().node].kind == RawNode::Kind::table ? ':' : '-';
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
    const RawNode& key = nodes_[nodes_[open_.back().node].items.back()];
    const auto begin = static_cast<std::size_t>(key.span.begin);
    if (question_end_ == std::string::npos ||
        layout_.skip_properties(layout_.skip_blanks(question_end_)) != begin) {
      stop(begin, static_cast<std::size_t>(key.span.end), "no `:` after the key");
    }
  }
}

void Collector::check_indent(std::size_t begin) const {
  if (open_.empty() || open_.back().is_flow || key_is_due()) return;
  if (nodes_[open_.back().node].kind != RawNode::Kind::table) return;
  if (find('\n', at_, begin) < begin && layout_.column(begin) <= open_.back().column) {
    stop(begin, begin + 1, "no `:` after the key", "or indent it more, if it is the value of the key above");
  }
}

void Collector::add(RawNode node, std::size_t anchor) {
  if (static_cast<std::int64_t>(nodes_.size()) >= max_values) {
    throw Stop{too_many_values(path_, node.span.begin)};
  }
  const std::size_t index = nodes_.size();
  if (!open_.empty()) {
    const bool is_container = node.kind == RawNode::Kind::table || node.kind == RawNode::Kind::list;
    if (is_container && key_is_due()) {
      stop(static_cast<std::size_t>(node.span.begin), static_cast<std::size_t>(node.span.end),
           "a key is a table or a list");
    }
    nodes_[open_.back().node].items.push_back(index);
  }
  if (anchor != no_anchor) anchors_[anchor] = index;
  nodes_.push_back(std::move(node));
}

void Collector::open(RawNode::Kind kind, std::size_t at, const std::string& tag, std::size_t anchor,
                     bool may_be_flow) {
  const std::size_t begin = layout_.skip_properties(at);
  if (open_.size() >= static_cast<std::size_t>(max_depth)) {
    throw Stop{too_deep(path_, static_cast<std::int64_t>(begin))};
  }
  RawNode node;
  node.kind = kind;
  node.tag = written_tag(tag);
  // An entry of a list in brackets may be a table without braces: `[a: 1]`.
  const bool is_flow = may_be_flow && layout_.at(begin) == (kind == RawNode::Kind::table ? '{' : '[');
  node.span = span(begin, begin + (is_flow ? 1 : 0));
  const std::size_t index = nodes_.size();
  if (is_flow) check_indent(begin);
  add(std::move(node), anchor);
  if (is_flow) {
    consume(begin, begin + 1);
  } else {
    consume(begin, begin);
  }
  open_.push_back({index, is_flow, is_flow ? 0 : layout_.column(begin)});
}

void Collector::close() {
  const Open closed = open_.back();
  const char bracket = nodes_[closed.node].kind == RawNode::Kind::table ? '}' : ']';
  if (closed.is_flow) {
    std::size_t end = layout_.skip_blanks(at_);
    while (layout_.at(end) == ',' || layout_.at(end) == ':') end = layout_.skip_blanks(end + 1);
    if (layout_.at(end) != bracket) stop(end, end + 1, fmt::format("expected `{}`", bracket));
    consume(end, end + 1);
  }
  open_.pop_back();
  nodes_[closed.node].span.end = static_cast<std::int64_t>(at_);
}

}  // namespace shapelint::text::yaml
