// The catalogue of GPUs and the reader of profiles.
#include <cmath>

#include "gpu/registry.hpp"

#include <string>
#include <vector>

#include <fmt/format.h>

#include "tests/catch.hpp"
#include "text/source.hpp"
#include "text/toml/toml.hpp"

using namespace shapelint;
using namespace shapelint::gpu;

namespace {

text::Document parsed(std::string path, std::string source) {
  auto document = text::parse_toml(std::move(path), std::move(source));
  REQUIRE(document);
  return *std::move(document);
}

// "line: message (hint)" of each error, as a user sees them.
std::vector<std::string> shown(const std::vector<Error>& errors, const text::Document& document) {
  std::vector<std::string> lines;
  for (const Error& error : errors) {
    std::string line = error.path;
    if (error.span) line += fmt::format(":{}", text::place_of(document.source(), error.span->begin).line);
    line += ": " + error.message;
    if (!error.hint.empty()) line += " (" + error.hint + ")";
    lines.push_back(std::move(line));
  }
  return lines;
}

std::vector<std::string> errors_of(const std::string& source) {
  const text::Document document = parsed("my.toml", source);
  std::vector<Error> errors;
  read_gpu(document, errors);
  return shown(errors, document);
}

using Lines = std::vector<std::string>;

}  // namespace

TEST_CASE("a profile is found by id and alias; case, - and _ do not matter") {
  for (const char* name : {"a100-sxm4-80gb", "a100", "A100", "a100_80gb", "A100-SXM4-80GB", "a100sxm480gb"}) {
    INFO(name);
    const auto gpu = find_gpu(name);
    REQUIRE(gpu);
    CHECK(gpu->id == "a100-sxm4-80gb");
  }
}

TEST_CASE("the A100 as its whitepaper and measurements have it") {
  const auto gpu = find_gpu("a100");
  REQUIRE(gpu);
  CHECK(gpu->name == "NVIDIA A100 SXM4 80GB");
  CHECK(gpu->sm_count == 108);
  CHECK(gpu->sm_count_full_die == 128);
  CHECK(peak_tflops(*gpu, DType::bf16) == 312);
  CHECK(peak_tflops(*gpu, DType::tf32) == 156);
  CHECK(peak_tflops(*gpu, DType::fp32) == 19.5);
  CHECK_FALSE(can_multiply(*gpu, DType::fp8));
  CHECK(gpu->dram_bandwidth_gb_s == 2039);
  CHECK(gpu->dram_measured_gb_s == 1737);
  CHECK(gpu->gemm_achievable_tflops == 284);
  CHECK(gpu->link_gb_s == 300);
  CHECK(gpu->architecture.id == "ampere-ga100");
  CHECK(gpu->compute_capability == "8.0");
  CHECK(gpu->architecture.has_tensor_cores);
  CHECK_FALSE(gpu->architecture.has_tma);
  CHECK(alignment(gpu->architecture, DType::fp16).best_bytes == 128);
  REQUIRE_FALSE(gpu->architecture.tiles.empty());
  CHECK(gpu->architecture.tiles[0].m == 256);
  CHECK(gpu->architecture.tiles[0].ctas_per_sm == 1);
}

TEST_CASE("SM counts are the product's, not the full die's") {
  CHECK(find_gpu("h100")->sm_count == 132);
  CHECK(find_gpu("h100-pcie")->sm_count == 114);
  CHECK(find_gpu("b200")->sm_count == 148);
  CHECK(find_gpu("l4")->sm_count == 58);
  CHECK(find_gpu("mi250x")->sm_count == 110);
}

TEST_CASE("what no tensor core multiplies runs on the CUDA cores, as fp32 if need be") {
  const auto v100 = find_gpu("v100");
  CHECK(on_tensor_cores(*v100, DType::fp16));
  CHECK_FALSE(on_tensor_cores(*v100, DType::bf16));
  CHECK(peak_tflops(*v100, DType::bf16) == v100->peak_fp32_cuda_tflops);
  const auto p100 = find_gpu("p100");
  CHECK(peak_tflops(*p100, DType::fp16) == p100->peak_fp16_cuda_tflops);
  // fp16 instructions at 1/64 of the fp32 rate: frameworks compute in fp32.
  const auto gtx = find_gpu("gtx-1080-ti");
  CHECK(peak_tflops(*gtx, DType::fp16) == gtx->peak_fp32_cuda_tflops);
}

