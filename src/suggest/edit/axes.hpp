// The values that a search over whole models tries for each field.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.hpp"
#include "suggest/constraints.hpp"
#include "suggest/problem.hpp"

namespace shapelint::suggest {

// `hidden_size=2048:4096:64`, `micro_batch_size=1:1024:*2`, `tensor=1,2,4`: the values that a user asks for.
struct RangeRequest {
  model::FieldId field = model::no_field;
  std::vector<std::int64_t> values;
  std::string text;  // as it was written
};

// Error: no `=`, unknown field, no numbers, low above high, outside of the field's bounds, too many values.
// `searchable`: only fields that a search may vary; else any integer field.
Result<RangeRequest> parse_range(std::string_view text, bool searchable);

struct AxesRequest {
  std::vector<std::string> vary;  // fields; empty: the usual ones of the model
  std::vector<std::string> fix;   // fields that stay
  std::vector<RangeRequest> ranges;
  Shape shape = Shape::free;  // which fields are varied unless somebody names them
};

// A vocabulary or a sequence: rows and tokens that exist cannot go away.
bool only_grows(model::FieldId field);

// Fields that are varied unless somebody says otherwise: the model's dimensions; of a trained model what may
// be padded, the micro-batch and the tensor degree.
std::vector<model::FieldId> usual_fields(const model::Reading& reading, Shape shape = Shape::free);

// Fills in the axes of `problem`, from its reading and links. Errors: unknown fields, a field both fixed and
// varied, a vocabulary or sequence that would shrink.
void set_axes(Problem& problem, const AxesRequest& request, std::vector<Error>& errors);

}  // namespace shapelint::suggest
