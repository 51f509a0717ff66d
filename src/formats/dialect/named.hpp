// The name and the type that a file gives its model.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "formats/dialect/dialect.hpp"
#include "formats/dialect/view.hpp"
#include "formats/remarks.hpp"

namespace shapelint::formats {

// The type and those that it is like, nearest first; none for a name that the dialect does not know. They
// belong to the dialect.
std::vector<const ModelType*> types_like(const Dialect& dialect, const std::string& name);

// A text, or the first of a list of them; empty for anything else.
std::string text_of(text::NodeRef node);

struct NamedModel {
  std::string name;               // empty: the file names none, or
  std::optional<Unresolved> gap;  // only the run knows which, or a file that is not there
};

// What the keys of `pattern` say, or a text with the values of `{key}` filled in, each from the first of
// `scopes` that has it; without a name where one of them is not there.
NamedModel named_model(const std::string& pattern, const View& view, const Place& base,
                       std::span<const Place> scopes);

// Whether a name is put together from several keys.
inline bool is_composed(const std::string& pattern) {
  return pattern.find('{') != std::string::npos;
}

// A known model whose name a checkpoint's begins with (`Qwen3-0.6B-Reverse-Text`). `keeps_shape`: what
// follows says what it was trained for, and no other size. Empty where there is none.
struct BaseModel {
  std::string name;
  bool keeps_shape = false;
};
BaseModel base_model(std::string_view name);

// Whether names of published models say it.
bool is_named_size(model::FieldId field);

}  // namespace shapelint::formats
