// Findings of contracts that a model does not meet.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "contracts/check.hpp"
#include "lint/report.hpp"
#include "project/applied.hpp"
#include "suggest/edit/on_stack.hpp"
#include "text/files.hpp"

namespace shapelint::lint {

// The packages of a file, as they are asked about it.
struct FileStack {
  const contracts::Book* book = nullptr;        // with the packages' contracts
  std::shared_ptr<contracts::Checker> checker;  // absent without a stack
  std::shared_ptr<const suggest::OnStack> on_stack;
  // No stack is stated, and the file's format is of one package: its rejections count, of its newest
  // version that is known, and steps are priced as they are written.
  bool is_implied = false;
};
FileStack stack_of(const project::Configured& configured, const project::Applied& applied,
                   const model::Reading& reading, const text::FileSystem& files);

// Adds a finding for each contract of the file's stack that its model does not meet on one of the GPUs at
// least; of an implied stack for those that refuse it for what no rule has found. Nothing without a stack.
// What of a stack that was asked for is not checked is a finding, too.
void add_contracts(const project::Configured& configured, const project::Applied& applied,
                   const FileStack& stack, ModelReport& model);

}  // namespace shapelint::lint
