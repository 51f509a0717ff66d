// What to write into a file to follow a proposal.
#include "lint/edits.hpp"

#include <algorithm>
#include <optional>

#include "model/fields.hpp"

namespace shapelint::lint {

namespace {

// How the file writes a new value where `old` stands: in its quotes, if it has any.
std::string spelled_like(std::string_view old, const std::string& value) {
  const bool is_quoted = old.size() >= 2 && (old.front() == '"' || old.front() == '\'');
  return is_quoted ? old.front() + value + old.front() : value;
}

std::string_view unquoted(std::string_view text) {
  const bool is_quoted =
      text.size() >= 2 && (text.front() == '"' || text.front() == '\'') && text.back() == text.front();
  return is_quoted ? text.substr(1, text.size() - 2) : text;
}

// Where this very file states what a change changes.
std::optional<Span> span_of(const rules::Change& change, const ModelReport& model) {
  if (!change.key.empty()) {
    const model::LayerOrigin* place = model::find_layer_key(model.reading, change.layer, change.key);
    return place != nullptr ? std::optional(place->span) : std::nullopt;
  }
  if (change.field == model::no_field) return std::nullopt;
  const model::Origin& origin = model::origin(model.reading, change.field);
  if (origin.kind != model::Origin::Kind::stated || origin.path != model.path) return std::nullopt;
  return origin.span;
}

// When the file states exactly the old value.
std::optional<TextEdit> edit_of(const rules::Change& change, const ModelReport& model) {
  const std::optional<Span> place = span_of(change, model);
  const auto size = static_cast<std::int64_t>(model.source.size());
  if (!place || place->begin < 0 || place->end <= place->begin || place->end > size) return std::nullopt;
  const std::string_view old = std::string_view(model.source)
                                   .substr(static_cast<std::size_t>(place->begin),
                                           static_cast<std::size_t>(place->end - place->begin));
  std::string plain(unquoted(old));
  plain.erase(std::remove(plain.begin(), plain.end(), '_'), plain.end());
  std::string expected = model::value_text(change.field, change.from);
  expected.erase(std::remove(expected.begin(), expected.end(), '_'), expected.end());
  if (plain != expected) return std::nullopt;
  return TextEdit{*place, spelled_like(old, model::value_text(change.field, change.to))};
}

}  // namespace

std::vector<TextEdit> edits_of(const rules::Proposal& proposal, const ModelReport& model) {
  std::vector<TextEdit> edits;
  for (const rules::Change& change : proposal.changes) {
    auto edit = edit_of(change, model);
    if (!edit) return {};
    edits.push_back(*std::move(edit));
  }
  return edits;
}

}  // namespace shapelint::lint
