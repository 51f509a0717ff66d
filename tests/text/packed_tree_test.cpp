// Trees in little room: what is packed is what comes out.
#include "text/packed_tree.hpp"

#include <algorithm>

#include "catalog/catalog.hpp"
#include "tests/catch.hpp"
#include "tests/text/text_support.hpp"
#include "text/toml/toml.hpp"

using namespace shapelint;

namespace {

text::Document parsed(const std::string& source) {
  auto document = text::parse_toml("a.toml", source);
  REQUIRE(document);
  return *std::move(document);
}

// Except for where empty strings would be, and what a number is beside its kind.
bool same(const text::Node& a, const text::Node& b) {
  return a.kind == b.kind && a.parent == b.parent && a.first_child == b.first_child &&
         a.next_sibling == b.next_sibling && a.key_size == b.key_size &&
         (a.key_size == 0 || a.key_offset == b.key_offset) && a.text_size == b.text_size &&
         (a.text_size == 0 || a.text_offset == b.text_offset) && a.key_begin == b.key_begin &&
         a.key_end == b.key_end && a.value_begin == b.value_begin && a.value_end == b.value_end &&
         a.integer == b.integer && a.number == b.number && a.use_end == b.use_end &&
         a.note_size == b.note_size;
}

bool comes_out(std::span<const text::Node> nodes) {
  const auto again = text::unpacked_tree(text::packed_tree(nodes));
  return std::equal(nodes.begin(), nodes.end(), again.begin(), again.end(), same);
}

}  // namespace

TEST_CASE("a packed tree says what it said, in a fraction of the room") {
  const text::Document document = parsed(
      "title = \"größte\"\n[a]\nlist = [1, -2, 1.5, true, {b = \"x\"}]\n[a.c]\nd = 9223372036854775807\n"
      "e = -9223372036854775808\nf = -0.1\n[[g]]\nh = \"\"\n[[g]]\nh = 'i'\n");
  const std::string packed = text::packed_tree(document.nodes());
  const auto nodes = text::unpacked_tree(packed);
  const text::Document again("a.toml", nodes, document.pool());
  CHECK(text::outline(again.root()) ==
        "{title: \"größte\", a: {list: [1, -2, 1.5, true, {b: \"x\"}], c: {d: 9223372036854775807, "
        "e: -9223372036854775808, f: -0.1}}, g: [{h: \"\"}, {h: \"i\"}]}");
  CHECK(text::outline(again.root()) == text::outline(document.root()));
  CHECK(text::bytes_at(document.source(), again.root()["a"]["c"]["f"].span()) == "-0.1");
  CHECK(text::bytes_at(document.source(), again.root()["a"]["c"]["f"].key_span()) == "f");
  CHECK(packed.size() < nodes.size() * sizeof(text::Node) / 5);
}

TEST_CASE("a packed tree of nothing is one of nothing") {
  CHECK(text::unpacked_tree(text::packed_tree({})).empty());
  CHECK(comes_out(parsed("").nodes()));
}

TEST_CASE("every data file that is compiled in comes out of a packed tree as it is") {
  std::size_t count = 0;
  for (const catalog::EmbeddedFolder& folder : catalog::embedded_folders()) {
    for (const text::Document& document : folder.documents()) {
      INFO(document.path());
      CHECK(comes_out(document.nodes()));
      ++count;
    }
  }
  CHECK(count > 200);
}
