// `shapelint calibrate --proofs`: from a script's times to a profile of one's own.
#include <cmath>
#include <functional>
#include <set>
#include <string>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "gpu/registry.hpp"
#include "tests/catch.hpp"
#include "tests/cli/run_support.hpp"
#include "tests/prove/prove_support.hpp"
#include "text/toml/toml.hpp"

using namespace shapelint;
using nlohmann::json;
using shapelint::tests::run;

namespace {

const std::string proofs = "m/shapelint-proofs.json";

json plan_of(const text::MemoryFileSystem& files) {
  const auto script = run({"prove", "m/model.toml", "--gpu", "a100"}, files);
  REQUIRE(script.code == 0);
  const std::string begin = "r'''\n";
  const std::size_t from = script.out.find(begin) + begin.size();
  return json::parse(script.out.substr(from, script.out.find("\n'''", from) - from));
}

// A result as the script would write it on a GPU whose kernels take `factor` of their prediction.
std::string result_of(const json& plan, const std::function<double(const json&)>& factor) {
  json pairs = json::array();
  for (const json& pair : plan["pairs"]) {
    json out{{"before", pair["before"]}, {"after", pair["after"]}, {"half_width", 0.002}, {"rounds", 20}};
    const auto time = [&](const json& index) {
      const json& kernel = plan["kernels"][index.get<std::size_t>()];
      return kernel["predicted_us"].get<double>() * factor(kernel);
    };
    if (!pair["before"].is_null()) out["before_us"] = time(pair["before"]);
    if (!pair["after"].is_null()) out["after_us"] = time(pair["after"]);
    const bool both = out.contains("before_us") && out.contains("after_us");
    out["log_ratio"] = both ? std::log(out["after_us"].get<double>() / out["before_us"].get<double>()) : 0.0;
    pairs.push_back(out);
  }
  return json{{"version", 1},
              {"date", "2026-11-22"},
              {"device", {{"kind", "cuda"}, {"name", "NVIDIA A100-SXM4-80GB"}, {"expected", true}}},
              {"software", {{"torch", "2.9.0"}}},
              {"pairs", pairs},
              {"plan", plan}}
      .dump();
}

// Products that are not aligned take a fifth less than predicted; all else is as predicted.
double milder(const json& kernel) {
  if (kernel["kind"] != "gemm") return 1;
  const auto is_odd = [&](const char* key) { return kernel[key].get<int>() % 8 != 0; };
  const bool aligned = !is_odd("n") && !is_odd("k") && !(kernel["layout"] == "nt" && is_odd("m"));
  return aligned ? 1 : 0.8;
}

text::MemoryFileSystem proved(const std::function<double(const json&)>& factor) {
  text::MemoryFileSystem files;
  files.files["m/model.toml"] = tests::misaligned_vocabulary;
  files.files["result.json"] = result_of(plan_of(files), factor);
  const auto read = run({"prove", "--read", "result.json"}, files);
  INFO(read.out << read.err);
  REQUIRE(read.code == 0);
  REQUIRE(files.files.contains(proofs));
  return files;
}

}  // namespace

TEST_CASE("proofs keep the products that they were measured on", "[calibrate][prove]") {
  const auto files = proved(milder);
  const json stored = json::parse(files.files.at(proofs));
  const json& products = stored["proofs"][0]["products"];
  std::size_t misaligned = 0;
  for (const json& row : products)
    misaligned += row.get<std::string>().starts_with("bf16,none,tn,1,4096,50257,1024,") ? 1 : 0;
  CHECK(misaligned == 1);
  CHECK(products.size() > 10);
}

TEST_CASE("what a fit to proofs came to, for programs", "[calibrate][prove]") {
  const auto files = proved(milder);
  const auto ran = run({"calibrate", "--proofs", "m", "--format", "json"}, files);
  INFO(ran.out << ran.err);
  REQUIRE(ran.code == 0);
  const json told = json::parse(ran.out);
  CHECK(told["gpu"] == "a100-sxm4-80gb");
  CHECK(told["profile"] == "a100-sxm4-80gb-proofs.toml");
  REQUIRE(told["sets"].size() == 1);
  const json& set = told["sets"][0];
  CHECK(set["set"] == "half");
  CHECK(set["rows"] == set["errors"]["all"]["rows"]);
  CHECK(set["errors"]["all"]["after"]["mean"].get<double>() <
        set["errors"]["all"]["before"]["mean"].get<double>());
  std::set<std::string> moved;
  for (const json& each : set["moved"]) moved.insert(each["key"].get<std::string>());
  CHECK(moved.contains("align_n_2b"));
  CHECK_FALSE(moved.contains("launch_us"));
  REQUIRE(told["findings"].size() == 1);
  const json& finding = told["findings"][0];
  CHECK(finding["file"] == "m/model.toml");
  CHECK(finding["finding"] == "SL101");
  CHECK(finding["changes"] == json{{"vocab_size", {"50257", "50304"}}});
  CHECK(finding["no_longer_fits"].is_null());
  const auto gain = [&](const char* when) { return finding[when]["gain"].get<double>(); };
  CHECK(gain("measured") < gain("after"));
  CHECK(gain("after") < gain("before"));
  // Of a model that is another one by now, nothing is predicted.
  auto changed = files;
  changed.files.erase("a100-sxm4-80gb-proofs.toml");
  std::string& model = changed.files["m/model.toml"];
  model.replace(model.find("50257"), 5, "50259");
  const json other = json::parse(run({"calibrate", "--proofs", "m", "--format", "json"}, changed).out);
  CHECK(other["findings"][0]["no_longer_fits"] == "vocab_size was 50257 and is 50259");
  CHECK(other["findings"][0]["after"].is_null());
}

