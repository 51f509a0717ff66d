// Stacks: packages and their versions, as people write them and as lock files have them.
#include "contracts/stack.hpp"

#include <string>
#include <vector>

#include "tests/catch.hpp"

using namespace shapelint;
using contracts::Stack;

namespace {

const contracts::Book& book() {
  return contracts::builtin_contracts();
}

std::string written(const Stack& stack) {
  std::string out;
  for (const contracts::StackPackage& each : stack) {
    out += each.name + (each.version ? "==" + each.version_text : "") + " ";
  }
  return out;
}

std::string parsed(std::string_view text) {
  const auto package = contracts::parse_package(book(), text);
  return package ? written({*package}) : package.error().message + "; " + package.error().hint;
}

}  // namespace

TEST_CASE("a package of a stack is named as Python's tools do", "[contracts]") {
  CHECK(parsed("deep-ep") == "deep-ep ");
  CHECK(parsed("Deep_EP==2.1.0") == "deep-ep==2.1.0 ");
  CHECK(parsed(" deep.gemm == 2.6 ") == "deep-gemm==2.6 ");
  CHECK(parsed("deep-ep==new") == "`new` is not a version of deep-ep; such as `vllm==0.24`");
  CHECK(parsed("deep-epp") == "no requirements of package `deep-epp` are known; did you mean `deep-ep`?");
}

TEST_CASE("versions are compared as far as both have numbers", "[contracts]") {
  const auto compare = [](std::string_view a, std::string_view b) {
    return contracts::compare(*contracts::parse_version(a), *contracts::parse_version(b));
  };
  CHECK(compare("0.24", "0.24.1") == 0);
  CHECK(compare("v2.8.3.post1", "2.8.3") == 0);
  CHECK(compare("0.9.2", "0.10") == -1);
  CHECK(compare("1.0", "0.99.99") == 1);
  CHECK_FALSE(contracts::parse_version("main"));
}

TEST_CASE("requirements, projects and locks tell the packages that have contracts", "[contracts]") {
  CHECK(written(contracts::stack_of_lock(book(), "requirements.txt",
                                         "# serving\nnumpy==1.26\ndeep_ep==2.1.0 ; python_version > '3.9'\n"
                                         "deep-gemm[cuda]>=2.0  # newest\n")) == "deep-ep==2.1.0 deep-gemm ");
  CHECK(written(contracts::stack_of_lock(book(), "pyproject.toml",
                                         "[project]\ndependencies = [\n  \"deep-gemm==2.6.1\",\n]\n")) ==
        "deep-gemm==2.6.1 ");
  CHECK(written(contracts::stack_of_lock(
            book(), "uv.lock",
            "[[package]]\nname = \"deep-ep\"\nversion = \"2.1.0\"\nsource = { registry = \"x\" }\n"
            "dependencies = [\n  { name = \"numpy\" },\n]\n\n[[package]]\nname = \"numpy\"\nversion = "
            "\"1.26\"\n")) == "deep-ep==2.1.0 ");
}
