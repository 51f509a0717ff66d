// Loops, sizes behind branches, sourced scripts, and what a scheduler tells.
#include <algorithm>
#include <map>
#include <string>

#include <fmt/format.h>

#include "tests/catch.hpp"
#include "tests/text/shell/shell_support.hpp"
#include "text/shell/shell.hpp"

using namespace shapelint;
using namespace shapelint::text;

TEST_CASE("shell: of many open conditions those are kept apart that tell sizes") {
  std::string script = "if [ $7 = a ]; then X=\"--fp16\"; elif [ $7 = b ]; then X=\"--bf16\"; fi\n";
  for (int size = 1; size <= 10; ++size) {
    script += fmt::format("{} [ $1 = {}B ]; then\n  H={}\n  L={}\n", size == 1 ? "if" : "elif", size,
                          1024 * size, size);
  }
  script += "fi\n";
  for (const char* other : {"AC", "DO", "SP"}) {
    script += fmt::format("if [ $8 = x ]; then {0}=\"--{0}-x\"; else {0}=\"--{0}-y\"; fi\n", other);
  }
  const std::string told = flags(script + "train --hidden-size $H --num-layers $L $X $AC $DO $SP\n");
  CHECK(std::count(told.begin(), told.end(), '|') == 9);
  // Flags that only one of the others holds are there or not.
  const std::string open = "unknown(branches set `X` differently)";
  CHECK(told.find("[\"[ $1 = 10B ]\"] {--hidden-size: 10240, --num-layers: 10, --bf16: " + open +
                  ", --fp16: " + open) != std::string::npos);
}

TEST_CASE("shell: a loop that only assigns is gone through") {
  const std::string list =
      "N=5\nF=3\narr=()\nfor ((i=0; i<N; i++)); do\n  if (( i < F )); then\n    arr+=(0)\n  else\n"
      "    arr+=(1)\n  fi\ndone\n";
  CHECK(
      flags(list + "printf -v FREQ \"[%s]\" \"$(IFS=', '; echo \"${arr[*]}\")\"\ntrain --freq \"$FREQ\"\n") ==
      "{--freq: \"[0,0,0,1,1]\"}");
  CHECK(flags("L=\"\"\nfor x in 1 2 3; do L=\"$L,$x\"; done\ntrain --l $L --last $x\n") ==
        "{--l: \",1,2,3\", --last: 3}");
  CHECK(flags("S=0\nfor ((i = 1; i <= 4; i += 1)); do let S=S+i; done\ntrain --s $S\n") == "{--s: 10}");
  // What nobody can count, or what starts something, is not.
  CHECK(flags("S=0\nfor ((i=0; i<$1; i++)); do S=$((S + 1)); done\ntrain --s $S\n") ==
        "{--s: unknown(`$((S + 1))` depends on unknown values)}");
  CHECK(flags("for tp in 1 2; do train --tp $tp; done\n") ==
        "{--tp: unknown(the loop gives `tp` several values)}");
  CHECK(flags("for ((i=0; i<1000000000; i++)); do S=$i; done\ntrain --s $S --k 1\n").find("--k: 1") !=
        std::string::npos);
}

// TIGER-AI-Lab/verl-tool, examples/train/pixel_reasoner/train_qwen3vl.sh: tokens of a prompt and an answer.
TEST_CASE("shell: expr gives a sum where its numbers are known") {
  CHECK(flags("a=16384\nn=$(expr $a + 4096)\ntrain --n $n --m $(expr 3 \\* 4) --u $(expr $u + 1)\n") ==
        "{--n: 20480, --m: unknown(it is the output of a command), --u: unknown(it is the output of a "
        "command)}");
}

