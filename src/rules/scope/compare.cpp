// Comparing with published models.
#include "rules/scope/compare.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <string>

#include "base/strings.hpp"

namespace shapelint::rules {

namespace {

using model::FieldId;

constexpr std::array compared_fields{FieldId::hidden_size,           FieldId::num_layers,
                                     FieldId::num_attention_heads,   FieldId::num_key_value_heads,
                                     FieldId::intermediate_size,     FieldId::moe_num_experts,
                                     FieldId::moe_intermediate_size, FieldId::head_dim};

// What the published model has, be it by the usual rules where its entry says nothing.
std::optional<std::int64_t> published_value(const catalog::KnownModel& known, FieldId field) {
  if (const auto value = catalog::stated(known, field)) return value;
  const std::int64_t heads = catalog::stated(known, FieldId::num_attention_heads).value_or(0);
  if (field == FieldId::num_key_value_heads) return heads;
  if (field == FieldId::moe_num_experts) return 0;
  const bool is_latent = catalog::stated(known, FieldId::mla_kv_lora_rank).value_or(0) > 0;
  const std::int64_t width = catalog::stated(known, FieldId::hidden_size).value_or(0);
  if (field == FieldId::head_dim && !is_latent && heads > 0 && width % heads == 0) return width / heads;
  return std::nullopt;
}

struct RealShape {
  double width = 0;
  double mlp = 0;
};
RealShape real_shape(const model::Reading& reading) {
  return {static_cast<double>(reading.setup.model.hidden_size),
          static_cast<double>(reading.setup.model.intermediate_size)};
}

// A value that only follows from a mistyped one is not a second mistake.
bool only_follows(const model::Reading& reading, const catalog::KnownModel& known, FieldId field) {
  const auto differs = [&](FieldId other) {
    const auto value = published_value(known, other);
    return value && *value != model::get(reading.setup, other);
  };
  if (field == FieldId::num_key_value_heads) return differs(FieldId::num_attention_heads);
  if (field == FieldId::head_dim)
    return differs(FieldId::hidden_size) || differs(FieldId::num_attention_heads);
  return false;
}

// An MLP that is as many times the width as the published one, or that is not stated.
bool follows_width(const model::Reading& reading, const catalog::KnownModel& known, bool is_stated) {
  const auto here = real_shape(reading);
  const double width = static_cast<double>(catalog::stated(known, FieldId::hidden_size).value_or(0));
  const double mlp = static_cast<double>(catalog::stated(known, FieldId::intermediate_size).value_or(0));
  if (!is_stated) return true;
  return here.width != width && width > 0 && here.mlp * width == mlp * here.width;
}

// One digit of the MLP's width is another than in the published model of the same width.
void look_at_mlp(const model::Reading& reading, const catalog::KnownModel& known, Comparison& out) {
  const auto here = real_shape(reading);
  const auto mlp = FieldId::intermediate_size;
  const auto found = std::find_if(out.differences.begin(), out.differences.end(),
                                  [&](const auto& each) { return each.first == mlp; });
  const auto width = static_cast<double>(catalog::stated(known, FieldId::hidden_size).value_or(0));
  if (found == out.differences.end() || here.width != width) return;
  const auto written = std::to_string(static_cast<std::int64_t>(here.mlp));
  out.same_width = edit_distance(written, std::to_string(found->second)) == 1;
  if (out.same_width) std::rotate(out.differences.begin(), found, found + 1);
}

}  // namespace

bool is_other_kind(const model::Reading& reading, const catalog::KnownModel& known) {
  const bool is_mixture = reading.setup.model.moe.num_experts > 0;
  const bool is_latent = reading.setup.model.mla.kv_lora_rank > 0;
  return is_mixture != (published_value(known, FieldId::moe_num_experts).value_or(0) > 0) ||
         is_latent != (catalog::stated(known, FieldId::mla_kv_lora_rank).value_or(0) > 0);
}

bool is_published(const model::Reading& reading) {
  const auto known = catalog::known_models();
  return std::any_of(known.begin(), known.end(), [&](const catalog::KnownModel& each) {
    return !is_other_kind(reading, each) && is_near(reading, each) &&
           compare(reading, each).differences.empty();
  });
}

bool is_near(const model::Reading& reading, const catalog::KnownModel& known) {
  // Layers alike, and layers with sizes of their own, are no misspelling of each other.
  const bool has_list = !known.layers.kinds.empty();
  const model::ModelSpec& model = reading.setup.model;
  if (has_list ? model.layers.empty() : model.layers_differ) return false;
  constexpr std::array first{FieldId::hidden_size, FieldId::num_layers, FieldId::num_attention_heads,
                             FieldId::intermediate_size};
  const auto differs = [&](FieldId field) {
    const auto value = catalog::stated(known, field);
    return value && *value != model::get(reading.setup, field);
  };
  if (!differs(first.front())) return true;
  int left = 1;  // of the others that may differ, too
  return std::all_of(first.begin() + 1, first.end(),
                     [&](FieldId field) { return !differs(field) || left-- > 0; });
}

Comparison compare(const model::Reading& reading, const catalog::KnownModel& known) {
  Comparison out;
  std::vector<std::int64_t> seen;
  for (const FieldId field : compared_fields) {
    const std::optional<std::int64_t> value = published_value(known, field);
    if (!value) continue;
    const std::int64_t here = model::get(reading.setup, field);
    if (here == *value) continue;
    const bool is_stated = model::is_stated(reading, field);
    if (field == FieldId::intermediate_size && follows_width(reading, known, is_stated)) continue;
    if (!is_stated && only_follows(reading, known, field)) continue;
    out.differences.emplace_back(field, *value);
    seen.push_back(here);
  }
  out.swapped = out.differences.size() == 2 && out.differences[0].second == seen[1] &&
                out.differences[1].second == seen[0];
  look_at_mlp(reading, known, out);
  return out;
}

}  // namespace shapelint::rules
