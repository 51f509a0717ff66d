// Choosing a reader.
#include "text/parse_any.hpp"

#include <algorithm>
#include <array>
#include <cctype>

#include <fmt/format.h>

#include "base/budget.hpp"
#include "base/strings.hpp"
#include "text/errors.hpp"
#include "text/gin/gin.hpp"
#include "text/header/model_header.hpp"
#include "text/json/json.hpp"
#include "text/python/python.hpp"
#include "text/shell/shell.hpp"
#include "text/toml/toml.hpp"
#include "text/yaml/yaml.hpp"

namespace shapelint::text {

namespace {

struct Extension {
  std::string_view name;
  Syntax syntax;
};
constexpr std::array<Extension, 13> extensions{{{"json", Syntax::json},
                                                {"jsonc", Syntax::json},
                                                {"yaml", Syntax::yaml},
                                                {"yml", Syntax::yaml},
                                                {"toml", Syntax::toml},
                                                {"sh", Syntax::shell},
                                                {"bash", Syntax::shell},
                                                {"slurm", Syntax::shell},
                                                {"sbatch", Syntax::shell},
                                                {"zsh", Syntax::shell},
                                                {"ksh", Syntax::shell},
                                                {"py", Syntax::python},
                                                {"gin", Syntax::python}}};

std::string extension_of(std::string_view path) {
  const std::size_t slash = path.find_last_of("/\\");
  const std::string_view name = slash == std::string_view::npos ? path : path.substr(slash + 1);
  const std::size_t dot = name.rfind('.');
  std::string out(dot == std::string_view::npos || dot == 0 ? std::string_view() : name.substr(dot + 1));
  for (char& c : out) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return out;
}

bool is_key(std::string_view text) {
  return !text.empty() && text.find_first_of(" \t(){}[]$\"'`") == std::string_view::npos;
}

// What one line that is no comment looks like.
std::optional<Syntax> guess_line(std::string_view line) {
  if (line.starts_with("---") || line.starts_with("%YAML") || line.starts_with("- ")) return Syntax::yaml;
  if (line.starts_with('{')) return Syntax::json;
  if (line.starts_with('[')) {
    // A TOML table is closed on its line and holds no commas; a JSON list of one word is no configuration.
    const bool is_table =
        line.find(']') != std::string_view::npos && line.find_first_of(",{:") == std::string_view::npos;
    return is_table && line.size() > 2 ? Syntax::toml : Syntax::json;
  }
  const std::size_t equals = line.find('=');
  const std::size_t colon = line.find(':');
  if (line.starts_with("export ") || line.starts_with("set -") || line.starts_with("source ") ||
      line.find(" --") != std::string_view::npos || line.starts_with("if [")) {
    return Syntax::shell;
  }
  if (colon != std::string_view::npos && (colon < equals) &&
      (colon + 1 == line.size() || line[colon + 1] == ' ' || line[colon + 1] == '\t')) {
    return Syntax::yaml;
  }
  if (equals != std::string_view::npos && equals > 0) {
    if (is_key(line.substr(0, equals))) {
      const bool is_upper = std::none_of(line.begin(), line.begin() + static_cast<std::ptrdiff_t>(equals),
                                         [](char c) { return c >= 'a' && c <= 'z'; });
      return is_upper ? Syntax::shell : Syntax::toml;
    }
    if (line[equals - 1] == ' ') return Syntax::toml;
  }
  return std::nullopt;
}

// Pages hold commands and pieces of configurations, and are none.
bool is_prose(std::string_view path) {
  constexpr std::array<std::string_view, 7> extensions_of_prose{"md",  "markdown", "rst",  "adoc",
                                                                "tex", "html",     "ipynb"};
  const std::string extension = extension_of(path);
  return std::find(extensions_of_prose.begin(), extensions_of_prose.end(), extension) !=
         extensions_of_prose.end();
}

}  // namespace

std::string_view name(Syntax syntax) {
  constexpr std::array<std::string_view, 7> names{"json",   "yaml", "toml",       "shell",
                                                  "python", "gguf", "safetensors"};
  return names[static_cast<std::size_t>(syntax)];
}

std::optional<Syntax> syntax_by_name(std::string_view path) {
  const std::string extension = extension_of(path);
  for (const Extension& each : extensions) {
    if (each.name == extension) return each.syntax;
  }
  return std::nullopt;
}

std::optional<Syntax> guess_syntax(std::string_view path, std::string_view text) {
  if (const auto model = listing_of(text))
    return *model == ModelFile::gguf ? Syntax::gguf : Syntax::safetensors;
  if (const auto by_name = syntax_by_name(path)) return by_name;
  if (is_prose(path)) return std::nullopt;
  if (text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);
  if (text.starts_with("#!")) {
    const std::string_view first = text.substr(0, text.find('\n'));
    return first.find("sh") != std::string_view::npos ? std::optional(Syntax::shell) : std::nullopt;
  }
  // The first lines decide; a file whose first 50 say nothing is none of these.
  constexpr int lines_to_read = 50;
  for (int line = 0; line < lines_to_read && !text.empty(); ++line) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view content = trimmed(text.substr(0, end), " \t\r");
    text.remove_prefix(std::min(end + 1, text.size()));
    if (content.empty() || content.starts_with('#') || content.starts_with("//")) continue;
    if (const auto syntax = guess_line(content)) return syntax;
  }
  return std::nullopt;
}

