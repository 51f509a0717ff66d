// YAML through libyaml's events, which say where each value begins and ends; the only file that sees its
// header. What stands as written goes to yaml::build, which follows aliases and merge keys.
#include "text/yaml/yaml.hpp"

#include <algorithm>
#include <new>

#include <fmt/format.h>
#include <yaml.h>

#include "base/budget.hpp"
#include "base/keyed_hash.hpp"
#include "text/source.hpp"
#include "text/yaml/nodes.hpp"

namespace shapelint::text::yaml {

namespace {

struct Row {
  std::string_view problem;  // libyaml 0.2.5, scanner.c and parser.c
  std::string_view message;
  std::string_view hint;
  bool at_context = false;
};
constexpr Row rows[] = {
    {"did not find expected key", "this does not belong to the table above", "check the indentation"},
    {"did not find expected '-' indicator", "this does not belong to the list above",
     "check the indentation"},
    {"did not find expected ',' or '}'", "expected `,` or `}`", ""},
    {"did not find expected ',' or ']'", "expected `,` or `]`", ""},
    {"did not find expected node content", "a value is missing", ""},
    {"did not find expected <document start>", "the document ends before this",
     "the first value of a file decides whether it is a list (`- `) or a table (`key:`); `---` begins "
     "another document"},
    {"mapping values are not allowed in this context", "unexpected `:`", "a string with `: ` needs quotes"},
    {"block sequence entries are not allowed in this context", "unexpected `- `", ""},
    {"found character that cannot start any token", "no value can begin like this", "put it in quotes"},
    {"could not find expected ':'", "no `:` after the key",
     "or indent it more, if it is the value of the key above", true},
    {"found unexpected end of stream", "a quote is never closed", "", true},
    {"found unexpected document indicator", "a quote is never closed", "", true},
};

}  // namespace

Explanation explain(std::string_view problem) {
  for (const Row& row : rows) {
    if (row.problem == problem) return {std::string(row.message), std::string(row.hint), row.at_context};
  }
  return {std::string(problem), {}, false};
}

namespace {

constexpr std::size_t max_documents = 1000;
// libyaml goes through all of them at each, and at each value with a tag. Unity's files have one.
constexpr std::size_t max_directives = 64;
constexpr std::string_view blanks = " \t\r\n";
constexpr std::string_view name_letters =
    "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-";  // of an anchor, as libyaml has it

// Thrown to leave the loop over events.
struct Stop {
  Error error;
};

struct Parser {
  Parser() {
    if (yaml_parser_initialize(&handle) == 0) throw std::bad_alloc();
  }
  Parser(const Parser&) = delete;
  Parser& operator=(const Parser&) = delete;
  ~Parser() { yaml_parser_delete(&handle); }
  yaml_parser_t handle{};
};

struct Event {
  Event() = default;
  Event(const Event&) = delete;
  Event& operator=(const Event&) = delete;
  ~Event() { yaml_event_delete(&handle); }
  yaml_event_t handle{};
};

Span span(std::size_t begin, std::size_t end) {
  return {static_cast<std::int64_t>(begin), static_cast<std::int64_t>(end)};
}

std::string_view view(const yaml_char_t* text) {
  return text == nullptr ? std::string_view() : std::string_view(reinterpret_cast<const char*>(text));
}

// libyaml spells tags out.
std::string written_tag(const yaml_char_t* tag) {
  constexpr std::string_view core = "tag:yaml.org,2002:";
  const std::string_view text = view(tag);
  return text.starts_with(core) ? "!!" + std::string(text.substr(core.size())) : std::string(text);
}

class YamlReader {
 public:
  YamlReader(const std::string& path, std::string_view text)
      : path_(path),
        text_(text),
        begin_(text.starts_with("\xEF\xBB\xBF") ? 3 : 0),
        places_(text),
        at_(begin_) {
    const std::string_view input = text.substr(begin_);
    yaml_parser_set_encoding(&parser_.handle, YAML_UTF8_ENCODING);
    yaml_parser_set_input_string(&parser_.handle, reinterpret_cast<const unsigned char*>(input.data()),
                                 input.size());
  }