TEST_CASE("shell: sbatch tells a script what it asked for") {
  const auto told = [](const std::string& source) {
    const auto documents = parse_shell("run.sh", source);
    return documents ? outline(documents->front().root()["slurm"]) + " " +
                           outline(documents->front().root()["flags"])
                     : outline(documents.error(), source);
  };
  CHECK(told("#!/bin/bash\n#SBATCH --nodes=16   # of them\n#SBATCH --ntasks-per-node 8 --gres=gpu:a100:4\n"
             "N=$SLURM_NNODES\ntrain --n $N --g $SLURM_GPUS_ON_NODE --t $SLURM_NTASKS\n") ==
        "{nodes: 16, tasks: 128, tasks_per_node: 8, gpus_per_node: 4} {--n: 16, --g: 4, --t: 128}");
  CHECK(told("#SBATCH -N2\n#SBATCH -n 16\n#SBATCH --gres=nvme:1,gpu:2\ntrain --n $SLURM_JOB_NUM_NODES\n") ==
        "{nodes: 2, tasks: 16, gpus_per_node: 2} {--n: 2}");
  // A range, a resource without a number, and what stands behind the first command.
  CHECK(told("#SBATCH --nodes=1-4\n#SBATCH --gres=gpu\ntrue\n#SBATCH -n 4\ntrain --n $SLURM_NNODES\n") ==
        "absent {--n: unknown(the variable `SLURM_NNODES` is not set in this file)}");
  // A default of what the cluster sets is no statement of the job, that of another variable is.
  CHECK(
      told("train --n ${SLURM_NNODES:-1} --t ${SLURM_NTASKS-8} --g ${SLURM_GPUS_ON_NODE:-8} --m ${N:-1}\n") ==
      "absent {--n: unknown(the variable `SLURM_NNODES` is not set in this file), --t: unknown(the variable "
      "`SLURM_NTASKS` is not set in this file), --g: 8, --m: 1}");
  // Kubeflow's getting started with PyTorchJob; PAI, general environment variables: nodes of the job.
  CHECK(told("NNODES=${WORLD_SIZE:-1}\ntrain --n $NNODES\n") ==
        "absent {--n: unknown(the variable `WORLD_SIZE` is not set in this file)}");
  CHECK(told("WORLD_SIZE=4\ntrain --n ${WORLD_SIZE:-1}\n") == "absent {--n: 4}");
  CHECK(told("NNODES=${MLP_WORKER_NUM:-1}\ntrain --n $NNODES\n") ==
        "absent {--n: unknown(the variable `MLP_WORKER_NUM` is not set in this file)}");
  CHECK(told("#SBATCH -N 2\ntrain --n ${SLURM_NNODES:-1}\n") == "{nodes: 2} {--n: 2}");
}

// verl, recipe/dapo/run_dapo_qwen2.5_32b.sh: NNODES=${NNODES:-16}, which the environment may set.
TEST_CASE("shell: a number that a variable falls back on is told from one that is written") {
  const auto note = [](const std::string& script) {
    const auto documents = parse_shell("run.sh", script, {});
    REQUIRE(documents);
    return std::string(documents->front().root()["flags"]["--n"].note());
  };
  CHECK(note("N=${N:-16}\ntrain --n $N\n") == note_of_default);
  CHECK(note("train --n \"${1:-16}\"\n") == note_of_default);
  CHECK(note("N=16\ntrain --n ${N:-2}\n").empty());
  CHECK(note("train --n 16\n").empty());
}

// simplescaling/s1, train/launch.sh: srun --nodes=2 … ./train/sft_slurm.sh; sbatch(1): options of the command
// line go before those of the script.
TEST_CASE("shell: a script that sbatch starts sees what it asked for") {
  const auto told = [](const std::string& command) {
    const auto load = [](const std::string& path, const std::string&) -> std::optional<SourcedScript> {
      return SourcedScript{path, "#SBATCH --nodes=2\ntrain --n $SLURM_NNODES --t $SLURM_NTASKS\n"};
    };
    const auto documents = parse_shell("run.sh", command, load);
    return documents ? outline(documents->front().root()["flags"]) : outline(documents.error(), command);
  };
  CHECK(told("sbatch train.sh\n").starts_with("{--n: 2,"));
  CHECK(told("sbatch -N 4 --ntasks-per-node=8 train.sh\n") == "{--n: 4, --t: 32}");
}

TEST_CASE("shell: a file of arguments is part of the command that names it") {
  const std::map<std::string, std::string> files = {
      {"args/8b.txt", "# sizes\n--num-layers\n36\n--hidden-size 4096\n\n--swiglu\n"}};
  const auto load = [&](const std::string& path, const std::string&) -> std::optional<SourcedScript> {
    const auto found = files.find(path);
    return found == files.end() ? std::nullopt : std::optional(SourcedScript{path, found->second});
  };
  const auto told = [&](const std::string& source) {
    const auto documents = parse_shell("run.sh", source, load);
    return documents ? outline(documents->front().root()["flags"]) : outline(documents.error(), source);
  };
  CHECK(told("python train.py @args/8b.txt --tp 2\n") ==
        "{--num-layers: 36, --hidden-size: 4096, --swiglu: true, --tp: 2}");
  CHECK(told("SIZE=8b\npython train.py --tp 2 @args/$SIZE.txt\n") ==
        "{--tp: 2, --num-layers: 36, --hidden-size: 4096, --swiglu: true}");
  // One that is not there is a word like any other.
  CHECK(told("python train.py --kernel @rwkv3 --tp 2\n") == "{--kernel: \"@rwkv3\", --tp: 2}");
}

