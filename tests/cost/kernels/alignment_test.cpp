// Which dimensions' alignment counts, in which layout.
#include "cost/kernels/tiles.hpp"

#include <rapidcheck.h>

#include "tests/catch.hpp"

using namespace shapelint;
using model::Layout;

TEST_CASE("rows are aligned to the largest power of two that divides them", "[alignment]") {
  CHECK(cost::row_alignment_bytes(50257, 16) == 2);
  CHECK(cost::row_alignment_bytes(50258, 16) == 4);
  CHECK(cost::row_alignment_bytes(50260, 16) == 8);
  CHECK(cost::row_alignment_bytes(50264, 16) == 16);
  CHECK(cost::row_alignment_bytes(50304, 16) == 256);
  CHECK(cost::row_alignment_bytes(3, 32) == 4);
  CHECK(cost::row_alignment_bytes(3, 8) == 1);
  CHECK(cost::row_alignment_bytes(3, 4) == 1);
  CHECK(cost::row_alignment_bytes(64, 4) == 32);
}

TEST_CASE("only contiguous dimensions count", "[alignment]") {
  gpu::GemmConstants constants;
  const cost::AlignmentTable table = cost::alignment_table(constants, 16);
  const std::int64_t odd = 4097;
  const std::int64_t even = 4096;
  const auto speed = [&](Layout layout, std::int64_t m, std::int64_t n, std::int64_t k) {
    return alignment_use(table, layout, m, n, k).speed;
  };
  CHECK(speed(Layout::tn, odd, even, even) == 1);
  CHECK(speed(Layout::tn, even, odd, even) == constants.align_n_2b);
  CHECK(speed(Layout::tn, even, even, odd) == constants.align_k_2b);
  CHECK(speed(Layout::nn, odd, even, even) == 1);
  CHECK(speed(Layout::nn, even, odd, even) == constants.align_n_2b);
  CHECK(speed(Layout::nn, even, even, odd) == constants.align_k_2b);
  CHECK(speed(Layout::nt, odd, even, even) == constants.align_n_2b);
  CHECK(speed(Layout::nt, even, odd, even) == constants.align_n_2b);
  CHECK(speed(Layout::nt, even, even, odd) == 1);
  CHECK(speed(Layout::tt, odd, even, even) == constants.align_n_2b);
  CHECK(speed(Layout::tt, even, odd, even) == constants.align_n_2b);
  CHECK(speed(Layout::tt, even, even, odd) == constants.align_k_2b);
}

TEST_CASE("rows of C alone, and the tiles that misaligned kernels have", "[alignment]") {
  gpu::GemmConstants constants;
  constants.align_c_2b = 0.1;
  constants.tile_2b = 128;
  constants.tile_8b = 64;
  const cost::AlignmentTable table = cost::alignment_table(constants, 16);
  const auto use = [&](Layout layout, std::int64_t m, std::int64_t n, std::int64_t k) {
    return alignment_use(table, layout, m, n, k);
  };
  // B's rows run along k in tn and tt, and along n with C's in nn and nt.
  CHECK(use(Layout::tn, 4096, 4097, 4096).speed == constants.align_c_2b);
  CHECK(use(Layout::tt, 4096, 4097, 4096).speed == constants.align_c_2b);
  CHECK(use(Layout::nn, 4096, 4097, 4096).speed == constants.align_n_2b);
  CHECK(use(Layout::nt, 4096, 4097, 4096).speed == constants.align_n_2b);
  CHECK(use(Layout::tn, 4096, 4098, 4096).speed == constants.align_n_4b);
  CHECK(use(Layout::tn, 4096, 4096, 4097).least_tile == 128);
  CHECK(use(Layout::tn, 4096, 4096, 4098).least_tile == 64);
  CHECK(use(Layout::tn, 4096, 4096, 4100).least_tile == 64);
  CHECK(use(Layout::tn, 4096, 4096, 4104).least_tile == 0);
  CHECK(use(Layout::tn, 4096, 4096, 4097).prologue_speed == constants.align_k_2b);
  constants.prologue_2b = 0.4;
  const cost::AlignmentTable faster = cost::alignment_table(constants, 16);
  CHECK(alignment_use(faster, Layout::tn, 4096, 4096, 4097).prologue_speed == 0.4);
  CHECK(alignment_use(faster, Layout::tn, 4096, 4096, 4098).prologue_speed == constants.align_k_4b);
}

TEST_CASE("a stricter alignment is never slower, whatever was fitted", "[alignment]") {
  CHECK(rc::check([] {
    gpu::GemmConstants constants;
    for (const gpu::GemmConstant& each : gpu::gemm_constants()) {
      if (each.key.starts_with("align_")) constants.*each.member = *rc::gen::inRange(5, 101) / 100.0;
    }
    const cost::AlignmentTable table = cost::alignment_table(constants, 16);
    for (std::size_t i = 1; i < table.k.size(); ++i) {
      RC_ASSERT(table.k[i - 1] <= table.k[i]);
      RC_ASSERT(table.n[i - 1] <= table.n[i]);
    }
    RC_ASSERT(table.k.back() == 1.0);
  }));
}
