// `shapelint plan` as a command line.
#include <algorithm>

#include <sstream>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "report/style.hpp"
#include "tests/catch.hpp"
#include "tests/cli/run_support.hpp"
#include "tests/formats/native/native_support.hpp"

using namespace shapelint;
using Json = nlohmann::json;

namespace {

Json plan_json(std::vector<std::string> command, const text::MemoryFileSystem& files = {}) {
  command.insert(command.begin(), "plan");
  command.insert(command.end(), {"--format", "json"});
  const tests::Ran ran = tests::run(command, files);
  INFO(ran.err);
  REQUIRE(ran.code == 0);
  return Json::parse(ran.out);
}

text::MemoryFileSystem example(const std::string& path) {
  text::MemoryFileSystem files;
  files.files[path] = tests::read_source_file(path);
  return files;
}

const std::string folding = "tests/formats/fixtures/megatron/folding.sh";

}  // namespace

TEST_CASE("Qwen3-8B trains on eight H100 with data 8 and all states sharded", "[plan][cli]") {
  const Json plans =
      plan_json({"Qwen/Qwen3-8B", "--gpu", "h100", "--gpus", "8", "--tokens", "15T", "--price", "h100=2.5"});
  const Json& best = plans["counts"][0]["plans"][0];
  CHECK(best["parallel"]["data"] == 8);
  CHECK(best["zero"] == 3);
  CHECK(best["run_cost"].get<double>() == Approx(best["run_hours"].get<double>() * 8 * 2.5));
  CHECK(best["run_hours"].get<double>() ==
        Approx(15e12 / best["tokens_per_s_all_gpus"].get<double>() / 3600));
  const tests::Ran ways = tests::run(
      {"fits", "Qwen/Qwen3-8B", "--mode", "train", "--gpu", "h100", "--count", "8", "--format", "json"});
  const Json fits = Json::parse(ways.out);
  for (const Json& way : fits["plans"]) {
    if (way["best"] != true) continue;
    CHECK(way["parallel"]["data"] == 8);
    CHECK(way["zero"] == 3);
  }
}

TEST_CASE("no plan without a choice is faster than the best plan", "[plan][cli]") {
  for (const std::string& path : {folding, std::string("examples/llama-3-70b.toml")}) {
    INFO(path);
    const Json plans = plan_json({path, "--gpu", "h100", "--gpus", "64"}, example(path));
    const Json& count = plans["counts"][0];
    REQUIRE(!count["plans"].empty());
    REQUIRE(!count["without"].empty());
    for (const Json& each : count["without"]) {
      INFO(each["field"]);
      if (!each["plan"].is_null()) CHECK(each["plan"]["step_us"] >= count["plans"][0]["step_us"]);
    }
  }
}

TEST_CASE("the plan that is applied is the file's own plan, as fast as was predicted", "[plan][cli]") {
  text::MemoryFileSystem files = example("examples/llama-3-70b.toml");
  const std::vector<std::string> asked{"--gpu", "h100", "--gpus", "512"};
  const Json plans = plan_json(tests::plus({"examples/llama-3-70b.toml"}, asked), files);
  const tests::Ran applied = tests::run(
      tests::plus({"plan", "examples/llama-3-70b.toml", "--apply", "-o", "new.toml"}, asked), files);
  INFO(applied.err);
  REQUIRE(applied.code == 0);
  const Json again = plan_json(tests::plus({"new.toml"}, asked), files);
  CHECK(again["sequences_per_step"] == plans["sequences_per_step"]);
  CHECK(again["counts"][0]["plans"][0] == plans["counts"][0]["plans"][0]);
  CHECK(again["counts"][0]["as_the_file_says"] == plans["counts"][0]["plans"][0]);
}

TEST_CASE("a degree on the command line is kept", "[plan][cli]") {
  const Json plans =
      plan_json({"examples/llama-3-8b.toml", "--gpu", "h100", "--gpus", "16", "--tensor", "4", "--zero", "1"},
                example("examples/llama-3-8b.toml"));
  for (const Json& each : plans["counts"][0]["plans"]) {
    CHECK(each["parallel"]["tensor"] == 4);
    CHECK(each["zero"] == 1);
  }
}