TEST_CASE("an unknown GPU gets a suggestion") {
  const auto gpu = find_gpu("h100-pci");
  REQUIRE_FALSE(gpu);
  CHECK(gpu.error().message == "unknown GPU `h100-pci`");
  CHECK(gpu.error().hint == "did you mean `h100-pcie`?");
  CHECK(find_gpu("zzzzzzzzzz").error().hint ==
        "`shapelint gpus` lists the known ones; `--gpu-file` reads another");
}

TEST_CASE("a user's file gives all of its errors, each with its place") {
  CHECK(errors_of("architecture = \"hoper\"\n"
                  "sm_count = 0\n"
                  "boost_clock = 1000\n"
                  "boost_clock_mhz = \"fast\"\n"
                  "dram_bandwidth_gb_s = -5\n"
                  "peak_fp32_cuda_tflops = { value = 60, source = [\"me\"] }\n"
                  "l2_size_mib = { note = \"later\" }\n"
                  "aliases = [1]\n"
                  "has_tma = true\n"
                  "[measured]\n"
                  "dram_copy_gb_s = true\n") ==
        Lines{
            "my.toml:1: unknown architecture `hoper` (did you mean `hopper`?)",
            "my.toml:2: `sm_count` is implausible: 0 (expected between 1 and 4096)",
            "my.toml:3: unknown key `boost_clock` (did you mean `boost_clock_mhz`?)",
            "my.toml:4: `boost_clock_mhz` is a string, expected a number",
            "my.toml:5: `dram_bandwidth_gb_s` is implausible: -5 (expected between 1 and 1000000)",
            "my.toml:6: unknown key `peak_fp32_cuda_tflops.source` (did you mean `sources`?)",
            "my.toml:7: `l2_size_mib` has no `value`",
            "my.toml:8: `aliases[0]` is an integer, expected a string",
            "my.toml:9: unknown key `has_tma`",
            "my.toml:11: `measured.dram_copy_gb_s` is a boolean, expected a number",
        });
}

TEST_CASE("a file without what every profile needs says what is missing") {
  CHECK(errors_of("name = \"mine\"\nsm_count = 100\n") ==
        Lines{"my.toml: a GPU needs also `architecture`, `boost_clock_mhz`, `peak_fp32_cuda_tflops`, "
              "`dram_bandwidth_gb_s`, `l2_size_mib` (state it, or start from a known GPU with `based_on = "
              "\"h100\"`)"});
  CHECK(errors_of("based_on = \"h100-pci\"\n") ==
        Lines{"my.toml:1: unknown GPU `h100-pci` (did you mean `h100-pcie`?)"});
  CHECK(errors_of("based_on = \"h100\"\nsm_count = 150\n") ==
        Lines{"my.toml:2: `sm_count` is 150, but the full die has only 144"});
}

TEST_CASE("borrowed constants are those of a relative") {
  const auto status = [](const std::string& calibration) {
    std::vector<Error> errors;
    const text::Document document =
        parsed("my.toml", "based_on = \"h100\"\n[calibration]\n" + calibration + "source = \"us\"\n");
    const Gpu gpu = read_gpu(document, errors);
    return errors.empty() ? gpu.calibration.status : errors.front().message;
  };
  CHECK(status("") == "calibrated");
  CHECK(status("borrowed = false\n") == "calibrated");
  CHECK(status("borrowed = true\n") == "architecture");
  CHECK(status("borrowed = 1\n") != "architecture");
}

TEST_CASE("based_on takes everything from another GPU but what the file states") {
  const text::Document document = parsed("folder/my-h100.toml",
                                         "based_on = \"h100\"\n"
                                         "name = \"our H100\"\n"
                                         "dram_bandwidth_gb_s = { value = 3000, note = \"as we measured\" }\n"
                                         "[measured]\n"
                                         "dram_copy_gb_s = 2700\n");
  std::vector<Error> errors;
  const Gpu gpu = read_gpu(document, errors);
  CHECK(errors.empty());
  CHECK(gpu.id == "my-h100");
  CHECK(gpu.name == "our H100");
  CHECK(gpu.aliases.empty());
  CHECK(gpu.dram_bandwidth_gb_s == 3000);
  CHECK(gpu.dram_measured_gb_s == 2700);
  CHECK(gpu.sm_count == 132);
  CHECK(peak_tflops(gpu, DType::bf16) == 989.4);
  CHECK(gpu.architecture.id == "hopper");
}