namespace {

Result<std::vector<Document>> parsed(Syntax syntax, std::string path, SharedText text) {
  const auto one = [](Result<Document> document) -> Result<std::vector<Document>> {
    if (!document) return document.error();
    return std::vector<Document>{*std::move(document)};
  };
  switch (syntax) {
    case Syntax::json:
    case Syntax::gguf:
    case Syntax::safetensors:
      return one(parse_json(std::move(path), std::move(text)));
    case Syntax::yaml:
      return parse_yaml(path, text);
    case Syntax::toml:
      return one(parse_toml(std::move(path), std::move(text)));
    case Syntax::shell:
      return parse_shell(path, text);
    case Syntax::python:
      // gin has Python's values.
      if (extension_of(path) == "gin") return one(parse_gin(path, text));
      return one(parse_python(path, text));
  }
  return Error{"no reader", {}, std::move(path), {}};
}

}  // namespace

// Some charge for all of a text, and say where it took too much; of the others the file is the place.
Result<std::vector<Document>> parse_as(Syntax syntax, std::string path, SharedText text) {
  const Budget budget;
  const std::string place = path;
  try {
    return parsed(syntax, std::move(path), std::move(text));
  } catch (const Spent& spent) {
    return too_costly(spent, place, 0);
  }
}

Source parse_source(std::string path, SharedText text, std::optional<Syntax> otherwise) {
  Source out;
  const bool is_named = syntax_by_name(path).has_value();
  if (is_named) otherwise = std::nullopt;
  out.syntax = guess_syntax(path, text);
  const std::optional<Syntax> guessed = out.syntax;
  if (guessed) {
    out.documents = parse_as(*guessed, path, text);
  } else {
    out.documents = Error{"the text is not JSON, YAML, TOML or a shell script", {}, path, {}};
  }
  if (!out.documents && guessed == Syntax::json && !is_named) {
    // YAML in brackets is for those who read JSON.
    if (auto documents = parse_as(Syntax::yaml, path, text)) out.documents = std::move(documents);
  }
  if (!out.documents && otherwise && guessed != otherwise) {
    auto documents = parse_as(*otherwise, path, text);
    // Of two errors that of what it looks like says more.
    if (documents || !guessed) {
      out.syntax = otherwise;
      out.documents = std::move(documents);
    }
  }
  out.path = std::move(path);
  out.text = std::move(text);
  return out;
}

Result<std::vector<Document>> parse_any(std::string path, SharedText text) {
  return parse_source(std::move(path), std::move(text)).documents;
}

}  // namespace shapelint::text