  // The values of each document, as they are written.
  std::vector<std::vector<RawNode>> read() {
    refuse_directives();
    while (true) {
      Event event;
      if (yaml_parser_parse(&parser_.handle, &event.handle) == 0) throw Stop{problem()};
      if (event.handle.type == YAML_STREAM_END_EVENT) break;
      take(event.handle);
    }
    pass(text_.size());
    if (documents_.empty()) documents_.emplace_back(1);
    return std::move(documents_);
  }

 private:
  [[noreturn]] void stop(Span at, std::string message, std::string hint = {}) const {
    throw Stop{Error{"not valid YAML: " + std::move(message), std::move(hint), path_, at}};
  }

  // libyaml counts characters.
  std::size_t offset(const yaml_mark_t& mark) const {
    return static_cast<std::size_t>(places_.byte(static_cast<std::int64_t>(mark.index)));
  }
  char at(std::size_t position) const { return position < text_.size() ? text_[position] : '\0'; }

  Error problem() const {
    const yaml_parser_t& parser = parser_.handle;
    if (parser.problem == nullptr) throw std::bad_alloc();
    const bool is_unreadable = parser.error == YAML_READER_ERROR;
    const std::size_t begin = is_unreadable ? begin_ + parser.problem_offset : offset(parser.problem_mark);
    if (at(begin) == '\t') return tab(begin);
    Explanation found = explain(parser.problem);
    // Of YAML 1.1, 5.1.
    if (is_unreadable) found.message = fmt::format("control character {:#04x}", parser.problem_value);
    const std::size_t place = found.at_context ? offset(parser.context_mark) : begin;
    return Error{"not valid YAML: " + found.message, found.hint, path_,
                 span(place, std::min(place + 1, text_.size()))};
  }

  // Counted where they may be: a line of a text that begins like one is rare enough.
  void refuse_directives() const {
    constexpr std::string_view directive = "\n%TAG";
    std::size_t count = 0;
    for (std::size_t i = text_.find(directive); i != std::string_view::npos;
         i = text_.find(directive, i + 1)) {
      if (++count > max_directives)
        throw Stop{Error{fmt::format("the file has more than {} `%TAG` directives", max_directives),
                         {},
                         path_,
                         span(i + 1, i + directive.size()),
                         ErrorCode::too_large}};
    }
  }

  Error tab(std::size_t position) const {
    return Error{"not valid YAML: a tab where only spaces may be", "PyYAML rejects tabs outside quotes",
                 path_, span(position, position + 1)};
  }

  void refuse_tabs(std::size_t begin, std::size_t end) const {
    const std::size_t found = text_.substr(begin, end - begin).find('\t');
    if (found != std::string_view::npos) throw Stop{tab(begin + found)};
  }

  // Past what stands between two values: indicators, blanks, comments. libyaml lets tabs pass there, PyYAML's
  // own scanner does not. Returns where the last indicator ends.
  std::size_t pass(std::size_t end) {
    std::size_t behind = at_;
    while (at_ < end) {
      const std::string_view gap = text_.substr(at_, end - at_);
      const std::size_t comment = std::min(gap.find('#'), gap.size());
      refuse_tabs(at_, at_ + comment);
      const std::size_t indicator = gap.substr(0, comment).find_last_of(":-?");
      if (indicator != std::string_view::npos) behind = at_ + indicator + 1;
      at_ += std::min(gap.find('\n', comment), gap.size());
    }
    return behind;
  }

  std::size_t skip_blanks(std::size_t position) const {
    while (true) {
      position = std::min(text_.find_first_not_of(blanks, position), text_.size());
      if (at(position) != '#') return position;
      position = std::min(text_.find('\n', position), text_.size());
    }
  }

  // Behind the tags and anchors that an event begins with.
  std::size_t skip_properties(std::size_t position) const {
    while (at(position) == '&' || at(position) == '!') {
      // A name may be followed by the `:` of a key that is left out; a tag holds colons itself.
      const std::size_t end =
          at(position) == '&' ? text_.find_first_not_of(name_letters, position + 1) : word_end(position);
      position = skip_blanks(std::min(end, text_.size()));
    }
    return position;
  }

