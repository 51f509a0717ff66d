// Descriptions of public structs: whole, and what is written from them.
#include "objects/types.hpp"

#include <algorithm>
#include <limits>
#include <type_traits>

#include <nlohmann/json.hpp>
#include <shapelint/shapelint.hpp>

#include "objects/printed/document.hpp"
#include "tests/catch.hpp"
#include "text/json/writer.hpp"

using namespace shapelint;

// With a name: an operator that is never called needs no definition, and where linkage is internal it does.
namespace shapelint::described_test {

template <class T>
constexpr bool is_optional = false;
template <class T>
constexpr bool is_optional<std::optional<T>> = true;

// Converts to whatever a member is: how many fit into braces is how many members there are.
struct Anything {
  template <class T>
  requires(!is_optional<T>) operator T() const;
};

}  // namespace shapelint::described_test

namespace {

using described_test::Anything;

template <class T, class... Given>
constexpr std::size_t member_count() {
  if constexpr (requires { T{Given{}..., Anything{}}; }) {
    return member_count<T, Given..., Anything>();
  } else {
    return sizeof...(Given);
  }
}

// Members that a description names; a base is one.
struct Counter {
  std::size_t count = 0;
  constexpr void type(std::string_view, std::string_view) {}
  template <class Base>
  constexpr void base(const Base*) {
    ++count;
  }
  template <class... Rest>
  constexpr void operator()(Rest&&...) {
    ++count;
  }
  template <class... Rest>
  constexpr void keyed(Rest&&...) {
    ++count;
  }
};

// `hidden`: what the key of an object is.
template <class T>
bool is_whole(std::size_t hidden = 0) {
  Counter counter;
  describe(counter, static_cast<const T*>(nullptr));
  return counter.count + hidden == member_count<T>();
}

}  // namespace

TEST_CASE("every member of a public struct is described", "[objects]") {
  using namespace api;
  CHECK(is_whole<Place>());
  CHECK(is_whole<Range>());
  CHECK(is_whole<api::Error>());
  CHECK(is_whole<Gpu>());
  CHECK(is_whole<Rule>());
  CHECK(is_whole<RuleParameter>(1));
  CHECK(is_whole<Field>());
  CHECK(is_whole<Efficiency>());
  CHECK(is_whole<Tile>());
  CHECK(is_whole<KernelCost>());
  CHECK(is_whole<OperationSize>(1));
  CHECK(is_whole<OperationShape>());
  CHECK(is_whole<Operation>());
  CHECK(is_whole<MemoryParts>());
  CHECK(is_whole<Memory>());
  CHECK(is_whole<StepTotals>());
  CHECK(is_whole<Step>());
  CHECK(is_whole<Value>(1));
  CHECK(is_whole<Note>());
  CHECK(is_whole<Model>());
  CHECK(is_whole<ReadResult>());
  CHECK(is_whole<GpuGain>());
  CHECK(is_whole<Change>());
  CHECK(is_whole<Edit>());
  CHECK(is_whole<Proposal>());
  CHECK(is_whole<Finding>());
  CHECK(is_whole<After>());
  CHECK(is_whole<Capacity>());
  CHECK(is_whole<LintedStep>());
  CHECK(is_whole<LintedModel>());
  CHECK(is_whole<Whole>());
  CHECK(is_whole<WholePart>());
  CHECK(is_whole<WholeTime>());
  CHECK(is_whole<Counts>());
  CHECK(is_whole<LintResult>());
  CHECK(is_whole<Performance>());
  CHECK(is_whole<StartOnGpu>());
  CHECK(is_whole<Cause>());
  CHECK(is_whole<SuggestionOnGpu>());
  CHECK(is_whole<AloneChange>());
  CHECK(is_whole<Suggestion>());
  CHECK(is_whole<FrontPoint>());
  CHECK(is_whole<Exclusion>());
  CHECK(is_whole<SuggestStart>());
  CHECK(is_whole<SuggestResult>());
  CHECK(is_whole<Parallel>());
  CHECK(is_whole<SearchCounts>());
  CHECK(is_whole<TrainingPlan>());
  CHECK(is_whole<WithoutChoice>());
  CHECK(is_whole<ServingPlan>());
  CHECK(is_whole<PlanCount>());
  CHECK(is_whole<PlanResult>());
}

