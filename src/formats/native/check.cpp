// Checks of a native file beyond single values.
#include "formats/native/internal.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <optional>
#include <string_view>

#include <fmt/format.h>

#include "base/counted.hpp"
#include "base/number.hpp"
#include "formats/native/keys.hpp"
#include "model/arithmetic.hpp"
#include "model/lower/lower.hpp"
#include "model/mixer.hpp"

namespace shapelint::formats {

using text::Kind;
using text::NodeRef;

std::string written(const text::Document& document, const NodeRef& node) {
  if (!node.is(Kind::integer) && !node.is(Kind::number) && !node.is(Kind::boolean)) {
    return std::string(text::describe(node.kind()));
  }
  const Span span = node.span();
  return fmt::format("`{}`", document.source().substr(static_cast<std::size_t>(span.begin),
                                                      static_cast<std::size_t>(span.end - span.begin)));
}

std::optional<std::int64_t> integer_value(const text::Document& document, const NodeRef& node,
                                          std::string_view key, Bounds bounds, std::vector<Error>& errors) {
  const auto value = node.as_integer();
  if (!value || !node.is(Kind::integer)) {
    const auto number = node.as_number();
    const bool whole = number && std::abs(*number) < 9e15 && std::floor(*number) == *number;
    errors.push_back(
        node.error(fmt::format("`{}` is {}", key, written(document, node)),
                   whole ? fmt::format("write the integer `{}`", static_cast<std::int64_t>(*number))
                         : "write an integer"));
    return std::nullopt;
  }
  if (*value < bounds.minimum || *value > bounds.maximum) {
    errors.push_back(
        node.error(fmt::format("`{}` is `{}`", key, *value),
                   fmt::format("expected {} to {}", bounds.minimum, with_commas(bounds.maximum))));
    return std::nullopt;
  }
  return value;
}

std::optional<bool> boolean_value(const text::Document& document, const NodeRef& node, std::string_view key,
                                  std::vector<Error>& errors) {
  if (const auto value = node.as_boolean()) return *value;
  errors.push_back(
      node.error(fmt::format("`{}` is {}", key, written(document, node)), "write `true` or `false`"));
  return std::nullopt;
}

namespace {

using model::FieldId;
using model::Origin;
using model::Reading;
using text::NodeRef;

// Errors of something that is not there point at the table that lacks it.
void missing(const text::Document& document, const Reading& reading, FieldId field, std::string hint,
             std::vector<Error>& errors) {
  if (is_stated(reading, field)) return;
  const model::FieldInfo& info = model::info(field);
  const NodeRef root = document.root();
  NodeRef table = root[info.section];
  if (info.section == "model.moe") table = root["model"]["moe"];
  const std::string message = fmt::format("`{}` is missing from `[{}]`", info.key, info.section);
  if (table) {
    errors.push_back(table.key_error(message, std::move(hint)));
  } else {
    errors.push_back({message, std::move(hint), std::string(document.path()), Span{0, 0}});
  }
}

}  // namespace

void check_required(const text::Document& document, const Reading& reading, std::vector<Error>& errors) {
  const model::Setup& setup = reading.setup;
  const NodeRef root = document.root();
  if (root["conv"]) {  // a CNN has no fields of a transformer
    for (const NodeRef node : root["model"]) {
      const bool known = std::any_of(image_keys.begin(), image_keys.end(),
                                     [&](const ImageKey& each) { return each.key == node.key(); });
      if (known) continue;
      errors.push_back(node.key_error(fmt::format("`{}` together with `[[conv]]`", node.key()),
                                      "a file describes a transformer or a convolutional network"));
    }
    return;
  }
  if (!root["model"]) {
    errors.push_back({"no table `[model]`", "it holds `hidden_size`, `num_layers` and so on",
                      std::string(document.path()), Span{0, 0}});
    return;
  }
  if (!root["model"].is(text::Kind::table)) return;
  for (const FieldId field :
       {FieldId::hidden_size, FieldId::num_layers, FieldId::num_attention_heads, FieldId::vocab_size}) {
    // Nothing of attention is needed where no layer has it.
    const bool is_without = field == FieldId::num_attention_heads && setup.model.num_layers > 0 &&
                            setup.model.layers_without_attention >= setup.model.num_layers;
    const bool no_tokens = field == FieldId::vocab_size && setup.model.input != model::Input::vocabulary;
    if (is_without || no_tokens) continue;
    missing(document, reading, field, {}, errors);
  }
  if (root["model"]["moe"].is(text::Kind::table)) {
    missing(document, reading, FieldId::moe_num_experts, {}, errors);
    missing(document, reading, FieldId::moe_experts_per_token, "experts per token (top-k)", errors);
  }
  if (root["model"]["mla"].is(text::Kind::table)) {
    for (const FieldId field : {FieldId::mla_kv_lora_rank, FieldId::mla_qk_nope_head_dim,
                                FieldId::mla_qk_rope_head_dim, FieldId::mla_v_head_dim}) {
      if (is_stated(reading, field)) continue;
      const model::FieldInfo& info = model::info(field);
      errors.push_back(
          root["model"]["mla"].key_error(fmt::format("`{}` is missing from `[model.mla]`", info.key)));
    }
  }
  if (root["run"] && !root["run"].is(text::Kind::table)) return;
  if (setup.plan.mode == model::Mode::decode) {
    missing(document, reading, FieldId::context_length, "decoding needs the number of tokens in the KV cache",
            errors);
  } else {
    missing(document, reading, FieldId::sequence_length,
            "tokens per sequence, such as `sequence_length = 2048`", errors);
  }
}

void check_consistent(const text::Document& document, const Reading& reading, std::vector<Error>& errors) {
  const model::ModelSpec& spec = reading.setup.model;
  if (!spec.conv.empty()) return check_network(document, reading, errors);
  const auto at_value = [&](FieldId field, std::string message, std::string hint) {
    // What the command line replaced is not to blame.
    const Origin& origin = reading.origins[field];
    std::optional<Span> place;
    if (origin.kind == Origin::Kind::stated) place = origin.span;
    errors.push_back({std::move(message), std::move(hint), std::string(document.path()), place});
  };
  if (spec.num_key_value_heads > spec.num_attention_heads &&
      is_stated(reading, FieldId::num_key_value_heads)) {
    at_value(FieldId::num_key_value_heads,
             fmt::format("`num_key_value_heads` is `{}`, more than `num_attention_heads` = `{}`",
                         spec.num_key_value_heads, spec.num_attention_heads),
             "query heads share KV heads, not the other way round");
  }
  const model::Moe& moe = spec.moe;
  if (moe.num_experts > 0 && moe.experts_per_token > moe.num_experts) {
    at_value(FieldId::moe_experts_per_token,
             fmt::format("`experts_per_token` is `{}`, more than `num_experts` = `{}`", moe.experts_per_token,
                         moe.num_experts),
             "top-k must not exceed the number of experts");
  }
  if (moe.num_experts > 0 && moe.first_dense_layers > spec.num_layers) {
    at_value(FieldId::moe_first_dense_layers,
             fmt::format("`first_dense_layers` is `{}`, more than `num_layers` = `{}`",
                         moe.first_dense_layers, spec.num_layers),
             {});
  }
  if (spec.mla.kv_lora_rank > 0) {
    const model::Mla& mla = spec.mla;
    if (mla.qk_nope_head_dim + mla.qk_rope_head_dim == 0) {
      at_value(FieldId::mla_qk_nope_head_dim, "`qk_nope_head_dim` and `qk_rope_head_dim` are both `0`",
               "their sum is head_dim of Q and K");
    }
    if (mla.v_head_dim == 0) at_value(FieldId::mla_v_head_dim, "`v_head_dim` is `0`", "it is at least 1");
    if (is_stated(reading, FieldId::head_dim) &&
        spec.head_dim != mla.qk_nope_head_dim + mla.qk_rope_head_dim) {
      at_value(FieldId::head_dim,
               fmt::format("`head_dim` is `{}`, but `[model.mla]` makes it {} + {} = {}", spec.head_dim,
                           mla.qk_nope_head_dim, mla.qk_rope_head_dim,
                           mla.qk_nope_head_dim + mla.qk_rope_head_dim),
               "leave `head_dim` out");
    }
    if (is_stated(reading, FieldId::value_head_dim) && spec.value_head_dim != mla.v_head_dim) {
      at_value(FieldId::value_head_dim,
               fmt::format("`value_head_dim` is `{}`, but `v_head_dim` of `[model.mla]` is `{}`",
                           spec.value_head_dim, mla.v_head_dim),
               "leave `value_head_dim` out");
    }
  }
  if (spec.input != model::Input::vocabulary && spec.input_size <= 0) {
    at_value(FieldId::input,
             "`input` is patches, frames or a spectrogram, and `input_size` is missing from `[model]`",
             "elements of a patch, such as 16 * 16 * 3, or mel bands of a frame");
  }
  if (spec.diffusion.joint_layers > spec.num_layers) {
    at_value(FieldId::diffusion_joint_layers,
             fmt::format("`joint_layers` is `{}`, more than `num_layers` = `{}`", spec.diffusion.joint_layers,
                         spec.num_layers),
             "`num_layers` counts them, too");
  }
  if (spec.input == model::Input::spectrogram &&
      !std::has_single_bit(static_cast<std::uint64_t>(spec.front.reduction))) {
    at_value(FieldId::input_reduction,
             fmt::format("`input_reduction` is `{}`, not a power of two", spec.front.reduction),
             "each convolution halves the frames");
  }
  for (std::size_t which = 1; which < model::most_mixers; ++which) {
    const model::MixerFields& fields = model::mixer_fields[which];
    const model::Mixer& mixer = spec.mixers[which];
    if (mixer.kind != model::MixerKind::none && mixer.layers <= 0)
      at_value(fields.kind, fmt::format("`[{}]` has no layers", model::info(fields.kind).section),
               "write `layers` in it, or name its kind in `layers` of `[model]`");
  }
  const auto beside_attention = [](const model::Mixer& mixer) { return mixer.parallel ? 0 : mixer.layers; };
  const std::int64_t others = beside_attention(spec.mixers[1]) + beside_attention(spec.mixers[2]);
  const std::int64_t mixed = beside_attention(spec.mixers[0]) + others;
  if (others > 0 && mixed > spec.layers_without_attention) {
    at_value(model::mixer_fields[1].layers,
             fmt::format("{} a mixer, and the model has {} without attention",
                         counted(mixed, "layer has|layers have"), spec.layers_without_attention),
             "`layers_without_attention` counts them");
  }
  const std::int64_t with_attention = spec.num_layers - spec.layers_without_attention;
  if (spec.shared_key_value_layers > 0 && spec.shared_key_value_layers >= with_attention) {
    at_value(FieldId::shared_key_value_layers,
             fmt::format("`shared_key_value_layers` is `{}`, and the model has {} with attention",
                         spec.shared_key_value_layers, with_attention),
             "one of them computes the K and V that the others read");
  }
  if (model::parameter_count(reading.setup) >= model::count_limit) {
    errors.push_back(document.root()["model"].key_error("the model has more than 2^62 parameters",
                                                        "one of its sizes is far too large"));
  }
}

}  // namespace shapelint::formats
