// Orders of work by schedule.
#include <algorithm>
#include <array>

#include "chart/pipeline.hpp"

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

// Counts the micro-batches of a stage's two chunks as their blocks are added.
class TwoChunks {
 public:
  explicit TwoChunks(std::int64_t stage, bool swapped = false) : stage_(stage), swapped_(swapped) {}

  void forward(std::int64_t chunk) { order_.push_back({forward_block(chunk)}); }
  // The gradients of the inputs; those of the weights come later.
  void inputs(std::int64_t chunk) {
    const PipelineBlock block = inputs_block(chunk);
    order_.push_back({block});
    waiting_.push_back({block.chunk, block.micro_batch});
  }
  // The oldest gradients of weights that are due.
  void weights() { weights_at(0); }
  void weights(std::int64_t chunk) {
    const auto due = std::find_if(waiting_.begin(), waiting_.end(),
                                  [&](const Piece& each) { return each.chunk == chunk; });
    weights_at(due - waiting_.begin());
  }
  void backward(std::int64_t chunk) { order_.push_back(backward_blocks(chunk)); }
  // One chunk's forward pass while the other's backward pass communicates, and the reverse.
  void overlapped(std::int64_t forward_chunk, std::int64_t backward_chunk) {
    PipelineWork work{forward_block(forward_chunk)};
    for (const PipelineBlock& each : backward_blocks(backward_chunk)) work.push_back(each);
    for (PipelineBlock& each : work) each.overlaps = true;
    order_.push_back(work);
  }

  std::int64_t begun(std::int64_t chunk) const { return forwards_[at(chunk)]; }
  bool is_due(std::int64_t chunk) const {
    return std::any_of(waiting_.begin(), waiting_.end(),
                       [&](const Piece& each) { return each.chunk == chunk; });
  }
  StageOrder take() { return std::move(order_); }

 private:
  std::size_t at(std::int64_t chunk) const { return static_cast<std::size_t>(swapped_ ? 1 - chunk : chunk); }
  PipelineBlock block_of(std::int64_t chunk, std::int64_t micro_batch, bool backward) const {
    return {stage_, static_cast<std::int64_t>(at(chunk)), micro_batch, backward, false, false, 0, 0};
  }
  PipelineBlock forward_block(std::int64_t chunk) { return block_of(chunk, forwards_[at(chunk)]++, false); }
  PipelineBlock inputs_block(std::int64_t chunk) { return block_of(chunk, backwards_[at(chunk)]++, true); }
  PipelineWork backward_blocks(std::int64_t chunk) {
    const PipelineBlock block = inputs_block(chunk);
    PipelineBlock weights = block;
    weights.weights = true;
    return {block, weights};
  }
  void weights_at(std::ptrdiff_t index) {
    const Piece piece = waiting_[static_cast<std::size_t>(index)];
    waiting_.erase(waiting_.begin() + index);
    order_.push_back({{stage_, piece.chunk, piece.micro_batch, true, true, false, 0, 0}});
  }

  std::int64_t stage_;
  bool swapped_;
  std::array<std::int64_t, 2> forwards_{};
  std::array<std::int64_t, 2> backwards_{};
  std::vector<Piece> waiting_;
  StageOrder order_;
};

}  // namespace

