// One option per field of a model and its plan, made from the table of fields.
#pragma once

#include <vector>

#include "cli/option.hpp"
#include "formats/read.hpp"
#include "model/reading.hpp"

namespace shapelint::cli {

// `--set FIELD=VALUE,…`, and an option for each field, which help and completion leave out. Values are
// appended to `overrides` in the order given.
std::vector<Option> field_options(std::vector<model::Override>& overrides);

// `--dim NAME=N`: sizes of symbolic dimensions of ONNX graphs, in the order given.
Option dimension_option(std::vector<formats::GraphDimension>& dimensions);

}  // namespace shapelint::cli
