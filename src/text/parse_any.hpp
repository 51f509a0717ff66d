// The reader for a file, by its name and content.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.hpp"
#include "text/document.hpp"

namespace shapelint::text {

// `gguf` and `safetensors` are listings of model files' headers (text/model_header.hpp).
enum class Syntax : std::uint8_t { json, yaml, toml, shell, python, gguf, safetensors };
std::string_view name(Syntax syntax);

// By the name's ending: .json .jsonc .yaml .yml .toml .sh .bash .slurm .sbatch .zsh .ksh .py, in any case.
std::optional<Syntax> syntax_by_name(std::string_view path);

// A listing by its content, then by the name; for another ending or none (standard input) by content:
// `#!…sh`, a first `{` or `[`, a TOML table or assignment, a YAML key, flags. Nothing when it looks like none
// of them.
std::optional<Syntax> guess_syntax(std::string_view path, std::string_view text);

// Parses with the reader of that syntax. A file has several Documents when its syntax has (YAML), or when it
// describes several (a script with open branches).
Result<std::vector<Document>> parse_as(Syntax syntax, std::string path, SharedText text);

// A file's text and what its reader makes of it: parsed once, and handed to all who want to know something of
// it.
struct Source {
  std::string path;
  SharedText text;
  std::optional<Syntax> syntax;  // that it was read as; nothing when it looks like none
  // Error: what the reader says; or that there is no reader.
  Result<std::vector<Document>> documents = Error{};
};

// Guesses and parses. An unknown extension whose content begins with a bracket is JSON, or YAML's flow style
// when JSON it is not. `otherwise` is what a text is taken for whose name says nothing, when it looks like
// nothing or its reader refuses it.
Source parse_source(std::string path, SharedText text, std::optional<Syntax> otherwise = std::nullopt);

// Only what the reader says.
Result<std::vector<Document>> parse_any(std::string path, SharedText text);

}  // namespace shapelint::text
