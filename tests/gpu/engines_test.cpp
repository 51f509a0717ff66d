// The kernels of serving engines in gpus/engines: they load, their sources exist, and
// docs/explanation/kernels.md names every constant.
#include "gpu/engines.hpp"

#include <fstream>
#include <sstream>

#include "catalog/catalog.hpp"
#include "gpu/figures.hpp"
#include "gpu/registry.hpp"
#include "tests/catch.hpp"
#include "tests/source_dir.hpp"
#include "text/toml/toml.hpp"

using namespace shapelint;
using namespace shapelint::gpu;

namespace {

template <class Kernel>
std::string first_error(const char* text, std::span<const Field<Kernel>> fields) {
  const auto document = text::parse_toml("engines.toml", text);
  REQUIRE(document);
  std::vector<Error> errors;
  read_kernels<Kernel>(document->root(), fields, errors);
  return errors.empty() ? "" : errors.front().message;
}

template <class Kernel>
void check_documented(std::span<const Field<Kernel>> fields, const std::string& page) {
  for (const Field<Kernel>& field : fields) {
    INFO(field.key);
    // head dims between the first and the last
    const bool is_between = field.key.starts_with("efficiency_") && field.key != "efficiency_64";
    CHECK((is_between || page.find(field.key) != std::string::npos));
  }
}

const char* const pass = "[[kernels]]\narchitecture = \"hopper\"\nrows = 4\n";

}  // namespace

TEST_CASE("every file of gpus/engines reads without an error", "[engines]") {
  std::size_t files = 0;
  for (const text::Document& document : catalog::builtin("gpus/engines")) {
    INFO(document.path());
    ++files;
    std::vector<Error> errors;
    const std::string_view kind = id_of(document);
    CHECK(document.root()["kind"].as_string() == kind);
    std::size_t kernels = 0;
    if (kind.ends_with("prefill")) {
      kernels = read_kernels<PrefillKernel>(document.root(), prefill_fields(), errors).size();
      CHECK(prefill_kernels(kind).size() == kernels);
    } else if (kind.ends_with("decode")) {
      kernels = read_kernels<DecodeKernel>(document.root(), decode_fields(), errors).size();
      CHECK(decode_kernels(kind).size() == kernels);
    } else if (kind.ends_with("moe") || kind == "grouped-gemm") {
      kernels = read_kernels<MoeKernel>(document.root(), moe_fields(), errors).size();
      CHECK(moe_kernels(kind).size() == kernels);
    } else if (!scan_kernels(kind).empty()) {
      kernels = read_kernels<ScanKernel>(document.root(), scan_fields(), errors).size();
      CHECK(scan_kernels(kind).size() == kernels);
    } else if (kind == "serving-memory") {
      kernels = read_engine_memory(document.root(), errors).size();
      CHECK(engine_memory("vllm")->checks_longest);
      CHECK(engine_memory_of_package("tensorrt-llm")->engine == "trtllm");
    } else if (kind.starts_with("fp8")) {
      kernels = read_kernels<ElementwiseKernel>(document.root(), pass_fields(), errors).size();
      CHECK(pass_kernels(kind).size() == kernels);
    } else {
      kernels = read_kernels<CollectiveKernel>(document.root(), collective_fields(), errors).size();
      CHECK(collective_kernels(kind).size() == kernels);
    }
    CHECK(kernels > 0);
    for (const Error& error : errors) UNSCOPED_INFO(error.message);
    CHECK(errors.empty());
    for (const std::string& source : read_strings(document.root()["sources"], errors)) {
      CHECK(find_source(source));
    }
    for (const text::NodeRef kernel : document.root()["kernels"]) CHECK(kernel["rows"].as_integer());
  }
  CHECK(files == 17);
}

TEST_CASE("a kernel's mistakes are errors", "[engines]") {
  CHECK(first_error<ElementwiseKernel>(pass, pass_fields()).empty());
  CHECK(first_error<ElementwiseKernel>((std::string(pass) + "row_us = -1\n").c_str(), pass_fields()) != "");
  CHECK(first_error<ElementwiseKernel>((std::string(pass) + "tile_us = 1\n").c_str(), pass_fields()) != "");
  CHECK(first_error<ElementwiseKernel>("[[kernels]]\narchitecture = \"hoper\"\n", pass_fields()) ==
        "unknown architecture `hoper`");
}

