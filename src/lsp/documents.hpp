// The files that are open in an editor, and what the linter has to say of them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include <shapelint/shapelint.hpp>

#include "lsp/completion.hpp"
#include "lsp/text.hpp"

namespace shapelint::lsp {

// As large as any file that the linter reads. The text of a larger document is not kept.
inline constexpr std::size_t largest_document = std::size_t{16} * 1024 * 1024;
// Bytes of a document that the changes of one message may go through, each from the beginning: some seconds.
inline constexpr std::size_t max_edited_bytes = std::size_t{512} * 1024 * 1024;

// Documents of which the results are kept, some 100 KB each, larger ones as several; of others they are
// worked out again when asked for.
inline constexpr std::size_t max_results = 256;

struct Diagnostic {
  TextRange range;
  int severity = 1;  // as the protocol counts: error, warning, information
  std::string code;
  std::string message;
  std::string url;  // may be empty
};

struct Action {
  std::string title;
  Diagnostic diagnostic;
  std::vector<TextChange> edits;
  bool is_preferred = false;  // of a finding's ways out the smallest change
};

struct Hint {
  Position place;
  std::string label;
  std::string tooltip;
};

struct Offer {
  TextRange typed;  // is replaced
  std::vector<Completion> items;
};

struct HoverText {
  std::string text;  // Markdown
  TextRange range;
};

class Documents {
 public:
  Documents(api::LintOptions options, const api::FileSystem& files);
  void set_encoding(PositionEncoding encoding) { encoding_ = encoding; }

  // Whether the text is kept; after one that is not, nothing is said of the document until it is given whole.
  bool open(const std::string& uri, std::string text, std::optional<std::int64_t> version);
  bool change(const std::string& uri, const std::vector<TextChange>& changes,
              std::optional<std::int64_t> version);
  // What the editor has is not known any more.
  void lose(const std::string& uri);
  void close(const std::string& uri) { open_.erase(uri); }
  bool is_open(const std::string& uri) const { return open_.contains(uri); }
  // Something other than the texts has changed.
  void relint();

  // A document that was not linted since it changed.
  std::optional<std::string> due() const;
  std::vector<Diagnostic> lint(const std::string& uri);
  std::optional<std::int64_t> version(const std::string& uri) const { return open_.at(uri).version; }

  // For a document that was linted and understood; nothing is known of others.
  std::optional<HoverText> hover(const std::string& uri, Position position);
  std::vector<Action> actions(const std::string& uri, const TextRange& range);
  std::vector<Hint> hints(const std::string& uri, const TextRange& range);
  // For any open document, since text being typed can seldom be parsed.
  Offer completions(const std::string& uri, Position position) const;

 private:
  struct OpenFile {
    std::string path;
    std::string text;
    std::optional<std::int64_t> version;
    bool is_lost = false;
    bool is_due = true;
    bool is_understood = false;    // the result is of this text
    bool is_let_go = false;        // it was, and is not kept
    bool has_models = false;       // it has, or had
    api::LintResult result;        // of the last text that could be understood
    std::vector<Diagnostic> good;  // its diagnostics
  };
  TextRange range(const std::string& text, const std::optional<api::Range>& range) const;
  Diagnostic diagnostic(const api::Finding& finding, const OpenFile& file) const;
  Diagnostic diagnostic(const api::Error& error, const OpenFile& file) const;
  const OpenFile* find(const std::string& uri);
  void keep(const std::string& uri);

  api::LintOptions options_;
  const api::FileSystem& files_;
  PositionEncoding encoding_ = PositionEncoding::utf16;
  std::map<std::string, OpenFile> open_;  // by address
  std::deque<std::string> kept_;          // addresses of results, the latest last
};

}  // namespace shapelint::lsp
