// shapelint as a library: predicts what a GPU needs for a step of a neural network, finds the dimensions that
// waste its time, and proposes better ones. This header is all that there is to include.
//
//   #include <iostream>
//   #include <shapelint/shapelint.hpp>
//
//   int main() {
//     const auto files = shapelint::api::local_files();
//     const auto result = shapelint::api::lint(*files, {{"model.toml"}}, {.gpus = {{"a100"}}});
//     for (const auto& error : result.errors) std::cerr << shapelint::api::to_string(error) << '\n';
//     for (const auto& finding : result.findings) std::cout << shapelint::api::to_string(finding) << '\n';
//     return result.errors.empty() && !result.fails ? 0 : 1;
//   }
//
// What holds everywhere:
//
// Units stand in names: `time_us` (microseconds), `dram_bandwidth_gb_s` (10^9 bytes per second), `dram_gb`
// (10^9 bytes), `peak_tflops`. Gains and shares are fractions: 0.073 is 7.3 %. Bytes of a text are counted
// from 0, lines and columns from 1, columns in code points.
//
// Errors that a caller or a file can cause are values (Error), as many at once as were found. Exceptions come
// from the standard library alone (out of memory), and from a FileSystem of your own.
//
// There is no state between calls, and nothing of the process is asked: no working directory, no environment,
// no streams; what depends on files is asked of the FileSystem that is handed in. Every function may be
// called from several threads at once, as far as that FileSystem may. Results depend on the arguments and the
// files alone, never on the number of threads.
//
// Structs own all that they hold. Sentences (messages, hints, reasons, summaries) are one line of UTF-8
// without control characters, whatever a file holds; names, keys and paths are as the file has them.
#pragma once

#include <string>

#include "shapelint/catalog.hpp"
#include "shapelint/common.hpp"
#include "shapelint/files.hpp"
#include "shapelint/json.hpp"
#include "shapelint/kernel.hpp"
#include "shapelint/lint.hpp"
#include "shapelint/model.hpp"
#include "shapelint/plan.hpp"
#include "shapelint/step.hpp"
#include "shapelint/suggest.hpp"
#include "shapelint/sweep.hpp"

namespace shapelint::api {

// Of the library: `0.1.0`.
SHAPELINT_API std::string version();

}  // namespace shapelint::api
