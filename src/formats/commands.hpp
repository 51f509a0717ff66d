// Command lines that another file holds: the containers of a Kubernetes manifest or of a compose file, a
// script in a task's YAML.
#pragma once

#include <vector>

#include "formats/dialect/dialect.hpp"
#include "text/document.hpp"

namespace shapelint::formats {

// What text::parse_shell makes of the command lines that stand where the dialect's `commands` say, one after
// the other. Places are those of the file: a value that no flag there writes stands where its table does.
// What is no command line that can be followed is left out.
std::vector<text::Document> held_commands(const Dialect& dialect, const text::Document& document);

}  // namespace shapelint::formats
