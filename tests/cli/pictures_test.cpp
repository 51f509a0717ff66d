// Pictures and the page, as the command line writes them; those of the documentation are fresh
// (UPDATE_GOLDEN=1 writes them anew).
#include <fstream>
#include <sstream>

#include <nlohmann/json.hpp>

#include "chart/page.hpp"
#include "tests/catch.hpp"
#include "tests/cli/run_support.hpp"
#include "tests/golden.hpp"
#include "tests/source_dir.hpp"

using namespace shapelint;

namespace {

// The examples, in memory.
text::MemoryFileSystem examples() {
  text::MemoryFileSystem files;
  for (const char* name :
       {"examples/gpt3-2.7b.toml", "examples/llama-2-7b.toml", "examples/llama-3-8b.toml"}) {
    std::ifstream file(tests::source_dir() + "/" + name, std::ios::binary);
    std::ostringstream content;
    content << file.rdbuf();
    files.files[name] = content.str();
  }
  return files;
}

struct DocumentedPicture {
  const char* path;
  std::vector<std::string> args;
};

const std::vector<DocumentedPicture> documented{
    {"docs/pictures/llama-3-8b-training.svg",
     {"roofline", "examples/llama-3-8b.toml", "--gpu", "a100", "--plot"}},
    {"docs/pictures/llama-2-7b-decode.svg",
     {"roofline", "examples/llama-2-7b.toml", "--mode", "decode", "--context-length", "2048", "--gpu", "a100",
      "--plot"}},
    {"docs/pictures/gpt3-2.7b-losses.svg",
     {"roofline", "examples/gpt3-2.7b.toml", "--gpu", "a100", "--waterfall"}},
    {"docs/pictures/gpt3-2.7b-sawtooth.svg",
     {"sweep", "examples/gpt3-2.7b.toml", "--gpu", "a100,h100", "--over", "hidden_size=2048:3072:8",
      "--plot"}},
};

}  // namespace

TEST_CASE("the pictures that the documentation shows are real", "[docs]") {
  for (const DocumentedPicture& picture : documented) {
    const text::MemoryFileSystem files = examples();
    std::vector<std::string> args = picture.args;
    args.emplace_back("out.svg");
    const auto ran = tests::run(args, files);
    INFO(ran.err);
    REQUIRE(ran.code == 0);
    const std::string difference = tests::compare_with_file(picture.path, files.files["out.svg"]);
    CHECK(difference == "");
  }
}

TEST_CASE("several GPUs give a picture each, and one page", "[cli]") {
  const text::MemoryFileSystem files = examples();
  const auto ran = tests::run({"roofline", "examples/llama-3-8b.toml", "--gpu", "a100,h100", "--plot",
                               "out/r.svg", "--report", "out/page.html", "--format", "json"},
                              files);
  REQUIRE(ran.code == 0);
  CHECK(files.files.count("out/r.a100-sxm4-80gb.svg") == 1);
  CHECK(files.files.count("out/r.h100-sxm5.svg") == 1);
  CHECK(files.files.count("out/r.svg") == 0);

  // The page carries what the command prints, and the sweep and the findings beside it.
  const std::string& page = files.files["out/page.html"];
  const std::string open = "<script type=\"application/json\" id=\"data\">";
  const std::size_t begin = page.find(open) + open.size();
  const auto data = nlohmann::json::parse(page.substr(begin, page.find("</script>", begin) - begin));
  CHECK(data["roofline"]["cases"] == nlohmann::json::parse(ran.out)["cases"]);
  // Six fields for each GPU.
  CHECK(data["sweeps"].size() == 12);
  CHECK(page.size() < 2'000'000);
  CHECK(data["lint"]["models"].size() == 1);
  CHECK(page.find("{{") == std::string::npos);
  // Without what it draws with, still pictures stand in.
  CHECK((page.find("class=\"chart\"><svg") != std::string::npos) == !chart::has_interactive_charts());
  CHECK((ran.err.find("built without npm") != std::string::npos) == !chart::has_interactive_charts());
}

TEST_CASE("names in a file cannot break out of the page", "[cli]") {
  text::MemoryFileSystem files = examples();
  std::string& source = files.files["examples/llama-3-8b.toml"];
  source.replace(source.find("Llama-3-8B"), 10, "</script><script>alert(1)</script>");
  const auto ran =
      tests::run({"roofline", "examples/llama-3-8b.toml", "--gpu", "a100", "--report", "page.html"}, files);
  REQUIRE(ran.code == 0);
  CHECK(files.files["page.html"].find("<script>alert(1)") == std::string::npos);
}

TEST_CASE("pictures that cannot be drawn are refused before anything is written", "[cli]") {
  const text::MemoryFileSystem files = examples();
  const auto shard = tests::run({"sweep", "examples/gpt3-2.7b.toml", "--over", "hidden_size=2048:3072:8",
                                 "--shard", "1/2", "--plot", "s.svg"},
                                files);
  CHECK(shard.code == 2);
  CHECK(shard.err.find("`--plot` needs the whole grid") != std::string::npos);
  const auto many = tests::run({"sweep", "examples/gpt3-2.7b.toml", "--over", "num_layers=1:20:1", "--over",
                                "hidden_size=2048:3072:8", "--gpu", "a100", "--plot", "s.svg"},
                               files);
  CHECK(many.code == 2);
  CHECK(many.err.find("would draw 20 lines") != std::string::npos);
  CHECK(many.out.empty());
  CHECK(files.files.count("s.svg") == 0);
}
