// Pictures of plans, and the order of a pipeline's work.
#include "chart/plan.hpp"

#include <algorithm>
#include <map>
#include <tuple>

#include "tests/catch.hpp"

using namespace shapelint;
using chart::PipelineBlock;
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
        chart::pipeline_blocks({stages, 1, micro_batches, 100, 200, 100});
    CHECK(blocks.size() == static_cast<std::size_t>(3 * stages * micro_batches));
    CHECK(end_of(blocks) == Approx(300.0 * micro_batches + 100.0 * (stages - 1)));
  }
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
  figure.memory.reset();
  figure.timeline.reset();
  figure.front = chart::FrontFigure{{{10, 500, "2 x TP 1", ""}, {40, 100, "1 x TP 2", ""}}};
  const std::string front = chart::plan_svg(figure);
  CHECK(front.find("output tokens/s per user") != std::string::npos);
  CHECK(front.find("1 x TP 2") != std::string::npos);
  const std::string page = chart::plan_page(figure, "TP < 2");
  CHECK(page.find("<pre>TP &lt; 2</pre>") != std::string::npos);
  CHECK(page.find("<script") == std::string::npos);
}
