// When the stages of a pipeline do their work.
#include "chart/pipeline.hpp"

#include <algorithm>
#include <optional>
#include <string_view>

#include "model/fields.hpp"
#include "model/stages.hpp"

namespace shapelint::chart {

namespace {

// Whether a second chunk of each stage goes the other way.
bool turns(Schedule schedule) {
  return model::comes_back(schedule) || schedule == Schedule::dualpipe;
}

struct Place {
  std::int64_t stage = 0;
  std::int64_t chunk = 0;
};

// The way of a micro-batch: up the stages, chunk by chunk; of two chunks that a schedule turns, the second
// goes down them, from the first's end or, with DualPipe, for micro-batches of its own.
class Route {
 public:
  explicit Route(const TimelineFigure& figure)
      : last_(figure.stages - 1),
        chunks_(drawn_chunks(figure)),
        turns_(turns(figure.schedule)),
        is_apart_(figure.schedule == Schedule::dualpipe) {}

  std::optional<Place> before(Place place) const {
    const std::int64_t step = goes_down(place.chunk) ? -1 : 1;
    if (place.stage != first_of(place.chunk)) return Place{place.stage - step, place.chunk};
    if (is_apart_ || place.chunk == 0) return std::nullopt;
    return Place{last_of(place.chunk - 1), place.chunk - 1};
  }
  std::optional<Place> after(Place place) const {
    const std::int64_t step = goes_down(place.chunk) ? -1 : 1;
    if (place.stage != last_of(place.chunk)) return Place{place.stage + step, place.chunk};
    if (is_apart_ || place.chunk + 1 == chunks_) return std::nullopt;
    return Place{first_of(place.chunk + 1), place.chunk + 1};
  }

 private:
  bool goes_down(std::int64_t chunk) const { return turns_ && chunk == 1; }
  std::int64_t first_of(std::int64_t chunk) const { return goes_down(chunk) ? last_ : 0; }
  std::int64_t last_of(std::int64_t chunk) const { return goes_down(chunk) ? 0 : last_; }

  std::int64_t last_;
  std::int64_t chunks_;
  bool turns_;
  bool is_apart_;
};

StageOrder order_of(const TimelineFigure& figure, std::int64_t stage) {
  switch (figure.schedule) {
    case Schedule::one_forward_one_backward:
    case Schedule::zero_bubble:
      return in_turn_order(figure, stage);
    case Schedule::zero_bubble_v:
      return zero_bubble_v_order(figure, stage);
    case Schedule::dualpipe:
    case Schedule::dualpipe_v:
      return dualpipe_order(figure, stage);
    case Schedule::gpipe:
    case Schedule::in_turn:
      break;
  }
  return {};
}

}  // namespace

std::optional<Schedule> schedule_named(std::string_view name) {
  const auto names = model::info(model::FieldId::pipeline_schedule).choices;
  const auto found = std::find(names.begin(), names.end(), name);
  return found == names.end() ? std::nullopt : std::optional(static_cast<Schedule>(found - names.begin()));
}

std::int64_t drawn_chunks(const TimelineFigure& figure) {
  return turns(figure.schedule) ? 2 : figure.chunks;
}

bool can_be_drawn(const TimelineFigure& figure) {
  switch (figure.schedule) {
    case Schedule::one_forward_one_backward:
      return true;
    case Schedule::zero_bubble:
      return figure.chunks == 1;
    case Schedule::zero_bubble_v:
      return figure.micro_batches >= 2 * figure.stages - 1;
    case Schedule::dualpipe:
      return figure.stages % 2 == 0 && figure.micro_batches % 2 == 0 &&
             figure.micro_batches >= 2 * figure.stages;
    case Schedule::dualpipe_v:
      return figure.micro_batches >= 2 * figure.stages;
    case Schedule::gpipe:
    case Schedule::in_turn:
      break;
  }
  return false;
}

std::vector<PipelineBlock> pipeline_blocks(const TimelineFigure& figure) {
  std::vector<StageOrder> orders;
  for (std::int64_t stage = 0; stage < figure.stages; ++stage) orders.push_back(order_of(figure, stage));
  const std::int64_t all_chunks = drawn_chunks(figure);
  // When each pass has ended; negative: not yet.
  std::vector<double> ends(static_cast<std::size_t>(2 * figure.stages * all_chunks * figure.micro_batches),
                           -1.0);
  const auto end_of = [&](Place place, std::int64_t micro_batch, bool backward) -> double& {
    const std::int64_t index =
        ((place.stage * all_chunks + place.chunk) * figure.micro_batches + micro_batch) * 2 +
        (backward ? 1 : 0);
    return ends[static_cast<std::size_t>(index)];
  };
  const Route route(figure);
  const auto ready_at = [&](const PipelineBlock& block) {
    if (block.weights) return 0.0;  // its backward pass stands before it
    const Place place{block.stage, block.chunk};
    const std::optional<Place> from = block.backward ? route.after(place) : route.before(place);
    if (from) return end_of(*from, block.micro_batch, block.backward);
    return block.backward ? end_of(place, block.micro_batch, false) : 0.0;
  };
  // With DualPipe a micro-batch runs one chunk of a stage, as long as the stage of another schedule.
  const double parts = figure.schedule == Schedule::dualpipe ? 1 : static_cast<double>(all_chunks);
  const auto time_of = [&](const PipelineBlock& block) {
    const double whole_us = block.weights    ? figure.weights_us
                            : block.backward ? figure.backward_us - figure.weights_us
                                             : figure.forward_us;
    return whole_us / parts;
  };
  std::vector<std::size_t> done(orders.size(), 0);
  std::vector<double> free_at(orders.size(), 0.0);
  for (bool moves = true; moves;) {
    moves = false;
    for (std::size_t stage = 0; stage < orders.size(); ++stage) {
      for (; done[stage] < orders[stage].size(); ++done[stage]) {
        PipelineWork& work = orders[stage][done[stage]];
        double begin = free_at[stage];
        bool is_ready = true;
        for (const PipelineBlock& block : work) {
          const double ready = ready_at(block);
          is_ready = is_ready && ready >= 0;
          begin = std::max(begin, ready);
        }
        if (!is_ready) break;
        for (PipelineBlock& block : work) {
          block.begin_us = begin;
          begin = block.end_us = begin + time_of(block);
        }
        for (const PipelineBlock& block : work)
          if (!block.weights) end_of({block.stage, block.chunk}, block.micro_batch, block.backward) = begin;
        free_at[stage] = begin;
        moves = true;
      }
    }
  }
  std::vector<PipelineBlock> out;
  for (const StageOrder& order : orders)
    for (const PipelineWork& work : order) out.insert(out.end(), work.begin(), work.end());
  return out;
}

double stage_span_us(const std::vector<PipelineBlock>& blocks) {
  double longest = 0;
  double begin = 0;
  const PipelineBlock* previous = nullptr;
  for (const PipelineBlock& each : blocks) {
    if (previous == nullptr || previous->stage != each.stage) begin = each.begin_us;
    longest = std::max(longest, each.end_us - begin);
    previous = &each;
  }
  return longest;
}

}  // namespace shapelint::chart
