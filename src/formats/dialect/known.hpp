// Published models by the names that training files give them, and what may follow from what is known of
// them.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "catalog/known_models.hpp"
#include "catalog/stored.hpp"
#include "model/fields.hpp"
#include "model/reading.hpp"

namespace shapelint::formats {

// Behind the name, in a reading's note.
inline constexpr std::string_view unknown_model = "is not in the table of known models";
// Behind a field, where a format says that nothing can be said of it, and why.
inline constexpr std::string_view unknown_because = "is unknown: ";

// Why sizes that a whole model needs are unknown: the file names an unknown model (and what will do
// instead), or its format says so; empty: neither.
std::string why_unknown(const model::Reading& reading);

// What to give instead of an unknown model's name: the nearest known name, and its
// config.json.
std::string instead_of_unknown(std::string_view name);

// The model that a repository name (`org/Name`, a path, a bare name) stands for, or nullptr.
const catalog::KnownModel* find_known_model(std::string_view name);
const catalog::KnownModel* find_known_model(std::string_view name,
                                            std::span<const catalog::KnownModel> among);

// The name that variants of a model have in common: without organisation, what a checkpoint was trained for,
// its date and how its weights are stored, in one spelling.
std::string base_of(std::string_view name);

// The same with what the checkpoint of that name says apart from its shape, where that is known.
struct Checkpoint {
  catalog::KnownModel model;
  std::optional<catalog::StoredWeights> stored{};
  std::int64_t drafting_layers = 0;  // of multi-token prediction
  catalog::Towers towers{};          // what the model has apart from these layers
};
std::optional<Checkpoint> find_checkpoint(std::string_view name);
std::optional<Checkpoint> find_checkpoint(std::string_view name, std::span<const catalog::KnownModel> among);

// What model::complete() derives from an unknown width or number of heads is not a value.
bool has_known_base(const model::Reading& reading, model::FieldId field);

// Whether the field can be that number: whole, except for rounding, and neither too small nor too large.
bool is_in_range(double number, const model::FieldInfo& field);

// An assumed vocabulary is as large as it is said to be, without padding.
void leave_unpadded(model::Reading& reading);

// An unstated length must not exceed the table of positions.
void clamp_to_positions(model::Reading& reading);

// An encoder's output without a stated length is as long as what is known or assumed by now.
void follow_length(model::Reading& reading);

// Where a value of a published model comes from.
model::Origin origin_of(const Checkpoint& known, model::FieldId field);

// What its checkpoint stores becomes a value of the model, unless the command line names another number
// format. Returns what dialects export of it: `packs_weights`, `quantization_block`, `drafting_layers`.
std::vector<std::pair<std::string, double>> apply_stored_weights(Checkpoint& known,
                                                                 std::span<const model::Override> overrides);

}  // namespace shapelint::formats
