// The table of subcommands. A new one: its own NAME.hpp and NAME.cpp with an options struct, a function that
// describes the options and one that runs; here one include and one entry.
#include <array>

#include "cli/command.hpp"
#include "cli/commands/calibrate/calibrate.hpp"
#include "cli/commands/commands.hpp"
#include "cli/commands/contracts/contracts.hpp"
#include "cli/commands/fits/fits.hpp"
#include "cli/commands/gpus/gpus.hpp"
#include "cli/commands/kernels/kernels.hpp"
#include "cli/commands/lint/lint.hpp"
#include "cli/commands/plan/plan.hpp"
#include "cli/commands/profile/profile.hpp"
#include "cli/commands/prove/prove.hpp"
#include "cli/commands/roofline/roofline.hpp"
#include "cli/commands/rules/rules.hpp"
#include "cli/commands/show/show.hpp"
#include "cli/commands/suggest/suggest.hpp"
#include "cli/commands/sweep/sweep.hpp"
#include "cli/help.hpp"

namespace shapelint::cli {

std::span<const Command> commands() {
  static constexpr std::array table{
      Command{"lint", "report wasteful dimensions, their cost and fixes",
              "Reads each FILE, predicts the time of every kernel of a step on one GPU, and reports the "
              "dimensions that waste it. `lint` is the default command.\n\nExit code: 0 nothing found at or "
              "above the fail level, 1 findings, 2 wrong usage or unreadable input.",
              "shapelint model.toml --gpu a100\n"
              "shapelint model.toml --gpu h100 --micro-batch-size 8 --format json\n"
              "shapelint configs/ --quiet --output sarif=shapelint.sarif\n"
              "shapelint configs/ --diff-base origin/main --format github",
              bind<LintOptions, lint_options, lint>},
      Command{"rules", "list the rules", "", "shapelint rules\nshapelint rules --format json",
              bind<RulesOptions, rules_options, rules>},
      Command{"explain", "explain a rule: why, condition, examples, references", "RULE is a code or a name.",
              "shapelint explain SL101\nshapelint explain narrow-heads",
              bind<ExplainOptions, explain_options, explain>},
      Command{"suggest", "search for faster shapes near the given one",
              "Searches hidden_size, num_layers, head_dim, num_key_value_heads, intermediate_size and "
              "vocab_size (or the fields of `--vary` and `--range`) for the fastest shapes within a budget "
              "of parameters, GPU memory, hard rules of frameworks and your own conditions. The search is "
              "exact unless stopped. Shapes with equal predictions are listed by how little they "
              "change.\n\nExit code: 0 after a search, 2 for wrong usage, unreadable input, or constraints "
              "that leave nothing (the message names them).",
              "shapelint suggest model.toml --gpu a100,h100\n"
              "shapelint suggest model.toml --fix hidden_size,num_layers --params 1%\n"
              "shapelint suggest model.toml --range hidden_size=2048:4096:64\n"
              "shapelint suggest model.toml --gpu a100 --apply 1 -o faster.toml --diff",
              bind<SuggestOptions, suggest_options, suggest_shapes>},
      Command{"sweep", "predict over a grid of dimensions, as CSV",
              "Sets the fields of every `--over` to every combination of their values and prints a row per "
              "combination and GPU: parameters, memory, step time and its parts, MFU, and violated hard "
              "rules. The order is fixed.\n\n`--shard 2/8` prints the second of eight equal parts, to spread "
              "a sweep over machines (examples/slurm/).",
              "shapelint sweep model.toml --over hidden_size=2048:4096:8 --gpu a100\n"
              "shapelint sweep model.toml --over vocab_size=50257:50304 --over tensor=1,2",
              bind<SweepOptions, sweep_options, sweep>},
      Command{
          "roofline", "show the roofline of each operation in a step",
          "Prints each operation of one step: FLOPs, bytes, arithmetic intensity at DRAM, L2 and shared "
          "memory, roofline limit, predicted throughput, bound and share of the step; then the changes that "
          "are predicted to help. Serving (mode prefill or decode) adds time to first token, time per "
          "token and the KV cache.\n\nSeveral GPUs or files are compared. docs/how-to/read-a-roofline.md "
          "explains the columns.",
          "shapelint roofline model.toml --gpu a100\n"
          "shapelint roofline model.toml --set mode=decode,context_length=4096 --gpu h200\n"
          "shapelint roofline model.toml --mode decode --over 'micro_batch_size=1:1024:*2'",
          bind<RooflineOptions, roofline_options, roofline>},
      Command{"gpus", "list GPUs, or show one with its sources",
              "Without a NAME: a table of all profiles with SMs, peak, bandwidth, L2, calibration and "
              "aliases. With a NAME, or a file of your own: every figure of the profile and its "
              "architecture, with notes and sources.\n\nNames ignore case, `-` and `_`.",
              "shapelint gpus\n"
              "shapelint gpus a100\n"
              "shapelint gpus --gpu-file my-gpu.toml --format json",
              bind<GpusOptions, gpus_options, gpus>},
      Command{"gemm", "predict the time of one GEMM, or of a table",
              "C[m,n] = A[m,k] B[k,n]. One GEMM is explained: ideal time, and losses to wave quantization, "
              "tile quantization and misalignment. A table is answered row by row, with columns of the "
              "prediction added.",
              "shapelint gemm 8192 10240 2560 --gpu a100\n"
              "shapelint gemm --gpu h100 --shapes gemms.csv --format csv",
              bind<GemmOptions, gemm_options, gemm>},
      Command{"kernels", "predict a table of kernels of serving engines",
              "Attention, MoE, quantization and collectives as serving engines run them. Each row gets three "
              "more columns: `predicted_us`, `bound` and `efficiency` (ideal / predicted time), empty if no "
              "model is known. Columns are found by name (`--list`); others are kept. "
              "docs/explanation/kernels.md has the equations.",
              "shapelint kernels --list\n"
              "shapelint kernels attention-decode --gpu h100 --shapes decode.csv --format csv\n"
              "shapelint kernels nccl --gpu h100 --shapes - < collectives.csv",
              bind<KernelsOptions, kernels_options, kernels>},
      Command{
          "show", "print a model as its layers, and its fields with their origin",
          "Prints the config format, the model as a list of layers, its parameters, and the fields of "
          "model and run that are not at shapelint's default (`-v`: all), each with its value and origin: "
          "stated, given on the command line, derived, or the default of its framework or model. A folder is "
          "searched for "
          "configurations.",
          "shapelint show config.json\n"
          "shapelint show --why run.sh\n"
          "shapelint show configs/ --format json",
          bind<ShowOptions, show_options, show>},
      Command{
          "fields", "list the fields of --set and the native format",
          "`--set FIELD=VALUE,…` states values in place of a file's: `--set mode=decode,tp=8`. Each field is "
          "also an option, such as `--micro-batch-size 8`, and a key of the native file under "
          "the section in brackets.",
          "shapelint fields\nshapelint fields --format json",
          bind<FieldsOptions, fields_options, list_fields>},
      Command{
          "formats", "list config formats, or show one",
          "Without a NAME: a table of all config formats. With a NAME: the keys that identify it, the files "
          "it inherits from, its source, and an example.\n\nA format is a TOML file "
          "(docs/contributing/format.md). `shapelint show --why FILE` prints the format of a file, and why.",
          "shapelint formats\n"
          "shapelint formats megatron",
          bind<FormatsOptions, formats_options, list_formats>},
      Command{"fits", "find valid TP/PP/DP/EP layouts for N GPUs",
              "Tries every combination of TP, PP, DP, EP and CP for the number of GPUs, and checks each "
              "against the requirements of the `--stack` packages, hard rules of frameworks, and memory. "
              "Valid layouts come first, fastest first, with the cost of padding and fallback kernels; for "
              "the others it prints the requirement that fails. Any number of GPUs is allowed.",
              "shapelint fits model.toml --count 8 --gpu h100 --stack vllm\n"
              "shapelint fits model.toml --count 6,24 --gpu h100 --stack vllm==0.24,deep-ep\n"
              "shapelint fits model.toml --count 8 --gpu h100 --formats bf16,fp8:block128",
              bind<FitsOptions, fits_options, fits>},
      Command{
          "plan", "plan GPUs, layout, batch and cost",
          "Training: the fastest step at a fixed global batch over all layouts, micro-batches, pipeline "
          "schedules, ZeRO stages, activation recomputation and offloading that the framework supports and "
          "that fit, and the effect of each choice. Serving (`--input-tokens` and `--output-tokens`): the "
          "cheapest and fastest replicas, layouts and batches within the bounds, the Pareto front, and "
          "commands to start them.\n\nFields given as options (`--tensor 8`) are kept. "
          "docs/how-to/plan-parallelism.md has the details.",
          "shapelint plan Qwen/Qwen3-8B --gpu h100 --gpus 8\n"
          "shapelint plan train.sh --gpu h100 --tokens 15T --price h100=2.5\n"
          "shapelint plan train.sh --gpu h100 --gpus 64 --diff\n"
          "shapelint plan Qwen/Qwen3-8B --gpu h200 --input-tokens 2000 --output-tokens 500",
          bind<PlanOptions, plan_options, plan_run>},
      Command{"contracts", "list shape requirements of kernels and frameworks",
              "Without a NAME: a table of all requirements of packages on the sizes of a rank, and whether "
              "the package rejects, pads, falls back or is slower if one is not met. With a NAME: its "
              "condition, versions, GPUs and the cited source lines. With a FILE: the requirements that its "
              "model does not meet on the GPU.\n\ndocs/reference/requirements.md lists them.",
              "shapelint contracts\n"
              "shapelint contracts deep-ep/low-latency-hidden\n"
              "shapelint contracts model.toml --gpu h100 --stack deep-ep,deep-gemm --tensor 8",
              bind<ContractsOptions, contracts_options, contracts>},
      Command{"prove", "measure findings on your GPU with a script",
              "Writes a Python script (it needs PyTorch only) that times what the findings of FILE depend "
              "on, before and after each fix: GEMMs, grouped GEMMs, attention, memory passes, and the whole "
              "step or a layer. It writes JSON, which `--read` compares with the predictions: confirmed, "
              "smaller or refuted. `--run` does all of it here. `--sweeps` measures a GPU's kernels for "
              "`calibrate`.\n\ndocs/how-to/verify-on-a-gpu.md has the steps.\n\nExit code: 0 script written "
              "or result read, 1 implausible result of sweeps, 2 wrong usage, unreadable input, or nothing "
              "to measure.",
              "shapelint prove model.toml --gpu h100 -o prove.py\n"
              "shapelint prove model.toml --gpu h100 --findings SL101 > prove.py\n"
              "shapelint prove --read result.json\n"
              "shapelint prove --sweeps alignment,moe --gpu h200 -o sweep.py",
              bind<ProveOptions, prove_options, prove>},
      Command{"profile", "compare a profiler trace with the prediction",
              "Reads a trace of PyTorch's profiler or Nsight Systems, takes the median step, and matches "
              "each predicted operation: GEMMs by input sizes, others by kernel name. It prints predicted "
              "and measured times, unexplained kernels, which predicted losses are confirmed, and what the "
              "findings would save of the measured step.\n\nBatch, lengths and parallelism must be those of "
              "the run. docs/how-to/compare-a-trace.md shows how to record a trace.",
              "shapelint profile trace.json.gz --model model.toml\n"
              "shapelint profile step.sqlite --model config.json --gpu h100 --step 'iteration *'\n"
              "shapelint profile rank*.json --model model.toml --report profile.html",
              bind<ProfileOptions, profile_options, profile>},
      Command{
          "calibrate", "fit a GPU's profile to your own measurements",
          "Fits the constants of the cost model to measured GEMM times, within plausible bounds and with a "
          "fixed seed, and writes the profile. It prints errors before and after, cross-validated by n and "
          "k. A constant that the data does not determine keeps its value; the reason is printed. `prove "
          "--sweeps` and "
          "bench/measure_gemm.py make measurements. `--proofs` adjusts constants to what `prove` measured.",
          "shapelint calibrate measured.csv --gpu h200\n"
          "shapelint calibrate --proofs configs\n"
          "shapelint calibrate measured.csv --gpu-file my-gpu.toml -o my-gpu.toml",
          bind<CalibrateOptions, calibrate_options, calibrate>},
      Command{"config", "print the effective configuration, or a schema",
              "The closest .shapelint.toml, shapelint.toml or [tool.shapelint] of pyproject.toml applies "
              "(docs/reference/config-file.md).",
              "shapelint config --show configs/7b/train.yaml\n"
              "shapelint config --schema config > shapelint.schema.json",
              bind<ConfigOptions, config_options, config>},
      Command{"lsp", "run the language server",
              "Protocol 3.17 over standard input and output: diagnostics in TOML, YAML and JSON, hover on "
              "dimensions, fixes as code actions. The closest configuration applies. "
              "docs/how-to/use-in-an-editor.md sets up editors.",
              "shapelint lsp --gpu h100", bind<LspOptions, lsp_options, lsp>},
      Command{"completion", "print a shell completion script", "",
              "source <(shapelint completion bash)\n"
              "shapelint completion fish | source",
              bind<CompletionOptions, completion_options, completion>},
  };
  return table;
}

}  // namespace shapelint::cli
