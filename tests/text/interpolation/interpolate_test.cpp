// References between values, as NeMo, Megatron, Primus and OLMo write them.
#include "text/interpolation/interpolate.hpp"

#include <rapidcheck.h>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "tests/catch.hpp"
#include "tests/text/text_support.hpp"
#include "text/yaml/yaml.hpp"

using namespace shapelint;
using namespace shapelint::text;

namespace {

Document followed(const std::string& source, const interpolation::Scopes& scopes = {}) {
  const auto documents = parse_yaml("c.yaml", source);
  REQUIRE(documents);
  auto document = interpolate(documents->front(), scopes);
  INFO(source);
  if (!document) FAIL(outline(document.error(), source));
  return document ? *std::move(document) : Document();
}

std::string shown(const std::string& source, const interpolation::Scopes& scopes = {}) {
  return outline(followed(source, scopes).root());
}

// `bytes where it is written <interpolation>` of the value at a key of the root.
std::string place(const std::string& source, const std::string& key) {
  const Document document = followed(source);
  const NodeRef node = document.root()[key];
  std::string all = bytes_of(document, node);
  if (const auto use = node.use_span()) all += " <" + bytes_at(document, *use) + ">";
  return all;
}

}  // namespace

TEST_CASE("interpolate: references from the root and to siblings") {
  CHECK(shown("m: {h: 4096, n: '${.h}', o: '${m.h}'}") == "{m: {h: 4096, n: 4096, o: 4096}}");
  CHECK(shown("h: 1\nm: {h: 2, e: {a: '${.h}', b: '${..h}', c: '${...h}', h: 3}}") ==
        "{h: 1, m: {h: 2, e: {a: 3, b: 2, c: 1, h: 3}}}");
  CHECK(shown("l: [1, {a: 2}]\nx: ${l[1].a}\ny: ${l.0}") == "{l: [1, {a: 2}], x: 2, y: 1}");
  CHECK(shown("t: {a: 1, b: '${.a}'}\nu: ${t}\nv: ${u.b}") == "{t: {a: 1, b: 1}, u: {a: 1, b: 1}, v: 1}");
  CHECK(shown("a: ${b}\nb: ${c}\nc: x") == "{a: \"x\", b: \"x\", c: \"x\"}");
}

TEST_CASE("interpolate: both places are kept") {
  CHECK(place("h: 4096\nn: ${h}", "n") == "4096 <${h}>");
  CHECK(place("h: 4096\nn: \"${h}\"", "n") == "4096 <${h}>");
  CHECK(place("a: ${b}\nb: ${c}\nc: 5 # é", "a") == "5 <${b}>");
  CHECK(place("h: 4\nn: ${multiply:4,${h}}", "n") == "${multiply:4,${h}}");
  CHECK(place("h: 4\nn: a_${h}", "n") == "a_${h}");
  CHECK(place("n: ${TP:4}", "n") == "${TP:4}");
}

TEST_CASE("interpolate: resolvers") {
  CHECK(shown("h: 12\na: '${multiply:4, ${.h}}'\nb: ${divide_floor:${h},5}\nc: ${divide_ceil:${h},5}\n"
              "d: ${multiply:${h},1.5}\ne: ${divide_floor:${multiply:${h},8},3}\nf: ${add:1,2,3}") ==
        "{h: 12, a: 48, b: 2, c: 3, d: 18.0, e: 32, f: 6}");
  CHECK(shown("a: ${divide_floor:1,0}\nb: ${multiply:x,2}\nc: ${path.glob:/x}\nd: ${divide_floor:-7,2}") ==
        "{a: unknown(a division by zero), b: unknown(`x` is not a number), "
        "c: unknown(`path.glob` is evaluated at run time), d: -4}");
}

TEST_CASE("interpolate: Python in eval is worked out, not run") {
  CHECK(shown("h: 512\nm: {d: 8, i: '${eval:4 * ${.d}}', j: '${eval:2*${h} + 1}'}") ==
        "{h: 512, m: {d: 8, i: 32, j: 1025}}");
  CHECK(shown("g: 80\nb: '${eval:\"8 if ${g} <= 16 else 32\"}'") == "{g: 80, b: 32}");
  CHECK(shown("a: '${div_up:10, 4}'") == "{a: 3}");
  CHECK(shown("b: '${eval:__import__(\"os\").cpu_count()}'") ==
        "{b: unknown(`eval` is evaluated at run time)}");
}

TEST_CASE("interpolate: references see what a file on top of this one says") {
  const auto top = parse_yaml("top.yaml", "m: {d: 1024, name: big}");
  REQUIRE(top);
  const interpolation::Scopes scopes{{}, [&](std::string_view path) -> NodeRef {
                                       if (path == "m.d") return top->front().root()["m"]["d"];
                                       if (path == "m.name") return top->front().root()["m"]["name"];
                                       return {};
                                     }};
  CHECK(shown("m: {d: 512, f: '${eval:4 * ${.d}}', e: '${m.d}', n: '${m.name}', k: '${.l}', l: 3}", scopes) ==
        "{m: {d: 512, f: 4096, e: 1024, n: \"big\", k: 3, l: 3}}");
}

