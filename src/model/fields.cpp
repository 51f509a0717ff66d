// The table of fields.
#include "model/fields.hpp"

#include <algorithm>
#include <array>
#include <cassert>
#include <iterator>

#include "model/layer_list.hpp"
#include "model/mixer.hpp"

namespace shapelint::model {

namespace {

// Bounds are wide: far beyond any real model, and small enough that no product of a few of them overflows
// 63 bits where parameters and FLOPs are counted (in double) or shapes are multiplied.
constexpr std::int64_t largest_width = 4'194'304;         // 2^22 elements; the widest public model has 2^15
constexpr std::int64_t largest_vocabulary = 134'217'728;  // 2^27 rows
constexpr std::int64_t largest_length = 268'435'456;      // 2^28 tokens
constexpr std::int64_t largest_degree = 1'048'576;        // 2^20 ranks
constexpr std::int64_t max_layers = 65'536;
constexpr std::int64_t max_mib = 1 << 24;
constexpr std::int64_t largest_tower = std::int64_t{1} << 40;  // parameters

constexpr std::array<std::string_view, 2> norm_names{"layernorm", "rmsnorm"};
constexpr std::array<std::string_view, 2> residual_mixing_names{"hyper_connections", "altup"};
constexpr std::array<std::string_view, 3> mode_names{"train", "prefill", "decode"};
constexpr std::array<std::string_view, 5> attention_names{"flash", "unfused", "flash1", "flash2", "cudnn"};
constexpr std::array<std::string_view, 5> recompute_names{"none", "selective", "full", "operations",
                                                          "elementwise"};
constexpr std::array<std::string_view, 5> loss_names{"fused", "unfused", "vocab_parallel", "chunked",
                                                     "vocab_parallel_fused"};
constexpr std::array<std::string_view, 3> fusion_names{"none", "norms", "full"};
constexpr std::array<std::string_view, 4> routing_names{"even", "power_law_1.01", "power_law_1.2",
                                                        "exponential"};
// `newest`, then `2025-01` and so on.
constexpr std::size_t software_months = 12 * static_cast<std::size_t>(software_years);
constexpr std::size_t month_size = 7;
constexpr auto month_texts = [] {
  std::array<char, month_size * software_months> out{};
  for (std::size_t i = 0; i < software_months; ++i) {
    const std::size_t year = first_software_year + i / 12;
    const std::size_t month = i % 12 + 1;
    char* text = out.data() + month_size * i;
    std::size_t left = year;
    for (std::size_t digit = 4; digit-- > 0; left /= 10) text[digit] = static_cast<char>('0' + left % 10);
    text[4] = '-';
    text[5] = static_cast<char>('0' + month / 10);
    text[6] = static_cast<char>('0' + month % 10);
  }
  return out;
}();
constexpr auto software_names = [] {
  std::array<std::string_view, software_months + 1> out{"newest"};
  for (std::size_t i = 0; i < software_months; ++i)
    out[i + 1] = {month_texts.data() + month_size * i, month_size};
  return out;
}();
constexpr std::array<std::string_view, 4> engine_names{"fastest", "vllm", "sglang", "trtllm"};
constexpr std::array<std::string_view, 5> expert_kernel_names{"default", "cutlass", "triton", "deepgemm",
                                                              "flashinfer"};
constexpr std::array<std::string_view, 8> optimizer_names{"adam",     "muon", "shampoo",   "sgd",
                                                          "momentum", "lion", "adafactor", "low_rank"};
constexpr std::array<std::string_view, 3> weight_precision_names{"mixed", "single", "half"};
constexpr std::array<std::string_view, 3> gradient_storage_names{"buffer", "freed", "in_backward"};
constexpr std::array<std::string_view, 3> adapted_names{"all_linear", "attention_only", "query_value"};
constexpr std::array<std::string_view, 4> input_names{"vocabulary", "patches", "frames", "spectrogram"};
constexpr std::array<std::string_view, 2> sparse_names{"nsa", "moba"};
constexpr std::array<std::string_view, 3> graph_names{"by_release", "parts", "step"};
constexpr std::array<std::string_view, 7> schedule_names{
    "1f1b", "gpipe", "zero_bubble", "zero_bubble_v", "dualpipe", "dualpipe_v", "in_turn"};
constexpr std::array<std::string_view, 2> dispatcher_names{"fused", "alltoall"};
constexpr std::array<std::string_view, 3> overlap_names{"none", "shared_experts", "micro_batches"};
constexpr std::array<std::string_view, mixer_kinds> mixer_names{"none",
                                                                "gated_delta_net",
                                                                "kimi_delta_attention",
                                                                "mamba",
                                                                "mamba2",
                                                                "gated_linear_attention",
                                                                "retention",
                                                                "rwkv7",
                                                                "lightning_attention",
                                                                "rg_lru",
                                                                "short_convolution",
                                                                "delta_net",
                                                                "mlstm",
                                                                "hyena",
                                                                "gated_memory",
                                                                "rwkv4",
                                                                "rwkv5",
                                                                "rwkv6",
                                                                "slstm"};
constexpr std::array<std::string_view, dtypes.size()> dtype_names{"fp32", "tf32", "fp16", "bf16",
                                                                  "fp8",  "int8", "fp4"};

#define INTEGER(id, section, key, member, low, high, unit, doc)      \
  FieldInfo{FieldId::id,                                             \
            #id,                                                     \
            section,                                                 \
            key,                                                     \
            FieldType::integer,                                      \
            low,                                                     \
            high,                                                    \
            {},                                                      \
            unit,                                                    \
            doc,                                                     \
            [](const Setup& s) -> std::int64_t { return s.member; }, \
            [](Setup& s, std::int64_t value) { s.member = value; }},
#define BOOLEAN(id, section, key, member, doc)                               \
  FieldInfo{FieldId::id,                                                     \
            #id,                                                             \
            section,                                                         \
            key,                                                             \
            FieldType::boolean,                                              \
            0,                                                               \
            1,                                                               \
            {},                                                              \
            "",                                                              \
            doc,                                                             \
            [](const Setup& s) -> std::int64_t { return s.member ? 1 : 0; }, \
            [](Setup& s, std::int64_t value) { s.member = value != 0; }},
#define CHOICE(id, section, key, member, type, names, doc)                      \
  FieldInfo{FieldId::id,                                                        \
            #id,                                                                \
            section,                                                            \
            key,                                                                \
            FieldType::choice,                                                  \
            0,                                                                  \
            static_cast<std::int64_t>((names).size()) - 1,                      \
            names,                                                              \
            "",                                                                 \
            doc,                                                                \
            [](const Setup& s) { return static_cast<std::int64_t>(s.member); }, \
            [](Setup& s, std::int64_t value) { s.member = static_cast<type>(value); }},

constexpr std::array<FieldInfo, field_count> field_table{{SHAPELINT_FIELDS(INTEGER, BOOLEAN, CHOICE)}};

#undef INTEGER
#undef BOOLEAN
#undef CHOICE

// Fields of a model's mixers follow each other, each with the keys of the first.
constexpr bool mixers_follow_each_other() {
  for (const FieldInfo& field : field_table) {
    for (std::size_t which = 0; which < most_mixers && is_of_mixer(field.id); ++which)
      if (field_table[static_cast<std::size_t>(of_mixer(field.id, which))].key != field.key) return false;
  }
  return true;
}
static_assert(mixers_follow_each_other());

constexpr auto names = [] {
  std::array<std::string_view, field_table.size()> out{};
  for (std::size_t i = 0; i < field_table.size(); ++i) out[i] = field_table[i].name;
  return out;
}();

}  // namespace

std::span<const FieldInfo> fields() {
  return field_table;
}

std::span<const std::string_view> field_names() {
  return names;
}

const FieldInfo& info(FieldId id) {
  assert(id != no_field);
  return field_table[static_cast<std::size_t>(id)];
}

std::int64_t get(const Setup& setup, FieldId id) {
  return info(id).get(setup);
}

void set(Setup& setup, FieldId id, std::int64_t value) {
  info(id).set(setup, value);
}

std::vector<std::string_view> names_of(std::span<const FieldId> ids) {
  std::vector<std::string_view> out;
  out.reserve(ids.size());
  for (const FieldId id : ids) out.push_back(info(id).name);
  return out;
}

namespace {

// Fields by four figures of their names: data files name thousands at every start of the program.
class FieldsByName {
 public:
  FieldsByName() {
    slots_.fill(no_field);
    for (const FieldInfo& field : field_table) {
      std::size_t slot = slot_of(field.name);
      while (slots_[slot] != no_field) slot = (slot + 1) % size;
      slots_[slot] = field.id;
    }
  }
  FieldId find(std::string_view name) const {
    if (name.empty()) return no_field;
    std::size_t slot = slot_of(name);
    while (slots_[slot] != no_field && info(slots_[slot]).name != name) slot = (slot + 1) % size;
    return slots_[slot];
  }

