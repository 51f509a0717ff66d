// Pictures of plans, and the order of a pipeline's work.
#include "chart/plan.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <tuple>

#include "model/stages.hpp"
#include "tests/catch.hpp"

using namespace shapelint;
using chart::PipelineBlock;
using chart::Schedule;
using chart::TimelineFigure;

namespace {

double end_of(const std::vector<PipelineBlock>& blocks) {
  double out = 0;
  for (const PipelineBlock& each : blocks) out = std::max(out, each.end_us);
  return out;
}

}  // namespace

TEST_CASE("a pipeline's step takes its micro-batches and one bubble", "[chart][plan]") {
  // Narayanan et al. 2021 (2104.04473), section 2.2: (p - 1) (t_f + t_b), and of v chunks one v-th of it.
  for (const auto& [stages, chunks, micro_batches] :
       {std::tuple(1, 1, 4), std::tuple(2, 1, 2), std::tuple(4, 1, 8), std::tuple(8, 1, 32),
        std::tuple(4, 2, 8), std::tuple(4, 3, 16), std::tuple(8, 4, 32)}) {
    CAPTURE(stages, chunks, micro_batches);
    const TimelineFigure figure{stages, chunks, micro_batches, 100, 200};
    const std::vector<PipelineBlock> blocks = chart::pipeline_blocks(figure);
    CHECK(blocks.size() == static_cast<std::size_t>(2 * stages * chunks * micro_batches));
    CHECK(end_of(blocks) == Approx(300.0 * micro_batches + 300.0 * (stages - 1) / chunks));
  }
}

TEST_CASE("weight gradients that run apart leave a third of the bubble", "[chart][plan]") {
  // arXiv 2401.10241, section 2.1: (p - 1) (F + B - 2 W) of the whole backward pass B, which has W in it.
  for (const auto& [stages, micro_batches] :
       {std::tuple(2, 2), std::tuple(4, 8), std::tuple(4, 16), std::tuple(8, 16)}) {
    CAPTURE(stages, micro_batches);
    const std::vector<PipelineBlock> blocks =
        chart::pipeline_blocks({stages, 1, micro_batches, 100, 200, 100, Schedule::zero_bubble});
    CHECK(blocks.size() == static_cast<std::size_t>(3 * stages * micro_batches));
    CHECK(end_of(blocks) == Approx(300.0 * micro_batches + 100.0 * (stages - 1)));
  }
}

// Idle time of the stage that has most, between its first and its last block.
double idle_of(const std::vector<PipelineBlock>& blocks, const TimelineFigure& figure) {
  return chart::stage_span_us(blocks) -
         static_cast<double>(figure.micro_batches) * (figure.forward_us + figure.backward_us);
}

TEST_CASE("schedules that turn have each pass once, and the papers' bubbles", "[chart][plan]") {
  struct Case {
    Schedule schedule;
    std::int64_t stages;
    std::int64_t micro_batches;
  };
  for (const auto& [schedule, stages, micro_batches] :
       {Case{Schedule::zero_bubble_v, 2, 3}, Case{Schedule::zero_bubble_v, 4, 8},
        Case{Schedule::zero_bubble_v, 8, 40}, Case{Schedule::dualpipe, 2, 4}, Case{Schedule::dualpipe, 4, 8},
        Case{Schedule::dualpipe, 8, 20}, Case{Schedule::dualpipe, 16, 32}, Case{Schedule::dualpipe_v, 3, 6},
        Case{Schedule::dualpipe_v, 4, 10}, Case{Schedule::dualpipe_v, 8, 40}}) {
    CAPTURE(static_cast<int>(schedule), stages, micro_batches);
    const TimelineFigure figure{stages, 1, micro_batches, 100, 200, 100, schedule};
    REQUIRE(chart::can_be_drawn(figure));
    const std::vector<PipelineBlock> blocks = chart::pipeline_blocks(figure);
    // Of DualPipe's micro-batches half run either chunk of a stage, of the others' each runs both.
    const std::int64_t chunks = schedule == Schedule::dualpipe ? 1 : 2;
    std::map<std::int64_t, std::array<std::int64_t, 3>> counted;
    std::set<std::tuple<std::int64_t, std::int64_t, std::int64_t, bool, bool>> once;
    for (const PipelineBlock& each : blocks) {
      ++counted[each.stage][each.weights ? 2 : each.backward ? 1 : 0];
      CHECK(once.insert({each.stage, each.chunk, each.micro_batch, each.backward, each.weights}).second);
    }
    CHECK(std::ssize(counted) == stages);
    for (const auto& [stage, of] : counted)
      CHECK(of == std::array{chunks * micro_batches, chunks * micro_batches, chunks * micro_batches});
    // 2412.19437, table 2: (p / 2 - 1) (F&B + B - 3 W), here 300 + 200 - 300; DualPipeV the same of 2 p
    // stages half as long (DualPipe's README.md); 2401.10241, section 6: none where passes take as long.
    const double bubble = schedule == Schedule::zero_bubble_v ? 0
                          : schedule == Schedule::dualpipe    ? 100.0 * static_cast<double>(stages - 2)
                                                              : 100.0 * static_cast<double>(stages - 1);
    CHECK(idle_of(blocks, figure) == Approx(bubble).margin(1e-6));
    // The step's bubble is the same.
    model::Plan plan;
    plan.pipeline = stages;
    plan.gradient_accumulation = micro_batches;
    plan.recompute = model::Recompute::none;
    plan.pipeline_schedule = schedule;
    if (micro_batches >= 2 * stages)
      CHECK(model::waiting_share(plan, 2) * 300 * static_cast<double>(stages - 1) ==
            Approx(bubble).margin(1e-6));
  }
}

