// A ladder of models of given sizes that share what the models of a family share: head_dim, vocabulary, the
// ratio of hidden_size to num_layers (within the budget's aspect), that of the MLP and of key-value heads.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "suggest/answer.hpp"
#include "suggest/problem.hpp"
#include "suggest/search/optimize.hpp"

namespace shapelint::suggest {

struct FamilyMember {
  std::int64_t target = 0;  // parameters asked for
  bool found = false;
  model::Setup setup;
  std::int64_t parameters = 0;
  std::vector<Performance> gpus;
};

struct Family {
  std::int64_t head_dim = 0;
  std::int64_t vocab_size = 0;
  std::vector<FamilyMember> members;
};

// "125m", "1.3b", "350000000"; nothing when it is no size from 10^5 to 10^13.
std::optional<std::int64_t> parse_size(std::string_view text);

// The head_dim that is best for the whole ladder, and the best rung of each size with it. `problem` without
// axes: the model whose family it is, its budget, constraints and GPUs.
Family find_family(const Problem& problem, const std::vector<std::int64_t>& sizes,
                   const SearchOptions& options);

}  // namespace shapelint::suggest
