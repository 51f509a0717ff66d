// Likely mistakes in how a configuration is written, whatever shape it describes.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.hpp"
#include "formats/dialect/dialect.hpp"
#include "model/reading.hpp"
#include "text/document.hpp"

namespace shapelint::formats {

// Maximum remarks on one file. Scripts of a thousand lines have a dozen.
inline constexpr std::size_t max_remarks = 1000;

// The error of a file that has more, at the first of those; nothing where it has not.
std::optional<Error> too_many_remarks(const std::vector<model::Remark>& remarks);

// Keys that are written twice, and numbers that the framework's YAML reader takes for something else.
// `document` as it was parsed: interpolations not followed. Found ones are appended.
void remark_on(const Dialect& dialect, const text::Document& document, std::string_view syntax,
               std::vector<model::Remark>& out);

// A size that is written as a text: `hidden_size: "4096"`. Nothing when it is not, or when the dialect's
// values are words of a command line anyway.
void remark_on_text(const Dialect& dialect, text::NodeRef node, model::FieldId field,
                    std::vector<model::Remark>& out);

// A text that is none of the alternative's choices, at which the framework stops.
void remark_on_choice(text::NodeRef node, const Alternative& alternative, model::FieldId field,
                      std::vector<model::Remark>& out);

// A field whose value the files do not tell, though one of them says it or may say it.
struct Unresolved {
  model::FieldId field = model::no_field;
  text::NodeRef node;
  std::string meaning;  // why, in words
  bool is_stated =
      true;  // written, but known only when it is run; else in a file that is not there, if at all
};

// One remark for each (model::Remark::Kind::unresolved, its `field`): of those that only a missing file may
// state, for the sizes that any step is made of.
void remark_on_unresolved(model::Reading& reading, const std::vector<Unresolved>& unresolved);

// Appends those whose kind and place are not there yet; unresolved values of one file become one remark.
void add_remarks(const std::vector<model::Remark>& from, std::vector<model::Remark>& into);

}  // namespace shapelint::formats
