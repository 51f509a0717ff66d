// Ladders of models.
#include "report/suggestions/family.hpp"

#include <array>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/number.hpp"
#include "base/units.hpp"
#include "report/csv.hpp"
#include "suggest/edit/footprint.hpp"
#include "text/json/write.hpp"

namespace shapelint::report {

namespace {

using model::FieldId;
using Json = nlohmann::ordered_json;

constexpr std::array dense{FieldId::hidden_size,         FieldId::num_layers, FieldId::num_attention_heads,
                           FieldId::num_key_value_heads, FieldId::head_dim,   FieldId::intermediate_size,
                           FieldId::vocab_size};
constexpr std::array of_mixtures{FieldId::moe_num_experts, FieldId::moe_intermediate_size};

// Fields of the family's models.
std::vector<FieldId> fields_of(const suggest::Family& family) {
  std::vector<FieldId> out(dense.begin(), dense.end());
  for (const suggest::Rung& rung : family.rungs) {
    if (rung.found && rung.setup.model.moe.num_experts > 0) {
      out.insert(out.end(), of_mixtures.begin(), of_mixtures.end());
      break;
    }
  }
  return out;
}

// The plan is the start's, and a larger model may ask for more.
std::string overflows_text(const suggest::Family& family, const std::vector<std::string>& gpus) {
  std::string out;
  for (const suggest::Rung& rung : family.rungs) {
    for (std::size_t gpu = 0; gpu < rung.gpus.size(); ++gpu) {
      const suggest::Performance& each = rung.gpus[gpu];
      if (each.memory_gb * bytes_per_gb <=
          suggest::usable_bytes(each.capacity_gb * bytes_per_gb / bytes_per_gib))
        continue;
      out += fmt::format("{}{} does not fit with the start's plan: {} of {} GiB on {}\n",
                         out.empty() ? "\n" : "", count_short(static_cast<double>(rung.target)),
                         gib(each.memory_gb * bytes_per_gb), gib(each.capacity_gb * bytes_per_gb), gpus[gpu]);
    }
  }
  return out;
}

}  // namespace

std::string family_text(const suggest::Family& family, const std::vector<std::string>& gpus,
                        const Style& style) {
  std::string out = fmt::format("head_dim {} and vocabulary {} serve the whole ladder best\n\n",
                                family.head_dim, with_commas(family.vocab_size));
  out += style.paint(Role::strong, fmt::format("{:>8} {:>8} {:>7} {:>7} {:>6} {:>6} {:>13}", "target",
                                               "params", "hidden", "layers", "heads", "kv", "intermediate"));
  for (const std::string& gpu : gpus) out += fmt::format("  {:>16}", gpu);
  out += '\n';
  for (const suggest::Rung& rung : family.rungs) {
    out += fmt::format("{:>8} ", count_short(static_cast<double>(rung.target)));
    if (!rung.found) {
      out += "no shape meets the constraints\n";
      continue;
    }
    const model::ModelSpec& m = rung.setup.model;
    out +=
        fmt::format("{:>8} {:>7} {:>7} {:>6} {:>6} {:>13}", count_short(static_cast<double>(rung.parameters)),
                    m.hidden_size, m.num_layers, m.num_attention_heads, m.num_key_value_heads,
                    m.moe.num_experts > 0 ? m.moe.intermediate_size : m.intermediate_size);
    for (const suggest::Performance& each : rung.gpus) {
      out += fmt::format("  {:>8} {:>7}", duration(each.time_us), percent(each.mfu));
    }
    out += '\n';
  }
  return out + overflows_text(family, gpus);
}

std::string family_csv(const suggest::Family& family, const std::vector<std::string>& gpus) {
  const std::vector<FieldId> shown = fields_of(family);
  std::string out = fmt::format("target,parameters,{},gpu,step_us,mfu,tokens_per_s_per_gpu\n",
                                fmt::join(model::names_of(shown), ","));
  for (const suggest::Rung& rung : family.rungs) {
    for (std::size_t gpu = 0; gpu < rung.gpus.size(); ++gpu) {
      out += fmt::format("{},{}", rung.target, rung.parameters);
      for (const FieldId field : shown) out += fmt::format(",{}", model::get(rung.setup, field));
      const suggest::Performance& p = rung.gpus[gpu];
      out += fmt::format(",{},{},{},{}\n", csv_field(gpus[gpu]), exact(p.time_us), exact(p.mfu),
                         exact(p.tokens_per_s));
    }
  }
  return out;
}

std::string family_json(const suggest::Family& family, const std::vector<std::string>& gpus) {
  const std::vector<FieldId> shown = fields_of(family);
  Json rungs = Json::array();
  for (const suggest::Rung& rung : family.rungs) {
    Json each{{"target", rung.target}, {"found", rung.found}};
    if (rung.found) {
      each["parameters"] = rung.parameters;
      for (const FieldId field : shown)
        each[std::string(model::info(field).name)] = model::get(rung.setup, field);
      Json on = Json::array();
      for (std::size_t gpu = 0; gpu < rung.gpus.size(); ++gpu) {
        const suggest::Performance& p = rung.gpus[gpu];
        on.push_back({{"gpu", gpus[gpu]},
                      {"step_us", p.time_us},
                      {"mfu", p.mfu},
                      {"tokens_per_s_per_gpu", p.tokens_per_s},
                      {"memory_gb", p.memory_gb},
                      {"gpu_memory_gb", p.capacity_gb}});
      }
      each["gpus"] = std::move(on);
    }
    rungs.push_back(std::move(each));
  }
  const Json out{{"version", 1},
                 {"head_dim", family.head_dim},
                 {"vocab_size", family.vocab_size},
                 {"models", std::move(rungs)}};
  return text::json_text(out, 2) + "\n";
}

std::string family_toml(const suggest::Family& family) {
  const std::vector<FieldId> shown = fields_of(family);
  std::string out;
  for (const suggest::Rung& rung : family.rungs) {
    if (!rung.found) continue;
    out += fmt::format("{}[[model]]  # {} asked for, {} parameters\n", out.empty() ? "" : "\n",
                       count_short(static_cast<double>(rung.target)),
                       count_short(static_cast<double>(rung.parameters)));
    for (const FieldId field : shown)
      out += fmt::format("{} = {}\n", model::info(field).name, model::get(rung.setup, field));
  }
  return out;
}

}  // namespace shapelint::report
