// What `shapelint suggest` promises, on random models with random conditions: every suggestion keeps the
// conditions, is better than the start, and its file lints with the step time that was predicted.
#include <cmath>
#include <functional>
#include <regex>
#include <set>

#include <fmt/format.h>
#include <rapidcheck.h>
#include <nlohmann/json.hpp>

#include "model/lower/lower.hpp"
#include "suggest/edit/footprint.hpp"
#include "tests/catch.hpp"
#include "tests/cli/run_support.hpp"
#include "tests/formats/native/native_support.hpp"
#include "tests/rules/rules_support.hpp"

using namespace shapelint;
using Json = nlohmann::json;

namespace {

// A condition in the language of the rules, and the same in C++.
struct Wish {
  std::string text;
  std::function<bool(const model::ModelSpec&, std::int64_t parameters)> holds;
};

Wish random_wish(const model::Setup& start) {
  const auto number = [](std::int64_t low, std::int64_t high) {
    return *rc::gen::inRange<std::int64_t>(low, high);
  };
  const model::ModelSpec& m = start.model;
  switch (number(0, 8)) {
    case 0: {
      const std::int64_t least = number(48, 140);
      return {fmt::format("head_dim >= {}", least),
              [=](const model::ModelSpec& s, std::int64_t) { return s.head_dim >= least; }};
    }
    case 1: {
      const std::int64_t divisor = number(2, 6);
      return {fmt::format("num_layers % {} == 0", divisor),
              [=](const model::ModelSpec& s, std::int64_t) { return s.num_layers % divisor == 0; }};
    }
    case 2: {
      const std::int64_t most = model::parameter_count(start) / 1000 * number(985, 1015);
      return {fmt::format("params <= {}", most),
              [=](const model::ModelSpec&, std::int64_t p) { return p <= most; }};
    }
    case 3: {
      const std::int64_t ratio = number(2, 5);
      return {fmt::format("intermediate_size > {} * hidden_size || num_attention_heads % 8 == 0", ratio),
              [=](const model::ModelSpec& s, std::int64_t) {
                return s.intermediate_size > ratio * s.hidden_size || s.num_attention_heads % 8 == 0;
              }};
    }
    case 4: {
      const std::int64_t width = m.hidden_size + number(-200, 200);
      return {fmt::format("hidden_size >= {} && hidden_size % 128 == 0", width),
              [=](const model::ModelSpec& s, std::int64_t) {
                return s.hidden_size >= width && s.hidden_size % 128 == 0;
              }};
    }
    case 5: {
      const std::int64_t most = m.hidden_size / m.num_layers + number(-20, 60);
      return {fmt::format("hidden_size / num_layers <= {}", most),
              [=](const model::ModelSpec& s, std::int64_t) {
                return static_cast<double>(s.hidden_size) / static_cast<double>(s.num_layers) <=
                       static_cast<double>(most);
              }};
    }
    case 6:
      return {"!(vocab_size % 64 == 0) || vocab_size % 128 == 0",
              [](const model::ModelSpec& s, std::int64_t) {
                return s.vocab_size % 64 != 0 || s.vocab_size % 128 == 0;
              }};
    default: {
      const std::int64_t most = number(1, 64);
      return {fmt::format("num_attention_heads / num_key_value_heads <= {}", most),
              [=](const model::ModelSpec& s, std::int64_t) {
                return s.num_attention_heads <= most * s.num_key_value_heads;
              }};
    }
  }
}

// Codes of the findings that mean that a file cannot run.
std::set<std::string> failures(const Json& report) {
  std::set<std::string> out;
  for (const Json& finding : report["findings"]) {
    if (finding["severity"] == "error") out.insert(finding["code"].get<std::string>());
  }
  return out;
}

double share_between(std::int64_t a, std::int64_t b) {
  return std::fabs(static_cast<double>(a) / static_cast<double>(b) - 1);
}

// The text without the digits of its numbers.
std::string layout_of(const std::string& text) {
  return std::regex_replace(text, std::regex("[0-9]+"), "#");
}

}  // namespace

