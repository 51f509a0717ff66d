// The one table of everything that can be set: its name, where it stands in the native file, its type and
// bounds, what it means. The native reader, did-you-mean, rule variables, searches, the JSON schema and the
// documentation are all driven by it.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "model/spec.hpp"

namespace shapelint::model {

enum class FieldType : std::uint8_t { integer, boolean, choice };

// Index into fields(); the order of the table.
using FieldId = std::int16_t;
inline constexpr FieldId no_field = -1;

struct FieldInfo {
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
// no_field when there is none of that name.
FieldId find_field(std::string_view name);
// All names, for did-you-mean.
std::span<const std::string_view> field_names();

}  // namespace shapelint::model