  std::size_t word_end(std::size_t position) const {
    return std::min(text_.find_first_of(blanks, position), text_.size());
  }

  // What stands in `{{…}}`, which is read as one text.
  void skip_placeholder(const yaml_event_t& event) {
    if (event.type == YAML_MAPPING_START_EVENT || event.type == YAML_SEQUENCE_START_EVENT) {
      refuse_depth(offset(event.start_mark));
      ++skipped_depth_;
    }
    if (event.type == YAML_MAPPING_END_EVENT || event.type == YAML_SEQUENCE_END_EVENT) --skipped_depth_;
    if (skipped_depth_ == 0) at_ = offset(event.end_mark);
  }

  void take(const yaml_event_t& event) {
    if (skipped_depth_ > 0) return skip_placeholder(event);
    switch (event.type) {
      case YAML_DOCUMENT_START_EVENT:
        nodes_.clear();
        anchors_.clear();
        return;
      case YAML_DOCUMENT_END_EVENT:
        documents_.push_back(std::move(nodes_));
        if (documents_.size() > max_documents)
          stop(span(at_, at_), fmt::format("the file holds more than {} documents", max_documents));
        return;
      case YAML_ALIAS_EVENT:
        return alias(event);
      case YAML_SCALAR_EVENT:
        return scalar(event);
      case YAML_SEQUENCE_START_EVENT:
        return open(RawNode::Kind::list, event, event.data.sequence_start.anchor,
                    event.data.sequence_start.tag);
      case YAML_MAPPING_START_EVENT:
        return open(RawNode::Kind::table, event, event.data.mapping_start.anchor,
                    event.data.mapping_start.tag);
      case YAML_SEQUENCE_END_EVENT:
      case YAML_MAPPING_END_EVENT:
        return close(event);
      default:
        return;
    }
  }

  void alias(const yaml_event_t& event) {
    RawNode node;
    node.kind = RawNode::Kind::alias;
    const std::size_t begin = offset(event.start_mark);
    const std::size_t end = offset(event.end_mark);
    node.span = span(begin, end);
    const auto found = anchors_.find(view(event.data.alias.anchor));
    if (found == anchors_.end()) stop(node.span, "no anchor (`&`) of this name comes before the alias");
    node.target = found->second;
    pass(begin);
    at_ = end;
    add(std::move(node), begin, nullptr);
  }

  void scalar(const yaml_event_t& event) {
    const auto& value = event.data.scalar;
    RawNode node;
    node.text.assign(reinterpret_cast<const char*>(value.value), value.length);
    node.tag = written_tag(value.tag);
    node.plain = value.style == YAML_PLAIN_SCALAR_STYLE;
    const std::size_t start = offset(event.start_mark);
    std::size_t end = offset(event.end_mark);
    std::size_t begin = end;
    if (node.plain && node.text.empty()) {
      // Left out. Without a tag or an anchor libyaml places it at what comes next.
      const std::size_t behind = pass(start);
      if (start == end) begin = end = behind;
    } else {
      begin = skip_properties(start);
      pass(begin);
      if (node.plain) refuse_tabs(begin, end);
      if (value.style == YAML_LITERAL_SCALAR_STYLE || value.style == YAML_FOLDED_SCALAR_STYLE)
        end = block_end(begin, end, node.text);
    }
    at_ = end;
    node.span = span(begin, end);
    add(std::move(node), start, value.anchor);
  }

  // Of a block, without the empty lines behind it, which libyaml counts in.
  std::size_t block_end(std::size_t begin, std::size_t end, std::string_view value) const {
    if (value.find_first_not_of(blanks) == std::string_view::npos) return word_end(begin);
    return text_.find_last_not_of(blanks, end - 1) + 1;
  }

  // libyaml looks through all open brackets at each token.
  void refuse_depth(std::size_t begin) const {
    if (open_.size() + skipped_depth_ >= static_cast<std::size_t>(max_depth))
      throw Stop{too_deep(path_, static_cast<std::int64_t>(begin))};
  }

