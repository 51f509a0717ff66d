// Ways of dividing a model, for programs.
#include "cli/commands/fits/json.hpp"

#include <nlohmann/json.hpp>

#include "text/json/write.hpp"

namespace shapelint::cli {

using nlohmann::ordered_json;

std::string fits_json_text(std::string_view gpu, std::span<const contracts::FitRow> rows) {
  constexpr int json_version = 1;
  ordered_json list = ordered_json::array();
  for (const contracts::FitRow& row : rows) {
    ordered_json unmet = ordered_json::array();
    for (const contracts::Verdict& each : row.unmet) {
      unmet.push_back({{"contract", each.contract->id},
                       {"outcome", name(each.contract->outcome)},
                       {"summary", each.contract->summary},
                       {"formula", each.formula},
                       {"sum", each.numbers}});
    }
    ordered_json json{{"gpus", row.gpus},
                      {"tensor", row.tensor},
                      {"pipeline", row.pipeline},
                      {"context", row.context},
                      {"data", row.data},
                      {"expert", row.expert},
                      {"expert_tensor", row.expert_tensor},
                      {"format", name(row.format)},
                      {"fit", name(row.fit)},
                      {"memory_gb", row.memory_gb},
                      {"usable_gb", row.usable_gb},
                      {"contracts", std::move(unmet)},
                      {"rules", row.broken}};
    if (row.fit != contracts::Fit::refused) {
      json["step_us"] = row.price.time_us;
      json["padding_us"] = row.price.padding_us;
      json["slower_us"] = row.price.slower_us;
      json["tokens_per_s"] = row.tokens_per_s;
    }
    list.push_back(std::move(json));
  }
  const ordered_json all{{"version", json_version}, {"gpu", gpu}, {"rows", std::move(list)}};
  return text::json_text(all.dump(2, ' ', false, ordered_json::error_handler_t::replace)) + '\n';
}

}  // namespace shapelint::cli
