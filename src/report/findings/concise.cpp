// One line per problem, for grep and for editors: as compilers write them.
#include <fmt/format.h>

#include "lint/phrases.hpp"
#include "report/formats.hpp"
#include "report/items.hpp"

namespace shapelint::report {

namespace {

// "7.3 ± 2.1 %", and of which GPU where there are several; nothing for what has neither.
std::string gain_text(const Item& item) {
  if (item.finding == nullptr) return {};
  const rules::Finding& finding = *item.finding;
  const std::size_t gpus = item.model->result.gpus.size();
  if (!finding.certain_to_fail && finding.gain > 0)
    return lint::shares(finding.gains, finding.gain, finding.gain_error, gpus);
  return gpus > 1 && !finding.gpu.empty() ? "on " + finding.gpu : std::string{};
}

}  // namespace

std::string concise(const lint::Report& report, const RenderOptions& options) {
  std::string out;
  for (const Item& item : items(report)) {
    const bool is_finding = item.finding != nullptr;
    if (options.quiet && is_finding && item.severity < item.model->fail_level) continue;
    out += options.style.paint(Role::strong, item.path);
    if (item.region) out += fmt::format(":{}:{}", item.region->begin.line, item.region->begin.column);
    if (!item.path.empty()) out += ": ";
    out += options.style.paint(role_of(item.severity), rules::name(item.severity)) + ": ";
    out += fmt::format("{} [{}]", message_with_models(item), item.code);
    const std::string gain = gain_text(item);
    out += gain.empty() ? "\n" : fmt::format(" ({})\n", gain);
  }
  return out;
}

}  // namespace shapelint::report
