// The reference of the native format in Markdown: docs/reference/native-format.md is what this writes.
#include <string>
#include <vector>

#include <fmt/format.h>

#include "base/number.hpp"
#include "formats/native/keys.hpp"
#include "formats/native/native.hpp"
#include "model/derive.hpp"
#include "model/fields.hpp"

namespace shapelint::formats {

namespace {

using model::FieldInfo;
using model::FieldType;
using model::Origin;

constexpr std::string_view introduction = R"(# The native file

<!-- Written by shapelint from its table of fields; `UPDATE_GOLDEN=1 ./scripts/test` writes it again. -->

A model, how it is run, and how it is linted, in [TOML](https://toml.io). Keys carry the names of Hugging
Face's `config.json` where there is one. The smallest file for training:

```toml
[model]
hidden_size = 2560
num_layers = 32
num_attention_heads = 32
vocab_size = 50257

[run]
sequence_length = 2048
```

Sizes are those of the whole model, before any parallelism. What is left out is derived or takes a default,
as the tables say; a finding about such a value says so. An unknown key is an error.
`examples/` has files of published models to start from.
)";

constexpr std::string_view plans_introduction = R"(
## `[[plan]]`

Several plans of one model, such as the phases of reinforcement learning. Each has a `name`, and tables `run` and
`parallel` whose keys go before those of `[run]` and `[parallel]`; each is linted as a separate model. `runs` says how
often it runs per iteration [default: 1]; reports add them up:

```toml
[run]
dtype = "bf16"

[[plan]]
name = "rollout"
runs = 1024        # tokens of an answer
run = { mode = "decode", micro_batch_size = 256, context_length = 1024 }

[[plan]]
name = "update"
run = { micro_batch_size = 4, sequence_length = 2048, gradient_accumulation = 16 }
parallel = { data = 8, zero = 3 }
```
)";

std::string_view about(std::string_view section) {
  if (section == "model")
    return "The shape of the model. `name` is used in headings. `layers` sets the kind of each layer: "
           "kinds and how many follow each other, repeated over `num_layers` (`\"3 gated_delta_net, 1 "
           "attention\"`; `attention`, `window_attention`, `mlp`, and those of `[model.mixer]`), a list of "
           "all, or a letter for each (`\"M-M*-\"`: `M` Mamba-2, `G` gated delta net, `*` attention, `-` "
           "MLP, `E` experts), which then is that part alone. Tables `[model.layer.NAME]` describe custom "
           "kinds, "
           "which inherit `[model]` except for their own keys: `num_attention_heads`, "
           "`num_key_value_heads`, "
           "`head_dim`, `value_head_dim`, `intermediate_size`, `window`, `num_experts`, `key_values`, "
           "`compressed_ratio`, `indexer_keys`, `shares_key_values`, `mixer` (`attention`, `none`, `linear`, "
           "or "
           "what `[model.mixer]` may be, as a name or a table), `ffn` (`mlp`, `moe`, `none`, `linear`) and "
           "`uses`, the name of a block `[model.shared.NAME]` of attention and MLP whose weights those "
           "layers "
           "have in common (`copies` of them take turns; its other keys are those of `[model.shared_block]` "
           "and sizes of `[model]`). "
           "Their "
           "order is `\"5 local, 1 global\"`, `\"3 dense, rest moe\"`, `\"2 a, rest (b, c)\"`, or a table of "
           "places from 0: `{ hybrid = [6, 12], rest = \"mamba\" }`. A number that varies may be a list with "
           "one for each layer: `intermediate_size = [768, 1024]`.";
  if (section == "model.moe") return "Mixture of experts (MoE) instead of the MLP.";
  if (section == "model.mla") return "Multi-head latent attention (DeepSeek-V2 and later).";
  if (section == "model.mixer")
    return "Token mixer of the layers without softmax attention. `layers` of `[model]` lists these layers.";
  if (section == "model.second_mixer")
    return "Second token mixer of a model with two (Nemotron-Flash, SambaY).";
  if (section == "model.third_mixer") return "Third token mixer of a model with three.";
  if (section == "model.sparse")
    return "Attention over selected blocks of keys. Native sparse attention (arXiv 2502.11089): compressed, "
           "selected "
           "and last keys, each with its own projection. Mixture of block attention (MoBA, arXiv "
           "2502.13189): selected keys alone.";
  if (section == "model.window") return "Windowed attention: each query sees part of the keys before it.";
  if (section == "model.shared_block")
    return "Attention and MLP whose weights several layers have in common (Zamba): counted once, run in "
           "each of them.";
  if (section == "model.indexer")
    return "Attention to the keys that an indexer scores highest (DeepSeek-V3.2, MiniMax-M3), or compressed "
           "ones (DeepSeek-V4).";
  if (section == "model.compressed")
    return "Attention over compressed keys (DeepSeek-V4): each query sees one for each `ratio` tokens, or of "
           "these the ones that the indexer scores highest, and the last keys of `[model.window]`.";
  if (section == "model.diffusion")
    return "A diffusion transformer: `sequence_length` counts the patches of an image or a video, and "
           "`source_length` the tokens of the text. Autoencoder and text encoder are separate models.";
  if (section == "run") return "The step, or forward pass, of one rank.";
  return "How many ranks share the work, and how.";
}

// Keys that check_required asks for.
std::string_view required(std::string_view field) {
  for (const std::string_view each : {"hidden_size", "num_layers", "num_attention_heads", "vocab_size",
                                      "moe_num_experts", "moe_experts_per_token", "mla_kv_lora_rank",
                                      "mla_qk_nope_head_dim", "mla_qk_rope_head_dim", "mla_v_head_dim"}) {
    if (field == "vocab_size") return "required if `input` is vocabulary";
    if (field == each) return "required";
  }
  if (field == "input_size") return "required with patches, frames or a spectrogram";
  if (field == "sequence_length") return "required for train and prefill";
  if (field == "context_length") return "required for decode";
  return {};
}

std::string value_name(const FieldInfo& field, std::int64_t value) {
  if (field.type == FieldType::boolean) return value != 0 ? "`true`" : "`false`";
  if (field.type == FieldType::choice)
    return fmt::format("`\"{}\"`", field.choices[static_cast<std::size_t>(value)]);
  return fmt::format("`{}`", value);
}

// Numbers in tables are easier to read as powers of two where they are.
std::string bound(std::int64_t value) {
  for (int power = 10; power < 63; ++power) {
    if (value == std::int64_t{1} << power) return fmt::format("2^{}", power);
  }
  return fmt::format("{}", value);
}

std::string values_of(const FieldInfo& field) {
  if (field.type == FieldType::boolean) return "`true`, `false`";
  if (field.type == FieldType::integer) {
    const std::string range = fmt::format("{} to {}", bound(field.minimum), bound(field.maximum));
    return field.unit.empty() ? range : fmt::format("{} {}", range, field.unit);
  }
  std::string out;
  for (const std::string_view choice : field.choices)
    out += fmt::format("{}`\"{}\"`", out.empty() ? "" : ", ", choice);
  return out;
}

// What applies when the key is left out: each derivation in turn.
std::string when_absent(const FieldInfo& field) {
  std::string out(required(field.name));
  for (const model::Derivation& each : model::derivations()) {
    if (each.field != field.id) continue;
    if (out == "required") break;
    std::string text;
    if (!each.condition.empty()) text = fmt::format("{}: ", each.condition);
    if (each.kind == Origin::Kind::derived) {
      text += each.note;
    } else {
      text += value_name(field, std::max(field.minimum, each.value(model::Setup{})));
      if (each.note == "Hugging Face's default") text += " (Hugging Face's default)";
    }
    if (!out.empty()) out += each.condition.empty() ? "; else " : "; ";
    out += text;
  }
  return out;
}

std::string fields_table(std::string_view section) {
  std::string out = "| key | values | when left out | meaning |\n|---|---|---|---|\n";
  for (const FieldInfo& field : model::fields()) {
    if (field.section != section) continue;
    out +=
        fmt::format("| `{}` | {} | {} | {} |\n", field.key, values_of(field), when_absent(field), field.doc);
  }
  return out;
}

constexpr std::string_view network_introduction = R"(
## `[[conv]]`

A convolutional network instead of a transformer: one table for each layer, NHWC. A layer takes the output of
the one before it. `micro_batch_size` counts images; `mode` is `"train"`, or `"prefill"` for a forward pass
alone. [convolutions.md](../explanation/convolutions.md) explains how it is counted and priced, and `examples/` has VGG-16, ResNets, MobileNet and
Inception.

```toml
[model]
in_channels = 3
image = 224
batch_norm = true

[run]
micro_batch_size = 64

[[conv]]
out_channels = 64
kernel = 7
stride = 2
padding = "same"

[[conv]]
type = "max_pool"
kernel = 3
stride = 2
padding = 1

[[conv]]
repeat = 3
residual = true
layers = [
  { out_channels = 64 },
  { out_channels = 64, kernel = 3, padding = "same" },
  { out_channels = 256 },
]

[[conv]]
type = "global_pool"

[[conv]]
type = "linear"
out_channels = 1000
```

Beside `[[conv]]`, `[model]` has these keys:

)";

