// What people can follow: numbers of heads that can be split, shapes that are trained already.
#include <algorithm>
#include <set>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "suggest/constraints.hpp"
#include "tests/catch.hpp"
#include "tests/cli/run_support.hpp"
#include "tests/formats/native/native_support.hpp"

using namespace shapelint;
using Json = nlohmann::json;

namespace {

const std::string falcon = "examples/falcon-7b.toml";

text::MemoryFileSystem with(const std::string& path, const std::string& content) {
  text::MemoryFileSystem files;
  files.files[path] = content;
  return files;
}

Json suggested(const text::MemoryFileSystem& files, const std::string& path, std::vector<std::string> more) {
  std::vector<std::string> command{"suggest", path, "--gpu", "a100", "--format", "json"};
  command.insert(command.end(), more.begin(), more.end());
  const tests::Ran ran = tests::run(command, files);
  INFO(ran.err);
  REQUIRE(ran.code == 0);
  return Json::parse(ran.out);
}

// The values of a field in all suggestions; that of the start where it is not changed.
std::set<std::int64_t> values_of(const Json& answer, const std::string& field, std::int64_t start) {
  std::set<std::int64_t> out;
  for (const Json& suggestion : answer["suggestions"]) {
    std::int64_t value = start;
    for (const char* list : {"changes", "implied"}) {
      for (const Json& change : suggestion[list]) {
        if (change["field"] == field) value = change["after"];
      }
    }
    out.insert(value);
  }
  return out;
}

bool holds(const std::vector<suggest::Constraint>& all, const model::Setup& setup) {
  for (const suggest::Constraint& each : all) {
    if (!each.holds(setup)) return false;
  }
  return true;
}

}  // namespace

TEST_CASE("heads stay as they are, or become what tensor parallelism can split", "[suggest]") {
  model::Setup setup;
  setup.model.num_attention_heads = 71;
  setup.model.num_key_value_heads = 1;
  const auto by_four = suggest::head_constraints(4, setup);
  const auto allows = [&](std::int64_t heads, std::int64_t groups) {
    model::Setup other = setup;
    other.model.num_attention_heads = heads;
    other.model.num_key_value_heads = groups;
    return holds(by_four, other);
  };
  CHECK(allows(71, 1));
  CHECK(allows(72, 1));
  CHECK(allows(20, 2));
  CHECK(allows(64, 8));
  CHECK_FALSE(allows(37, 1));
  CHECK_FALSE(allows(70, 1));
  CHECK_FALSE(allows(63, 7));
  CHECK_FALSE(allows(72, 9));
  CHECK_FALSE(allows(72, 6));
  CHECK(suggest::head_constraints(1, setup).empty());
}

TEST_CASE("a start that cannot run is no excuse: suggestions keep the rule that it breaks",
          "[suggest][cli]") {
  const text::MemoryFileSystem files = with(falcon, tests::read_source_file(falcon));
  for (const std::string tensor : {"2", "4", "8"}) {
    INFO(tensor);
    const Json answer = suggested(files, falcon, {"--tensor", tensor, "--head-multiple", "1"});
    CHECK(answer["broken_rules"] == Json::array({"SL403"}));
    const std::set<std::int64_t> heads = values_of(answer, "num_attention_heads", 71);
    REQUIRE_FALSE(heads.empty());
    for (const std::int64_t each : heads) CHECK(each % std::stoi(tensor) == 0);
  }
  const tests::Ran said = tests::run({"suggest", falcon, "--gpu", "a100", "--tensor", "4"}, files);
  CHECK(said.out.find("the current shape cannot run: it breaks SL403") != std::string::npos);
}

TEST_CASE("odd numbers of heads are only suggested where they are asked for", "[suggest][cli]") {
  const text::MemoryFileSystem files = with(falcon, tests::read_source_file(falcon));
  // One sequence at a time, nothing but 36 heads gains for certain.
  const auto wider = [](std::vector<std::string> more) {
    more.insert(more.end(), {"--top", "50", "--micro-batch-size", "4"});
    return more;
  };
  const std::set<std::int64_t> usual =
      values_of(suggested(files, falcon, wider({})), "num_attention_heads", 71);
  REQUIRE_FALSE(usual.empty());
  for (const std::int64_t each : usual) CHECK((each == 71 || each % 4 == 0));
  const std::set<std::int64_t> any =
      values_of(suggested(files, falcon, wider({"--head-multiple", "1"})), "num_attention_heads", 71);
  CHECK(std::any_of(any.begin(), any.end(), [](std::int64_t each) { return each != 71 && each % 4 != 0; }));
  // The configuration says it as well, and the command line says it better.
  text::MemoryFileSystem configured = files;
  configured.files["shapelint.toml"] = "head-multiple = 1\n";
  CHECK(values_of(suggested(configured, falcon, wider({})), "num_attention_heads", 71) == any);
  CHECK(values_of(suggested(configured, falcon, wider({"--head-multiple", "4"})), "num_attention_heads",
                  71) == usual);
  const tests::Ran said = tests::run({"suggest", falcon, "--gpu", "a100"}, files);
  CHECK(said.out.find("heads in multiples of 4") != std::string::npos);
  CHECK(said.out.find("so that TP can shard them") != std::string::npos);
}

