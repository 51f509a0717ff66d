// The packages that a file's model is run with.
#pragma once

#include <span>
#include <string>

#include "contracts/stack.hpp"
#include "model/reading.hpp"
#include "project/applied.hpp"
#include "text/files.hpp"

namespace shapelint::project {

// The packages that are asked about a file.
struct AskedStack {
  contracts::Stack stack;                 // empty: none is known
  const contracts::Book* book = nullptr;  // in which it is looked up; lives as long as the project
  // Nobody named one, and the file's format is of one package: what that refuses counts, and steps are priced
  // as they are written. Only the contracts of that package are read.
  bool is_implied = false;
};
// What the file's own format tells: a script of Megatron-LM runs Megatron-core.
AskedStack stack_of_format(const Configured& configured, const model::Reading& reading);

// What applies to the file (Applied::stack), with `auto` looked up: what its format tells, and what the
// requirements.txt, pyproject.toml or uv.lock in its folder name. A version that is given goes before one
// that is found. Empty for `none`.
contracts::Stack stack_of(const Configured& configured, std::span<const std::string> applied,
                          const model::Reading& reading, const text::FileSystem& files);

// That, or where nobody named a stack that of the format.
AskedStack asked_stack(const Configured& configured, std::span<const std::string> applied,
                       const model::Reading& reading, const text::FileSystem& files);

}  // namespace shapelint::project
