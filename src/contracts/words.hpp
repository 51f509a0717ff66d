// Contracts and verdicts in words.
#pragma once

#include <string>

#include "contracts/check.hpp"

namespace shapelint::contracts {

// "vllm 0.8.5 to 0.24.0", "deep-gemm 2.6.1".
std::string versions(const Contract& contract);
// Where it holds: architectures, modes, number formats, recipes; "" where it holds everywhere.
std::string scope(const Contract& contract);
// Addresses: lines of the source at its commit, and issues.
std::vector<std::string> addresses(const Contract& contract);
// What happens, with what: "falls back to Triton", "pads `head_dim`".
std::string outcome_words(const Contract& contract);
// "192 of `moe_intermediate_size / expert_tensor` (1536 / 8 = 192)": the size and its sum; empty without one.
std::string sum_words(const Verdict& verdict);

// The whole table as Markdown, for docs/reference/requirements.md.
std::string contracts_markdown(const Book& book);

}  // namespace shapelint::contracts
