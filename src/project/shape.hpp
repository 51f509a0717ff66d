// What proposals may change of a model, by what kind of file it stands in.
#pragma once

#include <optional>
#include <string>

#include "model/reading.hpp"
#include "rules/book/select.hpp"
#include "text/files.hpp"

namespace shapelint::project {

// Whether files of weights are in the same folder: what a file there says of the shape is what they were
// trained with.
bool lies_beside_weights(const std::string& path, const text::FileSystem& files);

struct ShapeChoice {
  rules::Shape shape = rules::Shape::free;
  std::string because;  // why it is taken as that; empty: somebody said so, or it is free
};

// As somebody asked for. Else free for who names a dimension of the model to vary (`names_shape`); fixed
// where the model is trained already: it is served (prefill, decode), is named by its Hub name or by a
// framework's preset of it, adapters are trained on it, it is in a file
// of weights, or in a config.json that equals a published model or lies beside weights. Other files, which
// say what to train, leave it free.
ShapeChoice shape_of(std::optional<rules::Shape> asked, const model::Reading& reading,
                     const text::FileSystem& files, bool names_shape = false);

// "shape taken as fixed: ...", and how to free it; empty when nobody needs to be told.
std::string shape_note(const ShapeChoice& choice);

}  // namespace shapelint::project
