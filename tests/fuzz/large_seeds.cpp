// Writes inputs for a fuzz target that are deep, long or wide: as large files they would be in nobody's way
// but here.
//
//   large_seeds TARGET BYTES FOLDER     of about BYTES each
#include <array>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>

namespace {

using namespace std::string_view_literals;

// The head, the piece over and over (`#` is its number), the middle, the closing piece as often, the tail.
struct Shape {
  std::string_view target;
  std::string_view name;
  std::string_view head;
  std::string_view piece;
  std::string_view middle;
  std::string_view close;
  std::string_view tail;
};

constexpr std::array shapes{
    Shape{"json", "deep-lists", "", "[", "", "]", ""},
    Shape{"json", "deep-objects", "", "{\"a\":", "1", "}", ""},
    Shape{"json", "unclosed", "", "[{\"a\":", "", "", ""},
    Shape{"json", "wide-list", "{\"a\":[0", ",1", "]}", "", ""},
    Shape{"json", "keys", "{", "\"k#\":1,", "\"k\":1}", "", ""},
    Shape{"json", "same-key", "{", "\"k\":1,", "\"k\":1}", "", ""},
    Shape{"json", "long-string", "{\"a\":\"", "\\u0041", "\"}", "", ""},
    Shape{"json", "long-key", "{\"", "k", "\":1}", "", ""},
    Shape{"json", "long-number", "{\"a\":1", "0", "}", "", ""},
    Shape{"json", "lines", "{\"a\":1", "\n", "}", "", ""},
    Shape{"json", "interpolations", "{\"a\":\"", "${b}", "\",\"b\":1}", "", ""},
    Shape{"json", "chain", "{\"k\":1", ",\"k#\":\"${k#}\"", "}", "", ""},
    Shape{"yaml", "deep-flow", "", "[", "", "]", ""},
    Shape{"yaml", "deep-sequence", "", "- ", "1\n", "", ""},
    Shape{"yaml", "keys", "", "k#: 1\n", "", "", ""},
    Shape{"yaml", "wide-list", "a: [0", ", 1", "]\n", "", ""},
    Shape{"yaml", "anchors", "a: &a [1]\n", "b#: *a\n", "", "", ""},
    Shape{"yaml", "merges", "a: &a {x: 1}\nb:\n", "  <<: *a\n", "", "", ""},
    Shape{"yaml", "documents", "", "---\na: 1\n", "", "", ""},
    Shape{"yaml", "long-scalar", "a: ", "word ", "\n", "", ""},
    Shape{"yaml", "comments", "", "# comment\n", "a: 1\n", "", ""},
    Shape{"yaml", "one-line", "x: [1", ",1", "]", "", ""},
    Shape{"shell", "words", "python run.py", " --k# 1", "\n", "", ""},
    Shape{"shell", "assignments", "", "K#=1\n", "", "", ""},
    Shape{"shell", "doubling", "A=1\n", "A=$A$A\n", "python run.py $A\n", "", ""},
    Shape{"shell", "deep-substitution", "", "$(", "a", ")", "\n"},
    Shape{"shell", "deep-arithmetic", "A=$((", "(", "1", ")", "))\n"},
    Shape{"shell", "deep-defaults", "A=", "${B:-", "1", "}", "\n"},
    Shape{"shell", "continued", "python run.py", " \\\n", " a\n", "", ""},
    Shape{"shell", "quotes", "a", "'\"'", "\n", "", ""},
    Shape{"shell", "long-word", "", "w", "\n", "", ""},
    Shape{"python", "deep-lists", "a = ", "[", "", "]", "\n"},
    Shape{"python", "deep-parentheses", "a = ", "(", "1", ")", "\n"},
    Shape{"python", "sums", "a = 1", "+1", "\n", "", ""},
    Shape{"python", "powers", "a = 2", "**2", "\n", "", ""},
    Shape{"python", "signs", "a = ", "-", "1\n", "", ""},
    Shape{"python", "assignments", "", "k# = 1\n", "", "", ""},
    Shape{"python", "calls", "a = b", "()", "\n", "", ""},
    Shape{"python", "attributes", "a = b", ".c", "\n", "", ""},
    Shape{"python", "blocks", "if a:\n  b = 1\n", "elif a:\n  b = 2\n", "", "", ""},
    Shape{"python", "functions", "", "def f#(x=1):\n  return dict(x=x)\n", "", "", ""},
    Shape{"python", "doubling-lists", "a = [1]\n", "a = [a, a]\n", "", "", ""},
    Shape{"python", "loops", "def f():\n  n = []\n", "  for i in range(9999):\n    n.append(n)\n",
          "  return dict(n=n)\n", "", ""},
    Shape{"gin", "bindings", "", "a.b#.c = 1\n", "", "", ""},
    Shape{"gin", "blocks", "a.b:\n", "  k# = (1, %a)\n", "", "", ""},
    Shape{"python", "long-string", "a = '", "x", "'\n", "", ""},
    Shape{"python", "triple", "a = '''", "x\n", "'''\n", "", ""},
    Shape{"toml", "deep-lists", "a = ", "[", "", "]", "\n"},
    Shape{"toml", "deep-tables", "a = ", "{a = ", "1", "}", "\n"},
    Shape{"toml", "keys", "", "k# = 1\n", "", "", ""},
    Shape{"toml", "tables", "", "[t#]\na = 1\n", "", "", ""},
    Shape{"toml", "lists-of-tables", "", "[[t]]\na = 1\n", "", "", ""},
    Shape{"toml", "wide-list", "x = [1", ",1", "]\n", "", ""},
    Shape{"toml", "dotted", "", "a.", "a = 1\n", "", ""},
    Shape{"toml", "dotted-header", "[", "a.", "a]\nb = 1\n", "", ""},
    Shape{"toml", "long-string", "a = \"", "x", "\"\n", "", ""},
    Shape{"toml", "comments", "", "# comment\n", "a = 1\n", "", ""},
    Shape{"any", "braces", "", "{", "", "}", ""},
    Shape{"any", "lines", "", "a\n", "", "", ""},
    Shape{"any", "options", "", "--k# 1 ", "", "", ""},
    Shape{"safetensors", "tensors", "{", "\"t#\":{\"dtype\":\"F32\",\"shape\":[1],\"data_offsets\":[0,4]},",
          "\"__metadata__\":{}}", "", ""},
    Shape{"safetensors", "long-shape", "{\"t\":{\"dtype\":\"F32\",\"shape\":[1", ",1",
          "],\"data_offsets\":[0,4]}}", "", ""},
    Shape{"safetensors", "deep", "{\"t\":", "[", "", "]", "}"},
    Shape{"gguf", "nested-lists",
          "GGUF\x03\0\0\0\0\0\0\0\0\0\0\0\x01\0\0\0\0\0\0\0\x01\0\0\0\0\0\0\0a\x09\0\0\0"sv,
          "\x09\0\0\0\x01\0\0\0\0\0\0\0"sv, "", "", ""},
    Shape{"gguf", "pairs", "GGUF\x03\0\0\0\0\0\0\0\0\0\0\0\xff\xff\x0f\0\0\0\0\0"sv,
          "\x01\0\0\0\0\0\0\0a\x04\0\0\0\x07\0\0\0"sv, "", "", ""},
    Shape{"recognise", "json-keys", "\0{\"model_type\":\"llama\""sv, ",\"k#\":1", "}", "", ""},
    Shape{"recognise", "yaml-keys", "\x01model:\n", "  k#: 1\n", "", "", ""},
    Shape{"recognise", "yaml-defaults",
          "\x01"
          "defaults:\n",
          "  - a#: b\n", "", "", ""},
    Shape{"recognise", "shell-options", "\x02torchrun pretrain_gpt.py --num-layers 2", " --k# 1", "\n", "",
          ""},
    Shape{"recognise", "python", "\x03n_layer = 12\n", "k# = 1\n", "", "", ""},
    Shape{"recognise", "toml-keys", "\x04[model]\nhidden_size = 1\n", "k# = 1\n", "", "", ""},
    Shape{"recognise", "toml-values", "\x04[model]\n", "hidden_size = 99999999999999999999\n", "", "", ""},
    Shape{"expression", "deep-parentheses", "", "(", "a", ")", ""},
    Shape{"expression", "unclosed", "", "(", "a", "", ""},
    Shape{"expression", "calls", "", "max(1,", "a", ")", ""},
    Shape{"expression", "conditions", "", "if(a,1,", "a", ")", ""},
    Shape{"expression", "signs", "", "-", "a", "", ""},
    Shape{"expression", "nots", "", "!", "a", "", ""},
    Shape{"expression", "sums", "1", "+a", "", "", ""},
    Shape{"expression", "powers", "2", "^a", "", "", ""},
    Shape{"expression", "parts", "a", " && a >= #", "", "", ""},
    Shape{"expression", "many-arguments", "max(1", ",a", ")", "", ""},
    Shape{"expression", "names", "a", " + k#", "", "", ""},
    Shape{"expression", "long-name", "", "k", "", "", ""},
    Shape{"expression", "long-number", "1", "0", "", "", ""},
    Shape{"config", "rules", "\0ignore = [\"SL101\""sv, ",\"SL101\"", "]\n", "", ""},
    Shape{"config", "dotted", "\0"sv, "a.", "a = 1\n", "", ""},
    Shape{"config", "unknown-keys", "\0"sv, "k# = 1\n", "", "", ""},
    Shape{"config", "no-such-rules", "\0ignore = [\"ZZ1\""sv, ",\"ZZ#\"", "]\n", "", ""},
    Shape{"config", "ignores", "\0[per-file-ignores]\n"sv, "\"a#*\" = [\"SL101\"]\n", "", "", ""},
    Shape{"config", "stars", "\0exclude = [\""sv, "*a", "\"]\n", "", ""},
    Shape{"config", "deep-stars", "\0exclude = [\""sv, "**/", "\"]\n", "", ""},
    Shape{"config", "files", "\0"sv, "[[files]]\nmatch = \"a#\"\n", "", "", ""},
    Shape{"config", "pyproject", "\x02[tool.shapelint]\n", "[tool.t#]\n", "", "", ""},
    Shape{"config", "rule-conditions",
          "\x03"
          "code = \"LAB1\"\nname = \"a\"\nwhen = \"1",
          " && tensor > 0", "\"\n", "", ""},
    Shape{"config", "rule-fixes",
          "\x03"
          "code = \"LAB1\"\n",
          "[[fix]]\nvocab_size = \"1\"\n", "", "", ""},
    Shape{"config", "baseline", "\x06{\"format\":\"shapelint-baseline\",\"version\":1,\"findings\":[{}",
          ",{\"path\":\"a#\",\"rule\":\"SL101\",\"key\":\"k\",\"value\":\"1\",\"count\":1}", "]}", "", ""},
    Shape{"config", "deep-baseline", "\x06", "[", "", "]", ""},
    Shape{"diff", "listing", "\0"sv, "M\0a#\0"sv, "", "", ""},
    Shape{"diff", "added",
          "\x01"
          "a\n\0"sv,
          "b#\n", "", "", ""},
    Shape{"diff", "taken", "\x01", "b#\n", "\0a\n"sv, "", ""},
    Shape{"diff", "equal-but-one", "\x01", "b\n", "\0"sv, "b\n", "c\n"},
    Shape{"diff", "one-line", "\x01", "b", "\0c"sv, "b", ""},
    Shape{"lsp", "headers", "\0"sv, "X-#: 1\r\n", "Content-Length: 2\r\n\r\n{}", "", ""},
    Shape{"lsp", "long-header", "\0"sv, "X", ": 1\r\nContent-Length: 2\r\n\r\n{}", "", ""},
    Shape{"lsp", "frames", "\0"sv, "Content-Length: 2\r\n\r\n{}", "", "", ""},
    Shape{"lsp", "empty-frames", "\0"sv, "Content-Length: 0\r\n\r\n", "", "", ""},
    Shape{"lsp", "deep-lists", "\x03", "[", "", "]", ""},
    Shape{"lsp", "deep-params",
          "\x03{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"shutdown\",\"params\":", "{\"a\":", "1", "}", "}"},
    Shape{"lsp", "wide-params", "\x03{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"shutdown\",\"params\":[0",
          ",{}", "]}", "", ""},
    Shape{"lsp", "requests", "\x03", "{\"jsonrpc\":\"2.0\",\"id\":#,\"method\":\"textDocument/hover\"}\n", "",
          "", ""},
    Shape{"lsp", "cancelled", "\x03", "{\"jsonrpc\":\"2.0\",\"id\":#,\"method\":\"x\"}\n", "",
          "{\"jsonrpc\":\"2.0\",\"method\":\"$/cancelRequest\",\"params\":{\"id\":1}}\n", ""},
    Shape{"lsp", "opened", "\x03",
          "{\"jsonrpc\":\"2.0\",\"method\":\"textDocument/"
          "didOpen\",\"params\":{\"textDocument\":{\"uri\":\"a\",\"text\":\"a=#\"}}}"
          "\n",
          "", "", ""},
    Shape{"lsp", "changes",
          "\x03{\"jsonrpc\":\"2.0\",\"method\":\"textDocument/"
          "didOpen\",\"params\":{\"textDocument\":{\"uri\":\"a.toml\","
          "\"text\":\"\"}}}\n",
          "{\"jsonrpc\":\"2.0\",\"method\":\"textDocument/"
          "didChange\",\"params\":{\"textDocument\":{\"uri\":\"a.toml\"},"
          "\"contentChanges\":[{\"range\":{\"start\":{\"line\":#,\"character\":9},\"end\":{\"line\":#,"
          "\"character\":9}},"
          "\"text\":\"a#=1\\r\\n\"}]}}\n",
          "", "", ""},
    Shape{"trace", "kernels", "[{}",
          ",{\"ph\":\"X\",\"cat\":\"kernel\",\"name\":\"k#\",\"ts\":#,\"dur\":1,\"args\":{\"stream\":7,"
          "\"correlation\":#}}",
          "]", "", ""},
    Shape{
        "trace", "nested", "[{}",
        ",{\"ph\":\"X\",\"cat\":\"cpu_op\",\"name\":\"aten::mm\",\"ts\":#,\"dur\":999999,\"pid\":1,\"tid\":1,"
        "\"args\":{\"Input Dims\":[[8,4],[4,2]]}}",
        "]", "", ""},
    Shape{"trace", "steps", "[{\"ph\":\"X\",\"cat\":\"kernel\",\"name\":\"k\",\"ts\":1,\"dur\":1}",
          ",{\"ph\":\"X\",\"cat\":\"user_annotation\",\"name\":\"ProfilerStep##\",\"ts\":#,\"dur\":1}", "]",
          "", ""},
    Shape{"trace", "deep", "{\"traceEvents\":", "[", "", "]", "}"},
    Shape{"trace", "sizes",
          "[{\"ph\":\"X\",\"cat\":\"cpu_op\",\"name\":\"aten::mm\",\"args\":{\"Input Dims\":[[1", ",2",
          "]]}}]", "", ""},
    // A message that is given in parts is joined from them: a graph of many nodes, of a node with many
    // inputs.
    Shape{"onnx", "nodes", "", "\x3a\x08\x0a\x06\x22\x04Relu", "", "", ""},
    Shape{"onnx", "outputs", "", "\x3a\x04\x0a\x02\x12\0"sv, "", "", ""},
    Shape{"onnx", "deep", "", "\x3a\x7f", "", "", ""},
};

std::string numbered(std::string_view piece, std::size_t number) {
  std::string out;
  for (const char c : piece) {
    if (c == '#') {
      out += std::to_string(number);
    } else {
      out += c;
    }
  }
  return out;
}

std::string made_of(const Shape& shape, std::size_t bytes) {
  std::string out(shape.head);
  std::size_t count = 0;
  for (; out.size() + count * shape.close.size() < bytes; ++count) out += numbered(shape.piece, count);
  out += shape.middle;
  for (std::size_t i = 0; i < count; ++i) out += shape.close;
  return out += shape.tail;
}

}  // namespace

int main(int argc, char** argv) {
  const std::size_t bytes = argc == 4 ? std::strtoull(argv[2], nullptr, 10) : 0;
  int count = 0;
  for (const Shape& shape : shapes) {
    if (bytes == 0 || shape.target != argv[1]) continue;
    const std::string content = made_of(shape, bytes);
    std::ofstream file(std::filesystem::path(argv[3]) / ("large-" + std::string(shape.name)),
                       std::ios::binary);
    file.write(content.data(), static_cast<std::streamsize>(content.size()));
    if (!file.flush()) return EXIT_FAILURE;
    ++count;
  }
  if (count == 0) std::fputs("usage: large_seeds TARGET BYTES FOLDER\n", stderr);
  return count > 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
