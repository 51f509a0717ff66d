// The weights of a layer's products as what learns sees them: matrices that checkpoints keep apart, though
// one product may read several of them. Router, embedding, head, norms and biases are none of these, nor are
// the small gates of mixers and of an indexer.
#pragma once

#include <vector>

#include "model/lower/emit.hpp"
#include "model/lower/learning/learning.hpp"
#include "model/weights.hpp"

namespace shapelint::model {

// A weight of that kind.
struct Matrix : Weight {
  double alike = 1;        // matrices of these sizes in the layer: of keys and values, of gate and up
  double rank_alike = 1;   // of those, on one rank
  Dim experts = {1, "1"};  // of a routed expert's, as many as a rank has of them

  bool is_expert() const { return rows == Rows::experts; }
};

// Those of one layer's part, in the order of its products.
std::vector<Matrix> matrices_of(const LoweringContext& shared, ModelComponent part);
// Matrices of these sizes in one layer, over all ranks.
double number_of(const ModelSpec& model, const Matrix& matrix);

// Tokens of a mixture's products: of each expert, and how many experts have some; of those to and from the
// experts' own width.
struct MixtureRows {
  Dim rows;
  Dim experts;
  Dim tokens;
};
// Operations of the adapters of a part's matrices (Hu et al., LoRA, 2106.09685).
void lower_adapters(const LoweringContext& shared, ModelComponent part, Repeat layer, Emitter& emit,
                    const MixtureRows& mixture = {});

// Side of the largest block of Shampoo's preconditioners (Shi et al., 2309.06497).
inline constexpr std::int64_t largest_preconditioner = 8192;

// The products by which Muon and Shampoo make the updates of a part's matrices; `runs` of the layer in a
// step.
void lower_matrix_updates(const LoweringContext& shared, ModelComponent part, double runs, Emitter& emit);

}  // namespace shapelint::model
