// Rooflines for programs: JSON.
#include <sstream>

#include <fmt/format.h>

#include "base/number.hpp"
#include "base/units.hpp"
#include "cost/waterfall.hpp"
#include "model/fields.hpp"
#include "model/op.hpp"
#include "objects/convert.hpp"
#include "objects/printed/document.hpp"
#include "objects/printed/roofline.hpp"
#include "report/formats.hpp"
#include "report/roofline/parts.hpp"
#include "report/roofline/roofline.hpp"
#include "text/json/writer.hpp"

namespace shapelint::report {

namespace {

using roofline_parts::units_name;

template <class Values>
std::map<std::string, double> by_level(const Values& values) {
  std::map<std::string, double> out;
  for (std::size_t i = 0; i < cost::level_count; ++i)
    out[std::string(cost::name(static_cast<cost::Level>(i)))] = values[i];
  return out;
}

objects::Roofs roofs_of(const cost::Roofs& roofs) {
  objects::Roofs out;
  for (const cost::MemoryRoof& roof : roofs.memory) {
    out.memory.push_back({std::string(cost::name(roof.level)), roof.gb_s, std::string(cost::name(roof.basis)),
                          roof.achieved_gb_s, std::string(cost::name(roof.achieved_basis))});
  }
  for (const cost::ComputeRoof& roof : roofs.compute) {
    objects::ComputeRoof each{std::string(name(roof.dtype)),
                              std::string(units_name(roof.on_tensor_cores)),
                              roof.tflops,
                              roof.achieved_tflops,
                              std::string(cost::name(roof.achieved_basis)),
                              {},
                              cost::ridge(roof.achieved_tflops, roofs.memory[0].achieved_gb_s)};
    for (const cost::MemoryRoof& memory : roofs.memory)
      each.ridge_flop_per_byte[std::string(cost::name(memory.level))] = cost::ridge(roof.tflops, memory.gb_s);
    out.compute.push_back(std::move(each));
  }
  return out;
}

objects::RooflineOperation operation(const RooflineCase& of, const cost::Point& point) {
  objects::RooflineOperation out;
  static_cast<api::Operation&>(out) =
      api::operation_of(of.gpu, of.workload.ops[point.op], of.line.step.ops[point.op], of.line.step.time_us);
  out.dtype = name(point.work.dtype);
  out.bound = api::bound_of(point.bound);
  out.cores = units_name(point.work.on_tensor_cores);
  out.flops = point.work.flops;
  out.least_bytes = point.work.least_bytes;
  out.level_bytes = by_level(point.work.bytes);
  out.intensity_flop_per_byte = by_level(point.intensity);
  out.link_bytes = point.work.link_bytes;
  out.peak_tflops = point.peak_tflops;
  out.roof_tflops = point.roof_tflops;
  out.achieved_roof_tflops = point.achieved_roof_tflops;
  out.roof = cost::name(point.limit);
  out.tflops = point.tflops;
  out.dram_gb_s = point.dram_gb_s;
  out.share_of_roof = point.share_of_roof;
  out.share_of_achieved_roof = point.share_of_achieved;
  out.share_of_step = point.share_of_step;
  return out;
}

objects::Serving serving_of(const suggest::Serving& serving) {
  objects::Serving out{serving.prompt,
                       serving.chunk,
                       serving.first_token_us,
                       serving.first_token_low_us,
                       serving.first_token_high_us,
                       serving.token_us,
                       serving.token_low_us,
                       serving.token_high_us,
                       serving.accepted_tokens,
                       serving.tokens_per_s,
                       serving.tokens_per_s_per_gpu,
                       serving.draft_us,
                       {},
                       serving.cache_bytes_per_token,
                       serving.cache_bytes,
                       serving.weight_bytes};
  if (serving.mixed_first_token_us > 0) {
    out.mixed = objects::MixedServing{serving.mixed_first_token_us, serving.token_alone_us,
                                      serving.prompt_compute_bound_from, serving.prompt_tokens_per_s};
  }
  return out;
}

objects::StackEffect stack_of(const StackEffect& stack) {
  objects::StackEffect out{stack.packages, stack.step.time_us, stack.padding_us, stack.other_kernels_us, {}};
  for (const StackEffect::Unmet& each : stack.unmet)
    out.requirements.push_back({each.contract, each.outcome, each.summary, each.formula, each.numbers});
  return out;
}

api::StepTotals totals_of(const RooflineCase& each) {
  api::StepTotals out = api::totals_of(each.setup, each.gpu, each.workload, each.line.step);
  out.model = each.model;
  out.tokens_per_s_per_gpu = roofline_parts::tokens_per_gpu(each);
  out.tokens_per_s_all_gpus = out.tokens_per_s_per_gpu * static_cast<double>(out.num_gpus);
  return out;
}

objects::RooflineCase case_of(const RooflineCase& each, roofline_parts::Best best) {
  objects::RooflineCase out;
  out.path = each.path;
  out.model = each.model;
  out.gpu = each.gpu.id;
  out.gpu_name = each.gpu.name;
  for (const model::FieldInfo& field : model::fields()) {
    if (field.section == "run" || field.section == "parallel")
      out.plan[std::string(field.name)] = api::scalar_of(field.id, field.get(each.setup));
  }
  out.step = totals_of(each);
  out.best_gpu = best.gpu_of_model;
  out.best_model = best.model_of_gpu;
  out.roofs = roofs_of(each.line.roofs);
  const cost::StepRoofline& whole = each.line.whole;
  out.whole = {whole.flops, whole.dram_bytes,  whole.intensity,
               whole.ridge, whole.roof_tflops, whole.memory_bound ? "memory" : "compute"};
  out.gemms = {each.line.product_flops, each.line.product_dram_bytes, each.line.product_compute_us,
               each.line.product_memory_us};
  out.launches = {static_cast<double>(each.launches.count), each.launches.host_us};
  if (each.serving) out.serving = serving_of(*each.serving);
  if (each.capacity) out.capacity = api::capacity_of(*each.capacity);
  if (each.generation) {
    const suggest::Generation& of = *each.generation;
    out.generation =
        objects::Generation{of.output, of.prompts_us, of.total_us, of.tokens_per_s, of.tokens_per_s_per_gpu};
  }
  if (each.stack) out.stack = stack_of(*each.stack);
  const cost::Waterfall waterfall = losses_of(each);
  for (std::size_t i = 0; i < cost::loss_count; ++i) {
    const auto loss = static_cast<cost::Loss>(i);
    if (!each.stack && loss >= cost::Loss::padding) continue;
    out.losses.push_back({std::string(cost::id(loss)), std::string(cost::name(loss)), waterfall.us[i]});
  }
  for (const cost::Point& point : each.line.points) out.operations.push_back(operation(each, point));
  for (const suggest::Remedy& remedy : each.remedies) {
    out.remedies.push_back({std::string(remedy.id), std::string(cost::name(remedy.against)),
                            std::string(remedy.change), remedy.step_us, remedy.time_ratio,
                            remedy.throughput_ratio, std::string(remedy.note)});
  }
  out.notes = each.notes;
  return out;
}

objects::RooflineCurve curve_of(const RooflineCurve& each) {
  objects::RooflineCurve out;
  out.path = each.path;
  out.model = each.model;
  out.gpu = each.gpu_id;
  out.gpu_name = each.gpu_name;
  out.field = each.field;
  out.ridge_flop_per_byte = each.curve.ridge;
  out.beyond_ridge_from = each.curve.beyond_ridge;
  out.compute_bound_from = each.curve.compute_bound;
  for (const suggest::CurvePoint& point : each.curve.points) {
    objects::CurvePoint one{point.value,        {}, point.token_us, point.intensity, point.product_tflops,
                            point.compute_bound};
    one.step = api::totals_of(point.step);
    one.step.model = each.model;
    one.step.gpu = each.gpu_id;
    one.step.bound = point.bubble_bound ? api::Bound::bubble : api::bound_of(point.bound);
    one.step.produces = each.network ? "images" : "tokens";
    one.step.tokens_per_s_per_gpu = point.tokens_per_s_per_gpu;
    one.step.memory.total_bytes = static_cast<std::int64_t>(point.memory_bytes);
    one.step.memory.fits = point.fits;
    out.points.push_back(std::move(one));
  }
  return out;
}

// Five digits: a picture shows fewer.
std::string rounded(double value) {
  return fmt::format("{:.5g}", value);
}

}  // namespace

std::string roofline_json(const RooflineReport& report) {
  objects::RooflineResult result;
  const std::vector<roofline_parts::Best> best = roofline_parts::best_of(report.cases);
  for (std::size_t i = 0; i < report.cases.size(); ++i)
    result.cases.push_back(case_of(report.cases[i], best[i]));
  result.best = roofline_parts::best_sentences(report.cases);
  for (const RooflineCurve& each : report.curves) result.curves.push_back(curve_of(each));
  std::ostringstream out;
  objects::write_document("roofline", objects::Status::ok, result, out);
  return std::move(out).str();
}

std::string sweeps_json(const std::vector<RooflineCurve>& curves) {
  std::string text;
  text::JsonWriter out(text);
  const auto put = [&](std::string_view key, std::string_view value) {
    out.key(key);
    out.text(value);
  };
  out.begin_array();
  for (const RooflineCurve& each : curves) {
    const model::FieldInfo& field = model::info(model::find_field(each.field));
    const auto column = [&](std::string_view key, const auto& write) {
      out.key(key);
      out.begin_array();
      for (const suggest::CurvePoint& point : each.curve.points) write(point);
      out.end_array();
    };
    out.begin_object();
    put("path", each.path);
    put("model", each.model);
    put("gpu", each.gpu_id);
    put("gpu_name", each.gpu_name);
    put("field", each.field);
    put("unit", field.unit);
    put("doc", field.doc);
    put("section", field.section);
    if (each.own > 0) {
      out.key("own");
      out.integer(each.own);
    }
    if (each.curve.compute_bound) {
      out.key("compute_bound_from");
      out.integer(*each.curve.compute_bound);
    }
    using Point = suggest::CurvePoint;
    column("values", [&](const Point& point) { out.integer(point.value); });
    column("tokens_per_s_per_gpu", [&](const Point& point) { out.raw(rounded(point.tokens_per_s_per_gpu)); });
    column("gemm_tflops", [&](const Point& point) { out.raw(rounded(point.product_tflops)); });
    column("latency_us", [&](const Point& point) { out.raw(rounded(point.token_us)); });
    column("bound", [&](const Point& point) {
      out.text(roofline_parts::bound_name(point.bound, point.bubble_bound));
    });
    column("fits", [&](const Point& point) { out.boolean(point.fits); });
    out.end_object();
  }
  out.end_array();
  return text;
}

using namespace roofline_parts;

std::string roofline_csv(const RooflineReport& report) {
  std::string out;
  if (!report.curves.empty()) {
    out =
        "path,model,gpu,field,value,step_us,latency_us,tokens_per_s_per_gpu,gemm_intensity,gemm_tflops,"
        "bound,compute_us,memory_us,communication_us,overhead_us,bubble_us,memory_gib,fits\n";
    for (const RooflineCurve& each : report.curves) {
      for (const suggest::CurvePoint& p : each.curve.points) {
        out += fmt::format("{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{}\n", csv_field(each.path),
                           csv_field(each.model), csv_field(each.gpu_id), each.field, p.value,
                           exact(p.step.time_us), exact(p.token_us), exact(p.tokens_per_s_per_gpu),
                           exact(p.intensity), exact(p.product_tflops), bound_name(p.bound, p.bubble_bound),
                           exact(p.step.compute_us), exact(p.step.memory_us), exact(p.step.communication_us),
                           exact(p.step.overhead_us), exact(p.step.bubble_us),
                           exact(p.memory_bytes / bytes_per_gib), p.fits);
      }
    }
    return out;
  }
  out =
      "path,model,gpu,op,pass,kind,dtype,cores,runs,flops,least_bytes,dram_bytes,l2_bytes,shared_bytes,"
      "link_bytes,dram_intensity,l2_intensity,shared_intensity,peak_tflops,roof_tflops,achieved_roof_tflops,"
      "roof,tflops,dram_gb_s,share_of_roof,share_of_achieved_roof,bound,run_us,time_us,share_of_step\n";
  for (const RooflineCase& each : report.cases) {
    for (const cost::Point& p : each.line.points) {
      const model::Op& op = each.workload.ops[p.op];
      out +=
          fmt::format("{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},", csv_field(each.path),
                      csv_field(each.model), csv_field(each.gpu.id), csv_field(op.name), model::name(op.pass),
                      model::name(op.kind), name(p.work.dtype), units_name(p.work.on_tensor_cores),
                      exact(op.count), exact(p.work.flops), exact(p.work.least_bytes), exact(p.work.bytes[0]),
                      exact(p.work.bytes[1]), exact(p.work.bytes[2]), exact(p.work.link_bytes));
      out += fmt::format("{},{},{},{},{},{},{},{},{},{},{},{},{},{},{}\n", exact(p.intensity[0]),
                         exact(p.intensity[1]), exact(p.intensity[2]), exact(p.peak_tflops),
                         exact(p.roof_tflops), exact(p.achieved_roof_tflops), cost::name(p.limit),
                         exact(p.tflops), exact(p.dram_gb_s), exact(p.share_of_roof),
                         exact(p.share_of_achieved), cost::name(p.bound),
                         exact(each.line.step.ops[p.op].time_us), exact(p.time_us), exact(p.share_of_step));
    }
  }
  return out;
}

}  // namespace shapelint::report
