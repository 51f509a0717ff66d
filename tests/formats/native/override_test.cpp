// Values of the command line stand in for what a native file states, before anything is derived from it.
#include "formats/native/native.hpp"
#include "tests/catch.hpp"
#include "text/toml/toml.hpp"

using namespace shapelint;

namespace {

constexpr std::string_view gpt =
    "[model]\nhidden_size = 2560\nnum_layers = 32\nnum_attention_heads = 32\nvocab_size = 50257\n"
    "[run]\nsequence_length = 2048\n";

model::Reading read(std::string_view source, std::vector<model::Override> overrides,
                    std::vector<Error>& errors) {
  const auto document = text::parse_toml("m.toml", std::string(source));
  REQUIRE(document);
  const auto file = formats::read_native(*document, errors, overrides);
  return file ? file->readings[0] : model::Reading{};
}

}  // namespace

TEST_CASE("what is derived follows an override", "[formats]") {
  std::vector<Error> errors;
  const auto heads = model::FieldId::num_attention_heads;
  const auto reading = read(gpt, {{heads, 20, "--num-attention-heads"}}, errors);
  REQUIRE(errors.empty());
  CHECK(reading.setup.model.head_dim == 128);
  const model::Origin& origin = reading.origins[heads];
  CHECK(origin.kind == model::Origin::Kind::command_line);
  CHECK(origin.note == "`--num-attention-heads`");
}

TEST_CASE("an override may supply what the file lacks", "[formats]") {
  std::vector<Error> errors;
  std::string source(gpt);
  source.replace(source.find("sequence_length = 2048"), 22, "");
  CHECK(read(source, {{model::FieldId::sequence_length, 512, "--sequence-length"}}, errors)
            .setup.plan.sequence_length == 512);
  CHECK(errors.empty());
}

TEST_CASE("an override that contradicts the file is an error without a place", "[formats]") {
  std::vector<Error> errors;
  read(gpt, {{model::FieldId::num_key_value_heads, 64, "--num-key-value-heads"}}, errors);
  REQUIRE(errors.size() == 1);
  CHECK(errors[0].message == "`num_key_value_heads` is `64`, more than `num_attention_heads` = `32`");
  CHECK_FALSE(errors[0].span);
}
