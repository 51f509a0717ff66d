// From measured times to verdicts, and to proofs beside a configuration.
#include "prove/result.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "prove/proofs.hpp"
#include "tests/catch.hpp"
#include "tests/cli/run_support.hpp"

using namespace shapelint;
using namespace shapelint::prove;
using shapelint::tests::run;

namespace {

// A step of 1000 us by prediction. One operation runs ten times and is predicted to go from 50 to 40 us,
// another five times and stays at 60; 200 us are communication, which nobody measures.
std::string result_of(double log_ratio, const std::string& half_width, bool expected = true,
                      const std::string& file = "model.toml") {
  const Sizes sizes{{"hidden_size", "1000"}};
  return fmt::format(R"({{"version": 1, "date": "2026-11-22", "seconds": 9.5,
 "device": {{"kind": "cuda", "name": "NVIDIA H100 80GB HBM3", "expected": {}, "throttled": []}},
 "software": {{"torch": "2.9.0"}},
 "pairs": [{{"before": 0, "after": 1, "before_us": 60, "after_us": 1, "log_ratio": {}, "half_width": {}, "rounds": 20}},
           {{"before": 2, "after": 2, "before_us": 40, "after_us": 40, "log_ratio": 0, "half_width": 0, "rounds": 20}}],
 "plan": {{"version": 1, "file": "{}", "model": "", "sizes": {{"hidden_size": "1000"}}, "checksum": "{}",
  "gpu": {{"id": "h100-sxm5-80gb"}},
  "findings": [{{"code": "SL102", "rule": "hidden-misaligned", "changes": {{"hidden_size": ["1000", "1024"]}},
   "gain": 0.1, "gain_error": 0.02, "factor": 1, "before_us": 1000, "after_us": 900,
   "items": [{{"op": "a", "pair": 0, "before_count": 10, "after_count": 10, "before_us": 50, "after_us": 40}},
             {{"op": "b", "pair": 1, "before_count": 5, "after_count": 5, "before_us": 60, "after_us": 60}},
             {{"op": "c", "pair": null, "left_out": "communication between GPUs", "before_count": 1,
              "after_count": 1, "before_us": 200, "after_us": 200}}]}}]}}}})",
                     expected, log_ratio, half_width, file, checksum_of(sizes));
}

Measured read(const std::string& content) {
  auto measured = read_result("result.json", content);
  INFO((measured ? std::string() : measured.error().message));
  REQUIRE(measured);
  return *measured;
}

}  // namespace

TEST_CASE("measured times stand in the place of predicted ones, and the rest stays", "[prove]") {
  // 10 x 60 + 5 x 40 + 200 = 1000 us before; the ratio is 0.8: 10 x 48 + 5 x 40 + 200 = 880 us after.
  const Measured measured = read(result_of(-0.2231435513142097, "0.01"));
  REQUIRE(measured.proofs.size() == 1);
  const Proof& proof = measured.proofs.front();
  CHECK(proof.gain == Approx(0.12));
  // A hundredth of 480 us.
  CHECK(proof.half_width == Approx(0.0048));
  CHECK(proof.measured_share == Approx(1));
  CHECK(proof.verdict == ProofVerdict::confirmed);
}

TEST_CASE("a verdict goes by both intervals", "[prove]") {
  //                 predicted      measured
  CHECK(verdict_of(0.10, 0.02, 0.09, 0.005) == ProofVerdict::confirmed);
  CHECK(verdict_of(0.10, 0.02, 0.15, 0.005) == ProofVerdict::confirmed);  // more than predicted
  CHECK(verdict_of(0.10, 0.02, 0.04, 0.005) == ProofVerdict::smaller);
  CHECK(verdict_of(0.10, 0.02, 0.002, 0.005) == ProofVerdict::refuted);
  CHECK(verdict_of(0.10, 0.02, -0.05, 0.005) == ProofVerdict::refuted);
  CHECK(verdict_of(0.10, 0.02, 0.05, 0.06) == ProofVerdict::unclear);
}

TEST_CASE("what was not measured gives no verdict", "[prove]") {
  std::string content = result_of(0, "null");
  CHECK(read(content).proofs.front().verdict == ProofVerdict::unmeasured);
  const std::string first =
      R"("before_us": 60, "after_us": 1, "log_ratio": 0, "half_width": null, "rounds": 20)";
  content.replace(content.find(first), first.size(), R"("skipped": "no fp8 here")");
  const Measured measured = read(content);
  CHECK(measured.proofs.front().verdict == ProofVerdict::unmeasured);
  CHECK(measured.left_out == std::vector<std::pair<std::string, std::size_t>>{{"no fp8 here", 1}});
}