// Warm-up, one forward and one backward in turn, and the rest of the backwards; weight gradients between
// them.
StageOrder in_turn_order(const TimelineFigure& figure, std::int64_t stage) {
  const std::vector<Piece> pieces = pieces_of(figure);
  const std::int64_t all = std::ssize(pieces);
  const std::int64_t behind = figure.stages - stage - 1;
  const std::int64_t warm_up =
      std::min(all, figure.chunks > 1 ? 2 * behind + (figure.chunks - 1) * figure.stages : behind);
  StageOrder out;
  const auto add = [&](std::int64_t i, bool backward) {
    const Piece& piece = pieces[static_cast<std::size_t>(i)];
    const std::int64_t chunk = backward ? figure.chunks - 1 - piece.chunk : piece.chunk;
    out.push_back({{stage, chunk, piece.micro_batch, backward, false, false, 0, 0}});
  };
  // Weight gradients wait for as many micro-batches as the stage begins later: all stages keep as many.
  const bool are_apart = figure.schedule == Schedule::zero_bubble;
  std::int64_t updated = 0;
  const auto add_weights = [&] { out.push_back({{stage, 0, updated++, true, true, false, 0, 0}}); };
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

// The order for passes that all take as long.
StageOrder zero_bubble_v_order(const TimelineFigure& figure, std::int64_t stage) {
  const std::int64_t behind = figure.stages - stage;
  TwoChunks work(stage);
  const auto round_trip = [&](std::int64_t chunk) {
    work.inputs(chunk);
    work.weights(chunk);
  };
  for (std::int64_t i = 0; i < 2 * behind - 1; ++i) work.forward(0);
  for (std::int64_t i = 0; i < stage; ++i) {
    work.forward(1);
    work.forward(0);
  }
  for (std::int64_t i = 0; i < behind; ++i) {
    work.forward(1);
    round_trip(1);
  }
  while (work.begun(1) < work.begun(0) || work.begun(0) < figure.micro_batches) {
    if (work.begun(0) < figure.micro_batches) work.forward(0);
    round_trip(0);
    work.forward(1);
    round_trip(1);
  }
  // Weight gradients wait where inputs' are waited for.
  for (std::int64_t i = 0; i < stage; ++i) {
    work.inputs(0);
    work.inputs(1);
  }
  for (std::int64_t i = 0; i < behind; ++i) {
    work.inputs(0);
    work.weights(0);
  }
  for (const std::int64_t chunk : {1, 0})
    while (work.is_due(chunk)) work.weights(chunk);
  return work.take();
}

// With DualPipe the stages of either half do the same in opposite directions, and half of the micro-batches
// begin at the end of the pipeline; a half of it is all of DualPipeV, whose layers come back instead.
StageOrder dualpipe_order(const TimelineFigure& figure, std::int64_t stage) {
  const bool is_both_ways = figure.schedule == Schedule::dualpipe;
  const std::int64_t stages = is_both_ways ? figure.stages / 2 : figure.stages;
  const std::int64_t micro_batches = is_both_ways ? figure.micro_batches / 2 : figure.micro_batches;
  const bool is_swapped = stage >= stages;
  const std::int64_t at = is_swapped ? figure.stages - 1 - stage : stage;
  const std::int64_t behind = stages - 1 - at;
  TwoChunks work(stage, is_swapped);
  for (std::int64_t i = 0; i < 2 * behind; ++i) work.forward(0);
  for (std::int64_t i = 0; i <= at; ++i) {
    work.forward(0);
    work.forward(1);
  }
  for (std::int64_t i = 0; i < behind; ++i) {
    work.inputs(1);
    work.weights();
    work.forward(1);
  }
  for (std::int64_t i = 0; i < micro_batches - 2 * stages + at + 1; ++i) {
    // The stage in the middle hands on at once what it has first.
    if (i == 0 && behind == 0) {
      work.forward(0);
      work.backward(1);
    } else {
      work.overlapped(0, 1);
    }
    work.overlapped(1, 0);
  }
  for (std::int64_t i = 0; i < behind; ++i) {
    work.backward(1);
    work.overlapped(1, 0);
  }
  // From the half of these passes on weight gradients wait.
  const std::int64_t half = (at + 1) / 2;
  for (std::int64_t i = 0; i <= at; ++i) {
    const bool is_late = i > half || (i == half && at % 2 == 1);
    const bool is_later = i >= half;
    if (is_late)
      work.inputs(1);
    else
      work.backward(1);
    if (is_later)
      work.inputs(0);
    else
      work.backward(0);
  }
  for (std::int64_t i = 0; i < behind; ++i) {
    work.weights();
    work.inputs(0);
  }
  for (std::int64_t i = 0; i <= at; ++i) work.weights();
  return work.take();
}

}  // namespace shapelint::chart
