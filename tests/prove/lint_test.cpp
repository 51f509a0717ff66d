// Lint with proofs beside the file: measurements in the place of predictions.
#include <algorithm>
#include <string>

#include "prove/proofs.hpp"
#include "tests/catch.hpp"
#include "tests/cli/run_support.hpp"
#include "tests/prove/prove_support.hpp"

using namespace shapelint;
using shapelint::tests::run;

namespace {

const std::string proofs_file = "shapelint-proofs.json";

// A measurement of the vocabulary's finding as its script would write it: all of the step's operations stand
// for one, whose ratio makes the gain.
std::string result_for(const text::MemoryFileSystem& files, const std::string& log_ratio) {
  const auto script = run({"prove", "model.toml", "--gpu", "a100", "--findings", "SL101"}, files);
  REQUIRE(script.code == 0);
  const std::string begin = "r'''\n";
  const std::size_t from = script.out.find(begin) + begin.size();
  std::string plan = script.out.substr(from, script.out.find("\n'''", from) - from);
  // One comparison for all: a step of 1000 us.
  const std::size_t items = plan.find("\"items\": [");
  const std::size_t end = plan.find("\n   ]", items);
  plan.replace(
      items, end - items,
      R"("items": [{"op": "x", "pair": 0, "before_count": 1, "after_count": 1, "before_us": 1000, "after_us": 900})");
  const auto set = [&](const std::string& key, const std::string& value) {
    const std::size_t at = plan.find("\"" + key + "\": ");
    plan.replace(at, plan.find(',', at) - at, "\"" + key + "\": " + value);
  };
  set("factor", "1");
  set("before_us", "1000");
  set("after_us", "900");
  return R"({"version": 1, "date": "2026-11-22",
 "device": {"kind": "cuda", "name": "NVIDIA A100-SXM4-80GB", "expected": true, "throttled": []},
 "software": {"torch": "2.9.0"},
 "pairs": [{"before": 0, "after": 1, "before_us": 1000, "after_us": 1, "log_ratio": )" +
         log_ratio + R"(, "half_width": 0.002, "rounds": 20}],
 "plan": )" +
         plan + "}";
}

text::MemoryFileSystem proved(const std::string& log_ratio) {
  text::MemoryFileSystem files;
  files.files["model.toml"] = tests::misaligned_vocabulary;
  files.files["result.json"] = result_for(files, log_ratio);
  const auto read = run({"prove", "--read", "result.json"}, files);
  INFO(read.out << read.err);
  REQUIRE(read.code == 0);
  REQUIRE(files.files.contains(proofs_file));
  return files;
}

// Wherever lines are broken.
bool has(const std::string& text, const std::string& part) {
  std::string line;
  for (const char c : text) {
    const char plain = c == '\n' ? ' ' : c;
    if (plain != ' ' || !line.ends_with(' ')) line += plain;
  }
  return line.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("a finding that was measured says what was measured", "[prove]") {
  const auto files = proved("-0.0314");  // 3.1 %
  const auto ran = run({"model.toml", "--gpu", "a100"}, files);
  INFO(ran.out);
  CHECK(has(ran.out, "measured on NVIDIA A100-SXM4-80GB, 2026-11-22"));
  CHECK(has(ran.out, "= cost: 3.1 ± 0.2 % of the step (measured)"));
  CHECK(has(ran.out, "cost: 3.1 ±"));
}

TEST_CASE("a finding that was refuted is left out, and of the fixes, too", "[prove]") {
  const auto files = proved("0.01");
  const auto ran = run({"model.toml", "--gpu", "a100", "--verbose"}, files);
  INFO(ran.out << ran.err);
  CHECK_FALSE(has(ran.out, "[SL101]"));
  CHECK(has(ran.out, "1 suppressed"));
  CHECK(has(ran.err, "SL101 is left out on a100-sxm4-80gb: measured on NVIDIA A100-SXM4-80GB, 2026-11-22"));
  CHECK_FALSE(has(ran.out, "vocab_size 50257 → 50304"));
}

TEST_CASE("a proof of a version that knew fewer sizes holds, unless the file states one of those",
          "[prove]") {
  auto files = proved("-0.0314");
  const auto without = [&](const std::string& field) {
    auto stored = prove::read_proofs(proofs_file, files.files[proofs_file]);
    REQUIRE(stored);
    REQUIRE(stored->size() == 1);
    REQUIRE(stored->front().sizes.erase(field) == 1);
    text::MemoryFileSystem older = files;
    older.files[proofs_file] = prove::proofs_text(*stored);
    return older;
  };
  CHECK(has(run({"model.toml", "--gpu", "a100"}, without("num_key_value_heads")).out,
            "measured on NVIDIA A100"));
  const auto stated = run({"model.toml", "--gpu", "a100"}, without("vocab_size"));
  CHECK(has(stated.out, "no longer fits: vocab_size was not given and is 50257"));
  // Measured again, it takes the place of the older one.
  text::MemoryFileSystem again = without("num_key_value_heads");
  REQUIRE(run({"prove", "--read", "result.json"}, again).code == 0);
  const auto stored = prove::read_proofs(proofs_file, again.files[proofs_file]);
  REQUIRE(stored);
  CHECK(stored->size() == 1);
}

TEST_CASE("a proof holds for its sizes and its GPU alone", "[prove]") {
  auto files = proved("0.01");
  const auto elsewhere = run({"model.toml", "--gpu", "h100"}, files);
  CHECK(has(elsewhere.out, "[SL101]"));
  CHECK_FALSE(has(elsewhere.out, "no longer fits"));
  const auto other = run({"model.toml", "--gpu", "a100", "--num-layers", "5"}, files);
  CHECK(has(other.out, "[SL101]"));
  CHECK(
      has(other.out, "the proof of 2026-11-22 on a100-sxm4-80gb no longer fits: num_layers was 4 and is 5"));
}

TEST_CASE("a file of proofs that cannot be read is an error", "[prove]") {
  text::MemoryFileSystem files;
  files.files["model.toml"] = tests::misaligned_vocabulary;
  files.files[proofs_file] = "{}";
  const auto ran = run({"model.toml", "--gpu", "a100"}, files);
  CHECK(ran.code == 2);
  CHECK(ran.err ==
        "error: shapelint-proofs.json: the file has no proofs of shapelint; `shapelint prove --read` writes "
        "it\n");
}

TEST_CASE("a result is stored for the model that was measured alone", "[prove]") {
  auto files = proved("0.01");
  auto& content = files.files["model.toml"];
  content.replace(content.find("num_layers = 4"), 14, "num_layers = 8");
  const auto ran = run({"prove", "--read", "result.json"}, files);
  CHECK(ran.code == 2);
  CHECK(has(ran.err, "the model has changed since the measurement: num_layers was 4 and is 8"));
}
