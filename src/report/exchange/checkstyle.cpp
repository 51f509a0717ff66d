// Checkstyle's XML, which most CI servers read.
#include <fmt/format.h>

#include "report/exchange/xml.hpp"
#include "report/formats.hpp"
#include "report/items.hpp"

namespace shapelint::report {

std::string checkstyle(const lint::Report& report) {
  std::string out = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<checkstyle version=\"4.3\">\n";
  std::string open;
  bool is_open = false;
  for (const Item& item : items(report)) {
    if (!is_open || item.path != open) {
      if (is_open) out += "  </file>\n";
      out += fmt::format("  <file name=\"{}\">\n", xml_escaped(item.path));
      open = item.path;
      is_open = true;
    }
    out += "    <error";
    if (item.region) {
      out += fmt::format(" line=\"{}\" column=\"{}\"", item.region->begin.line, item.region->begin.column);
    }
    std::string message = item.message;
    for (const std::string& detail : item.details) message += '\n' + detail;
    out += fmt::format(" severity=\"{}\" message=\"{}\" source=\"shapelint.{}\"/>\n",
                       rules::name(item.severity), xml_escaped(message), xml_escaped(item.code));
  }
  return out + (is_open ? "  </file>\n" : "") + "</checkstyle>\n";
}

}  // namespace shapelint::report
