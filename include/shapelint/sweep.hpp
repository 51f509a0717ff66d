// Many shapes and plans of one model, priced row by row.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "shapelint/catalog.hpp"
#include "shapelint/common.hpp"
#include "shapelint/files.hpp"
#include "shapelint/model.hpp"

namespace shapelint::api {

// A field's value in each row; all columns are as long.
struct SweepColumn {
  std::string field;  // of whole numbers: `hidden_size`, `micro_batch_size`
  std::span<const std::int64_t> values;
};

struct SweepOptions {
  ReadOptions read{};
  GpuSelection gpus{};
  std::string model{};      // which of several; empty: the first
  std::size_t threads = 0;  // 0: as many as the machine has; the result is the same
  // Called now and then from the calling thread with the share that is done; false ends it, with
  // no-candidates.
  std::function<bool(double)> progress{};
};

// Columns of results, each as long as those given. Figures are those of Step.
struct SweepOnGpu {
  std::string gpu;  // id
  std::vector<double> step_us;
  std::vector<double> tokens_per_s_per_gpu;
  std::vector<double> mfu;
  std::vector<double> hfu;
  std::vector<double> compute_us;
  std::vector<double> memory_us;
  std::vector<double> communication_us;
  std::vector<double> overhead_us;
  std::vector<double> bubble_us;
};

struct SweepResult {
  std::vector<std::int64_t> parameters;
  std::vector<double> memory_gib;
  // Frameworks refuse such a row: its place in `reasons`, 0 where nothing is wrong.
  std::vector<std::uint32_t> fails;
  std::vector<std::string> reasons;  // codes of rules, separated by blanks; the first is empty
  std::vector<SweepOnGpu> gpus;
};

// Rows are priced as `shapelint sweep` does: what the file does not state follows from what is swept. Errors:
// those of price_step(), and of columns that are not as long as each other or hold what their field cannot.
SHAPELINT_API Result<SweepResult> sweep(const FileSystem& files, const Source& source,
                                        const std::vector<SweepColumn>& columns,
                                        const SweepOptions& options = {});

}  // namespace shapelint::api
