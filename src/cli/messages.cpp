// Messages to standard error.
#include "cli/messages.hpp"

#include <string>

#include "report/findings/snippet.hpp"

namespace shapelint::cli {

void print_error(Io& io, std::string_view message, std::string_view hint) {
  print_error(io, Error{std::string(message), std::string(hint), {}, {}});
}

void print_error(Io& io, const Error& error, const text::SharedText& source) {
  io.err << report::render(error, source, report::Style{io.err_color});
}

void print_note(Io& io, std::string_view file, const model::Note& note) {
  io.err << "note: " << (note.path.empty() ? file : std::string_view(note.path)) << ": " << note.message
         << "\n";
}

}  // namespace shapelint::cli