TEST_CASE("with full recomputation the stages of ZB-V wait for what is run again", "[chart][plan]") {
  for (const auto& [stages, micro_batches] : {std::pair{2, 4}, std::pair{4, 16}, std::pair{8, 32}}) {
    CAPTURE(stages, micro_batches);
    const TimelineFigure figure{stages, 1, micro_batches, 100, 300, 100, Schedule::zero_bubble_v};
    model::Plan plan;
    plan.pipeline = stages;
    plan.gradient_accumulation = micro_batches;
    plan.recompute = model::Recompute::full;
    plan.pipeline_schedule = Schedule::zero_bubble_v;
    CHECK(model::waiting_share(plan, 2) * 400 * static_cast<double>(stages - 1) ==
          Approx(idle_of(chart::pipeline_blocks(figure), figure)).margin(1e-6));
  }
}

TEST_CASE("DualPipe's order is that of the report's figure", "[chart][plan]") {
  // 2412.19437, figure 5: 8 stages, 20 micro-batches in two directions. The first stage runs 7 forward passes
  // of its own before one of the other direction, 0 to 6; the last stage is its mirror.
  const std::vector<PipelineBlock> blocks =
      chart::pipeline_blocks({8, 1, 20, 100, 200, 100, Schedule::dualpipe});
  std::vector<const PipelineBlock*> first;
  std::vector<const PipelineBlock*> last;
  for (const PipelineBlock& each : blocks) {
    if (each.stage == 0) first.push_back(&each);
    if (each.stage == 7) last.push_back(&each);
  }
  REQUIRE(first.size() == last.size());
  for (std::size_t i = 0; i < 7; ++i) {
    CHECK(first[i]->chunk == 0);
    CHECK(first[i]->micro_batch == static_cast<std::int64_t>(i));
    CHECK_FALSE(first[i]->backward);
  }
  CHECK(first[7]->chunk == 1);
  for (std::size_t i = 0; i < first.size(); ++i) {
    CHECK(first[i]->chunk == 1 - last[i]->chunk);
    CHECK(first[i]->micro_batch == last[i]->micro_batch);
    CHECK(first[i]->begin_us == Approx(last[i]->begin_us));
  }
}

TEST_CASE("a schedule that turns is drawn for enough micro-batches only", "[chart][plan]") {
  // dualpipe.py of the DualPipe repository asserts an even number of stages and of micro-batches, of these at
  // least twice as many; PyTorch's ScheduleDualPipeV as many as there are chunks.
  CHECK_FALSE(chart::can_be_drawn({8, 1, 14, 100, 200, 100, Schedule::dualpipe}));
  CHECK_FALSE(chart::can_be_drawn({8, 1, 17, 100, 200, 100, Schedule::dualpipe}));
  CHECK_FALSE(chart::can_be_drawn({5, 1, 20, 100, 200, 100, Schedule::dualpipe}));
  CHECK_FALSE(chart::can_be_drawn({4, 1, 7, 100, 200, 100, Schedule::dualpipe_v}));
  CHECK_FALSE(chart::can_be_drawn({4, 1, 6, 100, 200, 100, Schedule::zero_bubble_v}));
  CHECK(chart::can_be_drawn({4, 1, 7, 100, 200, 100, Schedule::zero_bubble_v}));
}