 private:
  static constexpr std::size_t size = 1024;
  static_assert(std::size(field_table) < size / 2);

  static std::size_t slot_of(std::string_view name) {
    const auto letter = [&](std::size_t at) { return std::size_t{static_cast<unsigned char>(name[at])}; };
    return (name.size() * 37 + letter(0) * 5 + letter(name.size() / 2) * 11 + letter(name.size() - 1) * 3) %
           size;
  }

  std::array<FieldId, size> slots_{};
};

}  // namespace

FieldId find_field(std::string_view name) {
  static const FieldsByName fields;
  return fields.find(name);
}

std::string value_text(FieldId field, std::int64_t value) {
  if (field == no_field) return std::to_string(value);
  const FieldInfo& info = fields()[static_cast<std::size_t>(field)];
  const auto index = static_cast<std::size_t>(value);
  switch (info.type) {
    case FieldType::boolean:
      return value != 0 ? "true" : "false";
    case FieldType::choice:
      return value >= 0 && index < info.choices.size() ? std::string(info.choices[index])
                                                       : std::to_string(value);
    case FieldType::integer:
      return std::to_string(value);
  }
  return std::to_string(value);
}

namespace {

constexpr std::array padding{FieldId::vocab_size, FieldId::vocab_padding_multiple};

constexpr std::array task{FieldId::mode,
                          FieldId::sequence_length,
                          FieldId::source_length,
                          FieldId::context_length,
                          FieldId::weight_bits,
                          FieldId::weight_group_size,
                          FieldId::kv_cache_bits,
                          FieldId::speculative_tokens,
                          FieldId::speculative_acceptance,
                          FieldId::prefill_tokens,
                          FieldId::dropout,
                          FieldId::frozen,
                          FieldId::without_dropout,
                          FieldId::adapters,
                          FieldId::adapted,
                          FieldId::optimizer,
                          FieldId::optimizer_rank,
                          FieldId::optimizer_bits,
                          FieldId::wide_embedding_states,
                          FieldId::paged_optimizer,
                          FieldId::weight_precision,
                          FieldId::master_bits,
                          FieldId::gradient_bits,
                          FieldId::gradient_storage,
                          FieldId::eager,
                          FieldId::compiled,
                          FieldId::memory_percent,
                          FieldId::colocated_mib,
                          FieldId::learning_layers,
                          FieldId::learning_tables,
                          FieldId::frozen_towers,
                          FieldId::reference_models,
                          FieldId::cache_percent,
                          FieldId::expert_weight_bits,
                          FieldId::expert_weight_group_size,
                          FieldId::unknown_weights,
                          FieldId::longest_sequence,
                          FieldId::step_tokens,
                          FieldId::most_sequences,
                          FieldId::position_table_bytes,
                          FieldId::max_positions,
                          FieldId::document_length,
                          FieldId::embedding_stages,
                          FieldId::stage_layers};

constexpr std::array training{FieldId::gradient_accumulation,
                              FieldId::zero,
                              FieldId::zero_ranks,
                              FieldId::recompute,
                              FieldId::recompute_layers,
                              FieldId::recompute_unit,
                              FieldId::recompute_norms,
                              FieldId::recompute_mlp,
                              FieldId::recompute_experts,
                              FieldId::loss,
                              FieldId::optimizer,
                              FieldId::gradient_bits,
                              FieldId::fused_gradient_accumulation,
                              FieldId::offload_activations,
                              FieldId::virtual_pipeline,
                              FieldId::pipeline_schedule,
                              FieldId::dropout,
                              FieldId::frozen,
                              FieldId::frozen_towers,
                              FieldId::without_dropout,
                              FieldId::adapters,
                              FieldId::document_length,
                              FieldId::tensor_overlap};

template <std::size_t size>
bool holds(const std::array<FieldId, size>& list, FieldId field) {
  return std::find(list.begin(), list.end(), field) != list.end();
}

}  // namespace

bool is_training_only(FieldId field) {
  return holds(training, field);
}

FieldKind kind_of(FieldId field) {
  if (field == no_field) return FieldKind::shape;  // a layer's number of a convolutional network
  if (holds(padding, field)) return FieldKind::padding;
  if (holds(task, field)) return FieldKind::task;
  return info(field).section.starts_with("model") ? FieldKind::shape : FieldKind::plan;
}

}  // namespace shapelint::model
