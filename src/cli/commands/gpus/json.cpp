// GPUs for programs.
#include <utility>

#include <nlohmann/json.hpp>

#include "cli/commands/gpus/show.hpp"
#include "objects/convert.hpp"
#include "objects/printed/document.hpp"
#include "text/json/write.hpp"

namespace shapelint::cli {

namespace {

using gpu::Facts;
using gpu::Figure;
using gpu::Gpu;
using nlohmann::ordered_json;
using text::Kind;

ordered_json summary_json(const Gpu& gpu) {
  return ordered_json::parse(api::to_json(api::gpu_of(gpu)));
}

// By kind of product; what was not measured is null.
ordered_json calibration_json(const gpu::Calibration& calibration) {
  const auto or_null = [](double value) { return value > 0 ? ordered_json(value) : ordered_json(nullptr); };
  ordered_json out = ordered_json::object();
  for (std::size_t i = 0; i < calibration.gemm.size(); ++i) {
    const gpu::GemmCalibration& gemm = calibration.gemm[i];
    out[std::string(gpu::constant_set_names[i])] = {
        {"source", gemm.source},
        {"alignment_source", gemm.alignment},
        {"mean_error", or_null(gemm.errors.all)},
        {"mean_error_train", or_null(gemm.errors.train)},
        {"mean_error_decode", or_null(gemm.errors.decode)},
        {"mean_error_misaligned", or_null(gemm.errors.misaligned)}};
  }
  return out;
}

ordered_json value_json(text::NodeRef value) {
  switch (value.kind()) {
    case Kind::string:
      return report::printable(*value.as_string());
    case Kind::boolean:
      return *value.as_boolean();
    case Kind::integer:
      return *value.as_integer();
    default:
      return value.as_number().value_or(0);
  }
}

ordered_json facts_json(const Facts& facts) {
  ordered_json figures = ordered_json::array();
  for (const Figure& figure : facts.figures) {
    figures.push_back({{"section", figure.section},
                       {"name", figure.name},
                       {"value", value_json(figure.value)},
                       {"unit", figure.unit},
                       {"meaning", figure.meaning},
                       {"sources", figure.sources},
                       {"note", figure.note},
                       {"confidence", figure.confidence},
                       {"stated_by", figure.file}});
  }
  return {{"confidence", facts.confidence}, {"notes", facts.notes}, {"figures", std::move(figures)}};
}

ordered_json sources_json(const Shown& shown) {
  ordered_json sources = ordered_json::object();
  for (const Facts* facts : {&shown.facts, &shown.architecture}) {
    for (const std::string_view key : facts->sources) {
      const auto source = gpu::find_source(key);
      if (!source) continue;
      sources[std::string(key)] = {
          {"title", source->title}, {"url", source->url}, {"grade", source->grade}, {"note", source->note}};
    }
  }
  return sources;
}

ordered_json profile_json(const Shown& shown) {
  const gpu::Architecture& architecture = shown.gpu.architecture;
  ordered_json out = summary_json(shown.gpu);
  out["calibration_errors"] = calibration_json(shown.gpu.calibration);
  out["facts"] = facts_json(shown.facts);
  ordered_json tiles = ordered_json::array();
  for (const gpu::Tile& tile : architecture.tiles) {
    tiles.push_back({{"m", tile.m},
                     {"n", tile.n},
                     {"k", tile.k},
                     {"stages", tile.stages},
                     {"ctas_per_sm", tile.ctas_per_sm},
                     {"sms", tile.sms}});
  }
  ordered_json alignment = ordered_json::object();
  for (const DTypeInfo& each : dtypes) {
    const gpu::Alignment& rule = gpu::alignment(architecture, each.dtype);
    alignment[std::string(each.name)] = {{"minimum_bytes", rule.minimum_bytes},
                                         {"efficient_bytes", rule.efficient_bytes},
                                         {"best_bytes", rule.best_bytes}};
  }
  out["architecture_facts"] = {{"id", architecture.id},
                               {"facts", facts_json(shown.architecture)},
                               {"tiles", std::move(tiles)},
                               {"alignment", std::move(alignment)}};
  out["sources"] = sources_json(shown);
  return out;
}

}  // namespace

std::string gpus_json_text(std::span<const Shown> all, bool in_full) {
  ordered_json gpus = ordered_json::array();
  for (const Shown& shown : all) gpus.push_back(in_full ? profile_json(shown) : summary_json(shown.gpu));
  const ordered_json out = {{"gpus", std::move(gpus)}};
  return objects::document("gpus", text::json_text(out, 2), 2) + "\n";
}

}  // namespace shapelint::cli
