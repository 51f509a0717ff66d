// Functions: calls, and the arguments of one.
#include <algorithm>
#include <array>
#include <charconv>
#include <map>

#include <fmt/format.h>

#include "text/shell/executor.hpp"
#include "text/shell/launch.hpp"

namespace shapelint::text::shell {

namespace {

// `$1` to `$9`, `$#`, `$@`, `$*`.
constexpr std::string_view argument_names = "123456789#@*";

// `$@` of the script itself: it is unknown how many there are.
bool is_passed_on(const Text& text) {
  const Piece* open = first_unknown(text);
  return open != nullptr && (open->name == "@" || open->name == "*");
}

constexpr std::size_t units_per_call = 200;
constexpr std::size_t units_per_local = 20;

void restore(const std::string& name, const std::shared_ptr<const Value>& before, ExecutionPath& outcome) {
  charge(units_per_local);
  if (before == nullptr) {
    outcome.variables.erase(name);
  } else {
    outcome.variables[name] = before;
  }
}

// Where the script stands among the words of `bash train.sh 8B`, `sbatch -N 4 train.slurm`, `./train.sh`;
// their number where none does.
std::size_t script_among(const std::vector<Text>& words) {
  constexpr std::array<std::string_view, 5> endings = {".sh", ".bash", ".slurm", ".sbatch", ".slrm"};
  constexpr std::array<std::string_view, 9> starters = {"bash", "sh",   "zsh",   "srun", "sbatch",
                                                        "exec", "time", "nohup", "sudo"};
  for (std::size_t at = 0; at < words.size(); ++at) {
    const std::string word = as_string(words[at]);
    if (!is_known(words[at]) || word == "-c") return words.size();
    const bool is_script = std::any_of(endings.begin(), endings.end(),
                                       [&](std::string_view each) { return word.ends_with(each); });
    if (is_script && word.find('=') == std::string::npos) return at;
    const std::string_view name = std::string_view(word).substr(word.rfind('/') + 1);
    const bool starts = std::find(starters.begin(), starters.end(), name) != starters.end();
    // Options of these, and their values.
    if (!starts &&
        (at == 0 || std::none_of(words.begin(), words.begin() + static_cast<std::ptrdiff_t>(at),
                                 [](const Text& each) { return as_string(each).starts_with('-'); })) &&
        !word.starts_with('-'))
      return words.size();
  }
  return words.size();
}

}  // namespace

// Another script, which sees what is exported and what is set for it alone. Its command lines are this one's.
void SymbolicExecutor::start(const CommandLine& line, Word place, ExecutionPath& outcome) {
  if (!execution_.load || depth_ >= max_sourced_depth || execution_.sourced >= max_sourced) return;
  const std::size_t at = script_among(line.words);
  if (at >= line.words.size()) return;
  const std::optional<SourcedScript> script = execution_.load(as_string(line.words[at]), path_);
  if (!script) return;
  const auto statements = parse_statements(script->path, script->text);
  if (!statements) return;
  SymbolicExecutor inner(script->path, script->text, *statements, execution_);
  inner.depth_ = depth_ + 1;
  inner.included_ = {placed(place), ++execution_.sourced};
  ExecutionPath seen;
  std::string options;
  for (std::size_t i = 0; i < at; ++i) options += as_string(line.words[i]) + ' ';
  SlurmJob job = slurm_job(script->text, options);
  for (SlurmNumber* each : {&job.nodes, &job.tasks, &job.tasks_per_node, &job.gpus, &job.gpus_per_node})
    each->span = placed(place);
  seen.variables = slurm_variables(job);
  for (const std::string& name : outcome.exported) {
    const auto found = outcome.variables.find(name);
    if (found == outcome.variables.end()) continue;
    seen.variables.insert(*found);
    seen.exported.insert(name);
    if (const auto written = outcome.names.find(name); written != outcome.names.end())
      seen.names.insert(*written);
  }
  for (const Prefix& each : line.prefixes) {
    seen.variables[each.name] = each.value;
    seen.exported.insert(each.name);
    seen.names[each.name] = each.name_span;
  }
  charge(units_per_call + units_per_local * seen.variables.size() + script->text.size());
  charge_bytes(script->text.size());
  std::vector<Text> arguments(std::next(line.words.begin(), static_cast<std::ptrdiff_t>(at) + 1),
                              line.words.end());
  inner.set_arguments(std::move(arguments), place, seen);
  ExecutionPaths one;
  one.push_back(std::move(seen));
  inner.run(*statements, one, true);
  for (auto& each : one.front().commands) outcome.commands.push_back(std::move(each));
}

// One that is defined twice may be either.
void SymbolicExecutor::define(const Statement& function) {
  const auto [known, is_new] = functions_.emplace(function.variable, &function);
  if (!is_new && known->second != &function) known->second = nullptr;
}

bool SymbolicExecutor::call(const Statement& statement, ExecutionPaths& paths, bool in_loop) {
  if (statement.words.empty() || calls_ >= max_calls) return false;
  const auto function = functions_.find(slice(statement.words.front()));
  if (function == functions_.end() || function->second == nullptr) return false;
  ++calls_;
  ExecutionPaths after;
  for (ExecutionPath& outcome : paths) {
    if (outcome.ended) {
      after.push_back(std::move(outcome));
    } else {
      call(*function->second, statement, std::move(outcome), after, in_loop);
    }
  }
  --calls_;
  if (after.size() > 1) {
    merge_paths(after, relevant_);
    reduce_paths(after, relevant_, weights_);
  }
  paths = std::move(after);
  return true;
}

void SymbolicExecutor::call(const Statement& function, const Statement& statement, ExecutionPath outcome,
                            ExecutionPaths& ways, bool in_loop) {
  charge(units_per_call);
  std::vector<Text> arguments;
  for (auto word = std::next(statement.words.begin()); word != statement.words.end(); ++word) {
    for (Text& text : expander(outcome).words(*word)) arguments.push_back(std::move(text));
  }
  // What its own variables are outside of it.
  std::map<std::string, std::shared_ptr<const Value>> locals;
  const auto keep = [&](std::string_view name) {
    charge(units_per_local);
    const auto [place, is_new] = locals.try_emplace(std::string(name));
    const auto found = outcome.variables.find(name);
    if (is_new && found != outcome.variables.end()) place->second = found->second;
  };
  for (const Assignment& each : statement.assignments) keep(each.name);
  for (const char name : argument_names) keep({&name, 1});
  for_each_statement(function.body, [&](const Statement& each) {
    charge();
    if (each.words.empty() || slice(each.words.front()) != "local") return;
    for (const Assignment& assigned : each.assignments) keep(assigned.name);
    for (const Word& word : each.words) keep(slice(word));
  });
  for (const Assignment& each : statement.assignments) assign(each, outcome);
  set_arguments(std::move(arguments), statement.extent, outcome);
  ExecutionPaths inner;
  inner.push_back(std::move(outcome));
  run(function.body, inner, in_loop);
  for (ExecutionPath& way : inner) {
    if (way.returned) way.ended = way.returned = false;
    for (const auto& [name, before] : locals) restore(name, before, way);
    ways.push_back(std::move(way));
  }
}

void SymbolicExecutor::set_arguments(std::vector<Text> arguments, Word place, ExecutionPath& outcome) const {
  for (const char name : argument_names) outcome.variables.erase(std::string(1, name));
  if (arguments.empty()) return;
  charge(units_per_call + arguments.size());
  const auto open = std::find_if(arguments.begin(), arguments.end(), is_passed_on);
  char name = '1';
  for (auto each = arguments.begin(); each != open && name <= '9'; ++each, ++name) {
    charge_copy(*each);
    outcome.variables[std::string(1, name)] = std::make_shared<const Value>(Value{false, {*each}});
  }
  if (open == arguments.end()) {
    Piece count;
    count.text = fmt::format("{}", arguments.size());
    count.span = placed(place);
    count.exact = false;
    outcome.variables["#"] = std::make_shared<const Value>(Value{false, {{std::move(count)}}});
  }
  const auto all = std::make_shared<const Value>(Value{true, std::move(arguments)});
  outcome.variables["@"] = all;
  outcome.variables["*"] = all;
}

// `set -- a b`; options change no value.
bool SymbolicExecutor::set_arguments(const Statement& statement, ExecutionPath& outcome) {
  if (statement.words.size() < 2 || slice(statement.words[1]) != "--") return true;
  std::vector<Text> arguments;
  for (std::size_t i = 2; i < statement.words.size(); ++i) {
    for (Text& text : expander(outcome).words(statement.words[i])) arguments.push_back(std::move(text));
  }
  set_arguments(std::move(arguments), statement.extent, outcome);
  return true;
}

bool SymbolicExecutor::shift(const Statement& statement, ExecutionPath& outcome, bool in_loop) {
  std::size_t count = 1;
  if (statement.words.size() > 1) {
    const std::string_view written = slice(statement.words[1]);
    const auto [end, problem] = std::from_chars(written.data(), written.data() + written.size(), count);
    if (problem != std::errc() || end != written.data() + written.size()) in_loop = true;
  }
  const auto all = outcome.variables.find("@");
  if (all == outcome.variables.end()) return true;
  for (const Text& each : all->second->items) charge_copy(each);
  std::vector<Text> arguments = all->second->items;
  const auto open = std::find_if(arguments.begin(), arguments.end(), is_passed_on);
  const bool is_told = !in_loop && static_cast<std::size_t>(open - arguments.begin()) >= count;
  if (is_told) {
    arguments.erase(arguments.begin(), arguments.begin() + static_cast<std::ptrdiff_t>(count));
  } else {
    arguments.clear();
  }
  set_arguments(std::move(arguments), statement.extent, outcome);
  return true;
}

// A loop that takes one argument after another: they were given, and which is which is not followed.
void SymbolicExecutor::forget_arguments(const Statement& loop, ExecutionPath& outcome) const {
  bool shifts = false;
  for_each_statement(loop.body, [&](const Statement& each) {
    charge();
    shifts = shifts || (!each.words.empty() && slice(each.words.front()) == "shift");
  });
  if (!shifts || outcome.variables.find("@") == outcome.variables.end()) return;
  set_arguments({}, loop.extent, outcome);
  for (char name = '1'; name <= '9'; ++name) {
    Piece piece;
    piece.span = placed(loop.extent);
    piece.exact = false;
    piece.known = false;
    piece.name = std::string(1, name);
    piece.reason = fmt::format("a loop assigns the arguments one by one to `${}`", name);
    outcome.variables[piece.name] = std::make_shared<const Value>(Value{false, {{piece}}});
  }
}

}  // namespace shapelint::text::shell
