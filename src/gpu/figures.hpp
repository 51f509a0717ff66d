// Figures of profiles and architectures with their sources, for showing. The cost model never needs them.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "text/document.hpp"

namespace shapelint::gpu {

// One figure as a file states it. Views live as long as the documents.
struct Figure {
  std::string_view section;  // `measured`, or empty
  std::string_view name;     // with its unit: `dram_bandwidth_gb_s`
  text::NodeRef value;
  std::string_view unit;     // for people: `GB/s`
  std::string_view meaning;  // what the figure is
  std::vector<std::string_view> sources;
  std::string_view note;
  std::string_view confidence;  // empty: as that of the file
  std::string_view file;        // id of the profile that states it: a profile's own, or what it is based on
};

struct Facts {
  std::vector<Figure> figures;  // in the order of the table of fields
  std::vector<std::string_view> notes;
  std::string_view confidence;
  std::vector<std::string_view> sources;  // all that any figure names, in the order of their first use
};

// What a profile states, with what it is based on. `document` and `own` must outlive the result.
Facts facts_of_gpu(const text::Document& document, std::span<const text::Document> own = {});
Facts facts_of_architecture(const text::Document& document);

struct FigureSource {
  std::string_view key;
  std::string_view title;
  std::string_view url;    // may be empty
  std::string_view grade;  // read, quoted, measured, unverified
  std::string_view note;
};

// A source by its key (gpus/sources/sources.toml), or nothing: a user's file may name sources of its own.
std::optional<FigureSource> find_source(std::string_view key);

}  // namespace shapelint::gpu
