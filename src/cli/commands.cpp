// The table of subcommands. A new one: its own NAME.hpp and NAME.cpp with an options struct, a function that
// describes the options and one that runs; here one include and one entry.
#include <array>

#include "cli/calibrate.hpp"
#include "cli/command.hpp"
#include "cli/gemm.hpp"
#include "cli/gpus.hpp"
#include "cli/lint.hpp"
#include "cli/show.hpp"

namespace shapelint::cli {

std::span<const Command> commands() {
  static constexpr std::array table{
      Command{
          "lint", "find dimensions that waste time, what each costs, and better ones",
          "Reads each FILE, works out every operation that one GPU runs for a step, predicts how long each "
          "takes, and reports the dimensions that make the step slower than it need be. `lint` is the "
          "default command and need not be named.\n\n"
          "Exit code: 0 when nothing was found at or above the fail level, 1 when something was, 2 for "
          "wrong usage or input that cannot be read.",
          "shapelint model.toml --gpu a100\n"
          "shapelint model.toml --gpu h100 --micro-batch-size 8 --format json",
          bind<LintOptions, lint_options, lint>},
      Command{
          "gpus", "list the GPUs that are known, or show one with the source of every figure",
          "Without a NAME, a table of all profiles: id, SMs, peak, bandwidth, L2, whether the cost model's "
          "constants were fitted to measurements of it, and aliases. With a NAME (or a file of your own), "
          "every figure of its profile and its architecture, notes, and the sources.\n\n"
          "Names match whatever their case, `-` and `_`.",
          "shapelint gpus\n"
          "shapelint gpus a100\n"
          "shapelint gpus --gpu-file my-gpu.toml --format json",
          bind<GpusOptions, gpus_options, gpus>},
      Command{
          "gemm", "predict the time of one matrix product, or of a table of them",
          "C[m,n] = A[m,k] B[k,n]. One product is explained: the ideal time, and what is lost to idle SMs, "
          "partial tiles and misaligned dimensions. A table is answered row by row, in order, with its own "
          "columns and the prediction's.",
          "shapelint gemm 8192 10240 2560 --gpu a100\n"
          "shapelint gemm --gpu h100 --shapes products.csv --format csv",
          bind<GemmOptions, gemm_options, gemm>},
      Command{
          "show", "print what was understood of a file: each value and where it came from",
          "Says which dialect a configuration is written in, and for every field of the model and of the run "
          "its value and its origin: stated in the file, given on the command line, derived from other "
          "values, or a default and whose. A folder is searched for configurations.",
          "shapelint show config.json\n"
          "shapelint show configs/ --format json",
          bind<ShowOptions, show_options, show>},
      Command{
          "calibrate", "fit a GPU's profile to your own measurements",
          "Searches the constants of the cost model that fit measured times of matrix products best, within "
          "plausible bounds and always with the same seed, and writes the profile with them. Errors are "
          "shown "
          "before and after, and for shapes left out of the fit (cross-validation by n and k). A constant "
          "that "
          "the data cannot determine stays as it is, with the reason. bench/measure_gemm.py makes the "
          "measurements.",
          "shapelint calibrate --gpu-file my-gpu.toml --shapes measured.csv -o my-gpu.toml",
          bind<CalibrateOptions, calibrate_options, calibrate>},
  };
  return table;
}

}  // namespace shapelint::cli
