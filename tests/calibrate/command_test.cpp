// `shapelint calibrate` without a profile at hand.
#include <string>

#include <fmt/format.h>

#include "cost/kernels/gemm.hpp"
#include "gpu/registry.hpp"
#include "tests/catch.hpp"
#include "tests/cli/run_support.hpp"

using namespace shapelint;
using shapelint::tests::run;

namespace {

// Products as a GPU would run them that is a tenth slower than predicted.
std::string table() {
  const auto gpu = gpu::find_gpu("h200");
  REQUIRE(gpu);
  std::string out = "m,n,k,dtype,time_us\n";
  for (const std::int64_t m : {64, 256, 1024, 2048, 4096, 8192}) {
    for (const std::int64_t n : {1024, 2048, 4096, 8192}) {
      for (const std::int64_t k : {1024, 4096, 8192}) {
        cost::GemmShape shape;
        shape.m = m;
        shape.n = n;
        shape.k = k;
        out += fmt::format("{},{},{},bf16,{:.3f}\n", m, n, k,
                           1.1 * cost::predict_gemm(*gpu, shape, cost::Timing::as_measured).time_us);
      }
    }
  }
  return out;
}

}  // namespace

TEST_CASE("a GPU's own profile is fitted by name, and the new one is used as it stands", "[calibrate]") {
  text::MemoryFileSystem files;
  files.files["measured.csv"] = table();
  const std::vector<std::string> command{"calibrate",     "measured.csv", "--gpu",   "h200",
                                         "--evaluations", "100",          "--folds", "1"};
  const auto ran = run(command, files);
  INFO(ran.out << ran.err);
  CHECK(ran.code == 0);
  const std::string id = gpu::find_gpu("h200")->id;
  const std::string profile = id + "-measured.toml";
  REQUIRE(files.files.contains(profile));
  CHECK(files.files[profile].starts_with(fmt::format("based_on = \"{}\"\n", id)));
  CHECK(ran.out.find("72 rows") != std::string::npos);
  const auto used = run({"gemm", "4096", "4096", "4096", "--gpu-file", profile}, files);
  INFO(used.err);
  CHECK(used.code == 0);
  // What is there is somebody's work.
  const auto again = run(command, files);
  CHECK(again.code == 2);
  CHECK(again.err.find("already exists") != std::string::npos);
}

TEST_CASE("the GPU of a configuration is fitted, and its own profile written anew", "[calibrate]") {
  text::MemoryFileSystem files;
  files.files["measured.csv"] = table();
  files.files["shapelint.toml"] = "gpu = [\"ours\"]\ngpu-folders = [\"gpus\"]\n";
  files.files["gpus/ours.toml"] = "based_on = \"h200\"\nname = \"our H200\"\nsm_count = 120\n";
  const auto ran = run({"calibrate", "measured.csv", "--evaluations", "100", "--folds", "1"}, files);
  INFO(ran.out << ran.err);
  CHECK(ran.code == 0);
  REQUIRE(files.files.contains("ours-measured.toml"));
  CHECK(files.files["ours-measured.toml"].starts_with(files.files["gpus/ours.toml"]));
  CHECK(files.files["ours-measured.toml"].find("[calibration]") != std::string::npos);
  // Without the configuration there is no such GPU, and none is named.
  CHECK(run({"calibrate", "measured.csv", "--isolated"}, files).code == 2);
  CHECK(run({"calibrate", "measured.csv", "--gpu", "ours", "--isolated"}, files)
            .err.starts_with("error: unknown GPU `ours`"));
}

TEST_CASE("what is to be fitted is one GPU with one table at least", "[calibrate]") {
  const auto told = [](const std::vector<std::string>& arguments) {
    const auto ran = run(arguments);
    CHECK(ran.code == 2);
    return ran.err;
  };
  CHECK(told({"calibrate", "--gpu", "h200"}).starts_with("error: `TABLE` is missing"));
  CHECK(told({"calibrate", "t.csv"}).starts_with("error: `--gpu` is missing"));
  CHECK(told({"calibrate", "t.csv", "--gpu", "h200", "--gpu-file", "g.toml"})
            .starts_with("error: one GPU is fitted at a time"));
  CHECK(told({"calibrate", "t.csv", "--gpu-file", "g.toml"})
            .starts_with("error: no file is given for the new profile"));
  CHECK(told({"calibrate", "t.csv", "--gpu", "h2000", "-o", "x.toml"}).find("h200") != std::string::npos);
}
