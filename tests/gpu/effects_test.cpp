// Reading a table [errors].
#include "gpu/effects.hpp"

#include "tests/catch.hpp"
#include "text/toml/toml.hpp"

using namespace shapelint;

TEST_CASE("errors of effects are read over the assumed ones") {
  const auto document = text::parse_toml("gpu.toml", R"(
[errors]
alignment = { relative = 0.1, measured = true, sources = ["sweeps"] }
wav = { relative = 0.2 }
tile = { relative = 7, measure = true }
)");
  REQUIRE(document);
  gpu::EffectErrors effects;
  std::vector<Error> errors;
  gpu::read_effect_errors(document->root()["errors"], effects, errors);
  CHECK(effects[gpu::Effect::alignment].relative == 0.1);
  CHECK(effects[gpu::Effect::alignment].measured);
  CHECK(effects[gpu::Effect::wave].relative == 0.5);
  std::string all;
  for (const Error& error : errors) all += error.message + "; " + error.hint + "\n";
  CHECK(all ==
        "unknown key `errors.wav`; did you mean `wave`?\n"
        "`errors.tile.relative` is implausible: 7; expected between 0 and 1\n"
        "unknown key `errors.tile.measure`; did you mean `measured`?\n");
}