TEST_CASE("no suggestion breaks a condition; each is better, and its file says what was predicted",
          "[suggest][cli]") {
  CHECK(rc::check([] {
    const std::string config = tests::random_config();
    const model::Setup start = tests::native(config).readings[0].setup;
    text::MemoryFileSystem files;
    files.files["model.toml"] = config;
    const std::vector<std::string> on{"--gpu", *rc::gen::elementOf(std::vector<std::string>{"a100", "h100"})};
    const int budget = *rc::gen::element(1, 2, 5);
    const int aspect = *rc::gen::element(5, 20, 60);
    std::vector<std::string> command{"suggest",  "model.toml",
                                     on[0],      on[1],
                                     "--params", fmt::format("{}%", budget),
                                     "--aspect", fmt::format("{}%", aspect),
                                     "--shape",  "free"};
    std::vector<Wish> wishes;
    for (int i = *rc::gen::inRange(0, 4); i > 0; --i) {
      wishes.push_back(random_wish(start));
      command.insert(command.end(), {"--where", wishes.back().text});
    }
    std::vector<std::string> as_json = command;
    as_json.insert(as_json.end(), {"--format", "json", "--top", "4"});
    const tests::Ran ran = tests::run(as_json, files);
    if (ran.code == 2) {  // nothing is allowed: it says so in one line
      RC_ASSERT(ran.err.find("no allowed combination") != std::string::npos);
      return;
    }
    std::vector<std::string> alone = as_json;
    alone.insert(alone.end(), {"--threads", "1"});
    RC_ASSERT(tests::run(alone, files).out == ran.out);
    const Json answer = Json::parse(ran.out);
    const auto lint = [&](const std::string& path) {
      return Json::parse(tests::run({path, on[0], on[1], "--format", "json", "--exit-zero"}, files).out);
    };
    const std::set<std::string> failing = failures(lint("model.toml"));
    double error = 0;  // the largest of those before
    double last = 1;
    for (std::size_t i = 0; i < answer["suggestions"].size(); ++i) {
      const Json& suggestion = answer["suggestions"][i];
      RC_ASSERT((suggestion["gain"].get<double>() > 0 || !failing.empty()));
      for (const Json& change : suggestion["changes"]) RC_ASSERT(change["before"] != change["after"]);
      // What gains more comes later only where nobody can tell, and because it asks for more.
      error =
          std::max(error, (suggestion["gain_error"].is_null() ? 0 : suggestion["gain_error"].get<double>()));
      RC_ASSERT(suggestion["gain"].get<double>() <= last + error + 1e-3);
      last = suggestion["gain"].get<double>();
      std::vector<std::string> apply = command;
      apply.insert(apply.end(), {"--top", "4", "--apply", std::to_string(i + 1), "-o", "new.toml"});
      const tests::Ran applied = tests::run(apply, files);
      RC_LOG() << applied.err << "\n" << suggestion["changes"] << "\n" << config;
      RC_ASSERT(applied.err.empty());
      RC_ASSERT(applied.code == 0);

      const model::Setup setup = tests::native(files.files["new.toml"]).readings[0].setup;
      const std::int64_t parameters = model::parameter_count(setup);
      RC_ASSERT(parameters == suggestion["parameters"].get<std::int64_t>());
      RC_ASSERT(share_between(parameters, model::parameter_count(start)) <= 0.01 * budget + 1e-9);
      RC_ASSERT(share_between(setup.model.hidden_size * start.model.num_layers,
                              start.model.hidden_size * setup.model.num_layers) <= 0.01 * aspect + 1e-9);
      RC_ASSERT(setup.model.vocab_size >= start.model.vocab_size);
      const double usable = suggest::usable_bytes(80);
      RC_ASSERT(suggest::memory_bytes(start) > usable || suggest::memory_bytes(setup) <= usable);
      for (const Wish& wish : wishes) {
        RC_LOG() << wish.text << '\n';
        RC_ASSERT(wish.holds(setup.model, parameters));
      }
      const Json linted = lint("new.toml");
      RC_ASSERT(linted["steps"][0]["step_us"].get<double>() ==
                suggestion["by_gpu"][0]["step_us"].get<double>());
      // Also where the start itself cannot run; but no shape near it makes a model fit that is far too large.
      std::set<std::string> failing_still = failures(linted);
      if (failing.contains("SL509")) failing_still.erase("SL509");
      RC_ASSERT(failing_still.empty());
    }
  }));
}

