// Likely mistakes in how a configuration is written, whatever shape it describes.
#pragma once

#include <string_view>
#include <vector>

#include "formats/dialect/dialect.hpp"
#include "model/reading.hpp"
#include "text/document.hpp"

namespace shapelint::formats {

// Keys that are written twice, and numbers that the framework's YAML reader takes for something else.
// `document` as it was parsed: interpolations not followed. Found ones are appended.
void remark_on(const Dialect& dialect, const text::Document& document, std::string_view syntax,
               std::vector<model::Remark>& out);

// A size that is written as a text: `hidden_size: "4096"`. Nothing when it is not, or when the dialect's
// values are words of a command line anyway.
void remark_on_text(const Dialect& dialect, text::NodeRef node, model::FieldId field,
                    std::vector<model::Remark>& out);

// A field whose value is written, but known only when it is run.
struct Unresolved {
  model::FieldId field = model::no_field;
  text::NodeRef node;
};

// One remark for all of them without which nothing can be said of a model, and that stayed unknown.
void remark_on_unresolved(model::Reading& reading, const std::vector<Unresolved>& unresolved);

// Appends those whose kind and place are not there yet.
void add_remarks(const std::vector<model::Remark>& from, std::vector<model::Remark>& into);

}  // namespace shapelint::formats
