// From bytes to Documents.
#include "formats/syntax.hpp"

#include <fmt/format.h>

#include "formats/paths.hpp"
#include "text/json.hpp"
#include "text/literal_python.hpp"
#include "text/shell.hpp"
#include "text/toml.hpp"
#include "text/yaml.hpp"

namespace shapelint::formats {

std::string_view syntax_of(std::string_view path, std::string_view source) {
  const std::string ending = extension(path);
  if (ending == "json" || ending == "jsonc") return "json";
  if (ending == "yaml" || ending == "yml") return "yaml";
  if (ending == "toml") return "toml";
  if (ending == "sh" || ending == "bash" || ending == "slurm" || ending == "sbatch") return "shell";
  if (ending == "py") return "python";
  if (source.starts_with("GGUF")) return "gguf";
  if (ending == "safetensors") return "safetensors";
  if (source.starts_with("#!") && source.substr(0, source.find('\n')).find("sh") != std::string_view::npos) {
    return "shell";
  }
  const auto first = source.find_first_not_of(" \t\r\n");
  if (first != std::string_view::npos && source[first] == '{') return "json";
  return {};
}

Result<std::vector<text::Document>> parse(const std::string& path, std::string source,
                                          std::string_view syntax) {
  const auto one = [](Result<text::Document> document) -> Result<std::vector<text::Document>> {
    if (!document) return document.error();
    return std::vector<text::Document>{*std::move(document)};
  };
  if (syntax == "json") return one(text::parse_json(path, std::move(source)));
  if (syntax == "python") return one(text::parse_literal_python(path, std::move(source)));
  if (syntax == "shell") return text::parse_shell(path, std::move(source));
  if (syntax == "yaml") return text::parse_yaml(path, std::move(source));
  if (syntax == "toml") return one(text::parse_toml(path, std::move(source)));
  return Error{"the file's syntax is not known", {}, path, {}};
}

}  // namespace shapelint::formats
