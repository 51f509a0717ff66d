// Updates that are made by products of whole matrices: Muon (Jordan et al. 2024,
// kellerjordan.github.io/posts/ muon; at scale Liu et al. 2025, Moonlight, 2502.16982) and Shampoo (Gupta et
// al. 2018, 1802.09568; distributed: Shi et al. 2023, 2309.06497).
#include <algorithm>
#include <deque>
#include <string>
#include <utility>

#include "model/layer_list.hpp"
#include "model/lower/learning/matrices.hpp"

namespace shapelint::model {

namespace {

// Steps of Newton-Schulz, each A = X X^T, B = b A + c A A, X = a X + B X, over the smaller side.
constexpr double newton_schulz_steps = 5;
// With tensor parallelism the momentum of the whole matrix is gathered in fp32, and each rank makes all of
// the update (Megatron-LM, --muon-tp-mode duplicated, its default); of ranks that hold the same parameters
// each makes its share of the matrices, which are gathered in 16 bits (Moonlight, algorithm 1).
constexpr double momentum_bytes = 4;
constexpr double gathered_bytes = 2;

// Shampoo's statistics, roots and products are fp32; sides are cut into blocks of at most 8192, and roots are
// computed every 50 steps (Shi et al., sections 3.3 and 5). An eigendecomposition of n x n is 9 n^3
// operations with its vectors (Golub and Van Loan, Matrix Computations, section 8.3), and one product makes
// the root of it: as so many products. Solvers do not reach the speed of products, so this is the least it
// takes.
constexpr double products_per_root = 5.5;
constexpr double steps_per_root = 50;

struct Updates {
  const Matrix& matrix;
  Dim inputs;  // of the whole matrix
  Dim outputs;
  Dim batch;
  DType dtype;
  double runs;   // of the layer in a step, all of this rank's
  double share;  // of its matrices that this rank updates
  Emitter& emit;

