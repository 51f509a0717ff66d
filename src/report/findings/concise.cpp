// One line per problem, for grep and for editors.
#include <fmt/format.h>

#include "lint/phrases.hpp"
#include "report/formats.hpp"
#include "report/items.hpp"

namespace shapelint::report {

std::string concise(const lint::Report& report, const Style& style) {
  std::string out;
  for (const Item& item : items(report)) {
    out += style.paint(Role::strong, item.path);
    if (item.region) out += fmt::format(":{}:{}", item.region->begin.line, item.region->begin.column);
    const Role role = role_of(item.severity);
    out += fmt::format("{}{} {}", item.path.empty() ? "" : ": ", style.paint(role, item.code), item.message);
    const bool has_gain = item.finding != nullptr && !item.finding->certain_to_fail && item.finding->gain > 0;
    if (has_gain) out += fmt::format(" ({})", lint::share(item.finding->gain, item.finding->gain_error));
    out += '\n';
  }
  return out;
}

}  // namespace shapelint::report
