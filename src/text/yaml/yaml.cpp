// YAML through yaml-cpp's events; the only file that sees its headers. They go to Collector, which finds
// where values end and what the library wrongly lets pass, and from there to build.
#include "text/yaml/yaml.hpp"

#include <sstream>

#include <fmt/format.h>
#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/parser.h>

#include "text/yaml/collector.hpp"
#include "text/yaml/raw.hpp"

namespace shapelint::text::yaml {

namespace {

class Events final : public YAML::EventHandler {
 public:
  // yaml-cpp reads the text after a byte-order mark: its positions count from `offset`.
  Events(Collector& collector, std::size_t offset, std::size_t size)
      : collector_(collector), offset_(offset), size_(size) {}

  void OnDocumentStart(const YAML::Mark& mark) override { collector_.begin_document(position(mark)); }
  void OnDocumentEnd() override { collector_.end_document(); }
  void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    collector_.null(position(mark), anchor);
  }
  void OnAnchor(const YAML::Mark& mark, const std::string& name) override {
    collector_.anchor(position(mark), name);
  }
  void OnAlias(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    collector_.alias(position(mark), anchor);
  }
  void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                const std::string& value) override {
    collector_.scalar(position(mark), tag, anchor, value);
  }
  void OnSequenceStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                       YAML::EmitterStyle::value style) override {
    collector_.open(RawNode::Kind::list, position(mark), tag, anchor, style == YAML::EmitterStyle::Flow);
  }
  void OnMapStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                  YAML::EmitterStyle::value style) override {
    collector_.open(RawNode::Kind::table, position(mark), tag, anchor, style == YAML::EmitterStyle::Flow);
  }
  void OnSequenceEnd() override { collector_.close(); }
  void OnMapEnd() override { collector_.close(); }

 private:
  static_assert(YAML::NullAnchor == Collector::no_anchor);

  std::size_t position(const YAML::Mark& mark) const {
    return std::min(offset_ + static_cast<std::size_t>(std::max(mark.pos, 0)), size_);
  }

  Collector& collector_;
  std::size_t offset_;
  std::size_t size_;
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

}  // namespace shapelint::text::yaml

namespace shapelint::text {

Result<std::vector<Document>> parse_yaml(const std::string& path, std::string text) {
  if (const auto problem = check_source(path, text)) return *problem;
  if (const auto problem = yaml::find_control_character(path, text)) return refused(*problem);
  const auto source = std::make_shared<const std::string>(std::move(text));
  const std::size_t offset = source->starts_with("\xEF\xBB\xBF") ? 3 : 0;
  yaml::Collector collector(path, source, offset);
  yaml::Events events(collector, offset, source->size());
  try {
    std::istringstream stream(source->substr(offset));
    YAML::Parser parser(stream);
    while (parser.HandleNextDocument(events)) {
    }
    collector.finish();
  } catch (const yaml::Stop& stopped) {
    return refused(stopped.error);
  } catch (const YAML::Exception& problem) {
    return yaml::explain(problem, path, *source, offset);
  }
  std::vector<Document> documents;
  std::vector<std::vector<yaml::RawNode>> raw = std::move(collector).take();
  if (raw.empty()) raw.emplace_back(1);
  for (const std::vector<yaml::RawNode>& nodes : raw) {
    Result<Document> document = yaml::build(path, source, nodes);
    if (!document) return refused(document.error());
    documents.push_back(*std::move(document));
  }
  return documents;
}

}  // namespace shapelint::text
