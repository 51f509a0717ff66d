// The packages that a file's format tells.
#include "project/stack.hpp"

#include "formats/dialect/dialects.hpp"
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
