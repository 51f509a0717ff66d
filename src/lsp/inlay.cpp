// What values come to.
#include "lsp/inlay.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace shapelint::lsp {

namespace {

const api::Value* find(const api::Model& model, std::string_view field) {
  const auto found = std::find_if(model.values.begin(), model.values.end(),
                                  [&](const api::Value& value) { return value.field == field; });
  return found == model.values.end() ? nullptr : &*found;
}

bool is_stated_here(const api::Value* value, const api::Model& model) {
  return value != nullptr && value->origin == api::Origin::stated && value->path == model.path &&
         value->range.has_value();
}

// The widest head that the fused kernels of the GPUs compute for one of this width; 0: none is run.
std::int64_t computed_head_dim(const api::LintResult& result, std::string_view model, std::string& gpu) {
  std::int64_t widest = 0;
  for (const api::LintedStep& step : result.steps) {
    if (step.model != model) continue;
    for (const api::Operation& operation : step.operations) {
      if (operation.kernel_head_dim <= widest) continue;
      widest = operation.kernel_head_dim;
      gpu = step.gpu;
    }
  }
  return widest;
}

}  // namespace

std::vector<InlayHint> hints_of(const api::LintResult& result, std::size_t model) {
  const api::Model& read = result.models[model];
  const api::Value* width = find(read, "head_dim");
  const api::Value* heads = find(read, "num_attention_heads");
  if (width == nullptr || !width->value) return {};
  const std::string shown = api::to_string(*width->value);
  std::string gpu;
  const std::int64_t computed = computed_head_dim(result, read.id, gpu);
  const bool is_padded = computed > std::get<std::int64_t>(*width->value);
  InlayHint hint{0, "head_dim " + shown, width->note};
  if (is_padded) {
    hint.label += fmt::format(" of {}", computed);
    hint.tooltip =
        fmt::format("the fused attention kernel of {} computes heads of {} as if they were {} wide", gpu,
                    shown, computed);
  }
  if (is_stated_here(width, read)) {
    if (!is_padded) return {};  // it says so itself
    hint.offset_byte = width->range->end.byte;
  } else if (is_stated_here(heads, read) && width->origin == api::Origin::derived) {
    hint.offset_byte = heads->range->end.byte;
  } else {
    return {};
  }
  return {hint};
}

}  // namespace shapelint::lsp
