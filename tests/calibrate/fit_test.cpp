// Fitting constants to times that the model itself made: what was put in must come out.
#include "calibrate/fit.hpp"

#include <algorithm>

#include "gpu/registry.hpp"
#include "tests/catch.hpp"

using namespace shapelint;

namespace {

std::vector<calibrate::MeasuredShape> shapes(bool misaligned) {
  std::vector<calibrate::MeasuredShape> rows;
  for (const std::int64_t m : {1, 16, 100, 512, 1024, 2049, 4096}) {
    for (const std::int64_t n : {512, 1024, 4096, 8192}) {
      for (const std::int64_t k : {512, 2048, 4096, 16384}) {
        calibrate::MeasuredShape row;
        row.shape = {1, m, n + (misaligned ? 1 : 0), k, DType::bf16, model::Layout::tn};
        rows.push_back(row);
      }
    }
  }
  return rows;
}

calibrate::FitOptions quick() {
  calibrate::FitOptions options;
  options.evaluations = 600;
  options.folds = 1;
  return options;
}

bool kept(const calibrate::Fit& fit, std::string_view key) {
  return std::any_of(fit.kept.begin(), fit.kept.end(), [&](const auto& each) { return each.key == key; });
}

}  // namespace

TEST_CASE("times made by the model are fitted", "[calibrate]") {
  gpu::Gpu truth = *gpu::find_gpu("a100");
  gpu::Gpu base = truth;
  auto rows = shapes(false);
  truth.calibration.gemm[0].constants.launch_us = 4;
  truth.calibration.gemm[0].constants.dram_efficiency = 0.6;
  truth.calibration.gemm[0].constants.mainloop_efficiency = 0.7;
  const auto times = calibrate::predict(truth, rows);
  for (std::size_t i = 0; i < rows.size(); ++i) rows[i].time_us = times[i];
  const auto fit = calibrate::fit(base, gpu::ConstantSet::half, rows, quick());
  REQUIRE(fit);
  CHECK(fit->after.slices[0].mean < 0.3 * fit->before.slices[0].mean);
  CHECK(fit->after.slices[0].mean < 0.05);
  for (const gpu::GemmConstant& each : gpu::gemm_constants()) {
    INFO(each.key);
    CHECK(fit->constants.*each.member >= each.least);
    CHECK(fit->constants.*each.member <= each.most);
  }
}

TEST_CASE("the same data and seed give the same constants", "[calibrate]") {
  const gpu::Gpu base = *gpu::find_gpu("h100");
  auto rows = shapes(false);
  for (auto& row : rows) row.time_us = 1.3 * cost::predict_gemm(base, row.shape).time_us;
  auto options = quick();
  options.evaluations = 200;
  const auto one = calibrate::fit(base, gpu::ConstantSet::half, rows, options);
  const auto two = calibrate::fit(base, gpu::ConstantSet::half, rows, options);
  REQUIRE(one);
  REQUIRE(two);
  for (const gpu::GemmConstant& each : gpu::gemm_constants()) {
    CHECK(one->constants.*each.member == two->constants.*each.member);
  }
}

TEST_CASE("what the data cannot determine is kept, and why is said", "[calibrate]") {
  const gpu::Gpu base = *gpu::find_gpu("a100");
  auto rows = shapes(false);
  for (auto& row : rows) row.time_us = cost::predict_gemm(base, row.shape).time_us;
  auto options = quick();
  options.evaluations = 100;
  const auto aligned = calibrate::fit(base, gpu::ConstantSet::half, rows, options);
  REQUIRE(aligned);
  CHECK(kept(*aligned, "align_n_2b"));
  CHECK(kept(*aligned, "quantize_us"));
  CHECK(kept(*aligned, "host_us"));
  auto odd = shapes(true);
  for (auto& row : odd) row.time_us = cost::predict_gemm(base, row.shape).time_us;
  const auto misaligned = calibrate::fit(base, gpu::ConstantSet::half, odd, options);
  REQUIRE(misaligned);
  CHECK_FALSE(kept(*misaligned, "align_n_2b"));
}

TEST_CASE("how long products went on is read from the data, and forgotten where their loss is not",
          "[calibrate]") {
  gpu::Gpu base = *gpu::find_gpu("a100");
  base.calibration.gemm[0].constants.power_reach_us = 0;
  base.calibration.gemm[0].constants.power_us = 500;
  auto rows = shapes(false);
  // 18 long products and m = 4096, n = 8192, k = 16384 above; the twentieth longest is 8192 x 8512 x 4096
  for (std::int64_t i = 0; i < 24; ++i) {
    calibrate::MeasuredShape row;
    row.shape = {1, 8192, 8192 + 64 * i, i < 6 ? 4096 : 32768, DType::bf16, model::Layout::tn};
    rows.push_back(row);
  }
  const auto reach_of = [&](double drop) {
    base.calibration.gemm[0].constants.power_drop = drop;
    const auto times = calibrate::predict(base, rows);
    for (std::size_t i = 0; i < rows.size(); ++i) rows[i].time_us = times[i];
    const auto fit = calibrate::fit(base, gpu::ConstantSet::half, rows, quick());
    REQUIRE(fit);
    CHECK(kept(*fit, "power_reach_us"));
    return fit->constants.power_reach_us;
  };
  CHECK(reach_of(0.1) == Approx(2 * 8192.0 * 8512 * 4096 / 312e6));
  CHECK(reach_of(0) == 0);    // at the least that the search allows
  CHECK(reach_of(0.4) == 0);  // and at the most
}

TEST_CASE("too few measurements are refused", "[calibrate]") {
  const gpu::Gpu base = *gpu::find_gpu("a100");
  auto rows = shapes(false);
  for (auto& row : rows) row.time_us = 10;
  rows.resize(20);
  const auto fit = calibrate::fit(base, gpu::ConstantSet::half, rows, quick());
  REQUIRE_FALSE(fit);
  CHECK(fit.error().message.starts_with("20 rows"));
}

TEST_CASE("sites, not rows, are split into folds", "[calibrate]") {
  cost::GemmShape a{1, 1, 4096, 1024, DType::bf16, model::Layout::tn};
  cost::GemmShape b = a;
  b.m = 777;
  CHECK(calibrate::fold_of(a, 5) == calibrate::fold_of(b, 5));
}
