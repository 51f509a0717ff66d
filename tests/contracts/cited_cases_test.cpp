// What people met on a cluster (cited_cases/cases.toml): each configuration beside the sum that is answered
// before the cluster is rented, and docs/benchmarks/cited-cases.md, which is written from both.
#include <algorithm>
#include <fstream>
#include <set>
#include <sstream>
#include <string>

#include <fmt/format.h>

#include "contracts/check.hpp"
#include "formats/read.hpp"
#include "gpu/registry.hpp"
#include "tests/catch.hpp"
#include "tests/golden.hpp"
#include "tests/source_dir.hpp"
#include "text/files.hpp"
#include "text/toml/toml.hpp"

using namespace shapelint;

namespace {

std::string string(text::NodeRef node) {
  REQUIRE(node.as_string());
  return std::string(*node.as_string());
}

// `dtype = "fp8"`, as a native file has it, or "dtype fp8".
std::string setting(text::NodeRef node, bool is_file) {
  if (const auto value = node.as_integer())
    return fmt::format("{}{}{}", node.key(), is_file ? " = " : " ", *value);
  return is_file ? fmt::format("{} = \"{}\"", node.key(), string(node)) : string(node);
}

std::string words(text::NodeRef run, text::NodeRef parallel) {
  std::string out;
  for (const text::NodeRef table : {run, parallel}) {
    for (const text::NodeRef each : table) {
      if (!out.empty()) out += ", ";
      out += setting(each, false);
    }
  }
  return out;
}

std::string native_file(text::NodeRef root, text::NodeRef each) {
  const text::NodeRef model = root["model"][string(each["model"])];
  REQUIRE(model);
  std::string out = string(model["config"]) + "[run]\n";
  for (const text::NodeRef value : each["run"]) out += setting(value, true) + "\n";
  for (const text::NodeRef value : root["defaults"][string(each["run"]["mode"])]) {
    if (!each["run"][value.key()]) out += setting(value, true) + "\n";
  }
  out += "[parallel]\n";
  for (const text::NodeRef value : each["parallel"]) out += setting(value, true) + "\n";
  return out;
}

// OWNER/NAME#NUMBER, or OWNER/NAME:FILE where it is the source that says it.
std::string link(const std::string& thread) {
  if (const std::size_t colon = thread.find(':'); colon != std::string::npos) {
    const std::string repository = thread.substr(0, colon);
    const std::string file = thread.substr(colon + 1);
    return fmt::format("[{}](https://github.com/{}/blob/HEAD/{})", file.substr(file.rfind('/') + 1),
                       repository, file);
  }
  const std::size_t hash = thread.find('#');
  const std::string repository = thread.substr(0, hash);
  return fmt::format("[{}](https://github.com/{}/issues/{})", thread.substr(thread.find('/') + 1), repository,
                     thread.substr(hash + 1));
}

}  // namespace

TEST_CASE(
    "what people met on a cluster is told of their configuration, and docs/benchmarks/cited-cases.md says so",
    "[contracts]") {
  std::ifstream file(tests::source_dir() + "/tests/contracts/cited_cases/cases.toml");
  std::ostringstream all;
  all << file.rdbuf();
  const auto document = text::parse_toml("cases.toml", all.str());
  REQUIRE(document);
  const text::NodeRef root = document->root();
  contracts::Checker checker(contracts::builtin_contracts());
  const text::MemoryFileSystem files;
  std::string table;
  std::string left;
  std::size_t count = 0;
  std::set<std::string> threads;
  for (const text::NodeRef each : root["case"]) {
    const std::string config = native_file(root, each);
    const std::string thread = string(each["thread"]);
    const std::string id = string(each["contract"]);
    INFO(thread << ": " << id << " on " << string(each["gpu"]) << '\n' << config);
    const formats::ReadResult read = formats::read(files, formats::parse("model.toml", config, true));
    REQUIRE(read.readings.size() == 1);
    const model::Reading& reading = read.readings.front();
    const auto gpu = gpu::find_gpu(string(each["gpu"]));
    REQUIRE(gpu);
    const contracts::Contract* contract = contracts::builtin_contracts().find(id);
    REQUIRE(contract != nullptr);
    std::string answer = "not bound";
    for (const contracts::Verdict& verdict : checker.check(reading, reading.setup, *gpu)) {
      if (verdict.contract == contract) answer = verdict.meets ? "met" : verdict.numbers;
    }
    CHECK(answer == string(each["answer"]));
    const bool is_failure = answer != "met" && answer != "not bound";
    table += fmt::format(
        "| {} | {} | {} | {} | {} | `{}` |\n", link(thread),
        string(root["model"][string(each["model"])]["name"]), words(each["run"], each["parallel"]), gpu->name,
        is_failure ? fmt::format("{}: `{}`", contracts::outcome_words(*contract), answer) : answer, id);
    ++count;
    threads.insert(thread);
  }
  CHECK(threads.size() >= 40);
  for (const text::NodeRef each : root["unanswered"]) {
    left += fmt::format("- {}: {}\n", link(string(each["thread"])), string(each["why"]));
  }
  const std::string text = fmt::format(
      "# Cited cases\n\n"
      "<!-- Generated from tests/contracts/cited_cases by the tests (UPDATE_GOLDEN=1); do not edit. -->\n\n"
      "{} configurations of {} public threads and sources that "
      "[requirements](../reference/requirements.md) cite, and the answer of "
      "`shapelint FILE --gpu GPU --stack PACKAGE`. If a thread names no model, a model that the package is "
      "used with stands for it; next to failing cases are similar ones that run.\n\n"
      "| thread | model | run | GPU | answer | requirement |\n|---|---|---|---|---|---|\n{}\nNot "
      "answered:\n\n{}",
      count, threads.size(), table, left);
  CHECK(tests::compare_with_file("docs/benchmarks/cited-cases.md", text) == "");
}
