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

bool holds(Span span, std::int64_t offset) {
  return span.end > span.begin && span.begin <= offset && offset <= span.end;
}

bool is_word(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
}

// Whether an expression names the field, as a whole word.
bool names(std::string_view expression, std::string_view field) {
  for (std::size_t at = expression.find(field); at != std::string_view::npos;
       at = expression.find(field, at + 1)) {
    const std::size_t end = at + field.size();
    const bool begins = at == 0 || !is_word(expression[at - 1]);
    const bool ends = end == expression.size() || !is_word(expression[end]);
    if (begins && ends) return true;
  }
  return false;
}

std::string dimension(std::string_view letter, const model::Dim& dim, std::string_view field) {
  if (!names(dim.expression, field)) return fmt::format("{} {}", letter, dim.value);
  return fmt::format("**{} {}** = `{}`", letter, dim.value, dim.expression);
}

std::string loss(std::string_view name, double efficiency) {
  constexpr double worth_telling = 0.005;  // half a percent
  if (1 - efficiency < worth_telling) return {};
  return fmt::format(", {} loses {}", name, percent(1 - efficiency));
}

std::string products(const rules::GpuReport& gpu, std::string_view field) {
  std::vector<std::size_t> found;
  for (std::size_t i = 0; i < gpu.workload.ops.size() && i < gpu.before.ops.size(); ++i) {
    const model::Op& op = gpu.workload.ops[i];
    if (op.kind != model::OpKind::gemm) continue;
    if (names(op.m.expression, field) || names(op.n.expression, field) || names(op.k.expression, field)) {
      found.push_back(i);
    }
  }
  const auto total = [&](std::size_t i) {
    return gpu.before.ops[i].time_us * static_cast<double>(gpu.workload.ops[i].count);
  };
  std::stable_sort(found.begin(), found.end(),
                   [&](std::size_t a, std::size_t b) { return total(a) > total(b); });
  std::string out;
  for (std::size_t i = 0; i < std::min(found.size(), most_products); ++i) {
    const model::Op& op = gpu.workload.ops[found[i]];
    const cost::OpCost& cost = gpu.before.ops[found[i]];
    out += fmt::format("- `{}`: {}, {}, {}; {}{}{}{}\n", op.name, dimension("m", op.m, field),
                       dimension("n", op.n, field), dimension("k", op.k, field), duration(cost.time_us),
                       loss("alignment", cost.efficiency.alignment), loss("tiles", cost.efficiency.tile),
                       loss("waves", cost.efficiency.wave));
  }
  if (found.size() > most_products) out += fmt::format("- and {} more\n", found.size() - most_products);
  return out;
}

}  // namespace

Hover hover_at(const lint::ModelReport& model, std::int64_t offset) {
  for (const model::FieldInfo& field : model::fields()) {
    const model::Origin& origin = model.reading.origins[field.id];
    if (origin.kind != model::Origin::Kind::stated || origin.path != model.path) continue;
    const bool is_key = holds(origin.key_span, offset);
    if (!is_key && !holds(origin.span, offset)) continue;
    std::string text = fmt::format("`{}` = {}: {}\n", field.name,
                                   model::value_text(field.id, field.get(model.reading.setup)), field.doc);
    for (const rules::GpuReport& gpu : model.result.gpus) {
      const std::string list = products(gpu, field.name);
      if (!list.empty()) text += fmt::format("\nMatrix products on {}:\n\n{}", gpu.gpu, list);
    }
    return {is_key ? origin.key_span : origin.span, text};
  }
  return {};
}

}  // namespace shapelint::lsp
