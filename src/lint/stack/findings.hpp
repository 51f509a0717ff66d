// Findings of contracts that a model does not meet.
#pragma once

#include <string>
#include <vector>

#include "lint/report.hpp"
#include "project/applied.hpp"
#include "text/files.hpp"

namespace shapelint::lint {

// Adds a finding for each contract of the file's stack that its model does not meet on one of the GPUs at
// least. Nothing without a stack. Contracts that are not known for the stack's versions are told of in
// `notes`.
void add_contracts(const project::Configured& configured, const project::Applied& applied, ModelReport& model,
                   const text::FileSystem& files, std::vector<std::string>& notes);

}  // namespace shapelint::lint
