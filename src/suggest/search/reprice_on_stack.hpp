// Candidates of a search priced again as a stack runs them. Internal to the search.
#pragma once

#include "suggest/search/costing.hpp"
#include "suggest/search/optimize.hpp"
#include "suggest/search/ranking.hpp"

namespace shapelint::suggest {

// A candidate must be better than the start by this share.
inline constexpr double least_gain = 1e-4;

// How a search is to look for candidates that are priced again: what is best as it is written need not be.
SearchOptions widened(const SearchOptions& options);

// The outcome of a search with widened(options): the best of what it kept, and its front, as they are run.
SearchOutcome reprice_on_stack(const Problem& problem, const SearchOptions& options, const Costing& costing,
                               const Order& order, SearchOutcome written);

}  // namespace shapelint::suggest