TEST_CASE("a result that cannot be is refused", "[prove]") {
  const auto told = [](std::string content) {
    const auto measured = read_result("result.json", std::move(content));
    REQUIRE_FALSE(measured);
    return measured.error().message;
  };
  CHECK(told("{}") == "not a result of a `shapelint prove` script");
  CHECK(told("[1") != "");
  std::string content = result_of(0, "0.01");
  content.replace(content.find("\"1000\"}"), 6, "\"1001\"");
  CHECK(told(content) == "the sizes are not those that the checksum was made of");
  content = result_of(0, "0.01");
  content.replace(content.find("\"before_us\": 60"), 15, "\"before_us\": -6");
  CHECK(told(content) == "a measured comparison needs times above 0");
  content = result_of(0, "0.01");
  content.replace(content.find("\"pair\": 1"), 9, "\"pair\": 7");
  CHECK(told(content) == "the result has no such comparison");
}

TEST_CASE("proofs read back as they were written, the newest in the place of an older one", "[prove]") {
  std::vector<StoredProof> proofs;
  CHECK(add_proofs(read(result_of(-0.2231435513142097, "0.01")), "model.toml", proofs) == 1);
  CHECK(add_proofs(read(result_of(0, "0.01")), "model.toml", proofs) == 1);
  CHECK(add_proofs(read(result_of(0, "null")), "model.toml", proofs) == 0);  // no verdict
  REQUIRE(proofs.size() == 1);
  CHECK(proofs.front().proof.verdict == ProofVerdict::refuted);
  const auto again = read_proofs("shapelint-proofs.json", proofs_text(proofs));
  REQUIRE(again);
  REQUIRE(again->size() == 1);
  CHECK(again->front().proof.changes == proofs.front().proof.changes);
  CHECK(proofs_text(*again) == proofs_text(proofs));
}

TEST_CASE("proofs changed by hand are refused", "[prove]") {
  std::vector<StoredProof> proofs;
  add_proofs(read(result_of(0, "0.01")), "model.toml", proofs);
  std::string content = proofs_text(proofs);
  const std::string size = "\"hidden_size\": \"1000\"";
  content.replace(content.find(size), size.size(), "\"hidden_size\": \"1001\"");
  const auto read = read_proofs("shapelint-proofs.json", content);
  REQUIRE_FALSE(read);
  CHECK(read.error().message == "the sizes of this proof are not those that its checksum was made of");
}

TEST_CASE("a result writes nowhere else by itself", "[prove]") {
  for (const char* file : {"/elsewhere/model.toml", "../model.toml", "a/../../model.toml"}) {
    text::MemoryFileSystem files;
    files.files["result.json"] = result_of(-0.2231435513142097, "0.01", true, file);
    const auto ran = run({"prove", "--read", "result.json"}, files);
    CHECK(ran.code == 2);
    CHECK(ran.err.find("the model that was measured is outside of this folder") != std::string::npos);
    CHECK(files.files.size() == 1);
  }
}

TEST_CASE("a result of another device is shown, and neither judged nor stored", "[prove]") {
  text::MemoryFileSystem files;
  files.files["result.json"] = result_of(-0.2231435513142097, "0.01", false);
  const auto ran = run({"prove", "--read", "result.json"}, files);
  CHECK(ran.code == 0);
  CHECK(ran.out ==
        "model.toml: measured on NVIDIA H100 80GB HBM3, 2026-11-22 (torch 2.9.0)\n"
        "  SL102 (hidden-misaligned): hidden_size 1000 → 1024\n"
        "    predicted  saves 10.0 ± 2.0 %\n"
        "    measured   saves 12.0 ± 0.5 % (95 %), 100 % of the change\n");
  CHECK(ran.err.find("no verdict, and nothing is") != std::string::npos);
  CHECK_FALSE(files.files.contains("shapelint-proofs.json"));
}

TEST_CASE("a result for programs", "[prove]") {
  text::MemoryFileSystem files;
  files.files["result.json"] = result_of(-0.2231435513142097, "0.01", false);
  const auto ran = run({"prove", "--read", "result.json", "--format", "json"}, files);
  CHECK(ran.code == 0);
  const auto told = nlohmann::json::parse(ran.out);
  CHECK(told["device"] == "NVIDIA H100 80GB HBM3");
  CHECK(told["on_gpu"] == false);
  CHECK(told["software"] == nlohmann::json{{"torch", "2.9.0"}});
  REQUIRE(told["findings"].size() == 1);
  const auto& finding = told["findings"][0];
  CHECK(finding["finding"] == "SL102");
  CHECK(finding["changes"] == nlohmann::json{{"hidden_size", {"1000", "1024"}}});
  CHECK(finding["predicted"] == nlohmann::json{{"gain", 0.1}, {"error", 0.02}});
  CHECK(finding["measured"]["gain"].get<double>() == Approx(0.12));
  CHECK(finding["measured"]["half_width"].get<double>() == Approx(0.0048));
  CHECK(finding["verdict"].is_null());
}
