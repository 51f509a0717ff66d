// The packages that a file's format tells.
#include "project/applied.hpp"

#include "formats/dialect/dialects.hpp"
#include "formats/read.hpp"
#include "tests/catch.hpp"

using namespace shapelint;

namespace {

std::string packages_of(const contracts::Stack& stack) {
  std::string out;
  for (const contracts::StackPackage& each : stack) out += each.name + "==" + each.version_text + " ";
  return out;
}

}  // namespace

TEST_CASE("formats of one package tell that it runs the model", "[project]") {
  const text::MemoryFileSystem files;
  const project::Project project({}, files);
  const project::Configured& configured = project.here();
  const auto of = [&](const std::string& dialect) {
    model::Reading reading;
    reading.dialect = dialect;
    return packages_of(project::stack_of_format(configured, reading).stack);
  };
  CHECK(of("vllm") == "vllm== ");
  CHECK(of("maxtext-command") == "maxtext== ");
  CHECK(of("nemo-recipe") == "megatron-core== ");
  CHECK(of("huggingface").empty());
  CHECK(of("").empty());
}

TEST_CASE("every package that a format names has contracts", "[project]") {
  std::size_t named = 0;
  for (const formats::Dialect* each : formats::Dialects::builtin().all()) {
    if (each->package.empty()) continue;
    INFO(each->path);
    CHECK(contracts::parse_package(contracts::builtin_contracts(), each->package));
    ++named;
  }
  CHECK(named >= 14);
}

TEST_CASE("of a format's package alone the contracts are read, as among all", "[project]") {
  const contracts::Book& all = contracts::builtin_contracts();
  for (const std::string_view package : all.packages()) {
    INFO(package);
    const contracts::Book& own = contracts::builtin_contracts_of(package);
    std::size_t expected = 0;
    for (const contracts::Contract& each : all.contracts()) expected += each.package.name == package ? 1 : 0;
    CHECK(own.contracts().size() == expected);
    CHECK(own.newest(package) == all.newest(package));
  }
}

TEST_CASE("`none` stands for no package, whatever the format is of", "[project]") {
  const text::MemoryFileSystem files;
  const project::Project project({}, files);
  model::Reading reading;
  reading.dialect = "megatron";
  const std::vector<std::string> automatic{"auto"};
  const std::vector<std::string> nothing{"none"};
  CHECK(packages_of(project::stack_of(project.here(), automatic, reading, files)) == "megatron-core== ");
  CHECK(project::stack_of(project.here(), nothing, reading, files).empty());
}

// vLLM's gpu_memory_utilization and TensorRT-LLM's free_gpu_memory_fraction are 0.9 unless stated; SGLang's
// share depends on the GPU and on other options.
TEST_CASE("an engine of the stack takes its default share of the memory, unless the file states one",
          "[project]") {
  const text::MemoryFileSystem files;
  const auto plan_of = [&](const std::string& package, const std::string& more) {
    project::Request asked;
    asked.stack = {package};
    asked.gpus.names = {"h100"};
    const project::Project project(asked, files);
    const formats::ReadResult read = project::read_model(
        project.of("m.toml"),
        formats::parse("m.toml",
                       "[model]\nhidden_size = 4096\nnum_layers = 32\nnum_attention_heads = 32\n"
                       "vocab_size = 32000\n[run]\nmode = \"decode\"\ncontext_length = 4096\n" +
                           more),
        files);
    REQUIRE(read.readings.size() == 1);
    return read.readings.front().setup.plan;
  };
  CHECK(plan_of("vllm", "").memory_percent == 90);
  CHECK(plan_of("vllm==0.11", "").memory_percent == 90);
  CHECK(plan_of("vllm", "memory_percent = 50\n").memory_percent == 50);
  CHECK(plan_of("tensorrt-llm", "").cache_percent == 90);
  CHECK(plan_of("sglang", "").memory_percent == 0);
}
