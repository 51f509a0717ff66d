// What changes of a model may not bring, whatever they save.
#include <algorithm>

#include "rules/engine/propose.hpp"
#include "tests/catch.hpp"
#include "tests/formats/read_text.hpp"

using namespace shapelint;

namespace {

bool allows(const rules::HardRules& hard, const model::Setup& setup) {
  const auto& all = hard.constraints();
  return std::all_of(all.begin(), all.end(),
                     [&](const suggest::Constraint& each) { return each.holds(setup); });
}

}  // namespace

TEST_CASE("a file is not changed so that it contradicts itself", "[rules]") {
  // Hugging Face, configuration_nemotron_h.py: the pattern must have the same length as num_hidden_layers
  const auto read = tests::read_text("config.json", R"({"model_type": "nemotron_h", "hidden_size": 4096,
 "intermediate_size": 21504, "num_hidden_layers": 8, "num_attention_heads": 32, "num_key_value_heads": 8,
 "vocab_size": 131072, "hybrid_override_pattern": "M-M-M*M-", "mamba_num_heads": 128, "mamba_head_dim": 64,
 "ssm_state_size": 128, "n_groups": 8})");
  REQUIRE(read.readings.size() == 1);
  const model::Reading& reading = read.readings.front();
  const rules::HardRules hard(rules::builtin_rules(), reading);
  model::Setup setup = reading.setup;
  CHECK(allows(hard, setup));
  setup.model.num_layers = 7;
  CHECK_FALSE(allows(hard, setup));
}
