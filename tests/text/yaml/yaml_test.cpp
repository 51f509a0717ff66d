// YAML as people write it for NeMo, GPT-NeoX, maxtext, axolotl and the rest, read as PyYAML reads it.
#include "text/yaml/yaml.hpp"

#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "tests/catch.hpp"
#include "tests/text/span_support.hpp"
#include "tests/text/text_support.hpp"
#include "text/parse_any.hpp"
#include "text/source.hpp"
#include "text/yaml/nodes.hpp"

using namespace shapelint;
using namespace shapelint::text;

namespace {

Document read(const std::string& source) {
  auto documents = parse_yaml("c.yaml", source);
  INFO(source);
  if (!documents) {
    FAIL(outline(documents.error(), source));
    return {};
  }
  REQUIRE(documents->size() == 1);
  return documents->front();
}

// The whole tree in one line.
std::string shown(const std::string& source) {
  const auto documents = parse_yaml("c.yaml", source);
  if (!documents) return outline(documents.error(), source);
  std::string all;
  for (const Document& document : *documents) all += (all.empty() ? "" : " --- ") + outline(document.root());
  return all;
}

// `key=bytes` for every value below the root, and `<use>` behind those that are written elsewhere.
std::string spans(const std::string& source) {
  const Document document = read(source);
  std::string all;
  for (std::size_t i = 1; i < document.nodes().size(); ++i) {
    const NodeRef node(&document, static_cast<std::int32_t>(i));
    if (!all.empty()) all += " ; ";
    all += node.path() + "=" + bytes_of(document, node);
    if (const auto use = node.use_span()) all += " <" + bytes_at(document, *use) + ">";
  }
  return all;
}

}  // namespace

TEST_CASE("yaml: block and flow, keys and values with their bytes") {
  const Document document = read(
      "# größe\r\n"
      "model:\r\n"
      "  \"größe é\" : 'it''s é'  # note\r\n"
      "  hidden_size: 4_096\r\n"
      "  layers:\r\n"
      "  - name: a\r\n"
      "    n: 1\r\n"
      "  - {x: 1, \"y\":2,}\r\n"
      "  empty:\r\n");
  const NodeRef model = document.root()["model"];
  CHECK(outline(model) ==
        "{größe é: \"it's é\", hidden_size: 4096, layers: [{name: \"a\", n: 1}, {x: 1, y: 2}], empty: null}");
  CHECK(bytes_at(document, model["größe é"].key_span()) == "\"größe é\"");
  CHECK(bytes_of(document, model["größe é"]) == "'it''s é'");
  CHECK(bytes_of(document, model["hidden_size"]) == "4_096");
  CHECK(bytes_of(document, model["layers"][0]) == "name: a\r\n    n: 1");
  CHECK(bytes_of(document, model["layers"][1]) == "{x: 1, \"y\":2,}");
  CHECK(bytes_of(document, model["layers"][1]["y"]) == "2");
  CHECK(bytes_of(document, model["layers"]) == "- name: a\r\n    n: 1\r\n  - {x: 1, \"y\":2,}");
  CHECK(bytes_of(document, model["empty"]) == "");
  CHECK(model["empty"].span().begin == model["empty"].key_span().end + 1);
  CHECK(model["layers"][1]["y"].path() == "model.layers[1].y");
}

TEST_CASE("yaml: scalars over several lines") {
  CHECK(spans("a: one\n   two # no\nb: 1") == "a=one\n   two ; b=1");
  CHECK(spans("a: \"x\\\n  y \\\" #\"\nb: 1") == "a=\"x\\\n  y \\\" #\" ; b=1");
  CHECK(spans("a: 'x\n\n  it''s'\nb: 1") == "a='x\n\n  it''s' ; b=1");
  CHECK(spans("a: |2-  # keep\n     x\n    y\n\nb: >\n  z\n\n# end\n") ==
        "a=|2-  # keep\n     x\n    y ; b=>\n  z");
  CHECK(shown("a: |2-  # keep\n     x\n    y\n\nb: >\n  z\n\n# end\n") == "{a: \"   x\n  y\", b: \"z\n\"}");
  CHECK(spans("a: |-\nb: 1") == "a=|- ; b=1");
  CHECK(spans("- |\n  # not a comment\n- 1") == "[0]=|\n  # not a comment ; [1]=1");
}

