// Launch scripts to Documents.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.hpp"
#include "text/document.hpp"
#include "text/errors.hpp"

namespace shapelint::text {

// A script that another one sources.
struct SourcedScript {
  std::string path;
  SharedText text;
};
// By its path as written, or what stands behind a folder that only the run knows, in the script of the path
// `from`; nothing where it is not there.
using SourceLoader =
    std::function<std::optional<SourcedScript>(const std::string& path, const std::string& from)>;

inline constexpr std::string_view note_of_default = "default";

// Reads a shell script (bash's words and compound commands) and gives one Document for each command line with
// `--flags` that comes out of it, and for each way through branches that the file leaves open; nothing is
// ever run. Variables, `${NAME:-default}`, arrays, `$((…))`, continuation lines are followed, here-documents
// are not flags unless a variable takes them. Flags that it exports in variables, or only assembles in them,
// are in one more Document. Without flags: one Document for each `serve MODEL`, else one with the variables.
//
//   command    string: the words before the first flag (`torchrun pretrain_gpt.py`)
//   following  table: a word of lower-case letters → the word behind it, where that is no flag (`serve` → the
//              model of `vllm serve MODEL`); the first time that the word stands there
//   image      string, of `docker run`: the image; all else is then of the command behind it, and
//   `following.image`
//              is that command's first word, where it is no flag
//   program    string: the Python file among the words, where there is one
//   flags      table: `--name` → value as typed by Python's argparse users: integer, number, boolean for
//              true/false and for a flag without value, string, list when several values follow. A flag that
//              is given twice is there twice, the last one counts.
//   others     table, of a script with several such lines: the flags of the others, the first value of each
//   arguments  list: the other words behind the first flag
//   open       list, of a script that sources another: variables among the words that are not set here, and
//              may hold flags
//   variables  table: name → value, list for an array; with those that are set for the command alone
//   slurm      table, of a script with `#SBATCH` lines: nodes, tasks, tasks_per_node, gpus, gpus_per_node
//   branches   list of strings: the open conditions, or `case` patterns, that hold in this Document
//
// NodeRef::span of a value is where its characters are written, behind however many variables;
// NodeRef::use_span is then the `$NAME` next to the flag. What only the run decides (a command's output, an
// argument, a variable that is not set here, a loop's variable) is Kind::unknown with the reason in
// NodeRef::note, which is `note_of_default` for an integer that `${NAME:-1}` falls back on: the script's
// environment may say another.
//
// Errors carry the place: a quote, bracket or compound command that is never closed, depth, size.
//
// What a script sources (`source models/8B.sh`) is followed where `load` finds it; its values count as
// written where it is sourced, and cannot be changed there. So are scripts that it runs (`bash train.sh 8B`,
// `sbatch train.slurm`), with their arguments and with the variables that it exports.
Result<std::vector<Document>> parse_shell(const std::string& path, const SharedText& source,
                                          const SourceLoader& load = {});

}  // namespace shapelint::text