std::string network_markdown() {
  std::string out(network_introduction);
  out += "| key | values | meaning |\n|---|---|---|\n";
  for (const ImageKey& each : image_keys)
    out += fmt::format("| `{}` | {} | {} |\n", each.key, each.values, each.doc);
  out += "\nA layer has these:\n\n| key | values | meaning |\n|---|---|---|\n";
  for (const ConvKey& each : conv_keys) {
    out += fmt::format("| `{}` | {} to {} | {} |\n", each.key, each.minimum, bound(each.maximum), each.doc);
  }
  for (const ConvOther& each : conv_others) {
    std::string values(each.values);
    if (each.key == "type") {
      for (const std::string_view type : conv_types)
        values += fmt::format("{}`\"{}\"`", values.empty() ? "" : ", ", type);
    }
    out += fmt::format("| `{}` | {} | {} |\n", each.key, values, each.doc);
  }
  return out;
}

}  // namespace

std::string native_format_markdown() {
  std::string out(introduction);
  for (const std::string_view section : field_sections) {
    out += fmt::format("\n## `[{}]`\n\n{}\n\n{}", section, about(section), fields_table(section));
  }
  out += plans_introduction;
  out += network_markdown();
  out +=
      "\n## `[lint]`\n\nOptions of `lint`, so that the file needs no flags.\n\n"
      "| key | meaning |\n|---|---|\n";
  for (const PlainKey& each : lint_keys) out += fmt::format("| `{}` | {} |\n", each.key, each.doc);
  return out;
}

}  // namespace shapelint::formats
