// Python files that only assign values.
#include "text/python/literal.hpp"

#include <rapidcheck.h>
#include <string>
#include <vector>

#include "tests/catch.hpp"
#include "tests/text/text_support.hpp"

using namespace shapelint;
using namespace shapelint::text;

namespace {

std::string shown(const std::string& source) {
  const auto document = parse_literal_python("c.py", source);
  return document ? outline(document->root()) : outline(document.error(), source);
}

}  // namespace

TEST_CASE("python: literals and their bytes") {
  const std::string source =
      "# größe\n"
      "n_layer = 12  # depth\r\n"
      "n_embd: int = 768\n"
      "lr = 6e-4; betas = (0.9, 0.95)\n"
      "name = 'größe' \"x\"\n"
      "compile = True\n"
      "none = None\n"
      "max_iters = 600_000\n"
      "hexa = 0x10\n"
      "text = '''a\n'b'''\n"
      "shape = [\n  1,  # one\n  -2,\n]\n"
      "one = (1)\n";
  CHECK(shown(source) ==
        "{n_layer: 12, n_embd: 768, lr: 0.0006, betas: [0.9, 0.95], name: \"größex\", compile: true, none: "
        "null, "
        "max_iters: 600000, hexa: 16, text: \"a\n'b\", shape: [1, -2], one: 1}");
  const auto document = parse_literal_python("c.py", source);
  const NodeRef root = document->root();
  CHECK(bytes_of(*document, root["n_layer"]) == "12");
  CHECK(bytes_at(*document, root["n_layer"].key_span()) == "n_layer");
  CHECK(bytes_of(*document, root["n_embd"]) == "768");
  CHECK(bytes_of(*document, root["lr"]) == "6e-4");
  CHECK(bytes_of(*document, root["betas"]) == "(0.9, 0.95)");
  CHECK(bytes_of(*document, root["betas"][1]) == "0.95");
  CHECK(bytes_of(*document, root["name"]) == "'größe' \"x\"");
  CHECK(bytes_of(*document, root["shape"][1]) == "-2");
}

TEST_CASE("python: arithmetic of earlier names") {
  CHECK(
      shown("a = 8\nb = a * 2 + 3\nc = -a // 3\nd = 2 ** 3 ** 2\ne = 7 / 2\nf = (a + b) % 5\ng = 'x' + 'y'\n"
            "h = 2 ** -1\ni = -7 % 3\nj = 1 - -1\n") ==
      "{a: 8, b: 19, c: -3, d: 512, e: 3.5, f: 2, g: \"xy\", h: 0.5, i: 2, j: 2}");
  CHECK(shown("a = 1 / 0\nb = 9223372036854775807 + 1\nc = 10 ** 400\n") ==
        "{a: unknown(its value is more than a literal), b: unknown(its value is more than a literal), "
        "c: unknown(its value is more than a literal)}");
}

TEST_CASE("python: anything else is unknown or passed over") {
  CHECK(shown("import os\nfrom x import y\nn = os.cpu_count()\nd = {'a': 1}\nx = n + 1\nprint(1)\nf = "
              "f'{n}'\n") ==
        "{n: unknown(its value is more than a literal), d: unknown(its value is more than a literal), "
        "x: unknown(its value is more than a literal), f: unknown(its value is more than a literal)}");
  CHECK(shown("n = 1\ndef f():\n    n = 2\nclass A:\n    m = 3\nk = 4\n") == "{n: 1, k: 4}");
  CHECK(shown("n = 1\nif x:\n    n = 2\n    m = 3\n") ==
        "{n: 1, n: unknown(it is assigned inside of a block)}");
  CHECK(shown("n = 1\nn += 1\nn == 2\na.b = 3\na[0] = 4\n") ==
        "{n: 1, n: unknown(its value is more than a literal)}");
  CHECK(shown("a = 1 if b else 2\nc = lambda: 1\nd = not True\n").find("a: unknown") != std::string::npos);
  CHECK(shown("\"\"\"Doc\nn = 5\n\"\"\"\nn = 6\n") == "{n: 6}");
}

TEST_CASE("python: limits and errors") {
  CHECK(shown("a = 'x\nb = 1") == "the string is never closed @ \"'\"");
  CHECK(shown("a = \xff") == "byte 0xff is not valid UTF-8 @ \"\xff\"");
  CHECK(shown("a = " + std::string(100000, '(') + "1") == "{a: unknown(its value is more than a literal)}");
  CHECK(shown("a = " + std::string(100000, '-') + "1") == "{a: unknown(its value is more than a literal)}");
  std::string doubling = "a = 'x'\n";
  for (int i = 0; i < 80; ++i) doubling += "a = a + a\n";
  CHECK(shown(doubling).find("unknown") != std::string::npos);
}

TEST_CASE("python: no bytes crash the reader") {
  CHECK(rc::check([] {
    const auto pieces = *rc::gen::container<std::vector<std::string>>(rc::gen::element<std::string>(
        "a", " = ", "1", "\n", "(", ")", "[", "]", ",", "'", "\"", "'''", "#", "\\", "\\\n", " ", "+", "-",
        "**", "//", "%", ":", "def f", "if x", "    ", "b", "0x", "1e", ".", "é", ";", "f'", "r'", "True",
        "\xEF\xBB\xBF"));
    std::string text;
    for (const std::string& piece : pieces) text += piece;
    const auto document = parse_literal_python("c.py", text);
    if (!document) return;
    for (const Node& node : document->nodes()) {
      RC_ASSERT(node.value_begin <= node.value_end);
      RC_ASSERT(node.value_end <= text.size());
    }
  }));
}
