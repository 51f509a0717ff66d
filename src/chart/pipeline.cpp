// The order in which the stages of a pipeline work, and when.
#include <algorithm>

#include "chart/plan.hpp"

namespace shapelint::chart {

namespace {

struct Piece {
  std::int64_t chunk = 0;
  std::int64_t micro_batch = 0;
};

// Micro-batches in groups of as many as there are stages: each group through one chunk after the other.
std::vector<Piece> pieces_of(const TimelineFigure& figure) {
  std::vector<Piece> out;
  for (std::int64_t first = 0; first < figure.micro_batches; first += figure.stages) {
    const std::int64_t last = std::min(first + figure.stages, figure.micro_batches);
    for (std::int64_t chunk = 0; chunk < figure.chunks; ++chunk)
      for (std::int64_t micro_batch = first; micro_batch < last; ++micro_batch)
        out.push_back({chunk, micro_batch});
  }
  return out;
}

// Warm-up, one forward and one backward in turn, and the rest of the backwards; weight gradients between
// them.
std::vector<PipelineBlock> order_of(const TimelineFigure& figure, const std::vector<Piece>& pieces,
                                    std::int64_t stage) {
  const std::int64_t all = std::ssize(pieces);
  const std::int64_t behind = figure.stages - stage - 1;
  const std::int64_t warm_up =
      std::min(all, figure.chunks > 1 ? 2 * behind + (figure.chunks - 1) * figure.stages : behind);
  std::vector<PipelineBlock> out;
  const auto add = [&](std::int64_t i, bool backward) {
    const Piece& piece = pieces[static_cast<std::size_t>(i)];
    const std::int64_t chunk = backward ? figure.chunks - 1 - piece.chunk : piece.chunk;
    out.push_back({stage, chunk, piece.micro_batch, backward, false, 0, 0});
  };
  // Weight gradients wait for as many micro-batches as the stage begins later: all stages keep as many.
  const bool are_apart = figure.weights_us > 0;
  std::int64_t updated = 0;
  const auto add_weights = [&] { out.push_back({stage, 0, updated++, true, true, 0, 0}); };
  const auto add_backward = [&](std::int64_t i) {
    add(i, true);
    if (are_apart && i - stage >= updated) add_weights();
  };
  for (std::int64_t i = 0; i < warm_up; ++i) add(i, false);
  for (std::int64_t i = warm_up; i < all; ++i) {
    add(i, false);
    add_backward(i - warm_up);
  }
  for (std::int64_t i = all - warm_up; i < all; ++i) add_backward(i);
  while (are_apart && updated < all) add_weights();
  return out;
}

}  // namespace

std::vector<PipelineBlock> pipeline_blocks(const TimelineFigure& figure) {
  const std::vector<Piece> pieces = pieces_of(figure);
  const std::int64_t last_stage = figure.stages - 1;
  std::vector<std::vector<PipelineBlock>> orders;
  for (std::int64_t stage = 0; stage < figure.stages; ++stage)
    orders.push_back(order_of(figure, pieces, stage));
  // When each block has ended; negative: not yet.
  std::vector<double> ends(static_cast<std::size_t>(2 * figure.stages * figure.chunks * figure.micro_batches),
                           -1.0);
  const auto end_of = [&](std::int64_t stage, std::int64_t chunk, std::int64_t micro_batch,
                          bool backward) -> double& {
    const std::int64_t place =
        ((stage * figure.chunks + chunk) * figure.micro_batches + micro_batch) * 2 + (backward ? 1 : 0);
    return ends[static_cast<std::size_t>(place)];
  };
  // What a block waits for: the stage before it, or for a further chunk the last stage; backward the reverse.
  const auto ready_at = [&](const PipelineBlock& block) {
    const auto [stage, chunk, micro_batch, backward, weights, begin_us, end_us] = block;
    if (weights) return 0.0;  // its backward pass stands before it
    if (!backward) {
      if (stage > 0) return end_of(stage - 1, chunk, micro_batch, false);
      return chunk > 0 ? end_of(last_stage, chunk - 1, micro_batch, false) : 0.0;
    }
    if (stage < last_stage) return end_of(stage + 1, chunk, micro_batch, true);
    return chunk + 1 < figure.chunks ? end_of(0, chunk + 1, micro_batch, true)
                                     : end_of(stage, chunk, micro_batch, false);
  };
  const auto chunks = static_cast<double>(figure.chunks);
  std::vector<std::size_t> done(orders.size(), 0);
  std::vector<double> free_at(orders.size(), 0.0);
  for (bool moves = true; moves;) {
    moves = false;
    for (std::size_t stage = 0; stage < orders.size(); ++stage) {
      while (done[stage] < orders[stage].size()) {
        PipelineBlock& block = orders[stage][done[stage]];
        const double ready = ready_at(block);
        if (ready < 0) break;
        block.begin_us = std::max(free_at[stage], ready);
        const double whole_us = block.weights    ? figure.weights_us
                                : block.backward ? figure.backward_us - figure.weights_us
                                                 : figure.forward_us;
        block.end_us = free_at[stage] = block.begin_us + whole_us / chunks;
        if (!block.weights)
          end_of(block.stage, block.chunk, block.micro_batch, block.backward) = block.end_us;
        ++done[stage];
        moves = true;
      }
    }
  }
  std::vector<PipelineBlock> out;
  for (const std::vector<PipelineBlock>& order : orders) out.insert(out.end(), order.begin(), order.end());
  return out;
}

}  // namespace shapelint::chart
