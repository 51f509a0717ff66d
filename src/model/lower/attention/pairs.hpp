// Pairs of a query and a key that attention's mask leaves over.
#pragma once

namespace shapelint::model {

// Of one head and sequence. The last query sees all keys, or those of its window (0: no window), of a causal
// one each before it one fewer. Where there are fewer keys than queries each key stands for several tokens
// (compressed attention), and a query sees those of the tokens before it. A fused kernel passes over tiles
// that are masked as a whole.
double visible_pairs(double queries, double keys, bool causal, double window);

}  // namespace shapelint::model
