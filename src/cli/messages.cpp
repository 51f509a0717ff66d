// Messages to standard error.
#include "cli/messages.hpp"

#include <fmt/color.h>

namespace shapelint::cli {

void print_error(Io& io, std::string_view message, std::string_view hint) {
  const std::string label = io.err_color
                                ? fmt::format(fmt::emphasis::bold | fg(fmt::terminal_color::red), "error:")
                                : std::string("error:");
  io.err << label << ' ' << message;
  if (!hint.empty()) io.err << "; " << hint;
  io.err << '\n';
}

}  // namespace shapelint::cli
