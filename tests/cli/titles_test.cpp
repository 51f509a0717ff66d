// Titles as they are printed, over all that the program ships: published shapes, examples, requirements.
#include <algorithm>
#include <filesystem>
#include <sstream>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "contracts/book.hpp"
#include "report/style.hpp"
#include "tests/catch.hpp"
#include "tests/cli/run_support.hpp"
#include "tests/source_dir.hpp"

using namespace shapelint;

namespace {

constexpr std::int64_t longest_title = 110;  // docs/contributing/style.md

struct Titles {
  std::vector<std::string> all;
  void add(const std::vector<std::string>& args, const text::FileSystem& files) {
    const tests::Ran ran = tests::run(tests::plus(args, {"--format", "json-lines"}), files);
    std::istringstream lines(ran.out);
    for (std::string line; std::getline(lines, line);) {
      const auto each = nlohmann::json::parse(line);
      if (each["type"] == "finding") all.push_back(each["message"].get<std::string>());
    }
  }
  double mean() const {
    double sum = 0;
    for (const std::string& each : all) sum += static_cast<double>(report::display_width(each));
    return all.empty() ? 0 : sum / static_cast<double>(all.size());
  }
  std::string longest() const {
    const auto found = std::max_element(all.begin(), all.end(), [](const auto& a, const auto& b) {
      return report::display_width(a) < report::display_width(b);
    });
    return found == all.end() ? std::string() : *found;
  }
};

std::vector<std::string> example_files() {
  std::vector<std::string> out;
  const std::filesystem::path root = tests::source_dir();
  for (const auto& each : std::filesystem::directory_iterator(root / "examples")) {
    if (each.path().extension() == ".toml") out.push_back("examples/" + each.path().filename().string());
  }
  std::sort(out.begin(), out.end());
  return out;
}

}  // namespace

TEST_CASE("titles of the examples are one line", "[cli][style]") {
  std::filesystem::current_path(tests::source_dir());
  const text::RealFileSystem files;
  Titles titles;
  for (const std::string& path : example_files()) {
    for (const char* gpu : {"a100", "h100"}) titles.add({"lint", path, "--gpu", gpu}, files);
  }
  REQUIRE(titles.all.size() > 50);
  INFO(titles.all.size() << " titles, mean " << titles.mean() << ", longest: " << titles.longest());
  CHECK(report::display_width(titles.longest()) <= longest_title);
  CHECK(titles.mean() <= 70);
}

TEST_CASE("titles of unmet requirements are one line", "[cli][style]") {
  Titles titles;
  for (const contracts::Contract& contract : contracts::builtin_contracts().contracts()) {
    for (const contracts::Example& example : contract.examples) {
      if (example.meets) continue;
      std::string stack(contract.package.name);
      for (const std::string_view other : contract.with) stack += fmt::format(",{}", other);
      titles.add({"lint", "m.toml", "--gpu", std::string(example.gpu), "--stack", stack},
                 tests::with({{"m.toml", std::string(example.config)}}));
    }
  }
  REQUIRE(titles.all.size() > 100);
  INFO(titles.all.size() << " titles, mean " << titles.mean() << ", longest: " << titles.longest());
  CHECK(report::display_width(titles.longest()) <= longest_title);
}

TEST_CASE("findings of the examples fit a terminal of 80 columns", "[cli][window]") {
  std::filesystem::current_path(tests::source_dir());
  const text::RealFileSystem files;
  const auto check = [&](const std::vector<std::string>& args) {
    const tests::Ran ran = tests::run(args, files, {{"COLUMNS", "80"}, {"NO_COLOR", "1"}}, true);
    std::istringstream lines(ran.out);
    for (std::string line; std::getline(lines, line);) {
      INFO(args[1] << ": " << line);
      CHECK(report::display_width(line) <= 80);
      CHECK_FALSE(line.ends_with(' '));
    }
  };
  for (const std::string& path : example_files()) check({"lint", path, "--gpu", "h100"});
  check({"lint", "Qwen/Qwen3-8B", "--gpu", "h100"});
  check({"lint", "deepseek-ai/DeepSeek-V3.2", "--gpu", "h100"});
  check({"lint", "tests/contracts/models/qwen3-235b.toml", "--gpu", "h100", "--stack", "flashinfer"});
  check({"roofline", "examples/deepseek-v3.toml", "--gpu", "h100"});  // layer.moe.all_to_all.waited bwd
}