TEST_CASE("a GPU's constants are adjusted to what proofs measured, and findings with them",
          "[calibrate][prove]") {
  const auto files = proved(milder);
  const auto ran = run({"calibrate", "--proofs", "m"}, files);
  INFO(ran.out << ran.err);
  REQUIRE(ran.code == 0);
  CHECK(ran.out.starts_with("a100-sxm4-80gb: "));
  CHECK(ran.out.find("products of 1 proof (NVIDIA A100-SXM4-80GB, 2026-11-22)") != std::string::npos);
  CHECK(ran.out.find("\n  align_n_2b ") != std::string::npos);  // what was measured to be otherwise
  CHECK(ran.out.find("\n  launch_us ") == std::string::npos);   // and what was not
  CHECK(ran.out.find("\n  m/model.toml SL101 (vocab-misaligned)") != std::string::npos);
  const std::string profile = "a100-sxm4-80gb-proofs.toml";
  REQUIRE(files.files.contains(profile));
  const std::string text = files.files.at(profile);
  CHECK(text.starts_with("based_on = \"a100-sxm4-80gb\"\n"));
  CHECK(text.find("; adjusted to ") != std::string::npos);
  // What was predicted too dear is predicted nearer to what was measured: the finding saves less.
  const auto gain = [&](const std::vector<std::string>& gpu) {
    text::MemoryFileSystem alone = files;
    alone.files.erase(proofs);
    std::vector<std::string> command{"m/model.toml", "--format", "json"};
    command.insert(command.end(), gpu.begin(), gpu.end());
    const auto linted = json::parse(run(command, alone).out);
    for (const json& finding : linted["findings"]) {
      if (finding["code"] == "SL101") return finding["gain"].get<double>();
    }
    return 0.0;
  };
  const double before = gain({"--gpu", "a100"});
  const double after = gain({"--gpu-file", profile});
  const double measured = json::parse(files.files.at(proofs))["proofs"][0]["measured"]["gain"].get<double>();
  CHECK(measured < before);
  CHECK(std::abs(after - measured) < 0.4 * std::abs(before - measured));
  // What is there is somebody's work.
  CHECK(run({"calibrate", "--proofs", "m"}, files).code == 2);
}

TEST_CASE("proofs that agree with the prediction move next to nothing", "[calibrate][prove]") {
  const auto files = proved([](const json&) { return 1.0; });
  const auto ran = run({"calibrate", "--proofs", "m", "-o", "own.toml"}, files);
  INFO(ran.out << ran.err);
  REQUIRE(ran.code == 0);
  const auto used = run({"gemm", "4096", "50257", "1024", "--gpu-file", "own.toml"}, files);
  CHECK(used.code == 0);
}

TEST_CASE("proofs that cannot adjust anything say why", "[calibrate][prove]") {
  const auto told = [](const text::MemoryFileSystem& files, std::vector<std::string> arguments = {}) {
    arguments.insert(arguments.begin(), {"calibrate", "--proofs", "m"});
    const auto ran = run(arguments, files);
    CHECK(ran.code == 2);
    CHECK(ran.out.find("findings") == std::string::npos);
    return ran.err;
  };
  auto files = proved(milder);
  auto none = files;
  none.files.erase(proofs);
  CHECK(told(none).starts_with("error: no shapelint-proofs.json in m; `shapelint prove --read` writes it"));
  CHECK(told(files, {"--gpu", "h100"}) == "error: there is no proof on h100-sxm5\n");
  std::string& content = files.files[proofs];
  const auto at = content.find("bf16,none,tn,1,4096,50257,1024,") + 31;
  content.replace(at, content.find('"', at) - at, "1");
  CHECK(told(files).find("`bf16,none,tn,1,4096,50257,1024,1` is faster than NVIDIA A100") !=
        std::string::npos);
  content = proved(milder).files[proofs];
  json bare = json::parse(content);
  for (json& each : bare["proofs"]) each.erase("products");
  content = bare.dump();
  CHECK(told(files).starts_with("error: the proofs on a100-sxm4-80gb have no GEMM times"));
}