TEST_CASE("yaml: a byte-order mark does not shift anything") {
  CHECK(spans("\xEF\xBB\xBF\"a\": 1\nb: [x]") == "a=1 ; b=[x] ; b[0]=x");
  CHECK(shown("\xEF\xBB\xBF"
              "a: 1\n\x01") == "not valid YAML: control character 0x01 @ \"\x01\"");
}

TEST_CASE("yaml: unquoted scalars are typed as PyYAML does") {
  // PyYAML 6.0.3: yaml.safe_load("a: " + text).
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"1e3", "\"1e3\""},
      {"1e-5", "\"1e-5\""},
      {"1.0e-5", "1e-05"},
      {"1.0e5", "\"1.0e5\""},
      {"1.e+3", "1000.0"},
      {"5e12", "\"5e12\""},
      {"32_000", "32000"},
      {"1__0_", "10"},
      {"_1", "\"_1\""},
      {"0o17", "\"0o17\""},
      {"017", "15"},
      {"08", "\"08\""},
      {"0x1F", "31"},
      {"-0b11", "-3"},
      {"1:30", "90"},
      {"-1:30", "-90"},
      {"1:60", "\"1:60\""},
      {"190:20:30", "685230"},
      {"190:20:30.5", "685230.5"},
      {"01:30", "\"01:30\""},
      {".5", "0.5"},
      {"-.5", "\"-.5\""},
      {"5.", "5.0"},
      {"1_0.5", "10.5"},
      {"+5", "5"},
      {".inf", "inf"},
      {"-.INF", "-inf"},
      {".NaN", "nan"},
      {"-.nan", "\"-.nan\""},
      {"yes", "true"},
      {"On", "true"},
      {"no", "false"},
      {"oFF", "\"oFF\""},
      {"off", "false"},
      {"y", "\"y\""},
      {"True", "true"},
      {"~", "null"},
      {"NULL", "null"},
      {"nULL", "\"nULL\""},
      {"2020-01-01", "\"2020-01-01\""},
      {"9223372036854775807", "9223372036854775807"},
      {"-9223372036854775808", "-9223372036854775808"},
      {"9223372036854775808", "9.223372036854776e+18"},
      {"99999999999999999999", "1e+20"},
      {"'4096'", "\"4096\""},
      {"\"no\"", "\"no\""},
      {"!!str 4096", "\"4096\""},
      {"!!int \"4096\"", "4096"},
      {"!!float 5", "5.0"},
      {"!!bool 'yes'", "true"},
      {"???", "\"???\""},
      {"=", "\"=\""}};
  for (const auto& [written, read_as] : cases) CHECK(shown("a: " + written) == "{a: " + read_as + "}");
}

TEST_CASE("yaml: numbers for people that are strings for PyYAML") {
  CHECK(yaml::number_read_as_string("1e-5") == 1e-5);
  CHECK(yaml::number_read_as_string("2E3") == 2000.0);
  CHECK(yaml::number_read_as_string("1.5e6") == 1.5e6);
  CHECK(yaml::number_read_as_string("-5e1_0") == -5e10);
  CHECK(yaml::number_read_as_string("0o17") == 15.0);
  CHECK(yaml::number_read_as_string("-.5") == -0.5);
  for (const char* text : {"1.0e-5", "12", "", "e5", "1e", "1.2.3", "inf", "nan", "1e5x", "0x1p3", "08x"}) {
    INFO(text);
    CHECK_FALSE(yaml::number_read_as_string(text));
  }
}

TEST_CASE("yaml: nulls that are written and nulls that are left out") {
  CHECK(spans("a:\n~: 1") == "a= ; ~=1");
  CHECK(spans("a:\n  ~\nb: ~") == "a=~ ; b=~");
  CHECK(spans("- ~\n-\n- null") == "[0]=~ ; [1]= ; [2]=null");
  CHECK(spans("{a: ~, b: , c}") == "a=~ ; b= ; c=");
  CHECK(shown("") == "null");
  CHECK(shown("# nothing\n") == "null");
  CHECK(shown("a: &x\nb: *x") == "{a: null, b: null}");
}