  void open(RawNode::Kind kind, const yaml_event_t& event, const yaml_char_t* anchor,
            const yaml_char_t* tag) {
    const std::size_t start = offset(event.start_mark);
    const std::size_t begin = skip_properties(start);
    refuse_depth(begin);
    // An entry of a list in brackets may be a table without braces: `[a: 1]`.
    const bool has_brackets = at(begin) == (kind == RawNode::Kind::table ? '{' : '[');
    RawNode node;
    node.kind = kind;
    node.tag = written_tag(tag);
    node.span = span(begin, begin + (has_brackets ? 1 : 0));
    if (key_is_due()) {
      if (becomes_placeholder(begin)) return;
      stop(span(begin, std::min(begin + 1, text_.size())), "a key is a table or a list");
    }
    pass(begin);
    add(std::move(node), start, anchor);
    open_.push_back({nodes_.size() - 1, has_brackets});
  }

  // `{{NAME}}`, which somebody fills in: to YAML a table whose key is a table, here the text as it stands.
  bool becomes_placeholder(std::size_t begin) {
    if (begin == 0 || !open_.back().has_brackets) return false;
    const std::size_t outer = begin - 1;
    const std::size_t end = text_.find("}}", begin);
    RawNode& around = nodes_[open_.back().node];
    if (text_.substr(outer, 2) != "{{" || end == std::string_view::npos || !around.items.empty() ||
        around.span.begin != span(outer, begin).begin ||
        text_.substr(begin, end - begin).find('\n') != std::string_view::npos)
      return false;
    around.kind = RawNode::Kind::scalar;
    around.plain = false;
    around.text = text_.substr(outer, end + 2 - outer);
    around.span = span(outer, end + 2);
    open_.pop_back();
    skipped_depth_ = 2;
    return true;
  }

  void close(const yaml_event_t& event) {
    // A block ends with its last value; libyaml sees that only where the next one begins.
    if (open_.back().has_brackets) {
      pass(offset(event.start_mark));
      at_ = offset(event.end_mark);
    }
    nodes_[open_.back().node].span.end = static_cast<std::int64_t>(at_);
    open_.pop_back();
  }

  bool key_is_due() const {
    if (open_.empty()) return false;
    const RawNode& parent = nodes_[open_.back().node];
    return parent.kind == RawNode::Kind::table && parent.items.size() % 2 == 0;
  }

  void add(RawNode node, std::size_t start, const yaml_char_t* anchor) {
    const std::size_t index = nodes_.size();
    if (static_cast<std::int64_t>(index) >= max_values) throw Stop{too_many_values(path_, node.span.begin)};
    // A short handle stands for a prefix of any length.
    charge_text(node.tag.size());
    charge_bytes(node.tag.size());
    if (anchor != nullptr && !anchors_.try_emplace(std::string(view(anchor)), index).second) {
      const std::size_t sign = text_.find('&', start);
      stop(span(sign, sign + 1 + view(anchor).size()),
           fmt::format("the anchor `&{}` is defined twice", view(anchor)));
    }
    if (!open_.empty()) nodes_[open_.back().node].items.push_back(index);
    nodes_.push_back(std::move(node));
  }

  struct Open {
    std::size_t node;
    bool has_brackets;
  };

  const std::string& path_;
  std::string_view text_;
  std::size_t begin_;  // behind a byte-order mark
  Parser parser_;
  Places places_;
  std::size_t at_;  // where the last value ended
  std::vector<RawNode> nodes_;
  std::vector<Open> open_;
  std::size_t skipped_depth_ = 0;  // tables and lists within a placeholder
  NameMap<std::size_t> anchors_;
  std::vector<std::vector<RawNode>> documents_;
};

}  // namespace

}  // namespace shapelint::text::yaml

namespace shapelint::text {

Result<std::vector<Document>> parse_yaml(const std::string& path, const SharedText& source) {
  if (const auto problem = check_source(path, source)) return *problem;
  try {
    std::vector<Document> documents;
    for (const std::vector<yaml::RawNode>& nodes : yaml::YamlReader(path, source).read()) {
      Result<Document> document = yaml::build(path, source, nodes);
      if (!document) return refused(document.error());
      documents.push_back(*std::move(document));
    }
    return documents;
  } catch (const yaml::Stop& stopped) {
    return refused(stopped.error);
  }
}

}  // namespace shapelint::text
