// Searches through the library.
#include <shapelint/shapelint.hpp>

#include "tests/api/models_support.hpp"
#include "tests/catch.hpp"

using namespace shapelint;
using tests::gpt3;
using Strings = std::vector<std::string>;

namespace {

std::string errors_of(const api::Result<api::SuggestResult>& result) {
  std::string out;
  if (result) return "none";
  for (const api::Error& error : result.errors()) out += error.code + " " + api::to_string(error) + "\n";
  return out;
}

}  // namespace

TEST_CASE("suggestions have changes, prices and reasons", "[api]") {
  const auto files = api::memory_files({{"m.toml", gpt3}});
  const auto result = api::suggest(
      *files, {"m.toml"},
      {.gpus = {{"a100"}}, .vary = {"num_attention_heads", "vocab_size"}, .top = 3, .threads = 1});
  REQUIRE(result);
  CHECK(result->model == "GPT-3 2.7B");
  CHECK(result->gpus == Strings{"a100-sxm4-80gb"});
  CHECK(result->complete);
  CHECK(result->candidates > 1);
  REQUIRE(result->start.by_gpu.size() == 1);
  CHECK(result->start.by_gpu.front().capacity_bytes == 85'899'345'920);
  REQUIRE_FALSE(result->suggestions.empty());
  CHECK(result->suggestions.size() <= 3);
  const api::Suggestion& best = result->suggestions.front();
  CHECK(best.gain > 0);
  REQUIRE(best.by_gpu.size() == 1);
  CHECK(best.by_gpu.front().tokens_per_s_per_gpu > result->start.by_gpu.front().tokens_per_s_per_gpu);
  REQUIRE_FALSE(best.by_gpu.front().causes.empty());
  CHECK_FALSE(best.by_gpu.front().causes.front().description.empty());
  double explained = best.by_gpu.front().other;
  for (const api::Cause& cause : best.by_gpu.front().causes) explained += cause.share;
  CHECK(explained == Approx(best.gain));
  bool pads = false;
  for (const api::Change& change : best.changes) {
    pads = pads || (change.field == "vocab_size" && change.before == api::Scalar(std::int64_t{50257}) &&
                    std::get<std::int64_t>(change.after) % 64 == 0);
  }
  CHECK(pads);
  CHECK(best.alone.size() == best.changes.size());
  for (const api::Suggestion& each : result->suggestions) CHECK(each.gain <= best.gain + 1e-3);
}

TEST_CASE("a search proposes nothing that a rule of the project's own forbids", "[api]") {
  const auto best_vocabulary = [](const std::string& configuration) {
    const auto files = api::memory_files(
        {{"m.toml", gpt3}, {"shapelint.toml", configuration}, {"own/LAB102-vocab-not-of-1000.toml", R"toml(
code = "LAB102"
name = "vocab-not-of-1000"
since = "1.0"
summary = "vocabularies that the laboratory's tokenizer does not fill"
severity = "error"
confidence = "certain"
scope = "model"
effect = "fails"
when = "vocab_size % 1000 != 0"
blame = ["vocab_size"]
message = "the tokenizer fills whole thousands, not {vocab_size}"
mechanism = "it is trained so"
sources = ["the laboratory"]
why = "The laboratory's tokenizer has whole thousands of tokens."
[[fix]]
vocab_size = "ceil_to(vocab_size, 1000)"
)toml"}});
    const auto result =
        api::suggest(*files, {"m.toml"},
                     {.gpus = {{"a100"}}, .ranges = {"vocab_size=50304:51200:8"}, .top = 1, .threads = 1});
    REQUIRE(errors_of(result) == "none");
    for (const api::Suggestion& each : result->suggestions) {
      for (const api::Change& change : each.changes) {
        if (change.field == "vocab_size") return std::get<std::int64_t>(change.after);
      }
    }
    return std::int64_t{0};
  };
  CHECK(best_vocabulary("") % 1000 != 0);
  CHECK(best_vocabulary("rule-folders = [\"own\"]") == 51000);
}

TEST_CASE("a search ends when its caller says so", "[api]") {
  const auto files = api::memory_files({{"m.toml", gpt3}});
  std::size_t asked = 0;
  const auto stop_at_once = [&](const api::SearchProgress& progress) {
    CHECK(progress.done == 0);
    ++asked;
    return false;
  };
  const auto result =
      api::suggest(*files, {"m.toml"}, {.gpus = {{"a100"}}, .threads = 1, .progress = stop_at_once});
  REQUIRE(result);
  CHECK(asked >= 1);
  CHECK_FALSE(result->complete);
}

TEST_CASE("what a search cannot do is said with codes, all at once", "[api]") {
  const auto files = api::memory_files({{"m.toml", gpt3}});
  CHECK(errors_of(api::suggest(*files, {"m.toml"},
                               {.gpus = {{"a100"}},
                                .vary = {"hiden_size"},
                                .objective = api::Objective::cost,
                                .weights = {{"a100", -1}},
                                .prices = {{"h100", 2}}})) ==
        "invalid-option error: the weight of `a100` is not a positive number\n"
        "invalid-option error: the price of `h100` belongs to no GPU of this search\n"
        "invalid-option error: the objective `cost` needs the price of a100-sxm4-80gb\n"
        "invalid-option error: unknown field `hiden_size`; did you mean `hidden_size`?\n");
  CHECK(errors_of(api::suggest(*files, {"m.toml"}, {.gpus = {{"a100"}}, .where = {"hidden_sise > 1"}}))
            .starts_with("invalid-option hidden_sise > 1:1:1: error: "));
  const auto none = errors_of(api::suggest(
      *files, {"m.toml"},
      {.gpus = {{"a100"}}, .vary = {"vocab_size"}, .where = {"vocab_size < 100"}, .threads = 1}));
  CHECK(none.starts_with("no-candidates m.toml: error: no allowed combination among "));
  CHECK(errors_of(api::suggest(*files, {"m.toml"}, {.gpus = {{"a100"}}, .model = "vision"}))
            .starts_with("invalid-option m.toml: error: unknown model `vision`"));
}