TEST_CASE("yaml: an alias has the place of its anchor, and its own") {
  CHECK(spans("a: &h 64\nb: *h\n") == "a=64 ; b=64 <*h>");
  CHECK(spans("a: &h {x: 1}\nb: [*h]\n") == "a={x: 1} ; a.x=1 ; b=[*h] ; b[0]={x: 1} <*h> ; b[0].x=1 <*h>");
  // Through two aliases: the outermost.
  CHECK(spans("a: &x 1\nb: &y {c: *x}\nd: *y") ==
        "a=1 ; b={c: *x} ; b.c=1 <*x> ; d={c: *x} <*y> ; d.c=1 <*y>");
  CHECK(spans("a: &x !!str 5\nb: *x") == "a=5 ; b=5 <*x>");
  const Document document = read("a: &x {k: 1}\nb: *x");
  CHECK(bytes_at(document, document.root()["b"]["k"].key_span()) == "k");
  CHECK(shown("a: *x") == "not valid YAML: no anchor (`&`) of this name comes before the alias @ \"*x\"");
  CHECK(shown("a: &x [*x]") == "the alias `*x` is inside its own anchor @ \"*x\"");
  CHECK(shown("a: &x 1\nb: &x 2") == "not valid YAML: the anchor `&x` is defined twice @ \"&x\"");
}

TEST_CASE("yaml: an anchored key that is left out") {
  const Document document = read("&a:\n");
  CHECK(bytes_of(document, document.root()) == ":");
}

TEST_CASE("yaml: merge keys") {
  CHECK(shown("a: &a {b: 1, c: 2}\nd:\n  <<: *a\n  b: 3\n") == "{a: {b: 1, c: 2}, d: {c: 2, b: 3}}");
  CHECK(shown("a: &a {b: 1}\nd: {b: 3, <<: *a}\n") == "{a: {b: 1}, d: {b: 3}}");
  CHECK(shown("a: &a {b: 1, c: 2}\nd: {<<: [{b: 5}, *a]}") == "{a: {b: 1, c: 2}, d: {c: 2, b: 5}}");
  CHECK(shown("a: &a {<<: &b {x: 1}, y: 2}\nc: {<<: *a}") == "{a: {x: 1, y: 2}, c: {x: 1, y: 2}}");
  CHECK(spans("a: &a {b: 1}\nd:\n  <<: *a\n") == "a={b: 1} ; a.b=1 ; d=<<: *a ; d.b=1 <*a>");
  CHECK(shown("a: {\"<<\": 1}") == "{a: {<<: 1}}");
  CHECK(shown("a: 1\n<<: 1") == "`<<` merges `1`, which is not a table @ \"1\"");
  CHECK(shown("<<: [{a: 1}, 2]") == "`<<` merges `2`, which is not a table @ \"2\"");
  CHECK(duplicate_keys(read("a: &a {b: 1}\nd: {<<: *a, b: 3}")).empty());
}

TEST_CASE("yaml: duplicate keys are kept, the last one counts") {
  const Document document = read("a: 1\nb: {c: 1, 'c': 2}\na: 3\n");
  CHECK(document.root()["a"].as_integer() == 3);
  CHECK(document.root()["b"]["c"].as_integer() == 2);
  std::string found;
  for (const DuplicateKey& each : duplicate_keys(document)) {
    found += fmt::format("{}: {} then {}; ", each.first.path(), bytes_of(document, each.first),
                         bytes_of(document, each.last));
  }
  CHECK(found == "a: 1 then 3; b.c: 1 then 2; ");
}

TEST_CASE("yaml: unknown tags are kept beside the value") {
  const Document document = read(
      "data: !include data/x.yaml\nt: !!python/name:torch.float32 ''\nl: !foo [1]\nn: !bar\ni: !baz 5\nk: "
      "!!str 5\n");
  const NodeRef root = document.root();
  CHECK(root["data"].note() == "!include");
  CHECK(root["data"].as_string() == "data/x.yaml");
  CHECK(bytes_of(document, root["data"]) == "data/x.yaml");
  CHECK(root["t"].note() == "!!python/name:torch.float32");
  CHECK(root["t"].as_string() == "");
  CHECK(root["l"].note() == "!foo");
  CHECK(root["l"][0].as_integer() == 1);
  CHECK(root["n"].note() == "!bar");
  CHECK(root["n"].is(Kind::null));
  CHECK(root["i"].as_integer() == 5);
  CHECK(root["k"].note() == "");
}

