// The table of output formats.
#include "report/formats.hpp"

#include "report/exchange/json.hpp"
#include "report/findings/text.hpp"
#include "text/printable.hpp"

namespace shapelint::report {

std::string render(Format format, const lint::Report& report, const RenderOptions& options) {
  // Those that have no escapes of their own may be shown as they are, too.
  switch (format) {
    case Format::text:
      return text::without_commands(text(report, options));
    case Format::concise:
      return text::without_commands(concise(report, options));
    case Format::json:
      return json(report, options.parts);
    case Format::compact:
      return compact(report);
    case Format::json_lines:
      return json_lines(report);
    case Format::sarif:
      return sarif(report);
    case Format::github:
      return github(report);
    case Format::gitlab:
      return gitlab(report);
    case Format::junit:
      return junit(report);
    case Format::checkstyle:
      return checkstyle(report);
    case Format::rdjson:
      return rdjson(report);
    case Format::markdown:
      return text::without_commands(markdown(report));
  }
  return {};
}

}  // namespace shapelint::report
