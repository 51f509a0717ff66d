// Ladders of models.
#include "objects/convert.hpp"
#include "report/suggestions/suggestions.hpp"

#include <array>

#include <sstream>

#include <fmt/format.h>

#include "base/number.hpp"
#include "base/units.hpp"
#include "objects/printed/document.hpp"
#include "objects/printed/family.hpp"
#include "report/formats.hpp"
#include "suggest/edit/footprint.hpp"

namespace shapelint::report {

namespace {

using model::FieldId;

constexpr std::array dense{FieldId::hidden_size,         FieldId::num_layers, FieldId::num_attention_heads,
                           FieldId::num_key_value_heads, FieldId::head_dim,   FieldId::intermediate_size,
                           FieldId::vocab_size};
constexpr std::array of_mixtures{FieldId::moe_num_experts, FieldId::moe_intermediate_size};

// Fields of the family's models.
std::vector<FieldId> fields_of(const suggest::Family& family) {
  std::vector<FieldId> out(dense.begin(), dense.end());
  for (const suggest::FamilyMember& rung : family.members) {
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
  for (const suggest::FamilyMember& rung : family.members) {
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
  std::string out = fmt::format("best for all sizes: head_dim {}, vocabulary {}\n\n", family.head_dim,
                                with_commas(family.vocab_size));
  out += style.paint(Role::strong, fmt::format("{:>8} {:>8} {:>7} {:>7} {:>6} {:>6} {:>13}", "target",
                                               "params", "hidden", "layers", "heads", "kv", "intermediate"));
  for (const std::string& gpu : gpus) out += fmt::format("  {:>16}", gpu);
  out += '\n';
  for (const suggest::FamilyMember& rung : family.members) {
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
  for (const suggest::FamilyMember& rung : family.members) {
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
  objects::FamilyResult result{family.head_dim, family.vocab_size, {}};
  const std::vector<FieldId> shown = fields_of(family);
  for (const suggest::FamilyMember& rung : family.members) {
    objects::FamilyModel& model = result.models.emplace_back();
    model.target = rung.target;
    model.found = rung.found;
    if (!rung.found) continue;
    model.parameters = rung.parameters;
    for (const FieldId field : shown)
      model.fields[std::string(model::info(field).name)] = model::get(rung.setup, field);
    for (std::size_t gpu = 0; gpu < rung.gpus.size(); ++gpu)
      model.by_gpu.push_back(api::start_of(rung.gpus[gpu], gpus[gpu]));
  }
  std::ostringstream out;
  objects::write_document("family", objects::Status::ok, result, out);
  return std::move(out).str();
}

std::string family_toml(const suggest::Family& family) {
  const std::vector<FieldId> shown = fields_of(family);
  std::string out;
  for (const suggest::FamilyMember& rung : family.members) {
    if (!rung.found) continue;
    out += fmt::format("{}[[model]]  # target {}, {} parameters\n", out.empty() ? "" : "\n",
                       count_short(static_cast<double>(rung.target)),
                       count_short(static_cast<double>(rung.parameters)));
    for (const FieldId field : shown)
      out += fmt::format("{} = {}\n", model::info(field).name, model::get(rung.setup, field));
  }
  return out;
}

}  // namespace shapelint::report
