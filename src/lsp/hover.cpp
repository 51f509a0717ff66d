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
  return range && range->begin_byte <= offset && offset <= range->end_byte;
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

std::string dimension(std::string_view letter, const api::OperationDim& dim, std::string_view field) {
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
    if (names(op.m.expression, field) || names(op.n.expression, field) || names(op.k.expression, field)) {
      found.push_back(&op);
    }
  }
  std::stable_sort(found.begin(), found.end(), [](const api::Operation* a, const api::Operation* b) {
    return a->total_us > b->total_us;
  });
  std::string out;
  for (std::size_t i = 0; i < std::min(found.size(), most_products); ++i) {
    const api::Operation& op = *found[i];
    const api::Efficiency& efficiency = op.cost.efficiency;
    out += fmt::format("- `{}`: {}, {}, {}; {}{}{}{}\n", op.name, dimension("m", op.m, field),
                       dimension("n", op.n, field), dimension("k", op.k, field), duration(op.cost.time_us),
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
    std::string text = fmt::format("`{}` = {}: {}\n", value.field, value.text, meaning_of(value.field));
    for (const api::Improvement& step : result.steps) {
      if (step.model != model) continue;
      const std::string list = products(step.before, value.field);
      if (!list.empty()) text += fmt::format("\nGEMMs on {}:\n\n{}", step.before.gpu, list);
    }
    return {is_key ? *value.key_range : *value.range, text};
  }
  return {};
}

}  // namespace shapelint::lsp
