// Changing a model: fields set to new values, and the fields that follow from them.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "model/fields.hpp"
#include "model/reading.hpp"
#include "model/spec.hpp"

namespace shapelint::suggest {

struct Change {
  model::FieldId field = model::no_field;
  std::int64_t from = 0;
  std::int64_t to = 0;
  // Of a CNN, instead of a field: a number of a layer (`in_channels`, `out_channels`, `groups`), -1 for the
  // image's; `path` is how the file calls it: `conv[2].out_channels`.
  std::int32_t layer = -1;
  std::string_view key{};
  std::string path{};
  bool of_layers = false;  // of those layers alone that have `from` of their own
  friend bool operator==(const Change&, const Change&) = default;
};

// Whether both set one value.
bool same_target(const Change& a, const Change& b);
// Whether `all` sets each of these values, and to the same; false of no changes.
bool sets_all(std::span<const Change> all, std::span<const Change> changes);

// Fields of a start that move together when one of them is changed. A relation that the start does not have
// is not kept either.
struct FieldDependencies {
  bool head_dim_from_hidden = false;  // head_dim * num_attention_heads == hidden_size
  bool value_head_dim = false;        // value_head_dim == head_dim
  bool key_value_heads = false;       // as many as query heads
  // Derived from hidden_size. By the table of derivations where it says so, else (a reader's own rule) the
  // ratio stays.
  bool intermediate_size = false;
  bool intermediate_size_from_table = false;
  bool moe_intermediate_size = false;
  bool moe_shared_intermediate_size = false;  // moe_num_shared_experts * moe_intermediate_size
  // Every rank has its part of every expert: of tensor parallelism, or of data parallelism, too; or of those
  // that its part of expert parallelism holds (SGLang).
  bool expert_tensor = false;
  bool experts_over_data = false;
  bool experts_in_groups = false;
  bool expert = false;  // tensor * data: every rank has experts of its own (vLLM, enable_expert_parallel)
};
FieldDependencies links_of(const model::Reading& reading);
// Only the relations of fields that nobody stated: what a file that says something else would give.
FieldDependencies links_of_unstated(const model::Reading& reading);

// Which of the fields that others follow from, or that follow, were set.
struct ChangedFields {
  bool hidden_size = false;
  bool num_attention_heads = false;
  bool num_key_value_heads = false;
  bool head_dim = false;
  bool value_head_dim = false;
  bool intermediate_size = false;
  bool moe_intermediate_size = false;
  bool moe_shared_intermediate_size = false;
  bool expert_tensor = false;
  bool expert = false;
  void add(model::FieldId field);
};

// Linked fields without a whole value.
struct DependencyFailures {
  bool heads = false;
  bool intermediate = false;
};

// What of a plan follows from its tensor degree.
void follow_tensor(const FieldDependencies& links, model::Setup& setup);

// `setup` differs from `start` in the fields that moved; brings the linked fields after them.
DependencyFailures follow(const model::Setup& start, const FieldDependencies& links,
                          const ChangedFields& moved, model::Setup& setup);

// Fields that say nothing beside the one that they are a copy of.
bool is_copy(model::FieldId field, const FieldDependencies& links, const model::Setup& setup);

// `start` with the changes applied and linked fields following, unless a change sets them itself. Nothing
// when a value is outside the bounds of its field, or when a linked field would not be a whole number.
std::optional<model::Setup> apply(const model::Setup& start, const FieldDependencies& links,
                                  std::span<const Change> changes);

// Fields in which two setups differ, in the order of the table.
std::vector<Change> differences(const model::Setup& from, const model::Setup& to);

}  // namespace shapelint::suggest
