// The weights of a layer's products as what learns sees them: matrices that checkpoints keep apart, though
// one product may read several of them. Router, embedding, head, norms and biases are none of these, nor are
// the small gates of mixers and of an indexer.
#pragma once

#include <string_view>
#include <vector>

#include "model/lower/emit.hpp"
#include "model/lower/learning/learning.hpp"

namespace shapelint::model {

// Which side of a matrix tensor parallelism divides (Megatron-LM: column-parallel, row-parallel).
enum class Split : std::uint8_t { none, outputs, inputs };

enum class Role : std::uint8_t { query, key, value, attention, other };

// Names of the ops of an adapter beside a product.
struct AdapterNames {
  std::string_view down;
  std::string_view up;
  std::string_view add;
  std::string_view gather;
  std::string_view reduce;
  std::string_view output;
};

// y = x W^T with W[outputs, inputs].
struct Matrix {
  AdapterNames adapter;
  Role role = Role::other;
  Split split = Split::none;
  Dim inputs;  // of the whole matrix
  Dim outputs;
  Dim rank_inputs;           // on one rank; of a matrix that is split
  Dim rank_outputs;          // along its inputs: the outputs that an adapter's second matrix has there
  double alike = 1;          // matrices of these sizes in the layer: of keys and values, of gate and up
  bool reads_again = false;  // what the matrix before it reads
  bool is_expert = false;    // there are as many as routed experts; `copies` of them on a rank
  Dim copies = {1, "1"};
  bool reads_source = false;  // the encoder's output
  bool is_latent = false;     // between the hidden size and the experts' own width (Nemotron-3)
};

inline double real(const Dim& dim) {
  return real(dim.value);
}

// Those of one layer's part, in the order of its products.
std::vector<Matrix> matrices_of(const Shared& shared, StepPart part);
// Matrices of these sizes in one layer, over all ranks.
double number_of(const ModelSpec& model, const Matrix& matrix);
// Whether the plan trains an adapter beside it.
bool is_adapted(const Plan& plan, const Matrix& matrix);

// Tokens of a mixture's products: of each expert, and how many experts have some; of those to and from the
// experts' own width.
struct MixtureRows {
  Dim rows;
  Dim experts;
  Dim tokens;
};
// What adapters of a part's matrices run beside its products (Hu et al., LoRA, 2106.09685).
void lower_adapters(const Shared& shared, StepPart part, Repeat layer, Emitter& emit,
                    const MixtureRows& mixture = {});

// Side of the largest block of Shampoo's preconditioners (Shi et al., 2309.06497).
inline constexpr std::int64_t largest_preconditioner = 8192;

// The products by which Muon and Shampoo make the updates of a part's matrices; `runs` of the layer in a
// step.
void lower_matrix_updates(const Shared& shared, StepPart part, double runs, Emitter& emit);

}  // namespace shapelint::model