TEST_CASE("a width that follows another one is not stated as what it was", "[suggest][cli]") {
  // Nothing states intermediate_size: it is four times hidden_size.
  const std::string path = "config.json";
  const text::MemoryFileSystem files = with(path, R"({"model_type": "falcon", "hidden_size": 4544,
    "num_hidden_layers": 32, "num_attention_heads": 71, "multi_query": true, "parallel_attn": true,
    "vocab_size": 65024, "new_decoder_architecture": false, "bias": false})");
  std::size_t changes = 0;
  for (const std::string tensor : {"1", "2", "4", "8"}) {
    const Json answer = suggested(files, path,
                                  {"--micro-batch-size", "1", "--sequence-length", "2048", "--tensor", tensor,
                                   "--top", "50", "--shape", "free"});
    std::set<std::string> seen;
    for (const Json& suggestion : answer["suggestions"]) {
      CHECK(seen.insert(suggestion["changes"].dump()).second);
      for (const Json& change : suggestion["changes"]) {
        INFO(change);
        CHECK(change["before"] != change["after"]);
        ++changes;
      }
    }
  }
  CHECK(changes > 0);
}

TEST_CASE("of a trained model nothing changes but rows of the vocabulary", "[suggest]") {
  const model::Setup start = tests::native(tests::read_source_file(falcon)).readings[0].setup;
  const auto allows = [&](suggest::Shape shape, auto&& change) {
    model::Setup other = start;
    change(other);
    return holds(suggest::shape_constraints(shape, start), other);
  };
  using suggest::Shape;
  const auto vocabulary = [](model::Setup& s) { s.model.vocab_size += 64; };
  const auto batch = [](model::Setup& s) { s.plan.micro_batch_size = 8; };
  const auto wider = [](model::Setup& s) { s.model.intermediate_size += 64; };
  const auto narrower = [](model::Setup& s) { s.model.intermediate_size -= 64; };
  const auto heads = [](model::Setup& s) { s.model.num_attention_heads = 64; };
  for (const Shape shape : {Shape::free, Shape::padding, Shape::fixed}) {
    CHECK(allows(shape, vocabulary));
    CHECK(allows(shape, batch));
  }
  CHECK(allows(Shape::padding, wider));
  CHECK_FALSE(allows(Shape::fixed, wider));
  CHECK_FALSE(allows(Shape::padding, narrower));
  CHECK_FALSE(allows(Shape::padding, heads));
  CHECK_FALSE(allows(Shape::fixed, heads));
  CHECK(allows(Shape::free, heads));
}

TEST_CASE("each of several kinds of recurrent layers remembers no less than before", "[suggest]") {
  model::Setup start;
  start.model.mixers[0] = {.kind = model::MixerKind::mamba2,
                           .layers = 3,
                           .key_heads = 8,
                           .value_heads = 32,
                           .key_dim = 128,
                           .value_dim = 64};
  start.model.mixers[1] = {.kind = model::MixerKind::delta_net,
                           .layers = 1,
                           .key_heads = 4,
                           .value_heads = 4,
                           .key_dim = 256,
                           .value_dim = 256};
  std::string names;
  model::Setup smaller = start;
  smaller.model.mixers[1].key_dim = 128;
  for (const suggest::Constraint& each : suggest::mixer_constraints(start)) {
    if (!each.holds(smaller)) names += each.name + "|";
  }
  CHECK(names == "`[model.second_mixer]`: its state gets no smaller|");
}

TEST_CASE("a recurrent layer remembers no less than before, and its groups have whole heads", "[suggest]") {
  model::Setup start;
  start.model.mixers[0] = {.kind = model::MixerKind::gated_delta_net,
                           .layers = 3,
                           .key_heads = 16,
                           .value_heads = 32,
                           .key_dim = 128,
                           .value_dim = 128};
  const std::vector<suggest::Constraint> constraints = suggest::mixer_constraints(start);
  REQUIRE(constraints.size() == 2);
  const auto broken = [&](std::int64_t heads, std::int64_t key_dim, std::int64_t value_dim) {
    model::Setup setup = start;
    setup.model.mixers[0].value_heads = heads;
    setup.model.mixers[0].key_dim = key_dim;
    setup.model.mixers[0].value_dim = value_dim;
    std::string names;
    for (const suggest::Constraint& each : constraints) {
      if (!each.holds(setup)) names += each.name + "|";
    }
    return names;
  };
  CHECK(broken(32, 128, 128).empty());
  CHECK(broken(16, 128, 256).empty());
  // Each says which of the two it is.
  CHECK(broken(32, 64, 128) == "`[model.mixer]`: its state gets no smaller|");
  CHECK(broken(40, 128, 128) ==
        "`[model.mixer]`: each of its key heads serves the same number of value heads|");
  CHECK(suggest::mixer_constraints(model::Setup{}).empty());
}
