// What Python files say without being run.
#include "text/python/python.hpp"

#include <rapidcheck.h>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "tests/catch.hpp"
#include "tests/text/text_support.hpp"

using namespace shapelint;
using namespace shapelint::text;

namespace {

std::string shown(const std::string& source) {
  const auto document = parse_python("c.py", source);
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
  const auto document = parse_python("c.py", source);
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

TEST_CASE("python: nemo_run.Config is what is made later, with what it is given now") {
  const std::string begin = "import nemo_run as run\nfrom dataclasses import dataclass\n";
  CHECK(
      shown(begin + "@dataclass\nclass A:\n    x: int = 1\n    y: int = 2\n"
                    "class B:\n    def __init__(self, config):\n        pass\n"
                    "def fit(model):\n    pass\n"
                    "r = run.Partial(fit, model=run.Config(B, config=run.Config(A, y=3)))\n"
                    "r.model.config.x = 4\n") ==
      "{A: {(): \"c.A\", x: 1, y: 2}, r: {(): \"c.fit\", model: {(): \"c.B\", config: {(): \"c.A\", x: 4, y: "
      "3}}}}");
  CHECK(shown(begin + "from lib import C\na = run.Config(C, x=1)\nb = run.Config()\n") ==
        "{a: {(): \"lib.C\", x: 1}, b: {(): \"nemo_run.Config\"}}");
}

TEST_CASE("python: what a class is made with stays known where it keeps it under another name") {
  CHECK(shown("class D:\n    def __init__(self, depth=2, heads=4):\n        self.heads = heads\n"
              "        self.blocks = depth\ndef big():\n    return D(depth=28, heads=16)\n") ==
        "{big(): {(): \"c.D\", heads: 16, blocks: 28, depth: 28}}");
}

TEST_CASE("python: arithmetic of earlier names") {
  CHECK(
      shown("a = 8\nb = a * 2 + 3\nc = -a // 3\nd = 2 ** 3 ** 2\ne = 7 / 2\nf = (a + b) % 5\ng = 'x' + 'y'\n"
            "h = 2 ** -1\ni = -7 % 3\nj = 1 - -1\n") ==
      "{a: 8, b: 19, c: -3, d: 512, e: 3.5, f: 2, g: \"xy\", h: 0.5, i: 2, j: 2}");
  CHECK(shown("a = 1 / 0\nb = 9223372036854775807 + 1\nc = 10 ** 400\n") ==
        "{a: unknown(the number is too large, or not a number), b: unknown(the number is too large, or not a "
        "number), "
        "c: unknown(the number is too large, or not a number)}");
  CHECK(shown("a = 'M' * 3\nb = 2 * 'M-'\nc = 'M' * -1\nd = 'M' * 10 ** 9\n") ==
        "{a: \"MMM\", b: \"M-M-\", c: \"\", d: unknown(the string is too long)}");
}

TEST_CASE("python: anything else is unknown or passed over") {
  CHECK(shown("import os\nfrom x import y\nn = os.cpu_count()\nx = n + 1\nprint(1)\nf = f'{n}'\nz = y\n") ==
        "{n: unknown(it is part of the environment), x: unknown(it is part of the environment), "
        "f: unknown(it is part of the environment), z: \"x.y\"}");
  CHECK(shown("n = 1\ndef f():\n    n = 2\nclass A:\n    pass\nk = 4\n") == "{n: 1, k: 4}");
  CHECK(shown("n = 1\nif x:\n    n = 2\n    m = 3\n") ==
        "{n: unknown(it is assigned in a block that may not run), "
        "m: unknown(it is assigned in a block that may not run)}");
  CHECK(shown("n = 1\nn += 1\nn == 2\na.b = 3\na[0] = 4\n") == "{n: 2}");
  CHECK(shown("a = 1 if b else 2\nc = lambda: 1\nd = not True\n") ==
        "{a: unknown(it depends on a condition known only at run time), c: unknown(it is a function), d: "
        "false}");
  CHECK(shown("\"\"\"Doc\nn = 5\n\"\"\"\nn = 6\n") == "{n: 6}");
  CHECK(shown("n = (yield)\nm = 1 +\nk = 2\n") ==
        "{n: unknown(`yield` is not from this file), "
        "m: unknown(its syntax is not evaluated), k: 2}");
}

// https://huggingface.co/docs/transformers/main_classes/trainer; vLLM, examples/offline_inference
TEST_CASE("what is made and used without a name stands under its class", "[text]") {
  CHECK(shown("from a import Trainer\nTrainer(model='x', n=4).train()\n") ==
        "{Trainer(): {(): \"a.Trainer\", model: \"x\", n: 4}}");
  CHECK(shown("import a\na.b.LLM('x').with_lora(8).generate(['hi'])\n") ==
        "{LLM(): {(): \"a.b.LLM\", 0: \"x\"}}");
  CHECK(shown("from a import Trainer, run\nt = Trainer(n=4)\nt.train()\nrun(t)\n") ==
        "{t: {(): \"a.Trainer\", n: 4}}");
  CHECK(shown("from a import Config\nConfig.set(4)\n") == "{}");
}

TEST_CASE("python: tables, constructors and members of enumerations") {
  CHECK(shown("w = 8\nmodel = dict(width=w, heads=[w // 4] * 2, **{'depth': 3})\nmodel['depth'] += 1\n") ==
        "{w: 8, model: {width: 8, heads: [2, 2], depth: 4}}");
  CHECK(shown("from a.b import Model, DType\nm = Model.Config(2, dtype=DType.bf16).with_rope(x=1)\n") ==
        "{m: {(): \"a.b.Model.Config.with_rope\", x: 1, self: {(): \"a.b.Model.Config\", 0: 2, "
        "dtype: \"a.b.DType.bf16\"}}}");
  const std::string source = "size = 64\nmodel = dict(width=size)\n";
  const auto document = parse_python("c.py", source);
  CHECK(bytes_of(*document, document->root()["model"]["width"]) == "64");
  CHECK(bytes_at(*document, document->root()["model"]["width"].key_span()) == "width");
}

TEST_CASE("python: members of enumerations go by their names where their values say nothing") {
  CHECK(
      shown("import enum\nclass Kind(enum.Enum):\n    LOCAL = enum.auto()\n    ALL = 2\n"
            "class Width(enum.IntEnum):\n    SMALL = 8\nclass Word(str, enum.Enum):\n    SWIGLU = 'swiglu'\n"
            "made = dict(kinds=[Kind.LOCAL, Kind.ALL] * 2, width=Width.SMALL, word=Word.SWIGLU)\n")
          .find("made: {kinds: [\"Kind.LOCAL\", \"Kind.ALL\", \"Kind.LOCAL\", \"Kind.ALL\"], width: 8, "
                "word: \"swiglu\"}") != std::string::npos);
}

TEST_CASE("python: classes with defaults") {
  CHECK(
      shown("from dataclasses import dataclass, field\n@dataclass\nclass Base:\n    width: int = 8\n"
            "    depth: int\n@dataclass\nclass Model(Base):\n    heads: int = 2\n"
            "    sizes: list = field(default_factory=lambda: [1, 2])\n"
            "    def head_dim(self):\n        return self.width // self.heads\n"
            "small = Model(4, heads=1)\nwide = small.head_dim() * 2\n") ==
      "{Base: {(): \"c.Base\", width: 8, depth: unknown(`depth` has no default)}, "
      "Model: {(): \"c.Model\", width: 8, depth: unknown(`depth` has no default), heads: 2, sizes: "
      "{(): \"dataclasses.field\"}}, "
      "small: {(): \"c.Model\", width: 4, depth: unknown(`depth` has no default), heads: 1, sizes: [1, 2]}, "
      "wide: 8}");
}

TEST_CASE("python: functions that return a configuration") {
  CHECK(
      shown("from m import Config\ndef base(width=8, *, depth, **rest):\n"
            "    cfg = Config(width=width, depth=depth, **rest)\n    cfg.train.lr = 1\n    return cfg\n"
            "def small():\n    cfg = base(4, depth=2, heads=1)\n    cfg.width *= 2\n    return cfg\n") ==
      "{base(): {(): \"m.Config\", width: 8, depth: unknown(it depends on the argument `depth`), train: {(): "
      "\"m.Config.train\", lr: 1}}, small(): {(): \"m.Config\", width: 8, depth: 2, heads: 1, train: {(): "
      "\"m.Config.train\", lr: 1}}}");
  CHECK(shown("from m import common\ndef f():\n    c = common()\n    c.train.batch = 2\n    return c\n") ==
        "{f(): {(): \"m.common\", train: {(): \"m.common.train\", batch: 2}}}");
  // What may have happened to it is unknown, and so is which of two results it gives.
  CHECK(shown("from m import Config\ndef f(big=None):\n    c = Config(width=1, depth=1)\n"
              "    if big is None:\n        c.width = 2\n    if g():\n        c.depth = 2\n    return c\n") ==
        "{f(): {(): \"m.Config\", width: 2, depth: unknown(it is assigned in a block that may not "
        "run)}}");
  CHECK(shown("def f(x):\n    if x:\n        return dict(a=1)\n    return dict(a=2)\n"
              "def g(x):\n    if x < 1:\n        raise ValueError(x)\n    return dict(a=1)\n") ==
        "{g(): {a: 1}}");
  CHECK(
      shown("class A:\n    @classmethod\n    def small(cls, **kw):\n        return cls.like(width=2, **kw)\n"
            "    @classmethod\n    def like(cls, *, width, depth=3):\n        return dict(width=width, "
            "depth=depth)\n") ==
      "{A.small(): {width: 2, depth: 3}, A.like(): {width: unknown(it depends on the argument `width`), "
      "depth: 3}}");
}

TEST_CASE("python: loops, comprehensions and calls of what Python brings along") {
  CHECK(shown("n = []\nfor i in range(3):\n    if i == 1:\n        continue\n    n.append(i * 2)\n"
              "m = [x + 1 for x in n if x]\nk = max(len(n), int('7'))\nt = f'{k}B-{n[1]}'\n"
              "for j in unknown():\n    k = 1\n")
            .starts_with("{n: [0, 4], i: 2, m: [5], k: unknown(it is assigned in a block that may not "
                         "run), t: \"7B-4\""));
  CHECK(shown("a = [1, 2, 3, 4]\nb = a[1:]\nc = a[:-1]\nd = a[1:9]\ne = a[::2]\nf = (1, 2)[3:]\n") ==
        "{a: [1, 2, 3, 4], b: [2, 3, 4], c: [1, 2, 3], d: [2, 3, 4], "
        "e: unknown(its items are known only at run time), f: []}");
  CHECK(shown("d = {'a': 1}\nd.update(b=2)\na = d.pop('a')\nc = d.get('x', 5)\nx, (y, z) = 1, (2, 3)\n"
              "e = 'b' in d and a is not None\n") == "{d: {b: 2}, a: 1, c: 5, x: 1, e: true}");
  CHECK(shown("import math, copy\nfrom dataclasses import replace\na = math.ceil(7 / 2)\nb = dict(x=[1])\n"
              "c = copy.deepcopy(b)\nc['x'].append(2)\n") == "{a: 4, b: {x: [1]}, c: {x: [1, 2]}}");
  CHECK(
      shown(
          "from functools import partial\ndef f(a, b=1):\n    return a + b\ng = partial(f, 2, b=3)\nh = g()\n"
          "i = g(b=4)\n")
          .ends_with("h: 5, i: 6}"));
}

namespace {

// Of a package `pack` in `repo`.
PythonImports imports_from(const std::map<std::string, std::string>& files) {
  return {[&files](const std::string& path) {
            const auto found = files.find(path);
            return found == files.end() ? std::nullopt : std::optional(found->second);
          },
          {"repo/pack", "repo"}};
}

}  // namespace

TEST_CASE("python: imports are followed where they may be read") {
  const std::map<std::string, std::string> files{
      {"repo/pack/sizes.py", "from .more import DEPTH\nWIDTH = 64\ndef twice(x):\n    return 2 * x\n"},
      {"repo/pack/more.py", "from .sizes import WIDTH\nDEPTH = 3\n"},
      {"repo/pack/__init__.py", "class Model:\n    width: int = 1\n"}};
  const PythonImports imports = imports_from(files);
  const std::string source =
      "from pack.sizes import WIDTH, DEPTH, twice\nfrom . import Model, absent\nimport pack.more as more\n"
      "m = Model(width=twice(WIDTH))\nd = DEPTH + more.DEPTH\nn = absent\n";
  const auto document = parse_python("repo/pack/run.py", source, imports);
  CHECK(outline(document->root()) ==
        "{m: {(): \"repo.pack.Model\", width: 128}, d: 6, n: \"repo.pack.absent\", __folder__: \"pack\"}");
  CHECK(bytes_of(*document, document->root()["m"]["width"]) == "twice(WIDTH)");
  // Nothing is read without leave.
  CHECK(parse_python("repo/pack/run.py", source)->root()["d"].is(Kind::unknown));
}

// NeMo, collections/llm/recipes/__init__.py lists its modules so.
TEST_CASE("python: a package that imports its own modules has them") {
  const std::map<std::string, std::string> files{
      {"repo/pack/__init__.py", "from pack import sizes\n__all__ = ['sizes']\n"},
      {"repo/pack/sizes.py", "def width():\n    return 64\n"}};
  const PythonImports imports = imports_from(files);
  const auto document =
      parse_python("repo/pack/run.py", "from pack import sizes\nw = sizes.width()\n", imports);
  CHECK(outline(document->root()) == "{w: 64, __folder__: \"pack\"}");
}

TEST_CASE("python: nothing is looked for below a folder that is not there") {
  const std::map<std::string, std::string> files{{"repo/pack/sizes.py", "WIDTH = 64\n"}};
  std::vector<std::string> tried;
  const PythonImports imports{[&](const std::string& path) {
                                tried.push_back(path);
                                const auto found = files.find(path);
                                return found == files.end() ? std::nullopt : std::optional(found->second);
                              },
                              {"repo"},
                              [](const std::string& folder) { return folder == "repo/pack"; }};
  const auto document = parse_python(
      "repo/run.py", "from torch.nn.modules import Linear\nfrom pack.sizes import WIDTH\na = Linear(WIDTH)\n",
      imports);
  CHECK(outline(document->root()) == "{a: {(): \"torch.nn.modules.Linear\", 0: 64}, __folder__: \"repo\"}");
  CHECK(tried == std::vector<std::string>{"repo/pack/sizes.py"});
}

TEST_CASE("python: files that cannot be read are no calls that the next ones stand in") {
  const PythonImports imports{[](const std::string& path) {
                                return path == "repo/good.py" ? std::optional<std::string>("WIDTH = 64\n")
                                       : path.starts_with("repo/bad") && path.ends_with("d.py")
                                           ? std::optional<std::string>("a = 'open\n")
                                           : std::nullopt;
                              },
                              {"repo"}};
  std::string source;
  for (int i = 0; i < 40; ++i) source += fmt::format("from bad{}d import x as x{}\ny{} = x{}\n", i, i, i, i);
  source += "from good import WIDTH\nz = WIDTH\n";
  CHECK(parse_python("repo/run.py", source, imports)->root()["z"].as_integer() == 64);
}

TEST_CASE("python: a copy that takes too many steps is unknown, whatever is done with it") {
  // Steps until few are left, of 400,000.
  std::string before = "import dataclasses\nclass C:\n    pass\nd = {";
  for (int i = 0; i < 10'000; ++i) before += fmt::format("{}: 0, ", i);
  before += "}\nc = C(**d)\n";
  for (int i = 0; i < 20; ++i) before += "for i in range(5000):\n    y = i\n";
  for (const std::string line :
       {"x = d | d\n", "d |= d\n", "x = dataclasses.replace(c, a=1)\n", "x = d.copy()\n"}) {
    INFO(line);
    std::string source = before;
    for (int i = 0; i < 12; ++i) source += line;
    CHECK(shown(source + "z = 1\n").find("z: 1") == std::string::npos);  // out of steps, and no crash
    CHECK(shown(before + "z = 1\n").find("z: 1") != std::string::npos);
  }
}

TEST_CASE("python: augmented assignments, whatever their sign") {
  CHECK(shown("d = {'a': 1}\nd |= {'b': 2}\na = 7\na //= 2\nb = 3\nb **= 2\nc = 5\nc -= 1\n"
              "e = 3\ne <<= 2\nf = 12\nf >>= 1\ng = 7\ng %= 4\n") ==
        "{d: {a: 1, b: 2}, a: 3, b: 9, c: 4, e: 12, f: 6, g: 3}");
  // Not worked out, and not the value before.
  const auto document = parse_python("c.py", "a = 7\na &= 2\nb = 7\nb ^= 2\nc = 7\nc |= 8\nd = 7\nd @= 8\n");
  for (const char* const name : {"a", "b", "c", "d"}) CHECK(document->root()[name].is(Kind::unknown));
}

TEST_CASE("python: what makes the default of a field may add to the class") {
  CHECK(shown("import dataclasses\n"
              "def grow():\n    for i in range(100):\n        setattr(C, f'n{i}', i)\n    return 7\n"
              "class C:\n    a = dataclasses.field(default_factory=grow)\n    b = 2\n"
              "def f():\n    c = C()\n    return dict(a=c.a, b=c.b, last=c.n99)\n"
              "x = f()\n")
            .find("x: {a: 7, b: 2, last: 99}") != std::string::npos);
}

TEST_CASE("python: arguments of ml_collections' configurations have their defaults") {
  CHECK(shown("import common\ndef get_config(arg=None):\n"
              "    arg = common.parse_arg(arg, variant='B/16', res=(224, int))\n"
              "    return dict(variant=arg.variant, res=arg.res)\n") ==
        "{get_config(): {variant: \"B/16\", res: 224}}");
}

TEST_CASE("python: options of argparse are their defaults unless the command line says otherwise") {
  // https://docs.python.org/3/library/argparse.html, add_argument: dest is of the first long name.
  const std::string begin = "import argparse\np = argparse.ArgumentParser()\n";
  CHECK(
      shown(begin + "p.add_argument('-b', '--batch-size', type=int, default=32)\n"
                    "p.add_argument('--flag', action='store_true')\n"
                    "p.add_argument('--width', type=int, default='8')\n"
                    "p.add_argument('--path', dest='there')\n"
                    "p.add_argument('--model', required=True)\n"
                    "g = p.add_argument_group('more')\ng.add_argument('--depth', default=4)\n"
                    "p.set_defaults(depth=5)\n"
                    "a = p.parse_args()\nb = a.width * 2\n")
          .find("a: {(): \"argparse.Namespace\", batch_size: 32, flag: false, width: 8, there: null, model: "
                "unknown(the command line gives `model`), depth: 5}, b: 16") != std::string::npos);
  CHECK(shown(begin + "p.add_argument('--n', default=2)\na, rest = p.parse_known_args()\nx = a.n\n")
            .find("x: 2") != std::string::npos);
  CHECK(shown(begin + "if len(names()) > 2:\n    p.add_argument('--n', default=2)\na = p.parse_args()\n")
            .find("n: unknown") != std::string::npos);
}

TEST_CASE("python: a class of transformers' configurations is what its defaults make it") {
  CHECK(shown("from transformers import PretrainedConfig\nclass C(PretrainedConfig):\n"
              "  model_type = 'c'\n  def __init__(self, width=8, **kwargs):\n    super().__init__(**kwargs)\n"
              "    self.width = width\n    self.inner = kwargs.get('inner', 4 * width)\n")
            .find("C(): {(): \"c.C\", model_type: \"c\", width: 8, inner: 32}") != std::string::npos);
}

TEST_CASE("python: parts of what a call gives have what the call was given") {
  CHECK(shown("from a import f\nm, t = f('x', n=2)\n")
            .find("m: {(): \"a.f[0]\", 0: \"x\", n: 2}, t: {(): \"a.f[1]\", 0: \"x\", n: 2}") !=
        std::string::npos);
}

TEST_CASE("python: limits and errors") {
  CHECK(shown("a = 'x\nb = 1") == "the string is never closed @ \"'\"");
  CHECK(shown("a = \xff") == "byte 0xff is not valid UTF-8 @ \"\xff\"");
  CHECK(shown("a = " + std::string(100000, '(') + "1") == "{a: unknown(its syntax is not evaluated)}");
  CHECK(shown("a = " + std::string(100000, '-') + "1") == "{a: unknown(its syntax is not evaluated)}");
  std::string doubling = "a = 'x'\n";
  for (int i = 0; i < 80; ++i) doubling += "a = a + a\n";
  CHECK(shown(doubling).find("unknown") != std::string::npos);
}

TEST_CASE("python: a function that an object was given is called without the object") {
  CHECK(shown("class A:\n  x = 1\nm = A()\nm.f = lambda: 3\ny = m.f()\n").find("y: 3") != std::string::npos);
}

TEST_CASE("python: no bytes crash the reader") {
  CHECK(rc::check([] {
    const auto pieces = *rc::gen::container<std::vector<std::string>>(rc::gen::element<std::string>(
        "a", " = ", "1", "\n", "(", ")", "[", "]", ",", "'", "\"", "'''", "#", "\\", "\\\n", " ", "+", "-",
        "**", "//", "%", ":", "def f", "if x", "    ", "b", "0x", "1e", ".", "é", ";", "f'", "r'", "True",
        "\xEF\xBB\xBF", "class A:\n", "def f():\n", "return ", "for x in ", "else", "elif x:", "lambda",
        "**a", "{", "}", ".", "f'{", "import a", "from . import b", "@", "a()", "range(9)", "[x for x in a]",
        "dict(a=1)"));
    std::string text;
    for (const std::string& piece : pieces) text += piece;
    const auto document = parse_python("c.py", text);
    if (!document) return;
    for (const Node& node : document->nodes()) {
      RC_ASSERT(node.value_begin <= node.value_end);
      RC_ASSERT(node.value_end <= text.size());
    }
  }));
}
