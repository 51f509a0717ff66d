// The search for the fastest tile and split of k.
#pragma once

#include "cost/kernels/gemm_terms.hpp"

namespace shapelint::cost::product {

// The candidate of least time. Lower bounds rule most tiles and splits out, none of which could be faster.
Candidate best_candidate(const GemmModel& model, const Terms& terms);

// The same by trying every tile with every split: slow; what the search is tested against.
Candidate best_of_all(const GemmModel& model, const Terms& terms);

// Time of a candidate in microseconds, without what all of them share (launch, quantization).
double candidate_us(const GemmModel& model, const Terms& terms, const Candidate& candidate);

}  // namespace shapelint::cost::product