TEST_CASE("a user's folder comes first, and its files may build on each other and on own architectures") {
  const std::vector<text::Document> own = {
      parsed("gpus/h100.toml", "based_on = \"h100-sxm5\"\ntdp_w = 500\n"),
      parsed("gpus/architectures/slow.toml",
             "based_on = \"h100\"\narchitecture = \"wide\"\naliases = [\"tortoise\"]\n"),
      parsed("gpus/wide.toml", "kind = \"architecture\"\nname = \"Wide\"\nshared_max_per_sm_kib = 512\n"),
      parsed("gpus/loop-a.toml", "based_on = \"loop-b\"\n"),
      parsed("gpus/loop-b.toml", "based_on = \"loop-a\"\n"),
      parsed("gpus/self.toml", "based_on = \"self\"\n"),
  };
  CHECK(find_gpu("h100", own)->tdp_w == 500);
  CHECK(find_gpu("h100")->tdp_w == 700);
  const auto slow = find_gpu("tortoise", own);
  REQUIRE(slow);
  CHECK(slow->tdp_w == 500);
  CHECK(slow->architecture.shared_max_per_sm_kib == 512);
  CHECK(gpu_ids(own).at(1) == "slow");
  CHECK(gpu_ids(own).size() == gpu_ids().size() + 5);
  CHECK(find_gpu("loop-a", own).error().message.ends_with("is based on itself, through others"));
  CHECK(find_gpu("self", own).error().message == "`self` is based on itself");
}

TEST_CASE("a file's `kind` says whether it is an architecture, whatever its folder") {
  const std::vector<text::Document> own = {
      parsed("wide.toml", "kind = \"architecture\"\nname = \"Wide\"\n"),
      parsed("architectures/flat.toml", "name = \"Flat\"\n"),
      parsed("a.toml", "kind = \"gpu\"\nbased_on = \"h100\"\narchitecture = \"wide\"\n"),
      parsed("b.toml", "based_on = \"h100\"\narchitecture = \"flat\"\n"),
      parsed("c.toml", "kind = \"architectur\"\nbased_on = \"h100\"\n"),
  };
  CHECK(find_gpu("a", own)->architecture.name == "Wide");
  CHECK(find_gpu("b", own).error().message == "unknown architecture `flat`");
  CHECK(find_gpu("b", own).error().hint == "architectures/flat.toml has no `kind = \"architecture\"`");
  CHECK(find_gpu("c", own).error().hint == "write `gpu` (the default) or `architecture`");
  CHECK(find_gpu("wide", own).error().message == "unknown GPU `wide`");
  CHECK(find_gpu("wide", own).error().code == ErrorCode::unknown_name);
}

TEST_CASE("another number of SMs scales what the SMs do, not the memory") {
  const Gpu b300 = *find_gpu("b300");
  const auto wide = with_sm_count(b300, 152);
  REQUIRE(wide);
  CHECK(wide->sm_count == 152);
  CHECK(peak_tflops(*wide, DType::bf16) == Approx(peak_tflops(b300, DType::bf16) * 152 / 148));
  CHECK(wide->gemm_achievable_tflops == Approx(b300.gemm_achievable_tflops * 152 / 148));
  CHECK(wide->dram_bandwidth_gb_s == b300.dram_bandwidth_gb_s);
  CHECK(wide->link_gb_s == b300.link_gb_s);
  CHECK(with_sm_count(b300, 148)->peak_tflops == b300.peak_tflops);

  const auto too_many = with_sm_count(*find_gpu("h100"), 145);
  REQUIRE_FALSE(too_many);
  CHECK(too_many.error().message == "145 SMs are implausible for `h100-sxm5`");
  CHECK(too_many.error().hint == "this GPU has 132, the full die 144");
  CHECK_FALSE(with_sm_count(b300, 0));
  CHECK_FALSE(with_sm_count(b300, -1));
}

