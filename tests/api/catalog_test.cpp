// What the library says of GPUs, rules and fields.
#include <shapelint/shapelint.hpp>

#include <algorithm>

#include "tests/catch.hpp"

using namespace shapelint;

TEST_CASE("a GPU is found by its aliases, with the figures of its profile", "[api]") {
  const auto gpu = api::find_gpu("A100");
  REQUIRE(gpu);
  CHECK(gpu->id == "a100-sxm4-80gb");
  CHECK(gpu->name == "NVIDIA A100 SXM4 80GB");
  CHECK(gpu->vendor == "NVIDIA");
  CHECK(gpu->architecture == "ampere-ga100");
  CHECK(gpu->compute_capability == "8.0");
  CHECK(gpu->sm_count == 108);
  CHECK(gpu->dram_gb_s == 2039);
  CHECK(gpu->dram_bytes == std::int64_t{81920} * 1024 * 1024);
  CHECK(gpu->l2_bytes == 40 * 1024 * 1024);
  CHECK(gpu->peaks_tflops.at("bf16") == 312);
  CHECK(gpu->peaks_tflops.at("fp32") == 19.5);
  CHECK_FALSE(gpu->peaks_tflops.contains("fp8"));
  const auto& units = gpu->tensor_core_dtypes;
  CHECK(std::count(units.begin(), units.end(), "bf16") == 1);
  CHECK(std::count(units.begin(), units.end(), "fp32") == 0);
  CHECK(gpu->calibration == "calibrated");
}

TEST_CASE("a GPU that is not known has an error that says which is meant", "[api]") {
  const auto gpu = api::find_gpu("h10");
  REQUIRE_FALSE(gpu);
  REQUIRE(gpu.errors().size() == 1);
  CHECK(gpu.errors().front().code == "invalid-option");
  CHECK(api::to_string(gpu.errors().front()) == "error: unknown GPU `h10`; did you mean `h100`?");
}

TEST_CASE("all GPUs, rules and fields are listed, and each is found again", "[api]") {
  const auto gpus = api::gpus();
  CHECK(gpus.size() > 10);
  for (const api::Gpu& gpu : gpus) CHECK(api::find_gpu(gpu.id)->name == gpu.name);
  const auto rules = api::rules();
  CHECK(rules.size() > 10);
  for (const api::Rule& rule : rules) {
    INFO(rule.code);
    CHECK(api::find_rule(rule.name)->code == rule.code);
    CHECK_FALSE(rule.summary.empty());
    CHECK(rule.page.find(rule.code) != std::string::npos);
  }
  CHECK(api::fields().front().name == "hidden_size");
}

TEST_CASE("a rule is found by code and by name", "[api]") {
  const auto rule = api::find_rule("sl101");
  REQUIRE(rule);
  CHECK(rule->code == "SL101");
  CHECK(rule->name == "vocab-misaligned");
  CHECK(rule->severity == api::Severity::warning);
  CHECK(api::name(rule->severity) == "warning");
  CHECK(rule->scope == "model");
  CHECK(rule->effect == "slower");
  CHECK(rule->status == "stable");
  CHECK(api::find_rule("vocab-misalined").errors().front().hint == "did you mean `vocab-misaligned`?");
  CHECK(api::find_rule("SL1").errors().front().message == "`SL1` matches several rules");
}
