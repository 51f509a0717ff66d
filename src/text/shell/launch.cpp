// SLURM's variables, and the words of `docker run`.
#include "text/shell/launch.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <iterator>
#include <optional>
#include <string>
#include <string_view>

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

SlurmJob slurm_job(std::string_view source, std::string_view asked) {
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
  read_directive(asked, asked, job);
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

// WORLD_SIZE and PET_NNODES: Kubeflow's PyTorchJob sets them, Alibaba's PAI WORLD_SIZE as the number of
// nodes, Volcengine's MLP_WORKER_NUM and ByteDance's ARNOLD_WORKER_NUM, too.
bool is_set_by_cluster(std::string_view name) {
  constexpr std::string_view names[] = {"SLURM_NNODES",    "SLURM_JOB_NUM_NODES",  "SLURM_NTASKS",
                                        "SLURM_NPROCS",    "PBS_NUM_NODES",        "LSB_DJOB_NUMPROC",
                                        "FLUX_JOB_NNODES", "OMPI_COMM_WORLD_SIZE", "WORLD_SIZE",
                                        "PET_NNODES",      "MLP_WORKER_NUM",       "ARNOLD_WORKER_NUM"};
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

namespace {

// Docker, `docker container run --help`; podman's and nerdctl's are the same.
constexpr std::array<std::string_view, 12> long_switches = {"--detach",
                                                            "--disable-content-trust",
                                                            "--help",
                                                            "--init",
                                                            "--interactive",
                                                            "--no-healthcheck",
                                                            "--oom-kill-disable",
                                                            "--privileged",
                                                            "--publish-all",
                                                            "--quiet",
                                                            "--read-only",
                                                            "--rm"};
constexpr std::array<std::string_view, 3> more_long_switches = {"--sig-proxy", "--tty", "--use-api-socket"};
// Of one letter each, which may stand together: `-it`.
constexpr std::string_view short_switches = "ditPq";

bool is_switch(std::string_view option) {
  const auto is_one_of = [&](const auto& list) {
    return std::find(list.begin(), list.end(), option) != list.end();
  };
  if (option.starts_with("--")) return is_one_of(long_switches) || is_one_of(more_long_switches);
  return option.find_first_not_of(short_switches, 1) == std::string_view::npos;
}

bool starts_containers(std::string_view word) {
  word.remove_prefix(word.rfind('/') + 1);  // npos + 1: all of it
  return word == "docker" || word == "podman" || word == "nerdctl";
}

// `-e NAME=value` behind another option's letters is rare, and not looked for.
std::string_view variable_in(std::string_view option) {
  for (const std::string_view name : {"--env=", "-e="}) {
    if (option.starts_with(name)) return option.substr(name.size());
  }
  return {};
}

}  // namespace

std::optional<Container> container_of(const std::vector<Text>& words) {
  constexpr std::size_t most_before = 3;  // `sudo -E docker`
  std::size_t at = 0;
  while (at < words.size() && at < most_before && !starts_containers(as_string(words[at]))) ++at;
  if (at >= words.size() || !starts_containers(as_string(words[at]))) return std::nullopt;
  if (at + 1 < words.size() && as_string(words[at + 1]) == "container") ++at;
  if (at + 1 >= words.size() || as_string(words[at + 1]) != "run") return std::nullopt;
  Container out;
  for (at += 2; at < words.size(); ++at) {
    const std::string word = as_string(words[at]);
    // Options that only the run knows, or none.
    if (word.empty() && !is_known(words[at])) {
      const Piece& open = *first_unknown(words[at]);
      if (open.name.find("IMAGE") == std::string::npos && open.name.find("image") == std::string::npos)
        continue;
    }
    if (!word.starts_with('-')) {
      out.image = at;
      return out;
    }
    const bool has_value = word.find('=') != std::string::npos;
    if (const std::string_view variable = variable_in(word); !variable.empty()) {
      out.environment.push_back(substring(words[at], word.size() - variable.size(), word.size()));
    } else if (!has_value && !is_switch(word)) {
      ++at;
      if (at < words.size() && (word == "-e" || word == "--env")) out.environment.push_back(words[at]);
    }
  }
  return std::nullopt;
}

}  // namespace shapelint::text::shell
