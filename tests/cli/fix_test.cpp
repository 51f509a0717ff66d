// `shapelint lint --fix` as a command line: what is written, what is said, and the exit code.
#include "tests/catch.hpp"
#include "tests/cli/run_support.hpp"

using namespace shapelint;
using tests::odd;
using tests::plus;
using tests::run;
using tests::with;

namespace {

std::string padded(std::string text) {
  return text.replace(text.find("50257"), 5, "50304");
}

const std::vector<std::string> fix{"lint",     "m.toml",  "--gpu",    "a100",
                                   "--format", "concise", "--select", "SL101"};

// Another process that writes while this one lints: the second reading sees its text.
class Busy final : public text::FileSystem {
 public:
  text::MemoryFileSystem files;
  mutable int readings = 0;
  int from = 0;
  bool is_read_only = false;
  std::string working_directory() const override { return files.here; }
  Result<std::string> read(const std::string& path, std::int64_t max_bytes) const override {
    if (path == "m.toml" && ++readings >= from) files.files[path] = "# another's\n";
    return files.read(path, max_bytes);
  }
  Result<bool> write(const std::string& path, std::string_view content) const override {
    if (is_read_only) return Error{"cannot be written: it is read-only", {}, path, std::nullopt};
    return files.write(path, content);
  }
  bool is_directory(const std::string& path) const override { return files.is_directory(path); }
  bool exists(const std::string& path) const override { return files.exists(path); }
  Result<std::vector<std::string>> list(const std::string& folder) const override {
    return files.list(folder);
  }
};

}  // namespace

TEST_CASE("--fix writes, says what it did, and exits as what is left asks for", "[fix][cli]") {
  const text::MemoryFileSystem files = with({{"m.toml", odd}});
  const tests::Ran ran = run(plus(fix, {"--fix"}), files);
  CHECK(ran.code == 0);
  CHECK(ran.out.empty());
  CHECK(ran.err == "fixed: m.toml:5:14: vocab_size 50257 → 50304 (SL101)\nFixed 1 finding in 1 file\n");
  CHECK(files.files.at("m.toml") == padded(odd));
  const tests::Ran again = run(plus(fix, {"--fix"}), files);
  CHECK(again.code == 0);
  CHECK(again.err.empty());
  CHECK(run(plus(fix, {"--fix", "--quiet"}), with({{"m.toml", odd}})).err.empty());
}

TEST_CASE("--diff writes nothing, and exits with 1 when there would be something to write", "[fix][cli]") {
  const text::MemoryFileSystem files = with({{"m.toml", odd}});
  for (const auto& options : {std::vector<std::string>{"--diff"}, {"--fix", "--diff"}}) {
    const tests::Ran ran = run(plus(fix, options), files);
    CHECK(ran.code == 1);
    CHECK(
        ran.out ==
        "--- m.toml\n+++ m.toml\n@@ -2,7 +2,7 @@\n hidden_size = 768\n num_layers = 12\n"
        " num_attention_heads = 12\n-vocab_size = 50257\n+vocab_size = 50304\n [run]\n micro_batch_size = 8\n"
        " sequence_length = 1024\n");
    CHECK(ran.err ==
          "would fix: m.toml:5:14: vocab_size 50257 → 50304 (SL101)\nWould fix 1 finding in 1 file\n");
    CHECK(files.files.at("m.toml") == odd);
  }
  CHECK(run(plus(fix, {"--diff", "--exit-zero"}), files).code == 0);
  const tests::Ran clean = run(plus(fix, {"--diff"}), with({{"m.toml", padded(odd)}}));
  CHECK(clean.code == 0);
  CHECK(clean.out.empty());
}

TEST_CASE("what is left is counted, and said why where it could not be changed", "[fix][cli]") {
  // Heads of 80 elements need another shape, and the GPU's vocabulary a padding.
  const std::string model =
      "[model]\nhidden_size = 2560\nnum_layers = 8\nnum_attention_heads = 32\nvocab_size = 50257\n"
      "[run]\nmicro_batch_size = 4\nsequence_length = 2048\nattention = \"unfused\"\n";
  const text::MemoryFileSystem files = with({{"m.toml", model}});
  const tests::Ran ran =
      run({"m.toml", "--gpu", "a100", "--fix", "--select", "SL101,SL605", "--format", "concise"}, files);
  CHECK(ran.code == 1);
  CHECK(ran.out.find("SL605") != std::string::npos);
  CHECK(ran.err ==
        "fixed: m.toml:5:14: vocab_size 50257 → 50304 (SL101)\n"
        "Fixed 1 finding in 1 file; 1 more with --unsafe-fixes\n");
  CHECK(files.files.at("m.toml") == padded(model));
}

TEST_CASE("standard input comes out fixed, and all else beside it", "[fix][cli]") {
  const tests::Ran ran = run({"lint", "-", "--gpu", "a100", "--fix", "--select", "SL101"},
                             text::MemoryFileSystem{}, {}, false, odd);
  CHECK(ran.code == 0);
  CHECK(ran.out == padded(odd));
  CHECK(ran.err.find("fixed: <stdin>:5:14: vocab_size 50257 → 50304 (SL101)\n") != std::string::npos);
  const tests::Ran fine = run({"lint", "-", "--gpu", "a100", "--fix", "--select", "SL101", "--quiet"},
                              text::MemoryFileSystem{}, {}, false, padded(odd));
  CHECK(fine.out == padded(odd));
  CHECK(fine.err.empty());
}

