// What runs a script's commands: the scheduler that `#SBATCH` lines ask, and containers.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>
#include <vector>

#include "text/document.hpp"
#include "text/shell/value.hpp"

namespace shapelint::text::shell {

struct SlurmNumber {
  std::int64_t value = 0;  // 0: not stated
  Span span;
};

// For the whole job; a range of nodes counts as not stated.
struct SlurmJob {
  SlurmNumber nodes;
  SlurmNumber tasks;
  SlurmNumber tasks_per_node;
  SlurmNumber gpus;
  SlurmNumber gpus_per_node;  // --gpus-per-node, --gres=gpu:N
};

// `asked` is the command that starts it (`sbatch -N 4`): its options go before the script's lines.
SlurmJob slurm_job(std::string_view source, std::string_view asked = {});

// The variables that SLURM sets for the script: SLURM_NNODES, SLURM_NTASKS, SLURM_GPUS_PER_NODE …
Variables slurm_variables(const SlurmJob& job);

// Whether the scheduler sets this number of nodes or tasks: a default in `${SLURM_NNODES:-1}` is what a run
// without it takes, and says nothing of the job.
bool is_set_by_cluster(std::string_view name);

// The table `slurm`, of what is stated; none where nothing is.
void add_slurm(TreeBuilder& tree, std::int32_t root, const SlurmJob& job, Span place);

struct Container {
  std::size_t image = 0;            // index of the image among the words; what it runs stands behind it
  std::vector<Text> environment{};  // `NAME=value` of `-e` and `--env`
};

// Nothing for words that start no container, or whose image cannot be told from an option's value.
std::optional<Container> container_of(const std::vector<Text>& words);

}  // namespace shapelint::text::shell
