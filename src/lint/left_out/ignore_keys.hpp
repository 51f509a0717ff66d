// [[ignore-keys]]: suppressions by key path, for files that cannot hold comments.
#pragma once

#include <cstddef>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "project/config.hpp"
#include "rules/book/rule.hpp"
#include "rules/engine/lint.hpp"
#include "rules/finding.hpp"

namespace shapelint::lint {

// Entries, and which of their rules, that silenced something.
using UsedKeys = std::set<std::pair<const project::KeyIgnore*, std::size_t>>;

// Takes away what the entries for a file silence, and returns how many findings that were.
std::size_t ignore_keys(const project::FileSettings& file, std::vector<rules::Finding>& findings,
                        UsedKeys& used);

// Findings (SL900) about entries for this file alone that silenced nothing, although their rules ran. An
// entry whose pattern may mean other files, too, may be needed there.
std::vector<rules::Finding> unused_keys(const project::FileSettings& file, const rules::RuleBook& book,
                                        const rules::Options& options, const std::string& path,
                                        const UsedKeys& used);

}  // namespace shapelint::lint
