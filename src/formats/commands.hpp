// Command lines: those that another file holds (the containers of a Kubernetes manifest or of a compose
// file, a script in a task's YAML), and scripts with those that they source.
#pragma once

#include <vector>

#include "formats/dialect/dialect.hpp"
#include "text/document.hpp"
#include "text/files.hpp"
#include "text/parse_any.hpp"

namespace shapelint::formats {

// Command lines that another file holds: the containers of a Kubernetes manifest or of a compose file, a
// script in a task's YAML.

// What text::parse_shell makes of the command lines that stand where the dialect's `commands` say, one after
// the other. Places are those of the file: a value that no flag there writes stands where its table does.
// Command lines that cannot be followed are left out.
std::vector<text::Document> held_commands(const Dialect& dialect, const text::Document& document);

// The files in YAML that stand in a text of another where its `commands` say `script` (Ray Serve's
// configuration within Kubernetes' RayService), with the places of that.
std::vector<text::Document> held_files(const Dialect& dialect, const text::Document& document);

// A script with those that it sources and that lie in the same repository (see ancestors()): in its own
// folder or in one above. Nothing where it is no script or sources none of them.
std::optional<text::Source> with_sourced_scripts(const text::FileSystem& files, const text::Source& source);

}  // namespace shapelint::formats
