// What a fix writes, in the words of the file.
#pragma once

#include <cstddef>
#include <string>

#include "lint/report.hpp"
#include "rules/finding.hpp"

namespace shapelint::lint {

// What the first or another proposal of a finding writes, and how that is done: "--vocab-size 50304",
// "attention = "flash"", "num_attention_heads = 20 (head_dim 128)". Where the file has no literal to change
// the flag or key that the framework has for it, else the field with both values: "pipeline 4 → 2".
struct Written {
  std::string text;
  std::string how;  // what else is to be known of it; of the first alone
};
Written written(const rules::Finding& finding, std::size_t which, const ModelReport& model);

// Whether `--fix` makes the first proposal: it was tried (mark_fixable), or, where nobody did, it leaves the
// trained model as it is, and the file states what it changes.
bool is_fixable(const rules::Finding& finding, const ModelReport& model);

}  // namespace shapelint::lint