TEST_CASE("shell: what a sourced script sets counts") {
  const std::map<std::string, std::string> scripts = {
      {"models/8b.sh", "L=${LAYERS:-36}\nMODEL_ARGS=(\n  --num-layers $L\n  --hidden-size 4096\n)\n"},
      {"again.sh", "source again.sh\nX=1\n"},
      {"broken.sh", "if [ a ]; then\n"},
      {"forks.sh", "if [ -e x ]; then H=1; else H=2; fi\nT=8\n"}};
  const auto load = [&](const std::string& path, const std::string&) -> std::optional<SourcedScript> {
    const auto found = scripts.find(path);
    return found == scripts.end() ? std::nullopt : std::optional(SourcedScript{path, found->second});
  };
  const auto told = [&](const std::string& source) {
    const auto documents = parse_shell("run.sh", source, load);
    return documents ? outline(documents->front().root()["flags"]) : outline(documents.error(), source);
  };
  const std::string sources = "DIR=$(cd $(dirname $0) && pwd)\nsource \"${DIR}/models/8b.sh\"\n";
  CHECK(told(sources + "train ${MODEL_ARGS[@]} --tp 2\n") ==
        "{--num-layers: 36, --hidden-size: 4096, --tp: 2}");
  CHECK(told("LAYERS=5 source models/8b.sh\n") == "{--num-layers: 5, --hidden-size: 4096}");
  // It counts as written where it is sourced.
  const auto documents = parse_shell("run.sh", "source models/8b.sh\ntrain ${MODEL_ARGS[@]}\n", load);
  REQUIRE(documents);
  const NodeRef layers = documents->front().root()["flags"]["--num-layers"];
  CHECK(std::string_view("source models/8b.sh") ==
        documents->front().source().substr(static_cast<std::size_t>(layers.span().begin), 19));
  // Scripts that source themselves, that are broken, or that are not there.
  CHECK(told(". again.sh\ntrain --x $X\n") == "{--x: 1}");
  CHECK(told(". broken.sh\ntrain --x 1\n") == "{--x: 1}");
  CHECK(told(". nowhere.sh\ntrain --x 1\n") == "{--x: 1}");
  CHECK(told(". forks.sh\ntrain --h $H --t $T\n") == "{--h: unknown(branches set `H` differently), --t: 8}");
}

TEST_CASE("shell: a script that is run sees what is exported, and its arguments") {
  const std::map<std::string, std::string> scripts = {
      {"train.sh", "MODEL=${1:-7b}\ntrain --model $MODEL --tp ${TP:-1} --pp ${PP:-1} --mbs $MBS\n"},
      {"again.sh", "bash again.sh\ntrain --x 1\n"}};
  const auto load = [&](const std::string& path, const std::string&) -> std::optional<SourcedScript> {
    const auto found = scripts.find(path);
    return found == scripts.end() ? std::nullopt : std::optional(SourcedScript{path, found->second});
  };
  const auto told = [&](const std::string& source) {
    std::string all;
    const auto documents = parse_shell("run.sh", source, load);
    if (!documents) return outline(documents.error(), source);
    for (const Document& each : *documents) all += (all.empty() ? "" : " | ") + outline(each.root()["flags"]);
    return all;
  };
  const std::string unset = "--mbs: unknown(the variable `MBS` is not set in this file)}";
  // PP is this script's own.
  CHECK(told("export TP=8\nPP=4\nbash train.sh 70b\n") == "{--model: \"70b\", --tp: 8, --pp: 1, " + unset);
  CHECK(told("PP=4\nMBS=2 TP=2 sbatch train.sh\n") == "{--model: \"7b\", --tp: 2, --pp: 1, --mbs: 2}");
  CHECK(told("export MBS=1\nfor n in 1; do srun --nodes 2 bash train.sh 8b; done\n") ==
        "{--model: \"8b\", --tp: 1, --pp: 1, --mbs: 1} | {--nodes: [2, \"bash\", \"train.sh\", \"8b\"]}");
  // Scripts that run themselves, or are not there.
  CHECK(told("bash again.sh\n") == "{--x: 1}");
  CHECK(told("bash nowhere.sh\ntrain --x 2\n") == "{--x: 2}");
}