TEST_CASE("auto is the fewest GPUs that train a model", "[plan][cli]") {
  // Its states alone, 16 bytes of each of 70.6 B parameters, fill 14.1 H100.
  const Json plans =
      plan_json({"examples/llama-3-70b.toml", "--gpu", "h100"}, example("examples/llama-3-70b.toml"));
  const std::int64_t fewest = plans["counts"][0]["num_gpus"];
  CHECK(fewest == 16);
  const Json fewer =
      plan_json({"examples/llama-3-70b.toml", "--gpu", "h100", "--gpus", "8", "--offload-optimizer", "0"},
                example("examples/llama-3-70b.toml"));
  CHECK(fewer["counts"][0]["plans"].empty());
}

TEST_CASE("what a million tokens cost adds up to what the GPUs cost", "[plan][cli]") {
  const Json plans = plan_json({"Qwen/Qwen3-8B", "--gpu", "h100", "--gpus", "8", "--input-tokens", "2000",
                                "--output-tokens", "500", "--price", "h100=2.5"});
  const Json& best = plans["counts"][0]["cheapest"];
  const auto value = [&](const char* key) { return best[key].get<double>(); };
  CHECK(value("cost_per_million_input_tokens") * value("input_tokens_per_s_all_gpus") +
            value("cost_per_million_output_tokens") * value("output_tokens_per_s_all_gpus") ==
        Approx(8 * 2.5 / 3600 * 1e6));
  CHECK(plans["launch"]["vllm"].get<std::string>().starts_with("vllm serve Qwen/Qwen3-8B"));
}

TEST_CASE("weights in 16 bits are quantized by who loads them", "[plan][cli]") {
  const Json plans = plan_json({"Qwen/Qwen3-0.6B", "--gpu", "h100", "--gpus", "1", "--input-tokens", "500",
                                "--output-tokens", "100", "--formats", "fp8"});
  CHECK(plans["launch"]["vllm"].get<std::string>().find(" --quantization fp8") != std::string::npos);
  CHECK(!plans["launch"].contains("tensorrt-llm"));
}

TEST_CASE("a name's version is no ending of a file", "[plan][cli]") {
  const Json plans = plan_json({"Qwen/Qwen3-0.6B", "--mode", "train", "--gpu", "h100", "--gpus", "1"});
  CHECK(plans["model"] == "Qwen3-0.6B");
}

// torchtitan's distributed/pipeline_parallel.py: "Multi-stage schedule requires at least 2 stages per rank".
TEST_CASE("PyTorch's zero bubble has two stages on each rank", "[plan][cli]") {
  text::MemoryFileSystem files;
  files.files["llama3.toml"] =
      "[model]\nname = \"llama3\"\nflavor = \"8B\"\n[training]\nlocal_batch_size = 8\nseq_len = 2048\n"
      "[parallelism]\npipeline_parallel_degree = 4\npipeline_parallel_schedule = \"1F1B\"\n";
  const Json plans = plan_json({"llama3.toml", "--gpu", "h100", "--gpus", "8", "--pipeline", "4",
                                "--global-batch", "64", "--pipeline-schedule", "zero_bubble"},
                               files);
  REQUIRE(!plans["counts"][0]["plans"].empty());
  for (const Json& each : plans["counts"][0]["plans"]) CHECK(each["virtual_pipeline"] > 1);
}

TEST_CASE("a measured step scales all plans, and narrows their interval", "[plan][cli]") {
  const std::string file = "examples/llama-3-8b.toml";
  const std::vector<std::string> asked{file, "--gpu", "h100", "--gpus", "8", "--tokens", "1T"};
  text::MemoryFileSystem files = example(file);
  const Json plain = plan_json(asked, files);
  const Json measured = plan_json(tests::plus(asked, {"--measured", "step=20s"}), files);
  const double scale = measured["measured_scale"];
  CHECK(!plain.contains("measured_scale"));
  const Json& before = plain["counts"][0]["plans"][0];
  const Json& after = measured["counts"][0]["plans"][0];
  const auto ratio = [&](const char* key) { return after[key].get<double>() / before[key].get<double>(); };
  CHECK(ratio("step_us") == Approx(scale));
  CHECK(after["bubble_us"].get<double>() == Approx(scale * before["bubble_us"].get<double>()).epsilon(1e-6));
  CHECK(ratio("run_hours") == Approx(scale));
  CHECK(ratio("mfu") == Approx(1 / scale));
  CHECK(after["parallel"] == before["parallel"]);
  const auto width = [](const Json& plan) {
    return plan["high_us"].get<double>() / plan["low_us"].get<double>();
  };
  CHECK(width(after) <= width(before) + 1e-9);
  // What `profile` and `prove` write says the same.
  files.files["profile.json"] = R"({"traces": [{"step_us": 20000000}]})";
  files.files["proof.json"] =
      R"({"wholes": [{"of": "layer", "before_us": 5}, {"of": "step", "before_us": 20000000}]})";
  for (const char* path : {"profile.json", "proof.json"})
    CHECK(plan_json(tests::plus(asked, {"--measured", path}), files) == measured);
  const tests::Ran told =
      tests::run(tests::plus({"plan"}, tests::plus(asked, {"--measured", "step=20s"})), files);
  CHECK(told.out.find("by the measured step of the file's plan") != std::string::npos);
}

