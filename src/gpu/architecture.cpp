// Reads an architecture's file.
#include <fmt/format.h>

#include "gpu/fields.hpp"
#include "gpu/registry.hpp"

namespace shapelint::gpu {

namespace {

using text::Document;
using text::NodeRef;

// Keys of an architecture that are not figures.
constexpr std::string_view architecture_keys[] = {
    "kind", "sources", "notes", "confidence", "tiles", "alignment", "calibration", "attention", "errors"};

void read_alignment(NodeRef table, Architecture& architecture, std::vector<Error>& errors) {
  expect_table(table, errors);
  std::vector<std::string_view> known = {"default", "sources", "note"};
  for (const DTypeInfo& each : dtypes) known.push_back(each.name);
  check_keys(table, known, errors);
  Alignment usual;
  read_fields<Alignment>(table["default"], "", alignment_fields(), {}, usual, errors);
  for (std::size_t i = 0; i < dtypes.size(); ++i) {
    architecture.alignment[i] = usual;
    read_fields<Alignment>(table[dtypes[i].name], "", alignment_fields(), {}, architecture.alignment[i],
                           errors);
  }
}

void read_tiles(NodeRef table, Architecture& architecture, std::vector<Error>& errors) {
  expect_table(table, errors);
  constexpr std::string_view also[] = {"list", "sources", "note"};
  read_fields<Architecture>(table, "tiles", architecture_fields(), also, architecture, errors);
  for (const NodeRef item : table["list"]) {
    Tile tile;
    const std::size_t before = errors.size();
    expect_table(item, errors);
    read_fields<Tile>(item, "", tile_fields(), {}, tile, errors);
    for (const std::string_view key : {"m", "n"}) {
      if (!item[key]) errors.push_back(item.error(fmt::format("`{}` states no `{}`", item.path(), key)));
    }
    if (errors.size() == before) architecture.tiles.push_back(tile);
  }
}

}  // namespace

Architecture read_architecture(const Document& document, std::vector<Error>& errors) {
  const NodeRef root = document.root();
  Architecture architecture;
  architecture.id = id_of(document);
  read_fields<Architecture>(root, "", architecture_fields(), architecture_keys, architecture, errors);
  read_alignment(root["alignment"], architecture, errors);
  read_tiles(root["tiles"], architecture, errors);
  check_remarks(root, errors);
  return architecture;
}

}  // namespace shapelint::gpu
