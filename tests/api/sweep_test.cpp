// Many shapes of a model through the library.
#include <shapelint/shapelint.hpp>

#include <vector>

#include "tests/api/models_support.hpp"
#include "tests/catch.hpp"

using namespace shapelint;
using tests::llama;

namespace {

std::string refusal_of(const std::vector<api::SweepColumn>& columns) {
  const auto files = api::memory_files({{"config.json", llama}});
  const auto result = api::sweep(*files, {"config.json"}, columns, {.gpus = {{"h100"}}});
  std::string out;
  if (result) return "none";
  for (const api::Error& error : result.errors()) out += error.code + ": " + api::to_string(error) + "\n";
  return out;
}

}  // namespace

TEST_CASE("each row of a sweep is the step that a setting gives", "[api]") {
  const auto files = api::memory_files({{"config.json", llama}});
  const std::vector<std::int64_t> batches{1, 8, 8, 3};
  const std::vector<std::int64_t> widths{8192, 8192, 8200, 1};
  const auto swept =
      api::sweep(*files, {"config.json"}, {{"micro_batch_size", batches}, {"intermediate_size", widths}},
                 {.gpus = {{"a100", "h100"}}});
  REQUIRE(swept);
  REQUIRE(swept->gpus.size() == 2);
  for (std::size_t row = 0; row < batches.size(); ++row) {
    const auto steps = api::price_step(*files, {"config.json"},
                                       {{.settings = {{"micro_batch_size", std::to_string(batches[row])},
                                                      {"intermediate_size", std::to_string(widths[row])}}},
                                        {{"a100", "h100"}}});
    REQUIRE(steps);
    CHECK(swept->parameters[row] == steps->front().parameters);
    CHECK(swept->memory_gib[row] ==
          Approx(static_cast<double>(steps->front().memory.total_bytes) / 1073741824.0));
    for (std::size_t gpu = 0; gpu < 2; ++gpu) {
      CHECK(swept->gpus[gpu].gpu == (*steps)[gpu].gpu);
      CHECK(swept->gpus[gpu].step_us[row] == Approx((*steps)[gpu].step_us));
      CHECK(swept->gpus[gpu].mfu[row] == Approx((*steps)[gpu].mfu));
    }
  }
}

TEST_CASE("a row of a sweep names the rules of the project's own that it breaks", "[api]") {
  const auto files = api::memory_files({{"config.json", llama},
                                        {"shapelint.toml", "rule-folders = [\"own\"]"},
                                        {"own/LAB103-wide-mlp.toml", R"(
code = "LAB103"
name = "wide-mlp"
since = "1.0"
summary = "an MLP that the laboratory's kernel does not run"
severity = "error"
confidence = "certain"
scope = "model"
effect = "fails"
when = "intermediate_size > 8192"
blame = ["intermediate_size"]
message = "the laboratory's kernel is 8192 wide, not {intermediate_size}"
mechanism = "the kernel is written so"
sources = ["the laboratory"]
why = "The laboratory's kernel is 8192 wide."
[[fix]]
intermediate_size = "8192"
)"}});
  const std::vector<std::int64_t> widths{8192, 16384};
  const auto swept =
      api::sweep(*files, {"config.json"}, {{"intermediate_size", widths}}, {.gpus = {{"h100"}}});
  REQUIRE(swept);
  CHECK(swept->reasons[swept->fails[0]].empty());
  CHECK(swept->reasons[swept->fails[1]] == "LAB103");
}

TEST_CASE("a sweep is the same with any number of threads", "[api]") {
  const auto files = api::memory_files({{"config.json", llama}});
  std::vector<std::int64_t> heads;
  std::vector<std::int64_t> tensor;
  for (int i = 0; i < 10'000; ++i) {
    heads.push_back(8 + 8 * (i % 7));
    tensor.push_back(1 + i % 3);
  }
  const std::vector<api::SweepColumn> columns{{"num_attention_heads", heads}, {"tensor", tensor}};
  const auto one = api::sweep(*files, {"config.json"}, columns, {.gpus = {{"h100"}}, .threads = 1});
  const auto four = api::sweep(*files, {"config.json"}, columns, {.gpus = {{"h100"}}, .threads = 4});
  REQUIRE(one);
  REQUIRE(four);
  CHECK(one->gpus.front().step_us == four->gpus.front().step_us);
  CHECK(one->fails == four->fails);
  CHECK(one->reasons == four->reasons);
  // Eight key and value heads over three GPUs: frameworks refuse it.
  CHECK(one->fails[0] == 0);
  CHECK(one->reasons.at(one->fails[2]) != "");
}

TEST_CASE("what is wrong with the columns of a sweep is said", "[api]") {
  const std::vector<std::int64_t> two{1, 2};
  const std::vector<std::int64_t> three{1, 2, 0};
  CHECK(refusal_of({}) == "invalid-option: error: there are no columns to sweep\n");
  CHECK(refusal_of({{"hiden_size", two}}) ==
        "invalid-option: error: unknown field `hiden_size`; did you mean `hidden_size`?\n");
  CHECK(refusal_of({{"dtype", two}}) == "invalid-option: error: `dtype` is not a field of whole numbers\n");
  CHECK(refusal_of({{"tensor", two}, {"tensor", two}}) ==
        "invalid-option: error: `tensor` is swept a second time\n");
  CHECK(
      refusal_of({{"tensor", two}, {"data", three}}) ==
      "invalid-option: error: `data` has 3 rows, and `tensor` has 2; columns need equal length, at least one "
      "row\n");
  CHECK(
      refusal_of({{"tensor", three}}) ==
      "invalid-option: error: `tensor` is 0 in row 2, counted from 0; a whole number from 1 to 1,048,576\n");
}

TEST_CASE("a sweep ends when it is told to", "[api]") {
  const auto files = api::memory_files({{"config.json", llama}});
  const std::vector<std::int64_t> batches(100'000, 1);
  const auto result = api::sweep(*files, {"config.json"}, {{"micro_batch_size", batches}},
                                 {.gpus = {{"h100"}}, .progress = [](double done) { return done <= 0; }});
  REQUIRE(!result);
  CHECK(api::to_string(result.errors().front()) == "error: the sweep was stopped before its last row");
}
