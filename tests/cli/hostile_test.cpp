// Files that speak to whoever reads the output: a terminal, a CI runner, a spreadsheet, a browser.
#include <algorithm>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

#include "tests/catch.hpp"
#include "tests/cli/run_support.hpp"
#include "tests/source_dir.hpp"
#include "text/printable.hpp"
#include "text/source.hpp"

using namespace shapelint;

namespace {

// As a string of TOML or JSON writes it: commands of GitHub, Azure and TeamCity behind every kind of line
// end, escapes of a terminal (ESC, CSI as one character), bidirectional overrides, markup, a formula.
constexpr std::string_view hostile =
    R"(x\n::error file=a.py::no\r::stop-commands::t\u2028::add-mask::y\n \u00a0::warning::z##[set-env name=A]b)"
    R"( ##vso[task.setvariable variable=A]b ##teamcity[message] \u001b[31m\u001b]0;t\u0007\u009b2J\u202eabc\u2066)"
    R"( <script>alert(1)</script> |`](javascript:x) \u007f\u0000)";

std::string file_text(const std::string& path) {
  std::ifstream file(tests::source_dir() + "/" + path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

std::string with_value(std::string text, std::string_view key, const std::string& value) {
  const std::size_t begin = text.find(std::string(key) + " = ");
  REQUIRE(begin != std::string::npos);
  return text.replace(begin, text.find('\n', begin) - begin, std::string(key) + " = " + value);
}

std::string in_quotes(std::string_view text) {
  return "\"" + std::string(text) + "\"";
}

// The same as bytes of a file's name.
const std::string hostile_name = "x\n::error file=a.py::no\x1b[31m##vso[a]\xE2\x80\xAE.toml";

text::MemoryFileSystem hostile_files() {
  text::MemoryFileSystem files;
  const std::string name = "name = " + in_quotes(hostile) + "\n";
  const std::string model =
      "hidden_size = 2560\nnum_layers = 32\nnum_attention_heads = 20\nvocab_size = 50257\n"
      "intermediate_size = 10241\n[run]\nsequence_length = 2048\nmicro_batch_size = 1\n";
  files.files["m.toml"] = "[model]\n" + name + model;
  files.files[hostile_name] = "[model]\n" + name + model;
  files.files["formula.toml"] = "[model]\nname = \"=HYPERLINK(1)\"\n" + model;
  files.files["wrong.toml"] = "[model]\n" + name + model + "dtype = " + in_quotes(hostile) + "\n" +
                              in_quotes(hostile) + " = 1\nattention = " + in_quotes(hostile) + "\n[" +
                              in_quotes(hostile) + "]\na = 1\n";
  files.files["suppressed.toml"] =
      "[model]\n" + name + "# shapelint: ignore[::error::##vso[a]] \x1b[31m\n" + model;
  files.files["net.toml"] =
      "[model]\n" + name + "[[conv]]\nname = " + in_quotes(hostile) +
      "\nchannels = 64\nin_channels = 3\nimage_size = 224\nkernel = 3\nbogus = " + in_quotes(hostile) +
      "\n[run]\nmicro_batch_size = 2\n";
  files.files["config.json"] =
      R"({"architectures": ["LlamaForCausalLM"], "model_type": "llama", "hidden_size": 4095, "num_layers": 1,)"
      R"("num_hidden_layers": 2, "num_attention_heads": 32, "vocab_size": 32001, "intermediate_size": 11007,)"
      R"("_name_or_path": ")" +
      std::string(hostile) + R"(", "hidden_act": ")" + std::string(hostile) + R"("})";
  std::string gpu = with_value(file_text("gpus/a10.toml"), "name", in_quotes(hostile));
  gpu = with_value(gpu, "notes", "[" + in_quotes(hostile) + "]");
  files.files["gpus/evil.toml"] = with_value(gpu, "vendor", in_quotes(hostile));
  std::string rule = file_text("rules/SL101-vocab-misaligned.toml");
  rule = with_value(rule, "code", "\"XX101\"");
  for (const char* key : {"summary", "message", "label", "mechanism"})
    rule = with_value(rule, key, in_quotes(hostile));
  const std::size_t how = rule.find("[how]");
  const std::size_t fixes = rule.find("[[fix]]");
  rule = rule.substr(0, how) + "[how]\nany = " + in_quotes(hostile) + "\n" +
         rule.substr(fixes, rule.find("[[example]]") - fixes);
  rule = with_value(rule, "name", "\"x-y\"");
  files.files["rules/XX101-x-y.toml"] = rule;
  files.files["shapelint.toml"] =
      "gpu-folders = [\"gpus\"]\nrule-folders = [\"rules\"]\nrule-url = \"https://example.org/{code}" +
      std::string(hostile) + "\"\n";
  files.files["broken/shapelint.toml"] = "gpu = " + in_quotes(hostile) + "\n" + in_quotes(hostile) + " = 1\n";
  files.files["broken/m.toml"] = files.files["m.toml"];
  return files;
}

