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
                          FieldId::gradient_bits,
                          FieldId::memory_percent,
                          FieldId::cache_percent,
                          FieldId::document_length,
                          FieldId::embedding_stages};

template <std::size_t size>
bool holds(const std::array<FieldId, size>& list, FieldId field) {
  return std::find(list.begin(), list.end(), field) != list.end();
}

}  // namespace

FieldKind kind_of(FieldId field) {
  if (field == no_field) return FieldKind::shape;  // a layer's number of a convolutional network
  if (holds(padding, field)) return FieldKind::padding;
  if (holds(task, field)) return FieldKind::task;
  return info(field).section.starts_with("model") ? FieldKind::shape : FieldKind::plan;
}

}  // namespace shapelint::model
