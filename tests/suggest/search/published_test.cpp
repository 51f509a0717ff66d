// The table of published models before and after in docs/benchmarks/published-shapes.md is what shapelint
// answers now; UPDATE_GOLDEN=1 writes it anew.
#include <algorithm>
#include <cmath>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "tests/catch.hpp"
#include "tests/cli/run_support.hpp"
#include "tests/formats/native/native_support.hpp"
#include "tests/golden.hpp"

using namespace shapelint;
using Json = nlohmann::json;

namespace {

struct Published {
  std::string_view file;
  std::string_view name;
  std::string_view parameters;
};
constexpr Published models[] = {
    {"gpt3-2.7b", "GPT-3 2.7B, unfused attention", "1%"},
    {"gpt3-2.7b-flash", "GPT-3 2.7B, flash attention", "1%"},
    {"pythia-410m", "Pythia-410M", "2%"},
    {"falcon-7b", "Falcon-7B", "2%"},
    {"opt-2.7b", "OPT-2.7B", "2%"},
    {"smollm-360m", "SmolLM-360M", "2%"},
    {"bigscience-104b", "104B (head dim 145)", "2%"},
};

std::string percent(double share, bool with_sign = false) {
  return with_sign ? fmt::format("{:+.1f} %", 100 * share) : fmt::format("{:.1f} %", 100 * share);
}

std::string changes(const Json& row) {
  std::string out;
  for (const Json& change : row["changes"]) {
    out += fmt::format("{}{} {} → {}", out.empty() ? "" : ", ", change["field"].get<std::string>(),
                       change["before"].get<std::int64_t>(), change["after"].get<std::int64_t>());
  }
  return out;
}

std::string causes(const Json& row) {
  const auto word = [](const std::string& effect) -> std::string_view {
    if (effect == "alignment") return "misalignment";
    if (effect == "tile") return "tile quantization";
    if (effect == "wave") return "wave quantization";
    if (effect == "attention") return "attention kernel";
    if (effect == "throughput") return "rate";
    if (effect == "memory") return "DRAM traffic";
    return effect == "work" ? "work" : "communication";
  };
  std::string out;
  int shown = 0;
  double work = 0;
  for (const Json& cause : row["by_gpu"][0]["causes"]) {
    const std::string effect = cause["effect"];
    const double share = cause["share"];
    constexpr int most = 5;
    if (effect == "work") {
      work += share;
    } else if (shown++ < most) {
      const std::string sizes = cause["sizes"];
      out += fmt::format("{} {} of {}{}; ", percent(share, true), word(effect),
                         cause["operation"].get<std::string>(),
                         sizes.empty() ? sizes : fmt::format(" ({})", sizes));
    }
  }
  return out + fmt::format("{} GEMM work", percent(work, true));
}

std::string row(const Published& model, const std::string& gpu, const Json& start, const Json& row) {
  const Json& now = row["by_gpu"][0];
  return fmt::format("| {} | {} | {:.1f} ms, MFU {} | {} | {} ± {} ({:.1f} ms, MFU {}) | {} |\n", model.name,
                     gpu, start["step_us"].get<double>() / 1000, percent(start["mfu"]), changes(row),
                     percent(row["gain"]),
                     percent(row["gain_error"].is_null() ? 0.0 : row["gain_error"].get<double>()),
                     now["step_us"].get<double>() / 1000, percent(now["mfu"]), causes(row));
}

// The row with the fewest changed fields that has at least two thirds of the best gain, and the best.
std::string rows(const Published& model, const std::string& gpu) {
  const std::string path = fmt::format("examples/{}.toml", model.file);
  text::MemoryFileSystem files;
  files.files[path] = tests::read_source_file(path);
  const tests::Ran ran = tests::run({"suggest", path, "--gpu", gpu, "--params", std::string(model.parameters),
                                     "--top", "30", "--format", "json"},
                                    files);
  INFO(ran.err);
  REQUIRE(ran.code == 0);
  const Json answer = Json::parse(ran.out);
  const Json& all = answer["suggestions"];
  if (all.empty()) {
    const Json& start = answer["start"]["by_gpu"][0];
    return fmt::format("| {} | {} | {:.1f} ms, MFU {} | no faster than now | | |\n", model.name, gpu,
                       start["step_us"].get<double>() / 1000, percent(start["mfu"]));
  }
  const Json& best = *std::max_element(all.begin(), all.end(), [](const Json& a, const Json& b) {
    return a["gain"].get<double>() < b["gain"].get<double>();
  });
  const Json* few = &best;
  for (const Json& each : all) {
    constexpr double enough = 2.0 / 3;
    if (each["gain"].get<double>() >= enough * best["gain"].get<double>() &&
        each["changes"].size() < (*few)["changes"].size()) {
      few = &each;
    }
  }
  const Json& start = answer["start"]["by_gpu"][0];
  std::string out = row(model, gpu, start, *few);
  if (few != &best) out += row(model, gpu, start, best);
  return out;
}

}  // namespace

TEST_CASE("the documented suggestions for published models are those of today", "[suggest][docs]") {
  std::string table =
      "| model | GPU | now | change | gain | largest causes, as shares of the present step "
      "|\n|---|---|---|---|---|---|\n";
  for (const Published& model : models) {
    for (const char* gpu : {"a100", "h100"}) table += rows(model, gpu);
  }
  const std::string text = tests::read_source_file("docs/benchmarks/published-shapes.md");
  const std::size_t heading = text.find("## Before and after\n");
  REQUIRE(heading != std::string::npos);
  const std::string difference = tests::compare_with_file(
      "docs/benchmarks/published-shapes.md", text.substr(0, text.find("\n| ", heading) + 1) + table);
  CHECK(difference == "");
}
