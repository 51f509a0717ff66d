// The reader for a file, by its name and content.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.hpp"
#include "text/document.hpp"

namespace shapelint::text {

enum class Syntax : std::uint8_t { json, yaml, toml, shell };

// By extension (.json .jsonc .yaml .yml .toml .sh .bash .slurm .sbatch .zsh .ksh); for another name or none
// (standard input) by content: `#!…sh`, a first `{` or `[`, a TOML table or assignment, a YAML key, flags.
// Nothing when it looks like none of them.
std::optional<Syntax> guess_syntax(std::string_view path, std::string_view text);

// Parses with that reader. A file has several Documents when its syntax has (YAML), or when it describes
// several (a script with open branches). An unknown extension whose content begins with a bracket is JSON, or
// YAML's flow style when JSON it is not. Error: what the reader says; or that there is no reader.
Result<std::vector<Document>> parse_any(std::string path, std::string text);

}  // namespace shapelint::text