TEST_CASE("a lower power limit slows what computes for long by the cube root, not the memory") {
  const auto held_to = [](const std::string& watts, std::vector<Error>& errors) {
    return read_gpu(parsed("held.toml", "based_on = \"h100\"\npower_limit_w = " + watts + "\n"), errors);
  };
  const Gpu h100 = *find_gpu("h100");
  std::vector<Error> errors;
  const Gpu held = held_to("500", errors);
  REQUIRE(errors.empty());
  const double clock = std::cbrt(500.0 / 700);
  const auto drop = [](const Gpu& gpu) {
    return gemm_calibration(gpu.calibration, DType::bf16).constants.power_drop;
  };
  CHECK(1 - drop(held) == Approx((1 - drop(h100)) * clock));
  CHECK(held.attention.buckets.front().forward_efficiency ==
        Approx(h100.attention.buckets.front().forward_efficiency * clock));
  CHECK(held.dram_bandwidth_gb_s == h100.dram_bandwidth_gb_s);
  CHECK(held.peak_tflops == h100.peak_tflops);
  CHECK(held.tdp_w == 500);
  CHECK(drop(held_to("700", errors)) == Approx(drop(h100)));

  held_to("900", errors);
  held_to("20", errors);
  held_to("\"much\"", errors);
  REQUIRE(errors.size() == 3);
  CHECK(errors[0].message == "900 W are implausible for `held`");
  CHECK(errors[0].hint == "its own limit is 700 W");
  CHECK(errors[2].message == "`power_limit_w` is a string, expected watts");
}

TEST_CASE("a locked clock slows the SMs by as much, and long products only below what power allows") {
  const Gpu h100 = *find_gpu("h100");  // tensor peaks at 1830 MHz, all others at 1980
  const auto at = [](const std::string& mhz, std::vector<Error>& errors) {
    return read_gpu(parsed("locked.toml", "based_on = \"h100\"\nclock_mhz = " + mhz + "\n"), errors);
  };
  std::vector<Error> errors;
  const Gpu locked = at("1281", errors);
  REQUIRE(errors.empty());
  CHECK(peak_tflops(locked, DType::bf16) == Approx(0.7 * peak_tflops(h100, DType::bf16)));
  CHECK(locked.peak_fp32_cuda_tflops == Approx(h100.peak_fp32_cuda_tflops * 1281 / 1980));
  CHECK(locked.dram_bandwidth_gb_s == h100.dram_bandwidth_gb_s);
  CHECK(locked.gemm_achievable_tflops == Approx(0.7 * h100.gemm_achievable_tflops));
  const auto drop = [](const Gpu& gpu) {
    return gemm_calibration(gpu.calibration, DType::bf16).constants.power_drop;
  };
  CHECK(drop(h100) > 0);
  CHECK(drop(locked) == Approx(std::max(0.0, 1 - (1 - drop(h100)) / 0.7)).margin(1e-9));
  CHECK(locked.calibration.status == "architecture");
  // Above the clock that the tensor peaks are rated at, they stay.
  CHECK(peak_tflops(at("1900", errors), DType::bf16) == peak_tflops(h100, DType::bf16));
  CHECK(with_clock(h100, 1980)->calibration.status == "calibrated");

  at("2100", errors);
  at("20", errors);
  at("\"fast\"", errors);
  REQUIRE(errors.size() == 3);
  CHECK(errors[0].message == "2100 MHz are implausible for `locked`");
  CHECK(errors[0].hint == "its own clock is 1980 MHz");
  CHECK(errors[2].message == "`clock_mhz` is a string, expected MHz");
}

TEST_CASE("an option holds the GPU that is named to fewer watts") {
  const Gpu h100 = *find_gpu("h100");
  CHECK(with_power_limit(h100, 500)->tdp_w == 500);
  CHECK(with_power_limit(h100, 500)->calibration.status == "architecture");
  CHECK(with_power_limit(h100, 700)->calibration.status == "calibrated");
  CHECK(with_power_limit(h100, 900).error().message == "900 W are implausible for `h100-sxm5`");
  CHECK_FALSE(with_power_limit(h100, 20));
  Gpu unknown = h100;
  unknown.tdp_w = 0;
  CHECK(with_power_limit(unknown, 300).error().hint == "state `tdp_w`");
}

