// The one table of everything that can be set: its name, where it stands in the native file, its type and
// bounds, what it means. The native reader, did-you-mean, rule variables, searches, the JSON schema and the
// documentation are all driven by it.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "model/field_list.hpp"
#include "model/spec.hpp"

namespace shapelint::model {

// How far proposals may change a model, in the words of options and configurations.

// What of a model's shape may change.
enum class Shape : std::uint8_t {
  free,     // everything: it is not trained yet
  padding,  // what zeros fill up without changing what is computed: vocabulary and widths of MLP and experts
  fixed     // the rows of the vocabulary alone, which every loader can pad
};
inline constexpr std::array<std::string_view, 3> shape_names{"free", "padding", "fixed"};

// Fields that can be asked to be multiples: numbers of heads.
inline constexpr std::int64_t largest_head_multiple = 1024;

enum class FieldType : std::uint8_t { integer, boolean, choice };

// In the order of the table.
#define SHAPELINT_FIELD_ID(id, ...) id,
enum class FieldId : std::int16_t {
  SHAPELINT_FIELDS(SHAPELINT_FIELD_ID, SHAPELINT_FIELD_ID, SHAPELINT_FIELD_ID)
};
// The same names count themselves.
struct FieldNumbers {
  enum : std::size_t { SHAPELINT_FIELDS(SHAPELINT_FIELD_ID, SHAPELINT_FIELD_ID, SHAPELINT_FIELD_ID) count };
};
#undef SHAPELINT_FIELD_ID
inline constexpr FieldId no_field{-1};
inline constexpr std::size_t field_count = FieldNumbers::count;

// A value for every field.
template <class T>
class PerField {
 public:
  const T& operator[](FieldId id) const { return values_[static_cast<std::size_t>(id)]; }
  T& operator[](FieldId id) { return values_[static_cast<std::size_t>(id)]; }
  auto begin() const { return values_.begin(); }
  auto begin() { return values_.begin(); }
  auto end() const { return values_.end(); }
  auto end() { return values_.end(); }

 private:
  std::array<T, field_count> values_{};
};

struct FieldInfo {
  FieldId id = no_field;
  std::string_view name;     // unique, as rules and flags use it: `hidden_size`, `moe_num_experts`
  std::string_view section;  // table of the native file: `model`, `model.moe`, `model.mla`, `run`, `parallel`
  std::string_view key;      // key in that table: `num_experts`
  FieldType type = FieldType::integer;
  std::int64_t minimum = 0;
  std::int64_t maximum = 0;
  std::span<const std::string_view> choices;  // FieldType::choice: names by value
  std::string_view unit;                      // "elements", "heads", "layers" … may be empty
  std::string_view doc;                       // one sentence, no full stop
  std::int64_t (*get)(const Setup&) = nullptr;
  void (*set)(Setup&, std::int64_t) = nullptr;
};

std::span<const FieldInfo> fields();
const FieldInfo& info(FieldId id);
std::int64_t get(const Setup& setup, FieldId id);
void set(Setup& setup, FieldId id, std::int64_t value);
// no_field when there is none of that name.
FieldId find_field(std::string_view name);
// A value as a file would state it: `32`, `true`, `bf16`.
std::string value_text(FieldId field, std::int64_t value);
// All names, for did-you-mean.
std::span<const std::string_view> field_names();
std::vector<std::string_view> names_of(std::span<const FieldId> ids);

// What sort of thing a field is, by what changing it does to the model that is trained.

enum class FieldKind : std::uint8_t {
  shape,    // the model itself: another value is another model
  padding,  // rows that no token uses may be added: the model stays what it is
  plan,     // how it is run: another value computes the same
  task      // what it is asked to do, or how exactly: lengths, stored bits, dropout
};

FieldKind kind_of(FieldId field);

// Whether a field says something of training alone: a server has no gradients, and no step of several
// micro-batches.
bool is_training_only(FieldId field);

}  // namespace shapelint::model
