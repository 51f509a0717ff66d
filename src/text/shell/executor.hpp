// Walks through the statements of a script: the work behind follow().
#pragma once

#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "text/shell/expand.hpp"
#include "text/shell/paths.hpp"
#include "text/shell/run.hpp"

namespace shapelint::text::shell {

using ExecutionPaths = std::vector<ExecutionPath>;

// What a script and those that it sources share.
struct ExecutionState {
  const SourceLoader& load;
  std::int64_t sourced = 0;
  std::size_t at = 0;  // where the statement begins that is followed, in the first script
};

class SymbolicExecutor {
 public:
  SymbolicExecutor(const std::string& path, std::string_view source, const std::vector<Statement>& statements,
                   ExecutionState& execution)
      : path_(path),
        source_(source),
        scanner_(path, source),
        execution_(execution),
        relevant_(relevant_variables(source, statements)),
        weights_(fork_weights(statements, source, relevant_)) {}

  void run(const std::vector<Statement>& statements, ExecutionPaths& paths, bool in_loop) {
    for (const Statement& statement : statements) run(statement, paths, in_loop);
  }
  // At the end of the script: only paths of different sizes stay apart.
  void finish(ExecutionPaths& paths) const { keep_sizes(paths, relevant_, weights_); }

 private:
  Expander expander(ExecutionPath& outcome) const {
    return {path_, source_, outcome.variables, depth_ > 0 ? &included_ : nullptr};
  }
  std::string_view slice(Word word) const { return source_.substr(word.begin, word.end - word.begin); }
  // Where something counts as written.
  Span placed(Word word) const;

  // run.cpp: the ways through branches.
  void run(const Statement& statement, ExecutionPaths& paths, bool in_loop);
  void fork(const Statement& statement, ExecutionPaths& paths, bool in_loop);
  ExecutionPath copy(const ExecutionPath& outcome);
  void branches(const Statement& statement, ExecutionPath outcome, ExecutionPaths& ways, bool in_loop);
  Truth condition(const std::vector<Statement>& statements, ExecutionPaths& one, bool in_loop);
  Truth truth(const Statement& statement, ExecutionPath& outcome);
  void and_or(const Statement& statement, ExecutionPath outcome, ExecutionPaths& ways, bool in_loop);
  void and_or_from(const Statement& statement, std::size_t index, ExecutionPath outcome, ExecutionPaths& ways,
                   bool in_loop, int open_parts);
  Truth success(const Statement& part, ExecutionPaths& one);

  // commands.cpp: single commands and what they assign.
  void command(const Statement& statement, ExecutionPath& outcome, bool in_loop);
  bool add_arguments_of(const Text& word, Word place, CommandLine& line);
  bool built_in(std::string_view name, const Statement& statement, ExecutionPath& outcome, bool in_loop);
  void print_into(const Statement& statement, ExecutionPath& outcome);
  void set(const std::string& name, Word word, Value value, ExecutionPath& outcome) const;
  void set_computed(std::string_view name, Word word, std::string text, ExecutionPath& outcome) const;
  void set_unknown(std::string_view name, Word word, std::string reason, ExecutionPath& outcome) const;
  void assign(const Assignment& assignment, ExecutionPath& outcome);
  // Whether the script that the statement sources was found and followed.
  bool source(const Statement& statement, ExecutionPath& outcome);

  bool read_here_document(const Statement& statement, ExecutionPath& outcome);

  // functions.cpp: scripts that are run with what is exported; calls, and the arguments `$1`, `$@` of one.
  void start(const CommandLine& line, Word place, ExecutionPath& outcome);
  void define(const Statement& function);
  bool call(const Statement& statement, ExecutionPaths& paths, bool in_loop);
  void call(const Statement& function, const Statement& statement, ExecutionPath outcome,
            ExecutionPaths& ways, bool in_loop);
  void set_arguments(std::vector<Text> arguments, Word place, ExecutionPath& outcome) const;
  bool set_arguments(const Statement& statement, ExecutionPath& outcome);
  bool shift(const Statement& statement, ExecutionPath& outcome, bool in_loop);
  void forget_arguments(const Statement& loop, ExecutionPath& outcome) const;

  // loops.cpp
  void loop(const Statement& statement, ExecutionPaths& paths);
  bool only_assigns(const std::vector<Statement>& statements) const;
  bool rounds_of_words(const Statement& loop, ExecutionPath& outcome);
  bool rounds_of_numbers(const Statement& loop, ExecutionPath& outcome);
  void round(const Statement& loop, ExecutionPath& outcome);
  void forget_assigned(const Statement& loop, ExecutionPath& outcome);
  bool compute(Word expression, ExecutionPath& outcome);
  void forget_computed(Word expression, ExecutionPath& outcome);

  const std::string& path_;
  std::string_view source_;
  Scanner scanner_;
  ExecutionState& execution_;
  Names relevant_;
  Weights weights_;
  std::map<std::string, const Statement*, std::less<>> functions_;  // none: defined more than once
  int calls_ = 0;                                                   // of functions, within each other
  int depth_ = 0;                                                   // of scripts that source each other
  Included included_{};
};

}  // namespace shapelint::text::shell
