// Python files that state a model: assignments, classes with defaults, functions that return a configuration.
//
// Why a reader of our own and no grammar of tree-sitter or Python's `ast`: the program runs where there is no
// Python (one static program, WebAssembly), the generated grammar is 3.4 MB of C that every build would
// carry, and it would give the tree only, which is the smaller part (see syntax.hpp). What works the values
// out is the same either way, has to know how deep and how long it runs, and reads on behind what it does not
// understand.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "text/document.hpp"
#include "text/errors.hpp"

namespace shapelint::text {

// Where imports are looked for: the text of a file that may be read, and the folders below which packages
// lie.
struct PythonImports {
  std::function<std::optional<std::string>(const std::string& path)> read;
  std::vector<std::string> roots;
  // Whether a folder is there, so that nothing is looked for below one that is not; may be empty.
  std::function<bool(const std::string& folder)> has_folder = {};
};

// A table of what the file says without being run:
// - `name` of an assignment at the top. A constructor's call is a table of its arguments, by position (`0`)
// and
//   name, with the dotted name of what is called as `()`. A method's call on such has the object as `self`.
// - `Class` of a class with values: its fields, those of its bases too, and its name as `()`.
// - `function()` and `Class.method()` of a function of the file that gives a table: with its defaults.
// - `Class()` of a class of transformers' configurations: what it is with its defaults; of any other, what
// is made and used without a name (`Class(…).train()`).
// - `__folder__`, the name of the folder that the file lies in.
// What only the run knows is Kind::unknown with the reason in NodeRef::note: values of conditions, of loops,
// of functions that are not read, and what is assigned in a block that may not run. A member of an
// enumeration that is not read (`DType.bfloat16`) is the string of its dotted name. Imports are followed with
// `imports` only. The span of a value of another file is that of the expression that brings it here. Errors:
// size, encoding, a string that is never closed. Python with other mistakes is read as far as it goes.
Result<Document> parse_python(const std::string& path, const SharedText& source,
                              const PythonImports& imports = {});

}  // namespace shapelint::text