TEST_CASE("sm_count in a file that builds on another scales the peaks that it does not state") {
  const text::Document document =
      parsed("half.toml", "based_on = \"h100\"\nsm_count = 66\npeak_fp8_tensor_tflops = 1000\n");
  std::vector<Error> errors;
  const Gpu gpu = read_gpu(document, errors);
  CHECK(errors.empty());
  CHECK(peak_tflops(gpu, DType::bf16) == Approx(989.4 / 2));
  CHECK(peak_tflops(gpu, DType::fp8) == 1000);
}

TEST_CASE("constants come from the profile, else its architecture, else nowhere, and the status says so") {
  const std::vector<text::Document> own = {
      parsed("wide.toml",
             "kind = \"architecture\"\nname = \"Wide\"\n"
             "[calibration]\nsource = \"of its kind\"\n"
             "[calibration.half]\nsource = \"relatives\"\nlaunch_us = 4\nerrors = { all = 0.1 }\n"
             "[calibration.byte]\nsource = \"relatives, fp8\"\nlaunch_us = 5\n"),
      parsed("fitted.toml",
             "based_on = \"h100\"\narchitecture = \"wide\"\n"
             "[calibration]\nsource = \"itself\"\n"
             "[calibration.half]\nsource = \"its products\"\nlaunch_us = 3\n"),
      parsed("relative.toml", "based_on = \"h100\"\narchitecture = \"wide\"\n"),
      parsed("changed.toml", "based_on = \"fitted\"\ntdp_w = 400\n"),
  };
  const Calibration fitted = find_gpu("fitted", own)->calibration;
  CHECK(fitted.status == "calibrated");
  CHECK(fitted.source == "itself");
  CHECK(gemm_calibration(fitted, DType::bf16).constants.launch_us == 3);
  CHECK(gemm_calibration(fitted, DType::bf16).errors.all == 0);
  CHECK(gemm_calibration(fitted, DType::fp8).source == "relatives, fp8");
  CHECK(gemm_calibration(fitted, DType::fp8).constants.launch_us == 5);

  const Calibration relative = find_gpu("relative", own)->calibration;
  CHECK(relative.status == "architecture");
  CHECK(relative.source == "of its kind");
  CHECK(gemm_calibration(relative, DType::bf16).errors.all == 0.1);

  const Calibration changed = find_gpu("changed", own)->calibration;
  CHECK(changed.status == "architecture");
  CHECK(changed.source == "constants of fitted: itself");
  CHECK(gemm_calibration(changed, DType::bf16).constants.launch_us == 3);
  CHECK(with_sm_count(*find_gpu("fitted", own), 130)->calibration.status == "architecture");
}

TEST_CASE("products of a recipe have constants of their own, else those of the nearest recipe") {
  const std::vector<text::Document> own{
      parsed("base.toml",
             "kind = \"architecture\"\nname = \"Base\"\n"
             "[calibration]\nsource = \"relatives\"\n"
             "[calibration.half]\nsource = \"relatives\"\n"
             "[calibration.byte]\nsource = \"relatives, fp8\"\n"),
      parsed("scaled.toml",
             "based_on = \"h100\"\narchitecture = \"base\"\n"
             "[calibration]\nsource = \"fp8 alone\"\n"
             "[calibration.tensor]\nsource = \"its fp8\"\nlaunch_us = 3\n"
             "[calibration.mxfp4]\nsource = \"its fp4\"\n"),
  };
  const Calibration calibration = find_gpu("scaled", own)->calibration;
  // The products that steps are made of are still a relative's.
  CHECK(calibration.status == "architecture");
  CHECK(calibration.source == "relatives");
  CHECK_FALSE(gemm_calibration(calibration, DType::bf16).own);
  CHECK(calibration.gemm[static_cast<std::size_t>(ConstantSet::tensor)].own);
  CHECK(constants_for(calibration, DType::fp8, Recipe::none) == ConstantSet::byte);
  CHECK(constants_for(calibration, DType::fp8, Recipe::tensor) == ConstantSet::tensor);
  CHECK(constants_for(calibration, DType::fp8, Recipe::block128) == ConstantSet::tensor);
  CHECK(constants_for(calibration, DType::fp4, Recipe::nvfp4) == ConstantSet::mxfp4);
  CHECK(constants_for(find_gpu("scaled", own)->calibration, DType::bf16, Recipe::none) == ConstantSet::half);
}
