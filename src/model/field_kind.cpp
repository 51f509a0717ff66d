// What sort of thing a field is: by its table, with exceptions.
#include "model/field_kind.hpp"

#include <algorithm>
#include <array>

namespace shapelint::model {

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
                              FieldId::dropout,
                              FieldId::adapters,
                              FieldId::document_length,
                              FieldId::tensor_overlap};

template <std::size_t size>
bool holds(const std::array<FieldId, size>& list, FieldId field) {
  return std::find(list.begin(), list.end(), field) != list.end();
}

}  // namespace

bool is_of_training(FieldId field) {
  return holds(training, field);
}

FieldKind kind_of(FieldId field) {
  if (field == no_field) return FieldKind::shape;  // a layer's number of a convolutional network
  if (holds(padding, field)) return FieldKind::padding;
  if (holds(task, field)) return FieldKind::task;
  return info(field).section.starts_with("model") ? FieldKind::shape : FieldKind::plan;
}

}  // namespace shapelint::model
