// The table of subcommands. A new one: its own NAME.hpp and NAME.cpp with an options struct, a function that
// describes the options and one that runs; here one include and one entry.
#include <array>

#include "cli/command.hpp"
#include "cli/commands/calibrate/calibrate.hpp"
#include "cli/commands/config.hpp"
#include "cli/commands/contracts/contracts.hpp"
#include "cli/commands/fields.hpp"
#include "cli/commands/fits/fits.hpp"
#include "cli/commands/formats.hpp"
#include "cli/commands/gemm.hpp"
#include "cli/commands/gpus/gpus.hpp"
#include "cli/commands/kernels/kernels.hpp"
#include "cli/commands/lint/lint.hpp"
#include "cli/commands/lsp.hpp"
#include "cli/commands/plan/plan.hpp"
#include "cli/commands/profile/profile.hpp"
#include "cli/commands/prove/prove.hpp"
#include "cli/commands/roofline/roofline.hpp"
#include "cli/commands/rules/rules.hpp"
#include "cli/commands/show/show.hpp"
#include "cli/commands/suggest/suggest.hpp"
#include "cli/commands/sweep/sweep.hpp"
#include "cli/completion.hpp"

namespace shapelint::cli {

std::span<const Command> commands() {
  static constexpr std::array table{
      Command{"lint", "find dimensions that waste time, what each costs, and better ones",
              "Reads each FILE, works out every operation that one GPU runs for a step, predicts how long "
              "each takes, and reports the dimensions that make the step slower than it need be. `lint` is "
              "the default command and need not be named.\n\n"
              "Exit code: 0 when nothing was found at or above the fail level, 1 when something was, 2 for "
              "wrong usage or input that cannot be read.",
              "shapelint model.toml --gpu a100\n"
              "shapelint model.toml --gpu h100 --micro-batch-size 8 --format json\n"
              "shapelint configs/ --quiet --output sarif=shapelint.sarif\n"
              "shapelint configs/ --diff-base origin/main --format github",
              bind<LintOptions, lint_options, lint>},
      Command{"rules", "list the rules", "", "shapelint rules\nshapelint rules --format json",
              bind<RulesOptions, rules_options, rules>},
      Command{"explain", "explain a rule: mechanism, cost, condition, what is tried, sources",
              "RULE is a code or a name, as findings carry them.",
              "shapelint explain SL101\nshapelint explain narrow-heads",
              bind<ExplainOptions, explain_options, explain>},
      Command{"suggest", "search for faster shapes near the given one",
              "Searches hidden_size, num_layers, head_dim, num_key_value_heads, intermediate_size and "
              "vocab_size (or the fields that `--vary` and `--range` name) for the shapes that are predicted "
              "to run fastest, within a budget of parameters, the GPU's memory, the frameworks' hard rules "
              "and any conditions of your own. The search is exact unless it is stopped: nothing in the "
              "space is predicted to be better than the first by more than the error of the prediction. "
              "Shapes that it cannot tell apart are listed by how little they change.\n\n"
              "Exit code: 0 when the search was made, 2 for wrong usage, input that cannot be read, or a "
              "space in which nothing is allowed (the message says which constraint empties it).",
              "shapelint suggest model.toml --gpu a100,h100\n"
              "shapelint suggest model.toml --gpu h100 --fix hidden_size,num_layers --params 1%\n"
              "shapelint suggest model.toml --range hidden_size=2048:4096:64 --where 'head_dim >= 64'\n"
              "shapelint suggest model.toml --gpu a100 --apply 1 -o faster.toml --diff",
              bind<SuggestOptions, suggest_options, suggest_shapes>},
      Command{
          "sweep", "predict over a grid of dimensions, as CSV",
          "Sets the fields of every `--over` to every combination of their values, as if the file said so, "
          "and prints a row for each and each GPU: parameters, memory, time of the step and its parts, MFU, "
          "and the hard rules that the combination breaks. Rows come as they are made, in a fixed order.\n\n"
          "`--shard 2/8` makes the second of eight equal parts; the parts one after the other are exactly "
          "the whole output, so that a large sweep can be spread over machines (examples/slurm/).",
          "shapelint sweep model.toml --over hidden_size=2048:4096:8 --gpu a100\n"
          "shapelint sweep model.toml --over vocab_size=50257:50304 --over tensor=1,2,4 --shard 1/4",
          bind<SweepOptions, sweep_options, sweep>},
      Command{"roofline",
              "show where each operation stands under a GPU's roofs, what bounds it, and what helps",
              "A table of the operations of one step: arithmetic, bytes, intensity at DRAM, L2 and shared "
              "memory, the lowest roof there, the predicted throughput, what bounds it and its share of the "
              "step; the step's bottlenecks; and changes that are predicted to help, each made and priced "
              "again. Serving (mode prefill or decode) adds time to the first token, time per token and the "
              "cache's size.\n\n"
              "Several GPUs or files are compared side by side. docs/how-to/read-a-roofline.md explains the "
              "figures.",
              "shapelint roofline model.toml --gpu a100\n"
              "shapelint roofline model.toml --mode decode --context-length 4096 --gpu a10,l4,h100,h200\n"
              "shapelint roofline model.toml --mode decode --context-length 4096 --gpu h100 --over "
              "'micro_batch_size=1:1024:*2'",
              bind<RooflineOptions, roofline_options, roofline>},
      Command{"gpus", "list the GPUs that are known, or show one with the source of every figure",
              "Without a NAME, a table of all profiles: id, SMs, peak, bandwidth, L2, whether the cost "
              "model's constants were fitted to measurements of it, and aliases. With a NAME (or a file of "
              "your own), every figure of its profile and its architecture, notes, and the sources.\n\n"
              "Names match whatever their case, `-` and `_`.",
              "shapelint gpus\n"
              "shapelint gpus a100\n"
              "shapelint gpus --gpu-file my-gpu.toml --format json",
              bind<GpusOptions, gpus_options, gpus>},
      Command{"gemm", "predict the time of one matrix product, or of a table of them",
              "C[m,n] = A[m,k] B[k,n]. One product is explained: the ideal time, and what is lost to idle "
              "SMs, partial tiles and misaligned dimensions. A table is answered row by row, in order, with "
              "its own columns and the prediction's.",
              "shapelint gemm 8192 10240 2560 --gpu a100\n"
              "shapelint gemm --gpu h100 --shapes products.csv --format csv",
              bind<GemmOptions, gemm_options, gemm>},
      Command{
          "kernels", "predict the times of a table of single kernels: attention, experts, collectives",
          "Attention, mixtures of experts, quantization and collectives as serving engines run them. Each "
          "row of the table is answered, in order, with its own columns and three more: `predicted_us`, "
          "`bound` and `efficiency` (ideal time / predicted time). They are empty where no model is known. "
          "Columns are found by name, others pass; `--list` names them. docs/explanation/kernels.md has the "
          "equations.",
          "shapelint kernels --list\n"
          "shapelint kernels attention-decode --gpu h100 --shapes decode.csv --format csv\n"
          "shapelint kernels nccl --gpu h100 --shapes - < collectives.csv",
          bind<KernelsOptions, kernels_options, kernels>},
      Command{"show", "print what was understood of a file: each value and where it came from",
              "Says which dialect a configuration is written in, and for every field of the model and of the "
              "run its value and its origin: stated in the file, given on the command line, derived from "
              "other values, or a default and whose. A folder is searched for configurations.",
              "shapelint show config.json\n"
              "shapelint show --why run.sh\n"
              "shapelint show configs/ --format json",
              bind<ShowOptions, show_options, show>},
      Command{
          "fields", "list the fields that --set and the native file take",
          "`--set FIELD=VALUE,…` states values in place of a file's: `--set mode=decode,tp=8`. Each field is "
          "also an option of its own, such as `--micro-batch-size 8`, and a key of the native file under "
          "the section in brackets.",
          "shapelint fields\nshapelint fields --format json",
          bind<FieldsOptions, fields_options, list_fields>},
      Command{
          "formats", "list the dialects of configuration that are understood, or show one",
          "Without a NAME, a table of all dialects: name, syntax and whose files they are. With a NAME, "
          "by which keys it is recognised, which files it builds on, where it was learned from, and an "
          "example.\n\n"
          "A dialect is a TOML file; docs/contributing/format.md describes it. `shapelint show --why FILE` "
          "says which one a file is written in, and why.",
          "shapelint formats\n"
          "shapelint formats megatron",
          bind<FormatsOptions, formats_options, list_formats>},
      Command{
          "fits", "say which ways of dividing a model over GPUs run, pad, fall back or are refused",
          "Tries every combination of tensor, pipeline, data, expert and context degrees whose product is "
          "the number of GPUs, and says of each whether it runs: what the packages of `--stack` demand of "
          "the sizes that one rank would hold, what any framework demands, and whether it fits into memory. "
          "Those that run come first, the fastest first, with what padding and other kernels cost; of the "
          "others it shows the sum that fails. Any number of GPUs will do, not only powers of two.",
          "shapelint fits model.toml --count 8 --gpu h100 --stack vllm\n"
          "shapelint fits model.toml --count 3,6,7,24 --gpu h100 --stack vllm==0.24,deep-ep\n"
          "shapelint fits model.toml --count 8 --gpu h100 --formats bf16,fp8:block128 --format csv",
          bind<FitsOptions, fits_options, fits>},
      Command{
          "plan", "plan training or serving: how many GPUs, which layout, which batch, what it costs",
          "Training: the fastest step at a fixed global batch over all degrees of parallelism, "
          "micro-batches, "
          "pipeline schedules, ZeRO stages, recomputation and offloading that the file's framework takes and "
          "that fit into memory, and what each choice is worth. Serving (`--input-tokens` and "
          "`--output-tokens`): replicas, degrees and concurrent requests that meet the bounds, the cheapest, "
          "the fastest and the Pareto front, with the commands that start them.\n\n"
          "Fields given as options (`--tensor 8`) are kept. docs/how-to/plan-parallelism.md has the figures "
          "and their limits.",
          "shapelint plan Qwen/Qwen3-8B --gpu h100 --gpus 8\n"
          "shapelint plan train.sh --gpu h100,b200 --gpus auto --tokens 15T --price h100=2.5,b200=4\n"
          "shapelint plan train.sh --gpu h100 --gpus 64 --diff\n"
          "shapelint plan Qwen/Qwen3-235B-A22B --gpu h200 --gpus 1..64 --input-tokens 2000 --output-tokens "
          "500 "
          "--ttft 500 --tpot 30",
          bind<PlanOptions, plan_options, plan_run>},
      Command{"contracts", "list what kernels and frameworks demand of a shape, or check a file",
              "Without a NAME, a table of all contracts: a demand of a package on the sizes that one rank "
              "holds, and whether it refuses, pads, falls back to another kernel or is slower where they are "
              "others. With the name of one, its condition, the versions and GPUs that it is known for, and "
              "the lines of the source that say so. With a FILE, those that bind its model on the GPU and "
              "that it does not meet.\n\n"
              "docs/reference/requirements.md has them all.",
              "shapelint contracts\n"
              "shapelint contracts deep-ep/low-latency-hidden\n"
              "shapelint contracts model.toml --gpu h100 --stack deep-ep,deep-gemm --tensor 8",
              bind<ContractsOptions, contracts_options, contracts>},
      Command{"prove", "write a script that measures the findings on your own GPU, and read what it measured",
              "Writes one self-contained Python script (PyTorch is all that it needs) that times, before and "
              "after each proposal, what the findings of FILE depend on: products with their layouts, "
              "grouped ones of experts, attention, passes over memory, and all of them as a whole step or "
              "layer. The script runs where the GPU is and writes JSON, which `--read` sets beside the "
              "predictions: each finding is confirmed, smaller or refuted. `--run` does it here and now. "
              "`--sweeps` measures kernels of a GPU instead, for `calibrate`.\n\n"
              "docs/how-to/verify-on-a-gpu.md goes from a finding to a proof and back.\n\n"
              "Exit code: 0 when the script was written or its result read, 1 when a result of sweeps is not "
              "plausible, 2 for wrong usage, input that cannot be read, or a file of which nothing can be "
              "proved.",
              "shapelint prove model.toml --gpu h100 -o prove.py\n"
              "shapelint prove model.toml --gpu h100 --findings SL101,narrow-heads --budget 5m > prove.py\n"
              "shapelint prove --read result.json\n"
              "shapelint prove --sweeps alignment,moe --gpu h200 -o sweep.py",
              bind<ProveOptions, prove_options, prove>},
      Command{
          "profile", "show a profiler's trace of a step beside its prediction, operation by operation",
          "Reads what PyTorch's profiler or Nsight Systems recorded of a run, takes the median of its whole "
          "steps, and finds each predicted operation in it: products by the sizes of their operators' "
          "inputs, everything else by the kind of its kernels. It shows what each was predicted to take and "
          "what it took, what no prediction explains, which of the predicted losses are there, and what the "
          "linter's findings would save of the step as it was measured.\n\n"
          "The options that say how the model runs (batch, lengths, degrees) must be those of the run. "
          "docs/how-to/compare-a-trace.md shows how to record a trace.",
          "shapelint profile trace.json.gz --model model.toml\n"
          "shapelint profile step.sqlite --model config.json --gpu h100 --step 'iteration *'\n"
          "shapelint profile rank*.json --model model.toml --report profile.html",
          bind<ProfileOptions, profile_options, profile>},
      Command{"calibrate", "fit a GPU's profile to your own measurements",
              "Searches the constants of the cost model that fit measured times of matrix products best, "
              "within plausible bounds and always with the same seed, and writes the profile with them. "
              "Errors are shown before and after, and for shapes left out of the fit (cross-validation by n "
              "and k). A constant that the data cannot determine stays as it is, with the reason. `prove "
              "--sweeps` and bench/measure_gemm.py make the measurements. With `--proofs` constants are "
              "adjusted to what `prove` measured of findings, and it is shown what that changes.",
              "shapelint calibrate measured.csv --gpu h200\n"
              "shapelint calibrate --proofs configs\n"
              "shapelint calibrate measured.csv --gpu-file my-gpu.toml -o my-gpu.toml",
              bind<CalibrateOptions, calibrate_options, calibrate>},
      Command{
          "config", "print what is configured for a file (`--show FILE`), or a schema (`--schema WHICH`)",
          "The closest of .shapelint.toml, shapelint.toml and the table [tool.shapelint] of "
          "pyproject.toml counts, in the file's folder or above; docs/reference/config-file.md describes it.",
          "shapelint config --show configs/7b/train.yaml\n"
          "shapelint config --schema config > shapelint.schema.json",
          bind<ConfigOptions, config_options, config>},
      Command{"lsp", "serve editors over the language server protocol",
              "Speaks version 3.17 over standard input and output: diagnostics while typing in TOML, YAML "
              "and JSON, hover on a dimension, and proposals as edits. The configuration closest to each "
              "file counts. docs/how-to/use-in-an-editor.md has the settings of editors.",
              "shapelint lsp --gpu h100", bind<LspOptions, lsp_options, lsp>},
      Command{"completion", "print a script that completes commands and options in a shell", "",
              "source <(shapelint completion bash)\n"
              "shapelint completion fish | source",
              bind<CompletionOptions, completion_options, completion>},
  };
  return table;
}

}  // namespace shapelint::cli
