// Internal to the public face: from the structs of the rooms to plain ones.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <shapelint/shapelint.hpp>
#include "base/error.hpp"
#include "cost/op_cost.hpp"
#include "gpu/gpu.hpp"
#include "rules/finding.hpp"

namespace shapelint::api {

// Codes of errors; include/shapelint/common.hpp says what they mean.
namespace code {
inline constexpr std::string_view not_found = "not-found";
inline constexpr std::string_view too_large = "too-large";
inline constexpr std::string_view unreadable = "unreadable";
inline constexpr std::string_view invalid_file = "invalid-file";
inline constexpr std::string_view invalid_config = "invalid-config";
inline constexpr std::string_view invalid_option = "invalid-option";
inline constexpr std::string_view no_model = "no-model";
inline constexpr std::string_view incomplete = "incomplete";
inline constexpr std::string_view unable = "unable";
inline constexpr std::string_view no_candidates = "no-candidates";
}  // namespace code

// Sentences as include/shapelint/shapelint.hpp promises them; `source` is the text that the span refers to.
// `code` unless the error says that a file could not be read.
Error error_of(const shapelint::Error& error, std::string_view code, std::string_view source = {});
// Of an option that cannot be so.
Error wrong(std::string message, std::string hint = {});
Range range_of(std::string_view source, Span span);

Gpu gpu_of(const gpu::Gpu& gpu);
KernelCost kernel_of(const cost::OpCost& cost);
Severity severity_of(rules::Severity severity);
Confidence confidence_of(rules::Confidence confidence);
Bound bound_of(cost::Bound bound);
std::vector<Change> changes_of(const std::vector<suggest::Change>& changes);

}  // namespace shapelint::api
