// Changing a model: fields set to new values, and the fields that follow from them.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "model/fields.hpp"
#include "model/reading.hpp"
#include "model/spec.hpp"

namespace shapelint::suggest {

struct Change {
  model::FieldId field = model::no_field;
  std::int64_t from = 0;
  std::int64_t to = 0;
  friend bool operator==(const Change&, const Change&) = default;
};

// Fields of a start that move together when one of them is changed. A relation that the start does not have
// is not kept either.
struct Links {
  bool head_dim_from_hidden = false;  // head_dim * num_attention_heads == hidden_size
  bool value_head_dim = false;        // value_head_dim == head_dim
  bool key_value_heads = false;       // as many as query heads
  bool intermediate_size = false;     // derived from hidden_size: the ratio stays
  bool moe_intermediate_size = false;
};
Links links_of(const model::Reading& reading);

// `start` with the changes applied and linked fields following, unless a change sets them itself. Nothing
// when a value is outside the bounds of its field, or when a linked field would not be a whole number.
std::optional<model::Setup> apply(const model::Setup& start, const Links& links,
                                  std::span<const Change> changes);

// Fields in which two setups differ, in the order of the table.
std::vector<Change> differences(const model::Setup& from, const model::Setup& to);

}  // namespace shapelint::suggest