TEST_CASE("interpolate: HyperPyYAML's references") {
  CHECK(shown("h: 512\nm: {d: !ref <h>, e: 4}\nf: !ref <h> * 4\ng: !ref <m.e> // 2 + <h>\np: !ref a/<h>") ==
        "{h: 512, m: {d: 512, e: 4}, f: 2048, g: 514, p: \"a/512\"}");
  CHECK(shown("a: !ref plain\nb: '<h>'\nc: !ref <a") == "{a: \"plain\", b: \"<h>\", c: \"<a\"}");
  CHECK(place("h: 4096\nn: !ref <h>", "n") == "4096 <<h>>");
}

TEST_CASE("interpolate: the environment has its defaults") {
  CHECK(shown("a: ${oc.env:TP,4}\nb: ${oc.env:HOME}\nc: ${TP:8}\nd: ${TP:-16}\ne: ${TP}\nf: ${NAME:a/b}\n"
              "g: x${TP:2}y\nh: ${TP:null}\ni: '${TP:\"4\"}'\nj: ${TP:1e-5}\nk: ${A:${B:3}}\nl: ${TP:-1}") ==
        "{a: 4, b: unknown(unknown environment variable `HOME`), c: 8, d: 16, "
        "e: unknown(unknown environment variable `TP`), f: \"a/b\", g: \"x2y\", h: null, i: "
        "\"4\", "
        "j: \"1e-5\", k: 3, l: 1}");
  CHECK(shown("ENV_VARS: {N: 8}\nARGS: {--n: '${N}', --m: '${M}'}", {{"ENV_VARS"}}) ==
        "{ENV_VARS: {N: 8}, ARGS: {--n: 8, --m: unknown(unknown environment variable `M`)}}");
  CHECK(shown("a: ${oc.select:x.y,7}\nb: ${oc.select:a}") == "{a: 7, b: 7}");
}

TEST_CASE("interpolate: what cannot be resolved is unknown, with a reason") {
  CHECK(shown("a: ${b.c}\nd: ???\ne: ${d}\nf: ${.g.h}\nh: x_${d}") ==
        "{a: unknown(no `b.c` in this file), d: unknown(it is required (`???`) and not given), "
        "e: unknown(it is required (`???`) and not given), f: unknown(no `.g.h` in this file), "
        "h: unknown(it is required (`???`) and not given)}");
  CHECK(shown("a: ${b}\nb: ${a}") == "{a: unknown(it refers to itself), b: unknown(it refers to itself)}");
  CHECK(shown("a: {b: '${a}'}") == "{a: {b: unknown(circular reference)}}");
  CHECK(shown("a: {c: '${b}'}\nb: {c: '${a}'}").find("circular reference") != std::string::npos);
  CHECK(shown("a: ${b") == "{a: unknown(`${` is never closed)}");
  CHECK(shown("a: x_${t}\nt: [1]") == "{a: unknown(a table or list in a string), t: [1]}");
}

TEST_CASE("interpolate: what is no interpolation stays") {
  CHECK(shown("a: '\\${b}'\nc: $b\nd: $(x)\ne: !t {f: 1}") ==
        "{a: \"${b}\", c: \"$b\", d: \"$(x)\", e: {f: 1}}");
  CHECK(followed("e: !t 1").root()["e"].note() == "!t");
  CHECK(shown("a: &x 1\nb: *x\nc: ${b}") == "{a: 1, b: 1, c: 1}");
}

TEST_CASE("interpolate: limits") {
  std::string chain = "a0: 1\n";
  for (int i = 1; i < 5000; ++i) chain += fmt::format("a{}: ${{a{}}}\n", i, i - 1);
  CHECK(shown("z: ${a4999}\n" + chain).find("nested too deep") != std::string::npos);
  std::string bomb = "a0: [1, 1, 1, 1, 1, 1, 1, 1, 1, 1]\n";
  for (int i = 1; i < 10; ++i) {
    bomb +=
        fmt::format("a{0}: ['${{a{1}}}', '${{a{1}}}', '${{a{1}}}', '${{a{1}}}', '${{a{1}}}']\n", i, i - 1);
  }
  const auto documents = parse_yaml("c.yaml", bomb);
  REQUIRE(documents);
  const auto too_many = interpolate(documents->front());
  REQUIRE_FALSE(too_many);
  CHECK(too_many.error().message == "the file holds more than 500000 values");
  std::string text = "a0: xxxxxxxxxx\n";
  for (int i = 1; i < 60; ++i) text += fmt::format("a{0}: ${{a{1}}}${{a{1}}}\n", i, i - 1);
  CHECK(shown(text).find("the string is too long") != std::string::npos);
}

TEST_CASE("interpolate: no text crashes it, and a file without references stays as it is") {
  CHECK(rc::check([] {
    const auto pieces = *rc::gen::container<std::vector<std::string>>(rc::gen::element<std::string>(
        "${", "}", ".", "a", "b", ":", ",", "[", "]", "0", "multiply:", "oc.env:", "A", "-", "'", "\"", "\\",
        " ", "$", "{", "???"));
    std::string text;
    for (const std::string& piece : pieces) text += piece;
    const nlohmann::json tree = {{"a", {{"b", text}, {"c", "${a.b}"}}}, {"b", text}, {"d", {1, text}}};
    const auto documents = parse_yaml("c.yaml", tree.dump());
    RC_ASSERT(static_cast<bool>(documents));
    const auto document = interpolate(documents->front());
    RC_ASSERT(static_cast<bool>(document));
    const NodeRef b = document->root()["b"];
    if (text.find("${") == std::string::npos && text != "???") RC_ASSERT(b.as_string() == text);
  }));
}