TEST_CASE("yaml: several documents") {
  CHECK(shown("a: 1\n---\nb: 2\n...\n---\n- 3\n") == "{a: 1} --- {b: 2} --- [3]");
  CHECK(shown("%YAML 1.1\n---\na: 1\n") == "{a: 1}");
  CHECK(shown("--- # head\na: 1\n") == "{a: 1}");
  const auto documents = parse_yaml("c.yaml", "a: 1\n---\na: 2\n");
  REQUIRE(documents);
  CHECK(bytes_of((*documents)[1], (*documents)[1].root()["a"]) == "2");
}

TEST_CASE("yaml: GPT-NeoX writes flow tables with comments and trailing commas") {
  CHECK(shown("{\n  # model\n  \"num-layers\": 12, # depth\n  \"fp16\": {\"enabled\": True,},\n"
              "  \"attention-config\": [[[\"flash\"], 12]],\n}\n") ==
        "{num-layers: 12, fp16: {enabled: true}, attention-config: [[[\"flash\"], 12]]}");
  // A comma is missing after the list.
  CHECK(shown("{\n  \"attention-config\": [1]\n  \"b\": 1\n}") ==
        "not valid YAML: expected `,` or `}` @ \"\"\"");
}

TEST_CASE("yaml: what PyYAML does not let pass") {
  CHECK(shown("- a\nb: 1") == "not valid YAML: this does not belong to the list above @ \"b\"");
  CHECK(shown("{a: 1}\nb: 2") == "not valid YAML: the document ends before this @ \"b\"");
  CHECK(shown("a: b\n- c") == "not valid YAML: this does not belong to the table above @ \"-\"");
  CHECK(shown("a: 'x") == "not valid YAML: a quote is never closed @ \"'\"");
  CHECK(shown("a: \"x\\\"\nb: 1") == "not valid YAML: a quote is never closed @ \"\"\"");
  CHECK(shown("a: 'x' y") == "not valid YAML: this does not belong to the table above @ \"y\"");
  CHECK(shown("a:\tb") == "not valid YAML: a tab where only spaces may be @ \"\t\"");
  CHECK(shown("a: x\ty") == "not valid YAML: a tab where only spaces may be @ \"\t\"");
  CHECK(shown("\t\na: 1") == "not valid YAML: a tab where only spaces may be @ \"\t\"");
  CHECK(shown("a: \"x\ty\" # c\td\nb: |\n  x\ty") == "{a: \"x\ty\", b: \"x\ty\"}");
  CHECK(shown("[a, b]: c") == "not valid YAML: a key is a table or a list @ \"[\"");
  // What a template leaves open is a text (Kubernetes' manifests that are filled in by `sed`, Jinja).
  CHECK(shown("a: {{TOKEN}}\nb: 1") == "{a: \"{{TOKEN}}\", b: 1}");
  CHECK(shown("a: [{{ x }}, 2]\nb: {c: {{d}}}") == "{a: [\"{{ x }}\", 2], b: {c: \"{{d}}\"}}");
  CHECK(shown("{{a}}: 1") == "not valid YAML: a key is a table or a list @ \"{\"");
  CHECK(shown("a: [1,,2]") == "not valid YAML: a value is missing @ \",\"");
  CHECK(shown("a: {b: 1,, c: 2}") == "not valid YAML: a value is missing @ \",\"");
  CHECK(shown("a:\n- 1\n-b") == "not valid YAML: no `:` after the key @ \"-\"");
  CHECK(shown("a:\n'b'\nc: 1") == "not valid YAML: no `:` after the key @ \"'\"");
  CHECK(shown(std::string("a: 1") + '\x04' + "b: 2") == "not valid YAML: control character 0x04 @ \"\x04\"");
  CHECK(shown(std::string("a\0: 1", 5)).starts_with("not valid YAML: control character 0x00"));
  CHECK(shown("a: \xff") == "byte 0xff is not valid UTF-8 @ \"\xff\"");
}

TEST_CASE("yaml: what PyYAML lets pass") {
  CHECK(shown("? a\n\n? b\n") == "{a: null, b: null}");
  CHECK(spans("? a\n# behind\n? b\n") == "a= ; b=");
  CHECK(shown("'a\n\n---x'") == "\"a\n---x\"");
  CHECK(shown("...\n") == "not valid YAML: a value is missing @ \".\"");
}