TEST_CASE("plans are drawn, and their page holds what is printed", "[plan][cli]") {
  const std::string file = "examples/llama-3-70b.toml";
  text::MemoryFileSystem files = example(file);
  const tests::Ran ran =
      tests::run({"plan", file, "--gpu", "h100", "--gpus", "64", "--pipeline", "4", "--pipeline-schedule",
                  "1f1b", "--plot", "plan.svg", "--report", "plan.html"},
                 files);
  INFO(ran.err);
  REQUIRE(ran.code == 0);
  CHECK(files.files.at("plan.svg").find("Memory per GPU") != std::string::npos);
  CHECK(files.files.at("plan.svg").find("stage 3") != std::string::npos);
  CHECK(files.files.at("plan.html").find("Without a choice") != std::string::npos);
  const tests::Ran served = tests::run({"plan", file, "--gpu", "h100", "--gpus", "8", "--input-tokens", "500",
                                        "--output-tokens", "100", "--plot", "front.svg"},
                                       files);
  REQUIRE(served.code == 0);
  CHECK(files.files.at("front.svg").find("output tokens/s per user") != std::string::npos);
}

TEST_CASE("plans fit a terminal of 80 columns", "[plan][cli]") {
  const std::vector<std::vector<std::string>> commands{
      {"plan", folding, "--gpu", "h100", "--gpus", "64", "--tokens", "15T", "--price", "h100=2.5"},
      {"plan", folding, "--gpu", "h100,a100", "--gpus", "8..64", "--tokens", "15T"},
      {"plan", "examples/llama-3-70b.toml", "--gpu", "h100", "--gpus", "64"},
      {"plan", "Qwen/Qwen3-235B-A22B", "--gpu", "h200", "--gpus", "8..32", "--input-tokens", "2000",
       "--output-tokens", "500", "--price", "h200=3"}};
  for (const std::vector<std::string>& command : commands) {
    const tests::Ran ran = tests::run(command, example(command[1].ends_with(".toml") ? command[1] : folding));
    REQUIRE(ran.code == 0);
    std::istringstream lines(ran.out);
    for (std::string line; std::getline(lines, line);) {
      INFO(line);
      CHECK(report::display_width(line) <= 80);
    }
  }
}

TEST_CASE("mistakes of a plan are told in a line", "[plan][cli]") {
  const auto says = [](const std::vector<std::string>& command, const std::string& what) {
    const tests::Ran ran = tests::run(command, example("examples/llama-3-8b.toml"));
    INFO(ran.err);
    CHECK(ran.code == 2);
    CHECK(ran.err.find(what) != std::string::npos);
  };
  const std::string file = "examples/llama-3-8b.toml";
  says({"plan", file, "--gpu", "h100", "--gpus", "many"}, "`--gpus many` is not a number of GPUs");
  says({"plan", file, "--gpu", "h100", "--gpus", "8..4"}, "`--gpus 8..4` is not a number of GPUs");
  says({"plan", file, "--gpu", "h100", "--input-tokens", "10"}, "only one of `--input-tokens`");
  says({"plan", file, "--gpu", "h100", "--mode", "decode", "--context-length", "9"},
       "not the length of a request");
  says({"plan", file, "--gpu", "h100", "--price", "a100=2"}, "this GPU is not in `--gpu`");
  says({"plan", file, "--gpu", "h100", "--tokens", "many"}, "a number above 0, such as 15T");
  says({"plan", file, "--gpu", "h100", "--measured", "step=20"}, "is not the time of a step");
  says({"plan", file, "--gpu", "h100", "--measured", file}, file);
  says({"plan", file, "--gpu", "h100,a100", "--measured", "step=20s"}, "the measured step is of one GPU");
  says({"plan", file, "--gpu", "h100", "--gpus", "8", "--plot", "plan.txt"}, "--plot");
}