TEST_CASE("suggestions are made in files of other tools, where they state numbers", "[suggest][cli]") {
  const std::string fixtures = "tests/formats/fixtures/";
  struct Foreign {
    std::string path;
    std::vector<std::string> options;
    std::string content;  // where there is no such file
  };
  const std::string script = R"(#!/bin/bash
HEADS=32   # as in the paper
MODEL_ARGS=(
    --num-layers 32 --hidden-size 2560 --ffn-hidden-size 10240
    --num-attention-heads "${HEADS}"
    --seq-length 2048   # --hidden-size 1024
)
torchrun --nproc_per_node 8 pretrain_gpt.py "${MODEL_ARGS[@]}" --micro-batch-size 4 --vocab-size 50257 --bf16
)";
  // As it is nothing is faster for certain.
  std::string odd_vocabulary = tests::read_source_file(fixtures + "nanotron/config.yaml");
  const std::size_t vocabulary = odd_vocabulary.find("49152");
  REQUIRE(vocabulary != std::string::npos);
  odd_vocabulary.replace(vocabulary, 5, "49153");
  const Foreign all[] = {
      {fixtures + "huggingface/llama-3-8b/config.json", {"--sequence-length", "512"}, {}},
      {fixtures + "huggingface/mixture-of-experts.json", {"--sequence-length", "512"}, {}},
      {fixtures + "nanotron/config.yaml", {}, odd_vocabulary},
      {fixtures + "litgpt/own-shape.yaml", {}, {}},
      {"pretrain.sh", {}, script},
  };
  for (const Foreign& each : all) {
    INFO(each.path);
    text::MemoryFileSystem files;
    const std::string before = each.content.empty() ? tests::read_source_file(each.path) : each.content;
    files.files[each.path] = before;
    const auto with = [&](std::vector<std::string> first, const std::vector<std::string>& more) {
      first.insert(first.end(), each.options.begin(), each.options.end());
      first.insert(first.end(), more.begin(), more.end());
      return tests::run(first, files);
    };
    const std::vector<std::string> suggest{"suggest",      each.path, "--gpu", "a100",
                                           "--any-memory", "--shape", "free"};
    const tests::Ran ran = with(suggest, {"--format", "json"});
    INFO(ran.err);
    REQUIRE(ran.code == 0);
    const Json answer = Json::parse(ran.out);
    REQUIRE(!answer["suggestions"].empty());
    const tests::Ran difference = with(suggest, {"--diff"});
    CHECK(difference.code == 0);
    CHECK(difference.out.find("--- " + each.path) == 0);
    CHECK(files.files[each.path] == before);
    const tests::Ran applied = with(suggest, {"--apply", "1", "--write"});
    INFO(applied.err);
    REQUIRE(applied.code == 0);
    const std::string after = files.files[each.path];
    CHECK(after != before);
    CHECK(layout_of(after) == layout_of(before));
    std::vector<std::string> lint{each.path, "--gpu", "a100", "--format", "json", "--exit-zero"};
    if (!each.options.empty()) lint.insert(lint.end(), each.options.begin(), each.options.end());
    const Json linted = Json::parse(tests::run(lint, files).out);
    CHECK(linted["steps"][0]["step_us"].get<double>() ==
          answer["suggestions"][0]["by_gpu"][0]["step_us"].get<double>());
  }
}