  void product(std::string_view name, Dim m, Dim n, Dim k, Layout layout, double each) const {
    emit.update_product(name, dtype, batch, m, n, k, layout, runs * share * matrix.rank_alike * each);
  }
};

void lower_muon(const Updates& each) {
  const bool is_wide = each.inputs.value >= each.outputs.value;
  const Dim small = is_wide ? each.outputs : each.inputs;
  const Dim large = is_wide ? each.inputs : each.outputs;
  each.product("optimizer.muon.gram", small, small, large, Layout::tn, newton_schulz_steps);
  each.product("optimizer.muon.square", small, small, small, Layout::nn, newton_schulz_steps);
  each.product("optimizer.muon.apply", small, large, small, Layout::nn, newton_schulz_steps);
}

// A side in blocks of at most this size, as preconditioners have it.
struct BlockedSide {
  std::int64_t size = 1;
  std::int64_t blocks = 1;
};

BlockedSide side_of(std::int64_t side) {
  if (side <= largest_preconditioner) return {std::max<std::int64_t>(1, side), 1};
  const std::int64_t blocks = divide_up(side, largest_preconditioner);
  return {divide_up(side, blocks), blocks};
}

// The expression of a whole side: one rank's without its division.
std::string whole_text(const Side& side) {
  std::string out(side.text);
  for (const std::string_view division : {" / tensor", " / expert_tensor"})
    for (std::size_t at = out.find(division); at != std::string::npos; at = out.find(division, at))
      out.erase(at, division.size());
  return out;
}

std::string text_of_blocks(const Dim& side) {
  return "((" + std::string(side.expression) + ") / " + std::to_string(largest_preconditioner) + ")";
}

// Statistics of both sides and the preconditioned gradient in every step, the roots now and then.
void lower_shampoo(const Updates& each) {
  Dim m = each.outputs;
  Dim n = each.inputs;
  const BlockedSide outputs = side_of(m.value);
  const BlockedSide inputs = side_of(n.value);
  Updates blocks = each;
  if (outputs.blocks > 1 || inputs.blocks > 1) {
    const Dim& copies = each.batch;
    const std::string outputs_text = outputs.blocks > 1 ? text_of_blocks(m) : "1";
    const std::string inputs_text = inputs.blocks > 1 ? text_of_blocks(n) : "1";
    const std::deque<std::string>& texts =
        each.emit.keep({"(" + std::string(copies.expression) + ") * " + outputs_text + " * " + inputs_text,
                        "(" + std::string(m.expression) + ") / " + outputs_text,
                        "(" + std::string(n.expression) + ") / " + inputs_text});
    blocks.batch = dim(times(copies.value, outputs.blocks, inputs.blocks), texts[0]);
    if (outputs.blocks > 1) m = dim(outputs.size, texts[1]);
    if (inputs.blocks > 1) n = dim(inputs.size, texts[2]);
  }
  blocks.product("optimizer.shampoo.statistics", m, m, n, Layout::tn, 1);
  blocks.product("optimizer.shampoo.statistics", n, n, m, Layout::nt, 1);
  blocks.product("optimizer.shampoo.apply", m, n, m, Layout::nn, 1);
  blocks.product("optimizer.shampoo.apply", m, n, n, Layout::nn, 1);
  blocks.product("optimizer.shampoo.root", m, m, m, Layout::nn, products_per_root / steps_per_root);
  blocks.product("optimizer.shampoo.root", n, n, n, Layout::nn, products_per_root / steps_per_root);
}

}  // namespace

std::vector<MatrixSizes> matrix_sizes(const Setup& setup) {
  const Plan& plan = setup.plan;
  const LoweringContext shared(setup);
  std::vector<MatrixSizes> out;
  if (setup.model.layers_differ) {
    for (const DistinctLayer& layer : distinct_layers(setup)) {
      for (MatrixSizes each : matrix_sizes(layer.one)) {
        each.per_rank *= static_cast<double>(layer.count);
        out.push_back(each);
      }
    }
    return out;
  }
  for (const ModelComponent part : weighty_parts) {
    const WeightSets shared_ones = weight_sets(setup.model, part);
    const double layers =
        real(times_in(setup.model, part)) * real(shared_ones.sets) / real(shared_ones.layers);
    for (const Matrix& matrix : matrices_of(shared, part)) {
      const BlockedSide inputs = side_of(matrix.inputs.size);
      const BlockedSide outputs = side_of(matrix.outputs.size);
      const double ranks = at_least_one(plan.pipeline) *
                           (matrix.is_expert() ? at_least_one(plan.expert) * at_least_one(plan.expert_tensor)
                            : is_on_every_rank(matrix) ? 1
                                                       : at_least_one(plan.tensor));
      const double number = layers * number_of(setup.model, matrix) / ranks;
      if (number <= 0) continue;
      const double blocks = real(inputs.blocks) * real(outputs.blocks);
      const double squares = real(inputs.size) * real(inputs.size) + real(outputs.size) * real(outputs.size);
      out.push_back({at_least_one(matrix.inputs.size), at_least_one(matrix.outputs.size), number,
                     blocks * squares, matrix.is_expert()});
    }
  }
  return out;
}

void lower_matrix_updates(const LoweringContext& shared, ModelComponent part, double runs, Emitter& emit) {
  const Plan& plan = shared.plan;
  if (!shared.training || shared.adapting || !updates_multiply(plan.optimizer)) return;
  // One update per set of shared weights.
  const WeightSets sets = weight_sets(shared.model, part);
  const double some = runs * real(sets.sets) / real(sets.layers);
  const double per_step = some / shared.micro_batches;
  const Replicas same = shards(plan);
  for (const Matrix& matrix : matrices_of(shared, part)) {
    const double ranks = matrix.is_expert() ? same.expert : same.dense;
    const bool is_shared = plan.zero >= 1 && ranks > 1;
    const bool is_whole = matrix.split == Split::none || matrix.split == Split::copies;
    const std::int64_t tensor = is_whole ? 1 : matrix.is_expert() ? plan.expert_tensor : plan.tensor;
    const double share = is_shared ? 1 / ranks : 1.0;
    const double elements = matrix.rank_alike * real(matrix.experts.value) *
                            at_least_one(matrix.inputs.size) * at_least_one(matrix.outputs.size);
    if (is_shared) {
      emit.collective_once("optimizer.gather", Pass::update, CollectiveKind::all_gather,
                           gathered_bytes * elements / at_least_one(tensor), static_cast<std::int64_t>(ranks),
                           per_step, false,
                           matrix.is_expert() ? times(plan.expert, plan.expert_tensor) : plan.tensor);
    }
    emit.collective_once("optimizer.tensor_gather", Pass::update, CollectiveKind::all_gather,
                         momentum_bytes * elements, tensor, per_step * share, false);
    const bool is_muon = plan.optimizer == Optimizer::muon;
    const std::deque<std::string>& texts = emit.keep({whole_text(matrix.inputs), whole_text(matrix.outputs)});
    const Updates updates{matrix,
                          dim(matrix.inputs.size, texts[0]),
                          dim(matrix.outputs.size, texts[1]),
                          matrix.experts,
                          is_muon ? shared.wide_dtype : DType::fp32,
                          per_step,
                          share,
                          emit};
    is_muon ? lower_muon(updates) : lower_shampoo(updates);
  }
}

}  // namespace shapelint::model