TEST_CASE("a stage does one thing at a time, after what it waits for", "[chart][plan]") {
  const TimelineFigure figure{4, 2, 8, 100, 200};
  const std::vector<PipelineBlock> blocks = chart::pipeline_blocks(figure);
  std::map<std::tuple<std::int64_t, std::int64_t, std::int64_t, bool>, PipelineBlock> by_place;
  for (const PipelineBlock& each : blocks)
    by_place[{each.stage, each.chunk, each.micro_batch, each.backward}] = each;
  for (std::size_t i = 1; i < blocks.size(); ++i) {
    if (blocks[i].stage != blocks[i - 1].stage) continue;
    CHECK(blocks[i].begin_us >= blocks[i - 1].end_us);
  }
  for (const PipelineBlock& each : blocks) {
    if (each.stage > 0 && !each.backward)
      CHECK(by_place.at({each.stage - 1, each.chunk, each.micro_batch, false}).end_us <= each.begin_us);
    if (each.backward)
      CHECK(by_place.at({each.stage, each.chunk, each.micro_batch, false}).end_us <= each.begin_us);
  }
}

TEST_CASE("blocks of a timeline are wider than the gaps between them", "[chart][plan]") {
  chart::PlanFigure figure;
  figure.timeline = TimelineFigure{16, 8, 64, 1e5, 2e5};
  const std::string svg = chart::plan_svg(figure);
  std::size_t blocks = 0;
  for (std::size_t at = svg.find("<rect "); at != std::string::npos;
       at = svg.find("<rect ", at + 1), ++blocks)
    CHECK(std::stod(svg.substr(svg.find("width=\"", at) + 7)) >= 0.6);
  CHECK(blocks > 1'000);
}

TEST_CASE("a picture of plans has its parts, in words that are escaped", "[chart][plan]") {
  chart::PlanFigure figure;
  figure.title = "a <model>";
  figure.memory = chart::MemoryFigure{{"weights", "activations"}, {{"TP 2, ZeRO 1", {1e10, 4e10}}}, 8e10};
  figure.timeline = TimelineFigure{4, 1, 8, 1e5, 2e5};
  const std::string svg = chart::plan_svg(figure);
  CHECK(svg.find("a &lt;model&gt;") != std::string::npos);
  CHECK(svg.find("TP 2, ZeRO 1") != std::string::npos);
  CHECK(svg.find("usable: 74.5 GiB") != std::string::npos);
  CHECK(svg.find("Pipeline, 1F1B, 8 micro-batches") != std::string::npos);
  CHECK(svg.find("stage 3") != std::string::npos);
  figure.timeline = TimelineFigure{4, 1, 8, 1e5, 2e5, 1e5, Schedule::dualpipe};
  const std::string dualpipe = chart::plan_svg(figure);
  CHECK(dualpipe.find("Pipeline, DualPipe, 8 micro-batches") != std::string::npos);
  CHECK(dualpipe.find("forward, from the last stage") != std::string::npos);
  CHECK(dualpipe.find("framed: overlapped passes") != std::string::npos);
  figure.memory.reset();
  figure.timeline.reset();
  figure.front = chart::FrontFigure{{{10, 500, "2 x TP 1", ""}, {40, 100, "1 x TP 2", ""}}};
  const std::string front = chart::plan_svg(figure);
  CHECK(front.find("output tokens/s/user") != std::string::npos);
  CHECK(front.find("1 x TP 2") != std::string::npos);
  const std::string page = chart::plan_page(figure, "TP < 2");
  CHECK(page.find("<pre>TP &lt; 2</pre>") != std::string::npos);
  CHECK(page.find("<script") == std::string::npos);
  // One heading; the others are the names of the page and of its picture.
  CHECK(page.find("<h1>a &lt;model&gt;</h1>") != std::string::npos);
  CHECK(page.find(">a &lt;model&gt;</text>") == std::string::npos);
}
