// Reads a measured step time.
#include <array>
#include <string_view>

#include <fmt/format.h>

#include "base/number.hpp"
#include "cli/commands/plan/plan.hpp"
#include "text/errors.hpp"
#include "text/json/json.hpp"

namespace shapelint::cli {

Result<double> measured_step_us(const std::string& text, const text::FileSystem& files) {
  struct Unit {
    std::string_view name;
    double us;
  };
  constexpr std::array units{Unit{"us", 1}, Unit{"ms", 1e3}, Unit{"s", 1e6}};
  constexpr std::string_view prefix = "step=";
  if (text.starts_with(prefix)) {
    for (const Unit& unit : units) {
      if (!text.ends_with(unit.name)) continue;
      const auto value = parse_number(
          std::string_view(text).substr(prefix.size(), text.size() - prefix.size() - unit.name.size()));
      if (value && *value > 0) return *value * unit.us;
    }
    return Error{fmt::format("`--measured {}` is not the time of a step", text),
                 "expected step=20.3s or step=950ms, or a file",
                 {},
                 {}};
  }
  auto content = files.read(text, text::max_source_bytes);
  if (!content) return content.error();
  const auto document = text::parse_json(text, *std::move(content));
  if (!document) return document.error();
  const auto time = [](text::NodeRef node) { return node.as_number().value_or(0); };
  for (const text::NodeRef trace : document->root()["traces"])
    if (time(trace["step_us"]) > 0) return time(trace["step_us"]);
  for (const text::NodeRef whole : document->root()["wholes"])
    if (whole["of"].as_string() == "step" && time(whole["before_us"]) > 0) return time(whole["before_us"]);
  return Error{"it contains no measured step",
               "`profile --format json` and the results of `prove` have one",
               text,
               {}};
}

}  // namespace shapelint::cli
