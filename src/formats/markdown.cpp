// docs/reference/formats.md, from the data files.
#include <functional>
#include <map>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "formats/dialect/known.hpp"
#include "formats/read.hpp"

namespace shapelint::formats {

namespace {

std::string joined(const std::vector<std::string>& items, std::string_view separator) {
  std::string out;
  for (const std::string& item : items) {
    if (!out.empty()) out += separator;
    out += item;
  }
  return out;
}

std::string markdown_of(const KeyPath& path) {
  return joined(path.components, ".");
}

std::string markdown_of(const KeyTest& test) {
  std::string out = fmt::format("`{}`", markdown_of(test.path));
  if (test.equals.empty()) return out;
  out += " = `";
  for (const char c : test.equals) {
    if (c == '|') out += '\\';  // a bar alone would end the cell of the table
    out += c;
  }
  out += '`';
  return out;
}

std::string markdown_of(const std::vector<KeyTest>& tests) {
  constexpr std::size_t most = 6;
  std::vector<std::string> items;
  for (const KeyTest& each : tests) {
    if (items.size() == most) {
      items.emplace_back("…");
      break;
    }
    items.push_back(markdown_of(each));
  }
  return joined(items, ", ");
}

std::string markdown_of(const Test& test) {
  std::vector<std::string> conditions;
  if (!test.has.empty()) conditions.push_back(markdown_of(test.has));
  if (!test.any.empty()) conditions.push_back(fmt::format("{} of {}", test.at_least, markdown_of(test.any)));
  if (!test.file.empty()) conditions.push_back(fmt::format("a path `{}`", test.file));
  return joined(conditions, " and ");
}

// How many there are, by publisher: the files list them all.
std::string known_models_markdown() {
  std::map<std::string, int, std::less<>> publishers;
  for (const catalog::KnownModel& each : catalog::known_models()) {
    const auto slash = each.name.find('/');
    if (slash != std::string::npos) ++publishers[each.name.substr(0, slash)];
  }
  std::vector<std::string> listed;
  for (const auto& [publisher, models] : publishers)
    listed.push_back(fmt::format("{} {}", publisher, models));
  return fmt::format(
      "{} models. Those of table.toml are written by `scripts/known-models` from files of public "
      "repositories, each with its source. Models with contradicting sources, or with parameters that are "
      "not those of their name, are excluded.\n\n"
      "A name is compared without its organization, a revision (`@main`), folders before it (`/models/…`, "
      "`$HOME/models/…`), case, and endings that change no size (`-Instruct`, `-hf`, `-bnb-4bit`, `-FP8`, "
      "…). Any other difference makes it another name: `Llama-3.1-8B-Vision` is not `Llama-3.1-8B`, and a "
      "name of several shapes matches none. Such a file is read nevertheless, and `show --verbose` "
      "reports an unknown model.\n\n"
      "Models of your own go before these: `model-folders` of the [configuration](config-file.md) names "
      "folders with `*.toml` of the form\n\n"
      "```toml\n"
      "source = \"where these sizes were read\"\n\n"
      "[[model]]\n"
      "name = \"house/Small-3B\"\n"
      "aliases = [\"small-3b-long\"]\n"
      "hidden_size = 3072\n"
      "num_layers = 28\n"
      "num_attention_heads = 24\n"
      "num_key_value_heads = 8\n"
      "intermediate_size = 8192\n"
      "mlp_gated = true\n"
      "vocab_size = 128256\n"
      "```\n\n"
      "and the names of fields that `shapelint show` lists. Then come a folder of that name and the local "
      "Hugging Face cache (`config.json`), and then the table.\n\n"
      "Publishers: {}.\n",
      catalog::known_models().size(), joined(listed, ", "));
}

}  // namespace

std::string formats_markdown(const Dialects& dialects) {
  std::string out =
      "# Config formats\n\n"
      "Written from `formats/*.toml` by the test suite (`UPDATE_GOLDEN=1`); do not edit. Files are "
      "recognized by "
      "their content, never by name alone, in this order. The extension only selects the reader (JSON, YAML, "
      "TOML, shell). shapelint's own format is described in [native-format.md](native-format.md); how to add "
      "a format in [format.md](../contributing/format.md).\n\n"
      "`shapelint show FILE` prints what was understood of a file, and where each value came from.\n\n"
      "| format | syntax | recognized by one of | builds on |\n|---|---|---|---|\n";
  for (const Dialect* listed : dialects.all()) {
    const Dialect& dialect = *listed;
    std::vector<std::string> tests;
    for (const Test& test : dialect.recognise) tests.push_back(markdown_of(test));
    std::vector<std::string> files;
    for (const Inherit& each : dialect.inherit) {
      for (const KeyPath& key : each.keys) files.push_back(fmt::format("`{}`", markdown_of(key)));
    }
    out += fmt::format("| [{}](../../formats/{}.toml) | {} | {} | {} |\n", dialect.title, dialect.name,
                       joined(dialect.syntax, ", "), joined(tests, "<br>"), joined(files, ", "));
  }
  out += "\n## Where the tables come from\n\n";
  for (const Dialect* listed : dialects.all()) {
    const Dialect& dialect = *listed;
    if (!dialect.source.empty()) out += fmt::format("- {}: {}\n", dialect.title, dialect.source);
  }
  out += "\n## Model types with their own defaults\n\n";
  for (const Dialect* listed : dialects.all()) {
    const Dialect& dialect = *listed;
    std::vector<std::string> names;
    for (const auto& [patterns, type] : dialect.types) {
      if (patterns.starts_with('_')) continue;  // a family, not a type
      std::string_view rest = patterns;
      while (!rest.empty()) {
        const std::string_view name = rest.substr(0, rest.find('|'));
        rest.remove_prefix(std::min(rest.size(), name.size() + 1));
        names.push_back(fmt::format("`{}`", name));
      }
    }
    if (!names.empty() && dialect.like.empty()) {
      out += fmt::format("{}: {}.\n\n", dialect.title, joined(names, ", "));
    }
  }
  out +=
      "## What else is read\n\n"
      "A file inherits only from files of the same repository. Further files are "
      "read:\n\n"
      "- `config.json`, for weights (`*.safetensors`, their index) and for DeepSpeed's JSON, which describes "
      "how "
      "that model is run.\n"
      "- a folder that a file names as its model (`model_name_or_path: ../models/mine`), in the same "
      "repository: its `config.json`.\n"
      "- the local Hugging Face cache (`HF_HUB_CACHE`, `HF_HOME/hub`, `~/.cache/huggingface/hub`): the "
      "`config.json` of a model that a file names, before the table below, and not with `--isolated`. "
      "Nothing is fetched.\n\n"
      "Of a named GGUF or safetensors file only the header is read; folders skip such files. Positions are "
      "lines of the header written as JSON, as `shapelint show` prints it.\n\n"
      "An exported graph, `*.onnx`, is read if the program was built with ONNX: [onnx.md](onnx.md).\n\n"
      "Layers without softmax attention are read as kinds of `[model.mixer]` "
      "([lowering.md](../explanation/lowering.md)); "
      "others are reported as not modeled (SL912).\n\n"
      "## Known models\n\nFor files that name a model instead of writing its shape "
      "([formats/models](../../formats/models)): ";
  return out + known_models_markdown();
}

}  // namespace shapelint::formats
