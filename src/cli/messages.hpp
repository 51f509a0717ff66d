// Messages to standard error.
#pragma once

#include <string_view>
#include <vector>

#include "base/error.hpp"
#include "cli/io.hpp"
#include "model/reading.hpp"
#include "report/style.hpp"
#include "text/shared_text.hpp"

namespace shapelint::cli {

// How results look, and messages: coloured or not, and as wide as the window where they go to one.
report::Style out_style(const Io& io);
report::Style err_style(const Io& io);

// "error: what was seen; hint".
void print_error(Io& io, std::string_view message, std::string_view hint = {});

// Each as "error: file: what was seen; hint". False when there are none.
bool print_errors(Io& io, std::string_view file, const std::vector<Error>& errors);

// With the place, when the error has one; `source` is the text of its file.
void print_error(Io& io, const Error& error, const text::SharedText& source = {});

// "note: text"; on one line where it goes elsewhere.
void print_note(Io& io, std::string_view text);

// "note: file: message": why nothing came of a file, or what in it was not understood.
void print_note(Io& io, std::string_view file, const model::Note& note);

}  // namespace shapelint::cli
