// Rooflines for programs: CSV.
#include <fmt/format.h>

#include "base/number.hpp"
#include "base/units.hpp"
#include "model/op_names.hpp"
#include "report/csv.hpp"
#include "report/roofline/parts.hpp"

namespace shapelint::report {

using namespace roofline_parts;

std::string roofline_csv(const RooflineReport& report) {
  std::string out;
  if (!report.curves.empty()) {
    out =
        "path,model,gpu,field,value,step_us,latency_us,tokens_per_s_per_gpu,product_intensity,product_tflops,"
        "bound,compute_us,memory_us,communication_us,overhead_us,bubble_us,memory_gb,fits\n";
    for (const RooflineCurve& each : report.curves) {
      for (const suggest::CurvePoint& p : each.curve.points) {
        out += fmt::format("{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{}\n", csv_field(each.path),
                           csv_field(each.model), csv_field(each.gpu_id), each.field, p.value,
                           exact(p.step.time_us), exact(p.token_us), exact(p.tokens_per_s_per_gpu),
                           exact(p.intensity), exact(p.product_tflops), bound_name(p.bound, p.bubble_bound),
                           exact(p.step.compute_us), exact(p.step.memory_us), exact(p.step.communication_us),
                           exact(p.step.overhead_us), exact(p.step.bubble_us),
                           exact(p.memory_bytes / bytes_per_gb), p.fits);
      }
    }
    return out;
  }
  out =
      "path,model,gpu,op,pass,kind,dtype,units,runs,flops,least_bytes,dram_bytes,l2_bytes,shared_bytes,"
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
