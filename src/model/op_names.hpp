// What operations are called in output for programs; these names are part of the schemas.
#pragma once

#include <optional>
#include <string_view>

#include "model/op.hpp"

namespace shapelint::model {

std::string_view name(OpKind kind);  // `gemm`, `attention`, `elementwise`, `collective`
std::string_view name(Pass pass);    // `forward`, `grad_input` …
std::string_view name(Layout layout);
std::optional<Layout> parse_layout(std::string_view text);
std::string_view name(CollectiveKind kind);

}  // namespace shapelint::model