TEST_CASE("a kernel that was tuned for some sizes serves them alone", "[engines]") {
  const std::string of = "[[kernels]]\narchitecture = \"hopper\"\nrows = 4\n";
  const auto document = text::parse_toml("moe.toml", of + "[[kernels]]\narchitecture = \"hopper\"\nrows = 2\n"
                                                          "tuned = [[8, 3584], [1, 14336]]\n");
  REQUIRE(document);
  std::vector<Error> errors;
  const std::vector<MoeKernel> kernels = read_kernels<MoeKernel>(document->root(), moe_fields(), errors);
  REQUIRE(errors.empty());
  const auto found = [&](const ExpertShape& shape) {
    return closest<MoeKernel>(kernels, "hopper", {{}, {}, {}, {}, {}, shape})->rows;
  };
  CHECK(found({8, 3584}) == 2);
  CHECK(found({1, 14336}) == 2);
  CHECK(found({8, 14336}) == 4);
  CHECK(found({}) == 4);
  for (const char* wrong : {"tuned = [8, 3584]", "tuned = [[8]]", "tuned = [[8, 3584, 1]]",
                            "tuned = [[8, 0]]", "tuned = [[8, 3.5]]", "tuned = 8"}) {
    CAPTURE(wrong);
    CHECK(first_error<MoeKernel>((of + wrong + "\n").c_str(), moe_fields()) != "");
  }
}

TEST_CASE("the closest kernel by name counts, then the one with most timings", "[engines]") {
  const auto kernel = [](const char* architecture, const char* engine, const char* name, const char* dtype,
                         std::int64_t rows) {
    ElementwiseKernel made;
    made.architecture = architecture;
    made.engine = engine;
    made.kernel = name;
    made.dtype = dtype;
    made.rows = rows;
    return made;
  };
  const std::vector<ElementwiseKernel> kernels{
      kernel("hopper", "vllm", "fa3", "bf16", 10), kernel("hopper", "vllm", "fa3", "fp8", 20),
      kernel("hopper", "sglang", "triton", "bf16", 30), kernel("ada", "vllm", "fa2", "bf16", 40)};
  const auto found = [&](std::string_view architecture, const EngineNames& names) {
    const ElementwiseKernel* best = closest<ElementwiseKernel>(kernels, architecture, names);
    return best == nullptr ? 0 : best->rows;
  };
  CHECK(found("hopper", {"vllm", "fa3", "bf16", {}, {}}) == 10);
  CHECK(found("hopper", {"vllm", "fa3", "fp8", {}, {}}) == 20);
  CHECK(found("hopper", {"vllm", "other", "bf16", {}, {}}) == 10);
  CHECK(found("hopper", {"vllm", "triton", "bf16", {}, {}}) == 30);  // the kernel's name says more
  CHECK(found("hopper", {}) == 30);                                  // most timings
  CHECK(found("blackwell", {"vllm", "fa3", "bf16", {}, {}}) == 0);
  CHECK(found("hopper", {"vllm", "fa3", "bf16", {}, "all_reduce"}) == 0);
  CHECK(closest<ElementwiseKernel>(kernels, "hopper", {"sglang", "triton", "fp8", {}, {}}, true)->rows == 20);
  CHECK(closest<ElementwiseKernel>(kernels, "ada", {"vllm", "fa2", "fp8", {}, {}}, true) == nullptr);
}

TEST_CASE("docs/explanation/kernels.md names every constant", "[engines][docs]") {
  std::ifstream file(tests::source_dir() + "/docs/explanation/kernels.md");
  std::ostringstream page;
  page << file.rdbuf();
  REQUIRE(page.str().size() > 1000);
  check_documented(traffic_fields(), page.str());
  check_documented(prefill_fields(), page.str());
  check_documented(decode_fields(), page.str());
  check_documented(moe_fields(), page.str());
  check_documented(pass_fields(), page.str());
  check_documented(scan_fields(), page.str());
  check_documented(collective_fields(), page.str());
}
