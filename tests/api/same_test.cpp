// Every surface gives the same object for the same question: the command line, the library, and what the npm
// package calls (bindings/wasm/face.cpp). tests/python/test_same.py asks the Python package.
#include <cstdlib>
#include <string>

#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <shapelint/shapelint.hpp>

#include "tests/catch.hpp"
#include "tests/cli/run_support.hpp"
#include "tests/formats/native/native_support.hpp"
#include "tests/source_dir.hpp"

using namespace shapelint;
using nlohmann::json;

extern "C" char* shapelint_call(const char* function, const char* arguments);

namespace {

constexpr const char* header[] = {"$schema", "format", "format_version", "tool", "status"};

json of_program(const std::vector<std::string>& arguments, const text::MemoryFileSystem& files) {
  json out = json::parse(tests::run(arguments, files).out);
  for (const char* each : header) out.erase(each);
  return out;
}

json of_npm(const char* function, const json& arguments) {
  char* answer = shapelint_call(function, arguments.dump().c_str());
  const json out = json::parse(answer);
  std::free(answer);
  REQUIRE(out.contains("value"));
  return out["value"];
}

}  // namespace

TEST_CASE("lint gives one object through the program, the library and the npm package", "[api][same]") {
  for (const char* name : {"gpt3-2.7b", "mixtral-8x7b", "resnet-50"}) {
    const std::string path = fmt::format("{}.toml", name);
    const std::string text = tests::read_source_file(fmt::format("examples/{}", path));
    text::MemoryFileSystem files;
    files.files[path] = text;
    const json program = of_program(
        {"lint", path, "--gpu", "a100,h100", "--format", "json", "--with", "fields,operations"}, files);
    const auto memory = api::memory_files({{path, text}});
    const api::LintResult result =
        api::lint(*memory, {{path, {}, {}}},
                  {.gpus = {{"a100", "h100"}}, .with_fields = true, .with_operations = true});
    CHECK(program == json::parse(api::to_json(result)));
    CHECK(program ==
          of_npm("lint", {{"files", {{path, text}}},
                          {"sources", {{{"path", path}}}},
                          {"options",
                           {{"gpu", {"a100", "h100"}}, {"with_fields", true}, {"with_operations", true}}}}));
  }
}

TEST_CASE("suggest gives one object through the program and the npm package", "[api][same]") {
  const std::string text = tests::read_source_file("examples/gpt3-2.7b.toml");
  text::MemoryFileSystem files;
  files.files["m.toml"] = text;
  const json program =
      of_program({"suggest", "m.toml", "--gpu", "a100", "--top", "3", "--format", "json"}, files);
  CHECK(program == of_npm("suggest", {{"files", {{"m.toml", text}}},
                                      {"sources", {{{"path", "m.toml"}}}},
                                      {"options", {{"gpu", {"a100"}}, {"top", 3}}}}));
}

