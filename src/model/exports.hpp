// Values that a config format exports apart from a model's fields (`exports` in formats/), by name.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <string_view>

namespace shapelint::model {

// All that rules and searches ask for, sorted. An export of another name is a mistake
// (formats/dialect/dialects.cpp), and so is a question for one: a typo on either side would switch a rule
// off.
inline constexpr std::array export_names = std::to_array<std::string_view>({
    "added_tokens",
    "asks_bf16",
    "attention_replicas",
    "checks_arguments",
    "checks_state_blocks",
    "chunk_layers",
    "colocated",
    "compared_positions",
    "cuts_heads",
    "decode_context",
    "deepspeed_accumulation",
    "deepspeed_micro_batch",
    "device_connections",
    "drafting_layers",
    "first_stage_layers",
    "fixes_batch",
    "fixes_layout",
    "gated_as_written",
    "gated_linear1_branch",
    "gated_linear2_width",
    "generated_samples",
    "generation_group",
    "half_formats",
    "has_window",
    "heads_by_context",
    "interleaves_stages",
    "joins_map_and_sharding",
    "keeps_adapter_rank",
    "keeps_gradients",
    "keeps_optimizer",
    "keeps_weights",
    "lacks_hierarchy",
    "last_stage_layers",
    "layout_layers",
    "layout_stages",
    "loads_weights",
    "loops_stages",
    "may_be_longer",
    "mini_batch_prompts",
    "mixture_pattern_layers",
    "names_published",
    "open_nodes",
    "other_heads",
    "overlaps_gather",
    "overlaps_reduction",
    "own_accumulation",
    "own_micro_batch",
    "packs_weights",
    "pads_for_tensor",
    "pads_sequences",
    "pattern_layers",
    "pipelines_by_deepspeed",
    "pipelines_by_torch",
    "quantization_block",
    "reshards_checkpoints",
    "resizes_to_32",
    "rollout_prompts",
    "rollout_samples",
    "rounded_batch",
    "sequence_is_limit",
    "shards_by_zero",
    "shared_batch",
    "splits_stages",
    "state_space_layers",
    "stated_micro_batches",
    "states_recompute_method",
    "states_split",
    "tells_activations",
    "tokens_without_positions",
    "tower",
    "uncosted_parts",
    "undivided_tokens",
    "visible_gpus",
    "world_size",
});
static_assert(std::is_sorted(export_names.begin(), export_names.end()));

constexpr bool is_export(std::string_view name) {
  return std::binary_search(export_names.begin(), export_names.end(), name);
}

// Not constexpr on purpose, and defined nowhere: what the compiler says of a name that is not in the table.
void no_config_format_exports_this();

// One of these names, by a literal or a constant; another does not compile.
class ExportName {
 public:
  template <std::size_t size>
  consteval ExportName(const char (&name)[size])  // NOLINT: implicit by design
      : ExportName(std::string_view(name, size - 1)) {}
  consteval ExportName(std::string_view name) : name_(name) {  // NOLINT
    if (!is_export(name)) no_config_format_exports_this();
  }
  constexpr std::string_view str() const { return name_; }

 private:
  std::string_view name_;
};

}  // namespace shapelint::model
