// What is not looked at is said, and what a file fixes stays.
#include "tests/catch.hpp"
#include "tests/cli/run_support.hpp"
#include "tests/formats/native/native_support.hpp"

using namespace shapelint;
using tests::run;

namespace {

text::MemoryFileSystem with(std::map<std::string, std::string> files) {
  text::MemoryFileSystem out;
  out.files = std::move(files);
  return out;
}

}  // namespace

TEST_CASE("models without attention are linted, and it is said that their layers are not costed",
          "[lint][cli]") {
  std::size_t looked_at = 0;
  for (const std::string path :
       {"nanotron/mamba.yaml", "neox/mamba.yml", "lingua/mamba.yaml", "lingua/hawk.yaml",
        "open_lm/mamba.json", "huggingface/state-space.json", "flagscale/rwkv/train.yaml"}) {
    INFO(path);
    ++looked_at;
    const text::MemoryFileSystem files =
        with({{"rwkv/" + path, tests::read_source_file("tests/formats/fixtures/" + path)}});
    const tests::Ran ran = run({"rwkv/" + path, "--gpu", "h100,a100", "--format", "concise", "--min-severity",
                                "info", "--exit-zero"},
                               files);
    CHECK(ran.code == 0);
    CHECK(ran.out.find(" layers have a state space or linear attention, which is not costed") !=
          std::string::npos);
    // Nothing is said of heads that are not there.
    for (const char* word : {"num_attention_heads", "head_dim", "num_key_value_heads"}) {
      CHECK(ran.out.find(word) == std::string::npos);
    }
    const tests::Ran search = run({"suggest", "rwkv/" + path, "--gpu", "h100"}, files);
    CHECK(search.code == 2);
    CHECK(search.err.find("no layer of this model has attention, and what it has instead is not costed; "
                          "`shapelint` lints the rest\n") != std::string::npos);
  }
  CHECK(looked_at == 7);
}
