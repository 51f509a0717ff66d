// Rooflines for programs: JSON.
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/units.hpp"
#include "cost/waterfall.hpp"
#include "model/fields.hpp"
#include "model/op_names.hpp"
#include "report/capacity.hpp"
#include "report/roofline/parts.hpp"
#include "report/roofline/roofline.hpp"
#include "text/json/write.hpp"

namespace shapelint::report {

namespace {

using Json = nlohmann::ordered_json;
using roofline_parts::bound_name;
using roofline_parts::units_name;

// Raised when a key changes its meaning or goes away.
constexpr int roofline_version = 1;

// A number, or null where it is unknown.
Json known(double value) {
  return value > 0 ? Json(value) : Json(nullptr);
}

template <class Values>
Json by_level(const Values& values) {
  Json out = Json::object();
  for (std::size_t i = 0; i < cost::level_count; ++i) {
    out[std::string(cost::name(static_cast<cost::Level>(i)))] = values[i];
  }
  return out;
}

Json roofs_json(const cost::Roofs& roofs) {
  Json memory = Json::array();
  for (const cost::MemoryRoof& roof : roofs.memory) {
    memory.push_back({{"level", cost::name(roof.level)},
                      {"gb_s", known(roof.gb_s)},
                      {"basis", cost::name(roof.basis)},
                      {"achieved_gb_s", known(roof.achieved_gb_s)},
                      {"achieved_basis", cost::name(roof.achieved_basis)}});
  }
  Json compute = Json::array();
  for (const cost::ComputeRoof& roof : roofs.compute) {
    Json ridge = Json::object();
    for (const cost::MemoryRoof& each : roofs.memory) {
      ridge[std::string(cost::name(each.level))] = known(cost::ridge(roof.tflops, each.gb_s));
    }
    const cost::MemoryRoof& dram = roofs.memory[0];
    compute.push_back({{"dtype", name(roof.dtype)},
                       {"units", units_name(roof.on_tensor_cores)},
                       {"tflops", roof.tflops},
                       {"achieved_tflops", known(roof.achieved_tflops)},
                       {"achieved_basis", cost::name(roof.achieved_basis)},
                       {"ridge_flop_per_byte", std::move(ridge)},
                       {"achieved_dram_ridge_flop_per_byte",
                        known(cost::ridge(roof.achieved_tflops, dram.achieved_gb_s))}});
  }
  return {{"memory", std::move(memory)}, {"compute", std::move(compute)}};
}

// `network`: what it counts as tokens are images.
Json step_json(const cost::StepCost& step, cost::Bound bound, bool bubble, bool network) {
  Json out{{"time_us", step.time_us},
           {"low_us", step.low_us},
           {"high_us", step.high_us},
           {"bound", bound_name(bound, bubble)},
           {"compute_us", step.compute_us},
           {"memory_us", step.memory_us},
           {"communication_us", step.communication_us},
           {"overhead_us", step.overhead_us},
           {"bubble_us", step.bubble_us},
           {"hidden_us", step.hidden_us},
           {"mfu", step.mfu},
           {"hfu", step.hfu},
           {"tokens_per_s", step.tokens_per_s}};
  if (network) out["images_per_s"] = step.tokens_per_s;
  return out;
}

Json whole_json(const cost::Whole& whole) {
  return {{"flops", whole.flops},
          {"dram_bytes", whole.dram_bytes},
          {"intensity_flop_per_byte", whole.intensity},
          {"ridge_flop_per_byte", known(whole.ridge)},
          {"roof_tflops", whole.roof_tflops},
          {"bound", whole.memory_bound ? "memory" : "compute"}};
}

Json op_json(const model::Op& op, const cost::Point& point, const cost::OpCost& cost) {
  Json out{{"name", op.name},
           {"pass", model::name(op.pass)},
           {"kind", model::name(op.kind)},
           {"dtype", name(point.work.dtype)},
           {"units", units_name(point.work.on_tensor_cores)},
           {"runs", op.count},
           {"flops", point.work.flops},
           {"least_bytes", point.work.least_bytes},
           {"bytes", by_level(point.work.bytes)},
           {"intensity_flop_per_byte", by_level(point.intensity)},
           {"link_bytes", point.work.link_bytes},
           {"peak_tflops", point.peak_tflops},
           {"roof_tflops", point.roof_tflops},
           {"achieved_roof_tflops", point.achieved_roof_tflops},
           {"roof", cost::name(point.limit)},
           {"tflops", point.tflops},
           {"dram_gb_s", point.dram_gb_s},
           {"share_of_roof", point.share_of_roof},
           {"share_of_achieved_roof", point.share_of_achieved},
           {"bound", cost::name(point.bound)},
           {"run_us", cost.time_us},
           {"compute_us", cost.compute_us},
           {"memory_us", cost.memory_us},
           {"overhead_us", cost.overhead_us},
           {"time_us", point.time_us},
           {"share_of_step", point.share_of_step}};
  const cost::Efficiency& e = cost.efficiency;
  out["efficiency"] = {{"alignment", e.alignment}, {"tile", e.tile}, {"wave", e.wave}, {"rest", e.rest}};
  if (op.kind == model::OpKind::gemm) {
    out["shape"] = {{"batch", op.batch.value}, {"m", op.m.value}, {"n", op.n.value}, {"k", op.k.value}};
    out["tile"] = {{"m", cost.tile_m}, {"n", cost.tile_n}, {"split_k", cost.split_k}, {"waves", cost.waves}};
  }
  if (op.kind == model::OpKind::collective) out["overlapped"] = op.overlapped;
  return out;
}

Json serving_json(const suggest::Serving& serving) {
  return {{"prompt_tokens", serving.prompt},
          {"chunk_tokens", serving.chunk},
          {"first_token_us", serving.first_token_us},
          {"first_token_low_us", serving.first_token_low_us},
          {"first_token_high_us", serving.first_token_high_us},
          {"token_us", serving.token_us},
          {"token_low_us", serving.token_low_us},
          {"token_high_us", serving.token_high_us},
          {"accepted_tokens_per_step", serving.accepted_tokens},
          {"tokens_per_s", serving.tokens_per_s},
          {"tokens_per_s_per_gpu", serving.tokens_per_s_per_gpu},
          {"draft_us", serving.draft_us},
          {"mixed", serving.mixed_first_token_us > 0
                        ? Json{{"first_token_us", serving.mixed_first_token_us},
                               {"token_alone_us", serving.token_alone_us},
                               {"products_compute_bound_from", serving.prompt_compute_bound_from
                                                                   ? Json(*serving.prompt_compute_bound_from)
                                                                   : Json(nullptr)},
                               {"prompt_tokens_per_s", serving.prompt_tokens_per_s}}
                        : Json(nullptr)},
          {"cache_bytes_per_token", serving.cache_bytes_per_token},
          {"cache_bytes", serving.cache_bytes},
          {"weight_bytes", serving.weight_bytes}};
}

Json generation_json(const suggest::Generation& generation) {
  return {{"output_tokens", generation.output},
          {"prompts_us", generation.prompts_us},
          {"total_us", generation.total_us},
          {"tokens_per_s", generation.tokens_per_s},
          {"tokens_per_s_per_gpu", generation.tokens_per_s_per_gpu}};
}

// Every field of the sections `run` and `parallel`.
Json plan_json(const model::Setup& setup) {
  Json out = Json::object();
  for (const model::FieldInfo& field : model::fields()) {
    if (field.section != "run" && field.section != "parallel") continue;
    const std::int64_t value = field.get(setup);
    Json& into = out[std::string(field.name)];
    if (field.type == model::FieldType::boolean) {
      into = value != 0;
    } else if (field.type == model::FieldType::choice) {
      into = field.choices[static_cast<std::size_t>(value)];
    } else {
      into = value;
    }
  }
  return out;
}

Json stack_json(const StackEffect& stack) {
  Json unmet = Json::array();
  for (const StackEffect::Unmet& each : stack.unmet) {
    unmet.push_back({{"contract", each.contract},
                     {"outcome", each.outcome},
                     {"summary", each.summary},
                     {"formula", each.formula},
                     {"sum", each.numbers}});
  }
  return {{"packages", stack.packages},
          {"as_written_us", stack.step.time_us},
          {"padding_us", stack.padding_us},
          {"other_kernels_us", stack.other_kernels_us},
          {"contracts", std::move(unmet)}};
}

Json case_json(const RooflineCase& each, roofline_parts::Best best) {
  Json ops = Json::array();
  for (const cost::Point& point : each.line.points) {
    ops.push_back(op_json(each.workload.ops[point.op], point, each.line.step.ops[point.op]));
  }
  Json remedies = Json::array();
  for (const suggest::Remedy& remedy : each.remedies) {
    remedies.push_back({{"id", remedy.id},
                        {"against", cost::name(remedy.against)},
                        {"change", remedy.change},
                        {"step_us", remedy.step_us},
                        {"time_ratio", remedy.time_ratio},
                        {"throughput_ratio", remedy.throughput_ratio},
                        {"note", remedy.note}});
  }
  const cost::Waterfall waterfall = losses_of(each);
  Json losses = Json::array();
  for (std::size_t i = 0; i < cost::loss_count; ++i) {
    const auto loss = static_cast<cost::Loss>(i);
    if (!each.stack && loss >= cost::Loss::padding) continue;
    losses.push_back({{"id", cost::id(loss)}, {"name", cost::name(loss)}, {"time_us", waterfall.us[i]}});
  }
  return {{"path", each.path},
          {"model", each.model},
          {"gpu", each.gpu.id},
          {"gpu_name", each.gpu.name},
          {"plan", plan_json(each.setup)},
          {"memory_bytes", each.memory_bytes},
          {"gpu_memory_bytes", known(gpu::memory_bytes(each.gpu))},
          {"fits", roofline_parts::fits(each)},
          {"tokens_per_s_per_gpu", roofline_parts::tokens_per_gpu(each)},
          {"produces", roofline_parts::is_network(each.setup) ? "images" : "tokens"},
          {"best_gpu", best.gpu_of_model},
          {"best_model", best.model_of_gpu},
          {"roofs", roofs_json(each.line.roofs)},
          {"step", step_json(each.line.step, each.line.bound, each.line.bubble_bound,
                             !each.setup.model.conv.empty())},
          {"whole", whole_json(each.line.whole)},
          {"products",
           {{"flops", each.line.product_flops},
            {"dram_bytes", each.line.product_dram_bytes},
            {"compute_us", each.line.product_compute_us},
            {"memory_us", each.line.product_memory_us}}},
          {"launches", {{"kernels", each.launches.count}, {"host_us", each.launches.host_us}}},
          {"serving", each.serving ? serving_json(*each.serving) : Json(nullptr)},
          {"capacity", each.capacity ? capacity_json(*each.capacity) : Json(nullptr)},
          {"generation", each.generation ? generation_json(*each.generation) : Json(nullptr)},
          {"stack", each.stack ? stack_json(*each.stack) : Json(nullptr)},
          {"losses", std::move(losses)},
          {"ops", std::move(ops)},
          {"remedies", std::move(remedies)},
          {"notes", each.notes}};
}

Json curve_json(const RooflineCurve& each) {
  Json points = Json::array();
  for (const suggest::CurvePoint& point : each.curve.points) {
    points.push_back({{"value", point.value},
                      {"step", step_json(point.step, point.bound, point.bubble_bound, each.network)},
                      {"tokens_per_s_per_gpu", point.tokens_per_s_per_gpu},
                      {"latency_us", point.token_us},
                      {"product_intensity_flop_per_byte", point.intensity},
                      {"product_tflops", point.product_tflops},
                      {"products_compute_bound", point.compute_bound},
                      {"memory_bytes", point.memory_bytes},
                      {"fits", point.fits}});
    if (each.network) points.back()["images_per_s_per_gpu"] = point.tokens_per_s_per_gpu;
  }
  const auto optional = [](const std::optional<std::int64_t>& value) {
    return value ? Json(*value) : Json(nullptr);
  };
  return {{"path", each.path},
          {"model", each.model},
          {"gpu", each.gpu_id},
          {"gpu_name", each.gpu_name},
          {"field", each.field},
          {"ridge_flop_per_byte", known(each.curve.ridge)},
          {"beyond_ridge_from", optional(each.curve.beyond_ridge)},
          {"compute_bound_from", optional(each.curve.compute_bound)},
          {"points", std::move(points)}};
}

// Five digits: a picture shows fewer.
Json rounded(double value) {
  return Json::parse(fmt::format("{:.5g}", value));
}

}  // namespace

std::string roofline_json(const RooflineReport& report) {
  Json cases = Json::array();
  const std::vector<roofline_parts::Best> best = roofline_parts::best_of(report.cases);
  for (std::size_t i = 0; i < report.cases.size(); ++i) cases.push_back(case_json(report.cases[i], best[i]));
  Json curves = Json::array();
  for (const RooflineCurve& each : report.curves) curves.push_back(curve_json(each));
  const Json all{{"version", roofline_version},
                 {"cases", std::move(cases)},
                 {"best", roofline_parts::best_sentences(report.cases)},
                 {"curves", std::move(curves)}};
  return text::json_text(all, 1) + "\n";
}

std::string sweeps_json(const std::vector<RooflineCurve>& curves) {
  Json out = Json::array();
  for (const RooflineCurve& each : curves) {
    const model::FieldInfo& field = model::info(model::find_field(each.field));
    Json sweep{{"path", each.path},         {"model", each.model},     {"gpu", each.gpu_id},
               {"gpu_name", each.gpu_name}, {"field", each.field},     {"unit", field.unit},
               {"doc", field.doc},          {"section", field.section}};
    if (each.own > 0) sweep["own"] = each.own;
    if (each.curve.compute_bound) sweep["compute_bound_from"] = *each.curve.compute_bound;
    for (const char* column :
         {"values", "tokens_per_s_per_gpu", "product_tflops", "latency_us", "bound", "fits"})
      sweep[column] = Json::array();
    for (const suggest::CurvePoint& point : each.curve.points) {
      sweep["values"].push_back(point.value);
      sweep["tokens_per_s_per_gpu"].push_back(rounded(point.tokens_per_s_per_gpu));
      sweep["product_tflops"].push_back(rounded(point.product_tflops));
      sweep["latency_us"].push_back(rounded(point.token_us));
      sweep["bound"].push_back(point.bubble_bound ? std::string("bubble")
                                                  : std::string(cost::name(point.bound)));
      sweep["fits"].push_back(point.fits);
    }
    out.push_back(std::move(sweep));
  }
  return text::json_text(out, -1);
}

}  // namespace shapelint::report
