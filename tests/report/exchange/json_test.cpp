// The machine-readable report: spot checks here, the schema by tests/program/json-schema.py.
#include "report/exchange/json.hpp"

#include <nlohmann/json.hpp>

#include "tests/catch.hpp"
#include "tests/report/findings/report_support.hpp"

using namespace shapelint;

TEST_CASE("the JSON report holds findings, places, proposals, steps and ops", "[report]") {
  const auto parsed = nlohmann::json::parse(report::json(tests::one_gpu_report(), {true, true}));
  CHECK(parsed["format"] == "shapelint-report");
  CHECK(parsed["version"] == report::json_version);
  CHECK(parsed["summary"] == nlohmann::json{{"errors", 1},
                                            {"warnings", 1},
                                            {"infos", 0},
                                            {"suppressed", 0},
                                            {"baselined", 0},
                                            {"hidden", 0},
                                            {"not_whole", 0},
                                            {"not_recognised", 0}});
  const auto& finding = parsed["models"][0]["findings"][0];
  CHECK(finding["code"] == "SL201");
  CHECK(finding["location"]["line"] == 4);
  CHECK(finding["location"]["column"] == 23);
  CHECK(finding["location"]["end_column"] == 25);
  CHECK(finding["proposals"][0]["changes"][0] ==
        nlohmann::json{{"field", "num_attention_heads"}, {"from", 32}, {"to", 20}});
  CHECK(parsed["models"][0]["findings"][1]["location"].is_null());
  CHECK(parsed["models"][0]["fields"]["attention"]["value"].is_null());  // of unknown origin
  CHECK(parsed["models"][0]["fields"]["hidden_size"]["value"] == 2560);
  const auto& op = parsed["models"][0]["steps"][0]["ops"][0];
  CHECK(op["dimensions"]["n"] == nlohmann::json{{"value", 50257}, {"expression", "vocab_size"}});
}

TEST_CASE("bytes that are not UTF-8 do not break the JSON", "[report]") {
  auto report = tests::one_gpu_report();
  report.models[0].path = "caf\xE9.toml";
  report.errors.push_back({{"unknown key `\xFF`", "", "\xFE", Span{0, 1}}, "\xFF"});
  const auto parsed = nlohmann::json::parse(report::json(report));
  CHECK(parsed["models"][0]["path"] == "caf\xEF\xBF\xBD.toml");
}

TEST_CASE("fields and operations are in the JSON only if they are asked for", "[report]") {
  const auto has = [](report::JsonParts parts, const char* what) {
    return report::json(tests::one_gpu_report(), parts).find(what) != std::string::npos;
  };
  CHECK_FALSE(has({}, "\"fields\""));
  CHECK_FALSE(has({}, "\"ops\": [\n        {"));
  CHECK(has({true, false}, "\"fields\""));
  CHECK(nlohmann::json::parse(report::json(tests::one_gpu_report()))["models"][0]["steps"][0].contains(
            "ops") == false);
  CHECK(nlohmann::json::parse(report::json(tests::one_gpu_report(), {false, true}))["models"][0]["steps"][0]
            .contains("ops"));
}
