// What an editor shows of a value.
#include "lsp/hover.hpp"

#include <algorithm>
#include <cctype>
#include <vector>

#include <fmt/format.h>

#include "base/number.hpp"

namespace shapelint::lsp {

namespace {

// Products listed for one GPU; the others take less time.
constexpr std::size_t most_products = 8;

bool holds(const std::optional<api::Range>& range, std::int64_t offset) {
  return range && range->start.byte <= offset && offset <= range->end.byte;
}

bool is_of_name(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
}

// Whether an expression names the field, as a whole word.
bool names(std::string_view expression, std::string_view field) {
  for (std::size_t at = expression.find(field); at != std::string_view::npos;
       at = expression.find(field, at + 1)) {
    const std::size_t end = at + field.size();
    const bool begins = at == 0 || !is_of_name(expression[at - 1]);
    const bool ends = end == expression.size() || !is_of_name(expression[end]);
    if (begins && ends) return true;
  }
  return false;
}

std::string dimension(std::string_view letter, const api::Operation& op, std::string_view field) {
  const api::OperationSize* found = api::find_size(op, letter);
  const api::OperationSize dim = found != nullptr ? *found : api::OperationSize{};
  if (!names(dim.expression, field)) return fmt::format("{} {}", letter, dim.value);
  return fmt::format("**{} {}** = `{}`", letter, dim.value, dim.expression);
}

std::string loss(std::string_view name, double efficiency) {
  constexpr double worth_telling = 0.005;  // half a percent
  if (1 - efficiency < worth_telling) return {};
  return fmt::format(", {} loses {}", name, percent(1 - efficiency));
}

std::string products(const api::Step& step, std::string_view field) {
  std::vector<const api::Operation*> found;
  for (const api::Operation& op : step.operations) {
    if (op.kind != "gemm") continue;
    const bool is_named = std::any_of(op.sizes.begin(), op.sizes.end(), [&](const api::OperationSize& each) {
      return each.name != "batch" && names(each.expression, field);
    });
    if (is_named) found.push_back(&op);
  }
  std::stable_sort(found.begin(), found.end(), [](const api::Operation* a, const api::Operation* b) {
    return a->total_us > b->total_us;
  });
  std::string out;
  for (std::size_t i = 0; i < std::min(found.size(), most_products); ++i) {
    const api::Operation& op = *found[i];
    const api::Efficiency& efficiency = op.efficiency;
    out += fmt::format("- `{}`: {}, {}, {}; {}{}{}{}\n", op.name, dimension("m", op, field),
                       dimension("n", op, field), dimension("k", op, field), duration(op.run_us),
                       loss("alignment", efficiency.alignment), loss("tiles", efficiency.tile),
                       loss("waves", efficiency.wave));
  }
  if (found.size() > most_products) out += fmt::format("- and {} more\n", found.size() - most_products);
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

}  // namespace shapelint::lsp
