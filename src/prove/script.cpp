// The plan as JSON, in the place that the script keeps for it.

#include <nlohmann/json.hpp>

#include "model/fields.hpp"
#include "model/op.hpp"
#include "prove/plan.hpp"
#include "prove/sweep.hpp"

namespace shapelint::prove {

namespace {

using nlohmann::ordered_json;

constexpr int plan_version = 1;
constexpr std::string_view place = "PLAN = None  # shapelint writes the plan here\n";

ordered_json kernel_json(const Kernel& kernel) {
  const model::Op& op = kernel.op;
  ordered_json out;
  switch (op.kind) {
    case model::OpKind::gemm:
      out = {{"kind", "gemm"},
             {"dtype", name(op.dtype)},
             {"recipe", name(op.recipe)},
             {"layout", model::name(op.layout)},
             {"batch", op.batch.value},
             {"m", op.m.value},
             {"n", op.n.value},
             {"k", op.k.value}};
      if (is_grouped(op)) out["grouped"] = true;
      break;
    case model::OpKind::attention: {
      const model::AttentionShape& a = op.attention;
      out = {{"kind", "attention"},
             {"dtype", name(op.dtype)},
             {"pass", model::name(op.pass)},
             {"sequences", a.sequences.value},
             {"heads", a.heads.value},
             {"key_value_heads", a.key_value_heads.value},
             {"query_length", a.query_length.value},
             {"key_length", a.key_length.value},
             {"head_dim", a.head_dim.value},
             {"value_head_dim", a.value_head_dim.value},
             {"causal", a.causal}};
      if (a.window > 0) out["window"] = a.window;
      break;
    }
    default:
      out = {{"kind", "memory"}, {"bytes", op.bytes}};
  }
  out["predicted_us"] = kernel.predicted_us;
  return out;
}

ordered_json index_json(std::int32_t index) {
  return index == none ? ordered_json(nullptr) : ordered_json(index);
}

ordered_json item_json(const Item& item) {
  ordered_json out{{"op", item.op}, {"pass", item.pass}, {"pair", index_json(item.pair)}};
  if (!item.left_out.empty()) out["left_out"] = item.left_out;
  out["before_count"] = item.before_count;
  out["after_count"] = item.after_count;
  out["before_us"] = item.before_us;
  out["after_us"] = item.after_us;
  return out;
}

ordered_json case_json(const Case& each) {
  ordered_json changes = ordered_json::object();
  for (const rules::Change& change : each.changes) {
    changes[std::string(model::info(change.field).name)] = {model::value_text(change.field, change.from),
                                                            model::value_text(change.field, change.to)};
  }
  ordered_json items = ordered_json::array();
  for (const Item& item : each.items) items.push_back(item_json(item));
  return {{"code", each.code},
          {"rule", each.rule},
          {"changes", std::move(changes)},
          {"gain", each.gain},
          {"gain_error", each.gain_error},
          {"factor", each.factor},
          {"before_us", each.before_us},
          {"after_us", each.after_us},
          {"before_bubble", each.before_bubble},
          {"after_bubble", each.after_bubble},
          {"items", std::move(items)}};
}

ordered_json whole_json(const StepItems& whole) {
  const auto list = [](const std::vector<Run>& runs) {
    ordered_json out = ordered_json::array();
    for (const Run& each : runs) out.push_back({each.kernel, each.runs});
    return out;
  };
  return {{"layers", whole.layers}, {"layer", list(whole.layer)}, {"rest", list(whole.rest)}};
}

ordered_json gpu_json(const gpu::Gpu& gpu) {
  ordered_json names = gpu.aliases;
  names.insert(names.begin(), gpu.name);
  names.insert(names.begin(), gpu.id);
  return {{"id", gpu.id},
          {"name", gpu.name},
          {"names", std::move(names)},
          {"sm_count", gpu.sm_count},
          {"memory_gb", gpu.dram_size_gb}};
}

ordered_json plan_json(const MeasurementPlan& plan) {
  ordered_json kernels = ordered_json::array();
  for (const Kernel& kernel : plan.kernels) kernels.push_back(kernel_json(kernel));
  ordered_json pairs = ordered_json::array();
  for (const Pair& pair : plan.pairs) {
    pairs.push_back({{"before", index_json(pair.before)},
                     {"after", index_json(pair.after)},
                     {"weight_us", pair.weight_us}});
  }
  ordered_json cases = ordered_json::array();
  ordered_json wholes = ordered_json::array();
  for (std::size_t i = 0; i < plan.cases.size(); ++i) {
    const Case& each = plan.cases[i];
    cases.push_back(case_json(each));
    wholes.push_back(
        {{"finding", i}, {"before", whole_json(each.before)}, {"after", whole_json(each.after)}});
  }
  return {{"version", plan_version},
          {"shapelint", SHAPELINT_VERSION},
          {"file", plan.file},
          {"model", plan.model},
          {"sizes", plan.sizes},
          {"checksum", checksum_of(plan.sizes)},
          {"budget_s", plan.budget_s},
          {"gpu", gpu_json(plan.gpu)},
          {"findings", std::move(cases)},
          {"pairs", std::move(pairs)},
          {"wholes", std::move(wholes)},
          {"kernels", std::move(kernels)}};
}

// A Python literal of JSON, which is ASCII here and has quotes of the other kind only.
std::string literal(const ordered_json& json) {
  std::string text;
  for (const char c : json.dump(1, ' ', true, ordered_json::error_handler_t::replace)) {
    if (c == '\'') {
      text += "\\u0027";
    } else {
      text += c;
    }
  }
  return "json.loads(\n    r'''\n" + text + "\n'''\n)\n";
}

std::string with_plan(const ordered_json& plan) {
  std::string script(measuring_script);
  const std::size_t at = script.find(place);
  return script.replace(at, place.size(), "PLAN = " + literal(plan));
}

}  // namespace

std::string script_of(const MeasurementPlan& plan) {
  return with_plan(plan_json(plan));
}

std::string script_of(const SweepPlan& plan) {
  return with_plan({{"version", plan_version},
                    {"shapelint", SHAPELINT_VERSION},
                    {"budget_s", plan.budget_s},
                    {"gpu", gpu_json(plan.gpu)},
                    {"sweeps", plan.sweeps}});
}

}  // namespace shapelint::prove