TEST_CASE("members are absent, null or there as their description says", "[objects]") {
  api::Gpu gpu;
  gpu.id = "one";
  gpu.peaks_tflops["bf16"] = 0.5;
  const auto json = nlohmann::json::parse(api::to_json(gpu));
  CHECK(json["id"] == "one");
  CHECK(json["peaks_tflops"] == nlohmann::json{{"bf16", 0.5}});
  CHECK(json["dram_bytes"].is_null());
  CHECK_FALSE(json.contains("compute_capability"));
  CHECK(json["aliases"] == nlohmann::json::array());

  api::LintResult result;
  result.findings.emplace_back();
  result.findings.front().range = api::Range{{1, 2, 3}, {1, 4, 5}};
  result.findings.front().proposals.emplace_back();
  result.findings.front().proposals.front().changes = {{"dtype", std::string("bf16"), std::string("fp8")},
                                                       {"mlp_gated", false, true},
                                                       {"hidden_size", std::int64_t{1}, std::int64_t{2}}};
  const auto finding = nlohmann::json::parse(api::to_json(result))["findings"][0];
  CHECK(finding["severity"] == "warning");
  CHECK(finding["range"]["start"] == nlohmann::json{{"line", 1}, {"column", 2}, {"byte", 3}});
  CHECK_FALSE(finding.contains("use_range"));
  CHECK(finding["gain"] == 0);
  CHECK(finding["gain_error"].is_null());
  const auto& changes = finding["proposals"][0]["changes"];
  CHECK(changes[0] == nlohmann::json{{"field", "dtype"}, {"before", "bf16"}, {"after", "fp8"}});
  CHECK(changes[1]["after"] == true);
  CHECK(changes[2]["after"] == 2);
}

TEST_CASE("numbers are whole, or have nine digits, or are null", "[objects]") {
  const auto written = [](double value) {
    std::string out;
    text::JsonWriter writer(out);
    writer.number(value);
    return out;
  };
  CHECK(written(0) == "0");
  CHECK(written(39684267936.0) == "39684267936");
  CHECK(written(-3) == "-3");
  CHECK(written(0.1 + 0.2) == "0.3");
  CHECK(written(2338979.0312345) == "2338979.03");
  CHECK(written(1e300) == "1e+300");
  CHECK(written(std::numeric_limits<double>::infinity()) == "null");
  CHECK(written(std::numeric_limits<double>::quiet_NaN()) == "null");
}

TEST_CASE("texts are whole in JSON, and safe to print", "[objects]") {
  const std::string nasty = "a\"\\\n\t\x01\x1b[31m caf\xE9 \u202E ##vso[task] \xF0\x9F\x98\x80";
  std::string out;
  text::JsonWriter writer(out, 2);
  writer.begin_object();
  writer.key("text");
  writer.text(nasty);
  writer.key("none");
  writer.begin_array();
  writer.end_array();
  writer.end_object();
  const auto json = nlohmann::json::parse(out);
  CHECK(json["text"] == "a\"\\\n\t\x01\x1b[31m caf\xEF\xBF\xBD \u202E ##vso[task] \xF0\x9F\x98\x80");
  CHECK(json["none"].empty());
  CHECK(out.find('\x1b') == std::string::npos);
  CHECK(out.find("##vso[") == std::string::npos);
}

TEST_CASE("each name of an enum is told by its schema", "[objects]") {
  const objects::Types& types = objects::all_types();
  const auto values = [&](std::string_view name) {
    const auto found = std::find_if(types.choices.begin(), types.choices.end(),
                                    [&](const objects::Choice& each) { return each.name == name; });
    REQUIRE(found != types.choices.end());
    return found->values;
  };
  CHECK(values("Origin") ==
        std::vector<std::string_view>{"unknown", "stated", "given", "derived", "default"});
  CHECK(values("Severity") == std::vector<std::string_view>{"info", "warning", "error"});
  CHECK(values("Bound") ==
        std::vector<std::string_view>{"compute", "memory", "communication", "overhead", "bubble"});
}
