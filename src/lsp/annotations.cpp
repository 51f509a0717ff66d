// Hovers, hints, and comments that silence.
#include "lsp/annotations.hpp"

#include <algorithm>
#include <vector>

#include <fmt/format.h>

#include "base/number.hpp"
#include "base/strings.hpp"

namespace shapelint::lsp {

namespace {

// Products listed for one GPU; the others take less time.
constexpr std::size_t max_products = 8;

bool holds(const std::optional<api::Range>& range, std::int64_t offset) {
  return range && range->start.byte <= offset && offset <= range->end.byte;
}

std::string dimension(std::string_view letter, const api::Operation& op, std::string_view field) {
  const api::OperationSize* found = api::find_size(op, letter);
  const api::OperationSize dim = found != nullptr ? *found : api::OperationSize{};
  if (count_word(dim.expression, field) == 0) return fmt::format("{} {}", letter, dim.value);
  return fmt::format("**{} {}** = `{}`", letter, dim.value, dim.expression);
}

std::string loss(std::string_view name, double efficiency) {
  constexpr double worth_telling = 0.005;  // half a percent
  if (1 - efficiency < worth_telling) return {};
  return fmt::format(", {} {}", name, percent(1 - efficiency));
}

std::string products(const api::Step& step, std::string_view field) {
  std::vector<const api::Operation*> found;
  for (const api::Operation& op : step.operations) {
    if (op.kind != "gemm") continue;
    const bool is_named = std::any_of(op.sizes.begin(), op.sizes.end(), [&](const api::OperationSize& each) {
      return each.name != "batch" && count_word(each.expression, field) > 0;
    });
    if (is_named) found.push_back(&op);
  }
  std::stable_sort(found.begin(), found.end(), [](const api::Operation* a, const api::Operation* b) {
    return a->total_us > b->total_us;
  });
  std::string out;
  for (std::size_t i = 0; i < std::min(found.size(), max_products); ++i) {
    const api::Operation& op = *found[i];
    const api::Efficiency& efficiency = op.efficiency;
    out += fmt::format("- `{}`: {}, {}, {}; {}{}{}{}\n", op.name, dimension("m", op, field),
                       dimension("n", op, field), dimension("k", op, field), duration(op.run_us),
                       loss("misalignment", efficiency.alignment), loss("tile quantization", efficiency.tile),
                       loss("wave quantization", efficiency.wave));
  }
  if (found.size() > max_products) out += fmt::format("- and {} more\n", found.size() - max_products);
  return out;
}

std::string meaning_of(std::string_view field) {
  for (const api::Field& each : api::fields()) {
    if (each.name == field) return each.doc;
  }
  return {};
}

}  // namespace

Hover hover_at(const api::LintResult& result, std::size_t model, std::int64_t offset) {
  const api::Model& read = result.models[model];
  for (const api::Value& value : read.values) {
    if (value.origin != api::Origin::stated || value.path != read.path) continue;
    const bool is_key = holds(value.key_range, offset);
    if (!is_key && !holds(value.range, offset)) continue;
    std::string text =
        fmt::format("`{}` = {}: {}\n", value.field,
                    value.value ? api::to_string(*value.value) : std::string(), meaning_of(value.field));
    for (const api::LintedStep& step : result.steps) {
      if (step.model != read.id) continue;
      const std::string list = products(step, value.field);
      if (!list.empty()) text += fmt::format("\nGEMMs on {}:\n\n{}", step.gpu, list);
    }
    return {is_key ? *value.key_range : *value.range, text};
  }
  return {};
}

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
        fmt::format("the fused attention kernel of {} pads head_dim {} to {}", gpu, shown, computed);
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

namespace {

std::string_view comment_sign(std::string_view path) {
  for (const std::string_view ending : {".toml", ".yaml", ".yml"}) {
    if (path.ends_with(ending)) return "#";
  }
  return path.ends_with(".jsonc") ? "//" : "";
}

}  // namespace

std::optional<IgnoringComment> ignoring(const api::Finding& finding, std::string_view path,
                                        std::string_view text) {
  const std::string_view sign = comment_sign(path);
  if (sign.empty() || !finding.range || finding.range->start.line != finding.range->end.line)
    return std::nullopt;
  const auto at = static_cast<std::size_t>(finding.range->end.byte);
  if (at > text.size()) return std::nullopt;
  std::size_t end = std::min(text.find_first_of("\r\n", at), text.size());
  while (end > at && (text[end - 1] == ' ' || text[end - 1] == '\t')) --end;
  return IgnoringComment{fmt::format("ignore {} ({}) here", finding.code, finding.rule),
                         static_cast<std::int64_t>(end),
                         fmt::format("  {} shapelint: ignore[{}]", sign, finding.code)};
}

}  // namespace shapelint::lsp