TEST_CASE("plan gives one object through the program, the library and the npm package", "[api][same][plan]") {
  const std::string text = tests::read_source_file("examples/llama-3-8b.toml");
  text::MemoryFileSystem files;
  files.files["m.toml"] = text;
  const auto memory = api::memory_files({{"m.toml", text}});
  const auto is_same = [&](const std::vector<std::string>& arguments, const api::PlanOptions& options,
                           const json& asked) {
    std::vector<std::string> command{"plan", "m.toml", "--format", "json"};
    command.insert(command.end(), arguments.begin(), arguments.end());
    const json program = of_program(command, files);
    const auto result = api::plan(*memory, {"m.toml"}, options);
    REQUIRE(result);
    CHECK(program == json::parse(api::to_json(*result)));
    CHECK(program ==
          of_npm("plan",
                 {{"files", {{"m.toml", text}}}, {"sources", {{{"path", "m.toml"}}}}, {"options", asked}}));
  };
  is_same({"--gpu", "h100,a100", "--gpus", "8..16", "--tokens", "15T", "--price", "h100=2.5,a100=1.5",
           "--top", "2"},
          {.gpus = {{"h100", "a100"}},
           .num_gpus = "8..16",
           .prices = {{"h100", 2.5}, {"a100", 1.5}},
           .tokens = 15e12,
           .top = 2},
          {{"gpu", {"h100", "a100"}},
           {"num_gpus", "8..16"},
           {"prices", {{"h100", 2.5}, {"a100", 1.5}}},
           {"tokens", 15e12},
           {"top", 2}});
  is_same({"--gpu", "h100", "--input-tokens", "1000", "--output-tokens", "200", "--rate", "20", "--tpot",
           "30", "--e2e", "9000"},
          {.gpus = {{"h100"}},
           .input_tokens = 1000,
           .output_tokens = 200,
           .tpot_ms = 30,
           .e2e_ms = 9000,
           .rate = 20},
          {{"gpu", "h100"},
           {"input_tokens", 1000},
           {"output_tokens", 200},
           {"tpot_ms", 30},
           {"e2e_ms", 9000},
           {"rate", 20}});
}

TEST_CASE("a plan says what is wrong with its options, and ends where it is told to", "[api][plan]") {
  const auto memory = api::memory_files({{"m.toml", tests::read_source_file("examples/llama-3-8b.toml")}});
  const auto codes = [&](const api::PlanOptions& options) {
    const auto result = api::plan(*memory, {"m.toml"}, options);
    std::vector<std::string> out;
    if (!result)
      for (const api::Error& each : result.errors()) out.push_back(each.code);
    return out;
  };
  using Codes = std::vector<std::string>;
  CHECK(codes({.num_gpus = "many", .top = 0}) == Codes{"invalid-option", "invalid-option"});
  CHECK(codes({.input_tokens = 10}) == Codes{"invalid-option"});
  CHECK(codes({.gpus = {{"h100"}}, .prices = {{"a100", 2}}}) == Codes{"invalid-option"});
  CHECK(codes({.read = {.settings = {{"mode", "decode"}, {"context_length", "9"}}}, .gpus = {{"h100"}}}) ==
        Codes{"invalid-option"});
  CHECK(codes({.gpus = {{"h100"}}, .num_gpus = "8", .top = 1}).empty());
}

TEST_CASE("who asks for JSON is told in JSON why there is none", "[api][same]") {
  text::MemoryFileSystem files;
  files.files["m.toml"] = "[model]\nhidden_size = 64\n";
  for (const auto& arguments :
       std::vector<std::vector<std::string>>{{"lint", "m.toml", "--gpu", "h10", "--format", "json"},
                                             {"suggest", "gone.toml", "--format", "json"},
                                             {"roofline", "m.toml", "--gpu", "h10", "--format=json"},
                                             {"show", "gone.toml", "--format", "json"},
                                             {"gpus", "h10", "--format", "json"},
                                             {"lint", "m.toml", "--no-such-option", "--format", "json"}}) {
    const auto ran = tests::run(arguments, files);
    INFO(fmt::format("{}", fmt::join(arguments, " ")) << "\n" << ran.out << ran.err);
    CHECK(ran.code == 2);
    const json out = json::parse(ran.out);
    CHECK(out["format"] == "shapelint." + arguments.front());
    CHECK(out["status"] == "failed");
    REQUIRE_FALSE(out["problems"].empty());
    CHECK_FALSE(out["problems"][0]["message"].get<std::string>().empty());
    CHECK_FALSE(ran.err.empty());
  }
}

TEST_CASE("GPUs and fields are one list through the program and the npm package", "[api][same]") {
  CHECK(of_program({"gpus", "--format", "json"}, {})["gpus"] == of_npm("gpus", json::object()));
  CHECK(of_program({"fields", "--format", "json"}, {})["fields"] == of_npm("fields", json::object()));
}
