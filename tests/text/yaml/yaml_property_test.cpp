// YAML that is made up: any tree, any neighbours, any bytes.
#include <rapidcheck.h>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "tests/catch.hpp"
#include "tests/text/span_support.hpp"
#include "tests/text/text_support.hpp"
#include "text/yaml/nodes.hpp"
#include "text/yaml/yaml.hpp"

using namespace shapelint;
using namespace shapelint::text;

namespace {

// A tree as YAML: block style down to `flow_depth` levels above the leaves, scalars quoted so that they keep
// their type.
void write_yaml(const nlohmann::json& tree, int indent, bool flow, std::string& out) {
  if (flow || tree.empty() || !(tree.is_object() || tree.is_array())) {
    out += ' ';
    out += tree.dump();
    return;
  }
  const std::string pad(static_cast<std::size_t>(indent), ' ');
  if (tree.is_object()) {
    for (const auto& [key, value] : tree.items()) {
      out += fmt::format("\n{}{}:", pad, nlohmann::json(key).dump());
      write_yaml(value, indent + 2, value.size() % 2 == 1, out);
    }
  } else {
    for (const auto& value : tree) {
      out += fmt::format("\n{}-", pad);
      write_yaml(value, indent + 2, value.size() % 2 == 1, out);
    }
  }
}

}  // namespace

TEST_CASE("yaml: any tree that is written reads back as itself") {
  CHECK(rc::check([] {
    const auto tree = random_tree(4);
    std::string source;
    write_yaml(tree, 0, false, source);
    const auto documents = parse_yaml("c.yaml", source);
    RC_LOG(source);
    RC_ASSERT(static_cast<bool>(documents));
    RC_ASSERT(documents->size() == 1U);
    const Document& document = documents->front();
    RC_ASSERT(same(tree, document.root()));
    // Each value's own bytes, read alone, are the same value.
    for (std::size_t i = 0; i < document.nodes().size(); ++i) {
      const NodeRef node(&document, static_cast<std::int32_t>(i));
      const Span span = node.span();
      const std::string indent(static_cast<std::size_t>(place_of(source, span.begin).column - 1), ' ');
      const auto alone = parse_yaml("c.yaml", indent + bytes_at(document, span));
      RC_ASSERT(static_cast<bool>(alone));
      RC_ASSERT(outline(alone->front().root()) == outline(node));
    }
  }));
}

TEST_CASE("yaml: plain scalars survive around any neighbours") {
  CHECK(rc::check([] {
    const auto words = *rc::gen::container<std::vector<std::string>>(rc::gen::element<std::string>(
        "a", "1", "é", "x-y", "x:y", "a#b", "it's", "1e3", "b,c", "[x", "😀", "?x", "-1", "~x"));
    std::string plain;
    for (const std::string& word : words) plain += (plain.empty() ? "" : " ") + word;
    RC_PRE(!plain.empty() && plain[0] != '[');
    const std::string source = "first: é # c\nkey: " + plain + "  # end\nlast: 1\n";
    const auto documents = parse_yaml("c.yaml", source);
    RC_LOG(source);
    RC_ASSERT(static_cast<bool>(documents));
    RC_ASSERT(bytes_of(documents->front(), documents->front().root()["key"]) == plain);
  }));
}

TEST_CASE("yaml: no bytes crash the reader") {
  CHECK(rc::check([] {
    const auto pieces = *rc::gen::container<std::vector<std::string>>(rc::gen::element<std::string>(
        ": ", "- ", "\n", "\n  ", "[", "]", "{", "}", ",", "'", "\"", "#", " #", "&x ", "*x", "!t ", "|\n",
        ">\n", "---\n", "...\n", "? ", "~", "null", "a", "b: 1", "<<: ", "  ", "\\", "%", "@", "\t", "\r",
        "é", "\xEF\xBB\xBF", "\xff", "\\u12", "!<", "!!", "&", "*"));
    std::string text;
    for (const std::string& piece : pieces) text += piece;
    tests::assert_spans(parse_yaml("c.yaml", text), text);
  }));
}
