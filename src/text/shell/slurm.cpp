// Directives of sbatch (https://slurm.schedmd.com/sbatch.html): options and output environment variables.
#include "text/shell/slurm.hpp"

#include <algorithm>
#include <charconv>
#include <iterator>
#include <optional>

#include <fmt/format.h>

namespace shapelint::text::shell {

namespace {

constexpr std::string_view blanks_in_line = " \t\r";

std::string_view next_word(std::string_view& rest) {
  rest.remove_prefix(std::min(rest.find_first_not_of(blanks_in_line), rest.size()));
  const std::string_view word = rest.substr(0, std::min(rest.find_first_of(blanks_in_line), rest.size()));
  rest.remove_prefix(word.size());
  return word;
}

// `4`, `gpu:4`, `gpu:a100:4`, `a100:4`; of a list of resources the GPUs.
std::optional<std::int64_t> count_in(std::string_view text, bool is_resource) {
  while (is_resource && !text.empty() && !text.starts_with("gpu")) {
    const std::size_t comma = text.find(',');
    text.remove_prefix(comma == std::string_view::npos ? text.size() : comma + 1);
  }
  text = text.substr(0, text.find(','));
  if (is_resource && text.find(':') == std::string_view::npos) return std::nullopt;
  const std::size_t colon = text.rfind(':');
  if (colon != std::string_view::npos) text.remove_prefix(colon + 1);
  std::int64_t value = 0;
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), value);
  const bool is_whole = problem == std::errc() && end == text.data() + text.size() && value > 0;
  return is_whole ? std::optional(value) : std::nullopt;
}

struct Option {
  std::string_view name;
  SlurmNumber SlurmJob::*number;
  bool is_resource = false;
};

constexpr Option options[] = {
    {"--nodes", &SlurmJob::nodes},
    {"-N", &SlurmJob::nodes},
    {"--ntasks", &SlurmJob::tasks},
    {"-n", &SlurmJob::tasks},
    {"--ntasks-per-node", &SlurmJob::tasks_per_node},
    {"--tasks-per-node", &SlurmJob::tasks_per_node},
    {"--gpus", &SlurmJob::gpus},
    {"-G", &SlurmJob::gpus},
    {"--gpus-per-node", &SlurmJob::gpus_per_node},
    {"--gres", &SlurmJob::gpus_per_node, true},
};

void read_directive(std::string_view line, std::string_view source, SlurmJob& job) {
  while (!line.empty()) {
    std::string_view word = next_word(line);
    if (word.empty() || word.starts_with('#')) return;
    for (const Option& option : options) {
      std::string_view value;
      if (word == option.name) {
        value = next_word(line);
      } else if (word.starts_with(option.name) && word.size() > option.name.size() &&
                 (word[option.name.size()] == '=' || option.name.size() == 2)) {
        value = word.substr(option.name.size() + (word[option.name.size()] == '=' ? 1 : 0));
      } else {
        continue;
      }
      const auto count = count_in(value, option.is_resource);
      const auto begin = static_cast<std::int64_t>(value.data() - source.data());
      const Span span{begin, begin + static_cast<std::int64_t>(value.size())};
      job.*option.number = count ? SlurmNumber{*count, span} : SlurmNumber{};
      break;
    }
  }
}

}  // namespace

SlurmJob slurm_job(std::string_view source) {
  constexpr std::string_view directive = "#SBATCH";
  SlurmJob job;
  std::string_view rest = source;
  while (!rest.empty()) {
    const std::string_view line = rest.substr(0, std::min(rest.find('\n'), rest.size()));
    rest.remove_prefix(std::min(line.size() + 1, rest.size()));
    // Behind the first command sbatch reads none.
    if (!line.empty() && line.find_first_not_of(blanks_in_line) != std::string_view::npos && line[0] != '#')
      break;
    if (line.starts_with(directive)) read_directive(line.substr(directive.size()), source, job);
  }
  if (job.tasks.value == 0 && job.nodes.value > 0 && job.tasks_per_node.value > 0)
    job.tasks = {job.nodes.value * job.tasks_per_node.value, job.tasks_per_node.span};
  return job;
}

Variables slurm_variables(const SlurmJob& job) {
  Variables variables;
  const auto set = [&](const SlurmNumber& number, std::initializer_list<const char*> names) {
    if (number.value == 0) return;
    Piece piece;
    piece.text = fmt::format("{}", number.value);
    piece.span = number.span;
    piece.exact = false;
    for (const char* name : names) variables[name] = std::make_shared<const Value>(Value{false, {{piece}}});
  };
  set(job.nodes, {"SLURM_NNODES", "SLURM_JOB_NUM_NODES"});
  set(job.tasks, {"SLURM_NTASKS", "SLURM_NPROCS"});
  set(job.tasks_per_node, {"SLURM_NTASKS_PER_NODE", "SLURM_TASKS_PER_NODE"});
  set(job.gpus, {"SLURM_GPUS"});
  set(job.gpus_per_node, {"SLURM_GPUS_PER_NODE", "SLURM_GPUS_ON_NODE"});
  return variables;
}

bool is_set_by_cluster(std::string_view name) {
  constexpr std::string_view names[] = {"SLURM_NNODES",    "SLURM_JOB_NUM_NODES", "SLURM_NTASKS",
                                        "SLURM_NPROCS",    "PBS_NUM_NODES",       "LSB_DJOB_NUMPROC",
                                        "FLUX_JOB_NNODES", "OMPI_COMM_WORLD_SIZE"};
  return std::find(std::begin(names), std::end(names), name) != std::end(names);
}

void add_slurm(TreeBuilder& tree, std::int32_t root, const SlurmJob& job, Span place) {
  const std::pair<std::string_view, const SlurmNumber*> numbers[] = {
      {"nodes", &job.nodes},
      {"tasks", &job.tasks},
      {"tasks_per_node", &job.tasks_per_node},
      {"gpus", &job.gpus},
      {"gpus_per_node", &job.gpus_per_node},
  };
  std::int32_t table = no_node;
  for (const auto& [key, number] : numbers) {
    if (number->value == 0) continue;
    if (table == no_node) table = tree.add(root, Kind::table, "slurm", {}, place);
    tree.set_integer(tree.add(table, Kind::integer, key, number->span, number->span), number->value);
  }
}

}  // namespace shapelint::text::shell
