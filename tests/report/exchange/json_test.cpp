// The machine-readable report: spot checks here, the schema by tests/program/json-schema.py.
#include "report/exchange/exchange.hpp"

#include <nlohmann/json.hpp>

#include "tests/catch.hpp"
#include "tests/report/findings/report_support.hpp"

using namespace shapelint;

TEST_CASE("the JSON report holds findings, places, proposals, steps and ops", "[report]") {
  const auto parsed = nlohmann::json::parse(report::json(tests::one_gpu_report(), {true, true}));
  CHECK(parsed["format"] == "shapelint.lint");
  CHECK(parsed["format_version"] == "1.0");
  CHECK(parsed["status"] == "findings");
  CHECK(parsed["counts"] == nlohmann::json{{"error", 1},
                                           {"warning", 1},
                                           {"info", 0},
                                           {"suppressed", 0},
                                           {"baselined", 0},
                                           {"hidden", 0},
                                           {"not_whole", 0},
                                           {"not_recognised", 0}});
  const auto& finding = parsed["findings"][0];
  CHECK(finding["code"] == "SL201");
  CHECK(finding["model"] == parsed["models"][0]["id"]);
  CHECK(finding["range"]["start"]["line"] == 4);
  CHECK(finding["range"]["start"]["column"] == 23);
  CHECK(finding["range"]["end"]["column"] == 25);
  CHECK(finding["proposals"][0]["changes"][0] ==
        nlohmann::json{{"field", "num_attention_heads"}, {"before", 32}, {"after", 20}});
  CHECK_FALSE(parsed["findings"][1].contains("range"));
  CHECK(parsed["models"][0]["fields"]["attention"]["value"].is_null());  // of unknown origin
  CHECK(parsed["models"][0]["fields"]["hidden_size"]["value"] == 2560);
  const auto& step = parsed["steps"][0];
  CHECK(step["operations"][0]["sizes"]["n"] ==
        nlohmann::json{{"value", 50257}, {"expression", "vocab_size"}});
  std::int64_t parts = 0;
  for (const auto& each : step["memory"]["parts"]) parts += each.get<std::int64_t>();
  CHECK(step["memory"]["total_bytes"] == parts);
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
  CHECK_FALSE(has({}, "\"runs\""));
  CHECK(has({true, false}, "\"fields\""));
  CHECK(has({false, true}, "\"runs\""));
}
