// Ways of dividing a model, for programs.
#include "cli/commands/fits/json.hpp"

#include <nlohmann/json.hpp>

#include "text/json/write.hpp"

namespace shapelint::cli {

using nlohmann::ordered_json;

namespace {

ordered_json degrees_of(const contracts::FitRow& row) {
  return {{"gpus", row.gpus},
          {"tensor", row.tensor},
          {"pipeline", row.pipeline},
          {"context", row.context},
          {"data", row.data},
          {"expert", row.expert},
          {"expert_tensor", row.expert_tensor},
          {"zero", row.zero},
          {"format", name(row.format)}};
}

ordered_json row_of(std::string_view gpu, const contracts::FitRow& row) {
  ordered_json unmet = ordered_json::array();
  for (const contracts::Verdict& each : row.unmet) {
    unmet.push_back({{"contract", each.contract->id},
                     {"outcome", name(each.contract->outcome)},
                     {"summary", each.contract->summary},
                     {"formula", each.formula},
                     {"sum", each.numbers}});
  }
  ordered_json json{{"gpu", gpu}};
  json.update(degrees_of(row));
  json["fit"] = name(row.fit);
  json["memory_gb"] = row.memory_gb;
  json["usable_gb"] = row.usable_gb;
  if (row.capacity.budget_bytes > 0) {
    const bool is_known = row.capacity.is_known;
    json["kv_cache_tokens"] = is_known ? ordered_json(row.capacity.tokens) : ordered_json(nullptr);
    json["concurrent_requests"] = is_known ? ordered_json(row.capacity.requests) : ordered_json(nullptr);
    json["longest_sequence"] = row.capacity.longest;
    json["largest_sequence"] = is_known ? ordered_json(row.capacity.largest) : ordered_json(nullptr);
  }
  json["contracts"] = std::move(unmet);
  json["rules"] = row.broken;
  if (row.fit != contracts::Fit::refused) {
    json["step_us"] = row.price.time_us;
    json["padding_us"] = row.price.padding_us;
    json["slower_us"] = row.price.slower_us;
    json["tokens_per_s"] = row.tokens_per_s;
  }
  return json;
}

}  // namespace

std::string fits_json_text(std::span<const GpuFits> all) {
  constexpr int json_version = 1;
  ordered_json ids = ordered_json::array();
  ordered_json best = ordered_json::array();
  ordered_json rows = ordered_json::array();
  for (const GpuFits& fits : all) {
    ids.push_back(fits.gpu);
    std::int64_t count = 0;
    for (const contracts::FitRow& row : fits.rows) {
      rows.push_back(row_of(fits.gpu, row));
      if (row.gpus == count) continue;
      count = row.gpus;
      const contracts::FitRow* fastest = best_of(fits, count);
      if (fastest == nullptr) continue;
      ordered_json json{{"gpu", fits.gpu}};
      json.update(degrees_of(*fastest));
      json["tokens_per_s"] = fastest->tokens_per_s;
      best.push_back(std::move(json));
    }
  }
  const ordered_json json{{"version", json_version},
                          {"gpus", std::move(ids)},
                          {"best", std::move(best)},
                          {"rows", std::move(rows)}};
  return text::json_text(json, 2) + '\n';
}

}  // namespace shapelint::cli
