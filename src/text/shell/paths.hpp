// Keeping the number of ways through a script small.
#pragma once

#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "text/shell/run.hpp"

namespace shapelint::text::shell {

using Names = std::set<std::string, std::less<>>;

// The variables that end up in a command line: those that one names, and those that these are made of.
Names relevant_variables(std::string_view source, const std::vector<Statement>& statements);

// Assignments anywhere in the statements whose value depends on the variable itself: `N=$((N + 1))`, `A+=x`.
std::vector<Assignment> self_dependent_assignments(const std::vector<Statement>& statements,
                                                   std::string_view source);

// Removes outcomes that are like another one in their commands and relevant variables, or that differ only
// where they leave a value to an argument or to the environment. One always stays.
void merge_paths(std::vector<ExecutionPath>& paths, const Names& relevant);

// Makes them one: what they set differently becomes unknown, unless only one of them sets it.
void join_paths(std::vector<ExecutionPath>& paths, const Names& relevant);

// By the place of an `if` or `case`: how many of the variables it sets to different numbers.
using Weights = std::map<std::size_t, std::int64_t>;
Weights fork_weights(const std::vector<Statement>& statements, std::string_view source,
                     const Names& relevant);

// Down to max_paths: forks are joined, those first that set the fewest numbers, until those are left that
// tell sizes apart. One fork alone may have max_alternatives.
void reduce_paths(std::vector<ExecutionPath>& paths, const Names& relevant, const Weights& weights);

// Where a fork sets sizes (two numbers or more), those that set none are joined.
void keep_sizes(std::vector<ExecutionPath>& paths, const Names& relevant, const Weights& weights);

// Names of commands whose arguments describe no run: `echo`, `mkdir` …
bool is_harmless_command(std::string_view name);
// Whether there are only such commands in it.
bool starts_nothing(const ExecutionPath& outcome);

}  // namespace shapelint::text::shell
