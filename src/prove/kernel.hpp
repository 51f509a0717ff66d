// Kernels as the script has them: from an operation of the model to JSON, and back.
#pragma once

#include <optional>
#include <string>

#include "model/op.hpp"
#include "text/document.hpp"

namespace shapelint::prove {

// Kernels with the same key take the same time.
std::string key_of(const model::Op& op);

// Whether it is one of a mixture's grouped products.
bool is_grouped(const model::Op& op);

// The operation that a kernel in JSON is; nothing where it is none.
std::optional<model::Op> op_of(text::NodeRef kernel);

// A string of the script's; empty where it is none.
std::string text_of(text::NodeRef node);

// A row of product_columns; nothing for what is no product that was timed as it is predicted.
std::optional<std::string> product_row(text::NodeRef kernel, double time_us);

}  // namespace shapelint::prove
