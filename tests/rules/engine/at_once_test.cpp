// What is proposed for speed is not found again.
#include <algorithm>

#include "gpu/registry.hpp"
#include "rules/engine/lint.hpp"
#include "suggest/edit/change.hpp"
#include "tests/catch.hpp"
#include "tests/formats/read_text.hpp"

using namespace shapelint;

namespace {

const rules::Finding* of(const rules::LintResult& result, std::string_view code) {
  const auto found = std::find_if(result.findings.begin(), result.findings.end(),
                                  [&](const rules::Finding& each) { return each.code == code; });
  return found == result.findings.end() ? nullptr : &*found;
}

struct Case {
  std::string_view code;
  const char* text;
};

// Each takes more than one doubling.
const Case cases[] = {
    {"SL501",
     "[model]\nhidden_size = 768\nnum_layers = 12\nnum_attention_heads = 12\nvocab_size = 50304\n"
     "[run]\nmicro_batch_size = 8\nsequence_length = 512\ngradient_accumulation = 128\n"},
    {"SL502",
     "[model]\nhidden_size = 2048\nnum_layers = 24\nnum_attention_heads = 16\nvocab_size = 50304\n"
     "[run]\nmicro_batch_size = 4\nsequence_length = 2048\n[parallel]\ntensor = 8\n"},
};

}  // namespace

TEST_CASE("a value is proposed at once", "[rules]") {
  const auto gpu = gpu::find_gpu("h100");
  REQUIRE(gpu);
  rules::Options options;
  options.shows_savings = true;
  for (const Case& each : cases) {
    CAPTURE(each.code);
    auto read = tests::read_text("model.toml", each.text);
    REQUIRE(read.readings.size() == 1);
    model::Reading& reading = read.readings.front();
    const auto before = rules::lint(rules::builtin_rules(), reading, std::vector{*gpu}, options);
    const rules::Finding* finding = of(before, each.code);
    REQUIRE(finding != nullptr);
    REQUIRE_FALSE(finding->proposals.empty());
    const auto after =
        suggest::apply(reading.setup, suggest::links_of(reading), finding->proposals.front().changes);
    REQUIRE(after);
    reading.setup = *after;
    CHECK(of(rules::lint(rules::builtin_rules(), reading, std::vector{*gpu}, options), each.code) == nullptr);
  }
}