// Bytes that no reader of the output should meet, and lines that a runner acts on.
std::string harm_in(const std::string& output, bool is_github) {
  if (text::first_invalid_utf8(output) >= 0) return "bytes that are no UTF-8";
  if (text::printable(output) != output) return "control characters";
  for (const char* command : {"##[", "##vso[", "##teamcity["}) {
    if (output.find(command) != std::string::npos) return command;
  }
  for (std::size_t begin = 0; begin < output.size();) {
    const std::size_t end = std::min(output.find('\n', begin), output.size());
    const std::string line = output.substr(begin, end - begin);
    begin = end + 1;
    const std::size_t first = line.find_first_not_of(" \t\xC2\xA0");
    if (first == std::string::npos || line.compare(first, 2, "::") != 0) continue;
    const bool is_own = is_github && (line.starts_with("::error title=shapelint") ||
                                      line.starts_with("::warning title=shapelint") ||
                                      line.starts_with("::notice title=shapelint"));
    if (!is_own) return "the line " + line;
  }
  return {};
}

}  // namespace

TEST_CASE("nothing that a file holds reaches a terminal or a runner", "[hostile]") {
  const text::MemoryFileSystem files = hostile_files();
  std::vector<std::vector<std::string>> commands;
  const std::vector<std::string> models{"m.toml",          hostile_name, "formula.toml", "wrong.toml",
                                        "suppressed.toml", "net.toml",   "config.json",  "broken/m.toml"};
  for (const char* format : {"text", "concise", "json", "json-lines", "sarif", "github", "gitlab", "junit",
                             "checkstyle", "rdjson", "markdown"}) {
    for (const std::string& model : models) {
      commands.push_back({"lint", model, "--gpu", "evil", "--format", format});
      commands.push_back({"lint", model, "--gpu", "evil", "--select", "XX101", "--format", format});
      commands.push_back({"lint", model, "--gpu", "evil,a100", "--format", format, "--verbose"});
    }
    commands.push_back({"lint", "m.toml", hostile_name, "wrong.toml", "config.json", "--format", format});
    commands.push_back({"lint", "m.toml", "config.json", "--statistics", "--format", format});
  }
  for (const std::string& model : models) {
    commands.push_back({"lint", model, "--diff"});
    commands.push_back({"lint", model, "--diff", "--unsafe-fixes", "--verbose"});
    commands.push_back({"config", model});
    for (const char* format : {"text", "json"}) {
      commands.push_back({"show", model, "--format", format});
      commands.push_back({"show", model, "--ops", "--gpu", "evil", "--format", format});
    }
    for (const char* format : {"text", "json", "csv"}) {
      commands.push_back({"roofline", model, "formula.toml", "--gpu", "evil,a100", "--format", format});
      commands.push_back(
          {"roofline", model, "--gpu", "evil", "--over", "micro_batch_size=1,2", "--format", format});
    }
    for (const char* format : {"text", "json", "csv", "toml"})
      commands.push_back({"suggest", model, "--vary", "vocab_size", "--gpu", "evil", "--format", format});
    commands.push_back({"suggest", model, "--vary", "vocab_size", "--gpu", "evil", "--diff"});
    commands.push_back({"sweep", model, "--gpu", "evil", "--over", "micro_batch_size=1,2"});
  }
  for (const char* format : {"text", "json"}) {
    commands.push_back({"gpus", "--format", format});
    commands.push_back({"gpus", "evil", "--format", format});
    commands.push_back({"rules", "--format", format});
  }
  for (const char* format : {"text", "json", "markdown"})
    commands.push_back({"explain", "XX101", "--format", format});
  // What the command line itself holds may come from a file's name.
  commands.push_back({"lint", "none" + hostile_name});
  commands.push_back({"explain", hostile_name});
  commands.push_back({"suggest", "m.toml", "--where", hostile_name});
  commands.push_back({hostile_name.substr(0, 4)});

  std::size_t bytes = 0;
  for (const std::vector<std::string>& command : commands) {
    std::string line;
    for (const std::string& word : command) line += word + " ";
    INFO(line);
    const bool is_github = command.size() > 2 && command.back() != "--verbose"
                               ? command.back() == "github"
                               : command.size() > 3 && command[command.size() - 2] == "github";
    const tests::Ran ran = tests::run(command, files);
    CHECK(harm_in(ran.out, is_github) == "");
    CHECK(harm_in(ran.err, false) == "");
    bytes += ran.out.size() + ran.err.size();
  }
  CHECK(bytes > 100'000);
  // What is looked at is there.
  CHECK(tests::run({"lint", "m.toml", "--gpu", "evil", "-v"}, files).out.find("XX101") != std::string::npos);
  CHECK(tests::run({"gpus", "evil"}, files).out.find("file=a.py") != std::string::npos);
}

TEST_CASE("a file of a report holds no more than its format's own", "[hostile]") {
  const text::MemoryFileSystem files = hostile_files();
  for (const char* format : {"text", "concise", "json", "json-lines", "sarif", "gitlab", "junit",
                             "checkstyle", "rdjson", "markdown", "github"}) {
    INFO(format);
    tests::run({"lint", "m.toml", "wrong.toml", hostile_name, "-o", std::string(format) + "=out"}, files);
    REQUIRE(files.files.contains("out"));
    CHECK_FALSE(files.files["out"].empty());
    CHECK(harm_in(files.files["out"], std::string_view(format) == "github") == "");
  }
}

TEST_CASE("what a filter passes on is the file as it is", "[hostile]") {
  const std::string text =
      "# ::error::\n# ##vso[a]\n[model]\nhidden_size = 2560\nnum_layers = 32\nnum_attention_heads = 20\n"
      "vocab_size = 50304\n[run]\nsequence_length = 2048\nmicro_batch_size = 1\n";
  const tests::Ran ran = tests::run({"lint", "--fix", "-"}, text::MemoryFileSystem{}, {}, false, text);
  CHECK(ran.out == text);
}

TEST_CASE("cells of a table are no formulas", "[hostile]") {
  const tests::Ran ran =
      tests::run({"roofline", "formula.toml", "--gpu", "a100", "--format", "csv"}, hostile_files());
  CHECK(ran.out.find(",\"'=HYPERLINK(1)\",") != std::string::npos);
  CHECK(ran.out.find(",=") == std::string::npos);
}

// CommonMark ends code with a run of as many backticks as it began with.
TEST_CASE("no name leaves its code in Markdown", "[hostile]") {
  for (const std::string run : {"`", "``", "```", "`` ` ```"}) {
    text::MemoryFileSystem files;
    const std::string name = "a " + run + "![x](https:evil) <b>" + run + ".toml";
    files.files[name] = hostile_files().files["formula.toml"];
    const std::string out = tests::run({"lint", name, "--gpu", "a100", "--format", "markdown"}, files).out;
    const std::size_t longest = run == "`` ` ```" ? 3 : run.size();
    const std::string fence(longest + 1, '`');
    CHECK(out.find("| " + fence + name + ":") != std::string::npos);
  }
}

TEST_CASE("a table's rows are answered without formulas", "[hostile]") {
  text::MemoryFileSystem files;
  files.files["t.csv"] =
      "m,n,k,note,=1+1\n128,128,128,=1+1,\"=a,b\"\n128,128,128,plain,\"a \"\"b\"\", "
      "c\"\n128,128,128,-1,+2\n128,128,128,\t=1,\x1b[2J\n";
  const auto ran = tests::run({"gemm", "--shapes", "t.csv", "--gpu", "a100", "--format", "csv"}, files);
  CHECK(ran.out.find("m,n,k,note,\"'=1+1\",") == 0);
  CHECK(ran.out.find("\n128,128,128,\"'=1+1\",\"'=a,b\",") != std::string::npos);
  CHECK(ran.out.find("\n128,128,128,-1,+2,") != std::string::npos);
  CHECK(ran.out.find_first_of("\t\x1b") == std::string::npos);
  CHECK(ran.out.find("\n128,128,128,plain,\"a \"\"b\"\", c\",") != std::string::npos);
}
