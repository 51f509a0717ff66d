// Collects figures and sources from the documents.
#include "gpu/figures.hpp"

#include <algorithm>

#include "catalog/catalog.hpp"
#include "gpu/fields.hpp"
#include "gpu/registry.hpp"

namespace shapelint::gpu {

namespace {

using text::Document;
using text::NodeRef;

std::vector<std::string_view> strings_of(NodeRef list) {
  std::vector<std::string_view> strings;
  for (const NodeRef item : list) {
    if (const auto value = item.as_string()) strings.push_back(*value);
  }
  return strings;
}

// The figure that `root` states for a field. Its sources are its own, else its table's, else the file's.
template <class T>
std::optional<Figure> stated(const Document& document, const Field<T>& field) {
  const NodeRef root = document.root();
  const NodeRef table = field.section.empty() ? root : root[field.section];
  const NodeRef node = table[field.key];
  if (!value_of(node)) return std::nullopt;
  Figure figure{field.section, field.key, value_of(node), field.unit, field.doc, {}, {}, {}, id_of(document)};
  figure.note = node["note"].as_string().value_or("");
  figure.confidence = node["confidence"].as_string().value_or("");
  for (const NodeRef holder : {node, table, root}) {
    if (figure.sources.empty()) figure.sources = strings_of(holder["sources"]);
  }
  return figure;
}

void add_sources(Facts& facts, std::span<const std::string_view> sources) {
  for (const std::string_view key : sources) {
    if (std::find(facts.sources.begin(), facts.sources.end(), key) == facts.sources.end()) {
      facts.sources.push_back(key);
    }
  }
}

// From the profile to what it is based on, and so on; read_gpu refuses loops, this only stops.
std::vector<const Document*> chain_of(const Document& document, std::span<const Document> own) {
  std::vector<const Document*> chain{&document};
  while (true) {
    const auto base = chain.back()->root()["based_on"].as_string();
    if (!base) return chain;
    const auto found = find_profile(*base, own);
    if (!found || std::find(chain.begin(), chain.end(), *found) != chain.end()) return chain;
    chain.push_back(*found);
  }
}

template <class T>
Facts collect(std::span<const Document* const> chain, std::span<const Field<T>> fields) {
  Facts facts;
  for (const Field<T>& field : fields) {
    if (field.key == "name" || field.key == "vendor") continue;  // titles, not figures
    for (const Document* document : chain) {
      auto figure = stated(*document, field);
      if (!figure) continue;
      add_sources(facts, figure->sources);
      facts.figures.push_back(*std::move(figure));
      break;
    }
  }
  for (const Document* document : chain) {
    const NodeRef root = document->root();
    for (const std::string_view note : strings_of(root["notes"])) facts.notes.push_back(note);
    if (facts.confidence.empty()) facts.confidence = root["confidence"].as_string().value_or("");
  }
  return facts;
}

}  // namespace

Facts facts_of_gpu(const Document& document, std::span<const Document> own) {
  return collect<Gpu>(chain_of(document, own), gpu_fields());
}

Facts facts_of_architecture(const Document& document) {
  const Document* chain[] = {&document};
  Facts facts = collect<Architecture>(chain, architecture_fields());
  for (const std::string_view table : {"alignment", "tiles"}) {
    add_sources(facts, strings_of(document.root()[table]["sources"]));
  }
  return facts;
}

std::optional<FigureSource> find_source(std::string_view key) {
  for (const Document& document : catalog::builtin("gpus/sources")) {
    const NodeRef entry = document.root()[key];
    if (!entry) continue;
    const auto text = [&](std::string_view name) { return entry[name].as_string().value_or(""); };
    return FigureSource{entry.key(), text("title"), text("url"), text("grade"), text("note")};
  }
  return std::nullopt;
}

}  // namespace shapelint::gpu