TEST_CASE("a file that changed meanwhile stays as it is", "[fix][cli]") {
  Busy files;
  files.files.files["m.toml"] = odd;
  files.from = 1000;
  run(plus(fix, {"--diff"}), files);
  const int readings = files.readings;  // all that a run makes before it would write
  REQUIRE(readings > 0);
  files.readings = 0;
  files.from = readings + 1;
  const tests::Ran ran = run(plus(fix, {"--fix"}), files);
  CHECK(ran.code == 2);
  CHECK(ran.err.find("the file changed while it was being fixed and was not written") != std::string::npos);
  CHECK(files.files.files.at("m.toml") == "# another's\n");
}

TEST_CASE("a file that cannot be written is an error", "[fix][cli]") {
  Busy files;
  files.files.files["m.toml"] = odd;
  files.from = 1000;
  files.is_read_only = true;
  const tests::Ran ran = run(plus(fix, {"--fix"}), files);
  CHECK(ran.code == 2);
  CHECK(ran.err.find("error: m.toml: cannot be written: it is read-only\n") != std::string::npos);
  CHECK(files.files.files.at("m.toml") == odd);
}

TEST_CASE("what cannot be meant together is refused", "[fix][cli]") {
  const text::MemoryFileSystem files = with({{"m.toml", odd}});
  const auto refused = [&](const std::vector<std::string>& args) {
    const tests::Ran ran = run(args, files, {}, false, odd);
    CHECK(ran.code == 2);
    CHECK(ran.out.empty());
    return ran.err;
  };
  CHECK(refused(plus(fix, {"--unsafe-fixes"})) ==
        "error: `--unsafe-fixes` fixes nothing alone; add `--fix` or `--diff`\n");
  CHECK(refused(plus(fix, {"--fix", "--write-baseline"})) ==
        "error: `--write-baseline` and fixing exclude each other; fix first, then check what remains\n");
  CHECK(refused(plus(fix, {"--fix", "--prune-baseline"})) ==
        "error: `--prune-baseline` and fixing exclude each other; fix first, then check what remains\n");
  CHECK(refused(plus(fix, {"--diff", "--output", "json=out.json"})) ==
        "error: `--diff` makes no report, so there is nothing for `--output`; leave one of them out\n");
  CHECK(refused(plus(fix, {"--fix", "-"})) ==
        "error: standard input is fixed alone; name the files in a separate run\n");
  CHECK(files.files.at("m.toml") == odd);
}

TEST_CASE("the command that a fix names for what a native file does not state adds it", "[fix][cli]") {
  const std::string model =
      "[model]\nhidden_size = 768\nnum_layers = 12\nnum_attention_heads = 12\nvocab_size = 50304\n"
      "[run]\nsequence_length = 512\n";
  const text::MemoryFileSystem files = with({{"m.toml", model}});
  // Sixteen sequences are another global batch.
  const tests::Ran ran = run({"lint", "m.toml", "--gpu", "a100", "--fix", "--unsafe-fixes", "--select",
                              "SL501", "--fail-level", "info"},
                             files);
  CHECK(ran.code == 1);
  CHECK(ran.err.find(
            "not fixed: m.toml:1:1: SL501 the file does not state `micro_batch_size`: `shapelint suggest "
            "m.toml --vary micro_batch_size --range micro_batch_size=16 --apply 1 --write` adds it\n") !=
        std::string::npos);
  const tests::Ran applied = run({"suggest", "m.toml", "--vary", "micro_batch_size", "--range",
                                  "micro_batch_size=16", "--apply", "1", "--write", "--gpu", "a100"},
                                 files);
  CHECK(applied.err.empty());
  CHECK(applied.code == 0);
  CHECK(files.files.at("m.toml") == model + "micro_batch_size = 16\n");
}

// The weights have as many rows as the file says: a padded vocabulary would not load them.
TEST_CASE("what is marked as fixable is what --fix changes", "[fix][cli]") {
  const std::string shape =
      R"({"architectures": ["LlamaForCausalLM"], "model_type": "llama", "hidden_size": 2048, "num_hidden_layers": 7,
 "num_attention_heads": 16, "intermediate_size": 5632, "vocab_size": 32003, "max_position_embeddings": 2048})";
  const std::vector<std::string> look{"lint", "c/config.json", "--gpu", "a100", "--micro-batch-size",
                                      "8",    "--select",      "SL101"};
  const auto marks = [](const std::string& text) { return text.find("[*]") != std::string::npos; };
  const text::MemoryFileSystem alone = with({{"c/config.json", shape}});
  CHECK(marks(run(look, alone).out));
  const text::MemoryFileSystem beside = with({{"c/config.json", shape}, {"c/model.safetensors", "weights"}});
  const tests::Ran seen = run(look, beside);
  CHECK(seen.out.find("SL101") != std::string::npos);
  CHECK_FALSE(marks(seen.out));
  run(plus(look, {"--fix"}), beside);
  CHECK(beside.files.at("c/config.json") == shape);
  run(plus(look, {"--fix"}), alone);
  CHECK(alone.files.at("c/config.json") != shape);
}
