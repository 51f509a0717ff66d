// The packages that a file's model is run with.
#pragma once

#include <span>
#include <string>

#include "contracts/stack.hpp"
#include "model/reading.hpp"
#include "project/applied.hpp"
#include "text/files.hpp"

namespace shapelint::project {

// What the file's own format tells: a script of Megatron-LM runs Megatron-core.
contracts::Stack stack_of_format(const Configured& configured, const model::Reading& reading);

// What applies to the file (Applied::stack), with `auto` looked up: what its format tells, and what the
// requirements.txt, pyproject.toml or uv.lock in its folder name. A version that is given goes before one
// that is found. Empty for `none`.
contracts::Stack stack_of(const Configured& configured, std::span<const std::string> applied,
                          const model::Reading& reading, const text::FileSystem& files);

}  // namespace shapelint::project