TEST_CASE("yaml: a value that is left out stands behind what announces it, comments or not") {
  const Document document = read("a: # none\nb:\n  - # none\n  - {c , d: }\ne: &x\nf: !t\n");
  const auto place = [&](NodeRef node) { return node.span().begin; };
  const NodeRef root = document.root();
  CHECK(shown("a: # none\nb:\n  - # none\n  - {c , d: }\ne: &x\nf: !t\n") ==
        "{a: null, b: [null, {c: null, d: null}], e: null, f: null}");
  CHECK(place(root["a"]) == 2);
  CHECK(place(root["b"][0]) == 16);
  CHECK(place(root["b"][1]["c"]) == root["b"][1]["c"].key_span().end);
  CHECK(place(root["b"][1]["d"]) == root["b"][1]["d"].key_span().end + 1);
  CHECK(place(root["e"]) == root["e"].key_span().end + 4);
  CHECK(place(root["f"]) == root["f"].key_span().end + 4);
  CHECK(bytes_of(document, root["b"]) == "- # none\n  - {c , d: }");
}

TEST_CASE("yaml: errors of the syntax have a place") {
  CHECK(shown("a: 1 b: 2") == "not valid YAML: unexpected `:` @ \":\"");
  CHECK(shown("a: @x") == "not valid YAML: no value can begin like this @ \"@\"");
  CHECK(shown("a: [1, 2\nb: 3\n").starts_with("not valid YAML: expected `,` or `]`"));
  CHECK(shown("\xEF\xBB\xBF"
              "a: @x") == "not valid YAML: no value can begin like this @ \"@\"");
}

TEST_CASE("yaml: limits") {
  CHECK(shown(std::string(5000, '[') + std::string(5000, ']')) ==
        "tables and lists are nested more than 64 deep @ \"[\"");
  CHECK(shown(std::string(100000, '{') + std::string(100000, '}')) ==
        "tables and lists are nested more than 64 deep @ \"{\"");
  std::string steps;
  for (int i = 0; i < 5000; ++i) steps += std::string(static_cast<std::size_t>(i), ' ') + "a:\n";
  CHECK(shown(steps).starts_with("tables and lists are nested more than 64 deep"));

  std::string bomb = "a0: &a0 [1, 1, 1, 1, 1, 1, 1, 1, 1, 1]\n";
  std::string merges = "a0: &a0 {x: 1}\n";
  std::string chain = "a0: &a0 [1]\n";
  for (int i = 1; i < 300; ++i) {
    const std::string below = fmt::format("*a{}", i - 1);
    chain += fmt::format("a{0}: &a{0} [{1}]\n", i, below);
    if (i > 20) continue;
    bomb += fmt::format("a{0}: &a{0} [{1}, {1}, {1}, {1}, {1}, {1}, {1}, {1}]\n", i, below);
    merges += fmt::format("a{0}: &a{0} {{<<: [{1}, {1}, {1}, {1}, {1}, {1}, {1}]}}\n", i, below);
  }
  CHECK(shown(bomb).starts_with("the file holds more than 500000 values"));
  CHECK(shown(merges).starts_with("the file holds more than 500000 values"));
  CHECK(shown(chain).starts_with("tables and lists are nested more than 64 deep"));
  std::string wide = "a: &a ";
  wide.append(1000000, 'x');
  wide += "\nb: [";
  for (int i = 0; i < 2000; ++i) wide += "*a, ";
  CHECK(shown(wide + "]").starts_with("the file holds more than 500000 values"));

  std::string directives;
  for (int i = 0; i < 65; ++i) directives += fmt::format("\n%TAG !a{}! x", i);
  CHECK(shown(directives + "\n---\na: 1\n").starts_with("the file has more than 64 `%TAG` directives"));
  std::string merged = "a: &a\n  ? " + std::string(4'000'000, 'k') + "\n  : 1\nb: {<<: [";
  for (int i = 0; i < 1000; ++i) merged += "*a, ";
  CHECK(parse_as(Syntax::yaml, "c.yaml", merged + "]}\n").error().message ==
        "reading it takes more work than any configuration needs");
  CHECK(shown("b: {<<: " + std::string(1000, 'x') + "}")
            .starts_with("`<<` merges `" + std::string(40, 'x') + "…`"));
}
