// From a data file to a Dialect.
#include "formats/dialect/dialect.hpp"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "base/number.hpp"
#include "base/strings.hpp"
#include "formats/dialect/edit_instructions.hpp"
#include "model/fields.hpp"
#include "model/layer_list.hpp"
#include "text/table_reader.hpp"

namespace shapelint::formats {

namespace {

using text::Kind;
using text::NodeRef;
using text::ValueType;
using text::Presence::required;

std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  while (true) {
    const auto end = text.find(separator);
    parts.push_back(trimmed(text.substr(0, end)));
    if (end == std::string_view::npos) return parts;
    text.remove_prefix(end + 1);
  }
}

namespace format_file {

struct Loader : text::TableReader {
  using TableReader::TableReader;

  std::string string(NodeRef node) { return std::string(text(node)); }

  // An expression may be written as a number, a boolean or, for a field with choices, one of their names.
  std::string expression(NodeRef node) {
    if (const auto choice = choice_of(node)) return std::to_string(*choice);
    if (const auto boolean = node.as_boolean()) return *boolean ? "1" : "0";
    if (const auto integer = node.as_integer()) return std::to_string(*integer);
    if (const auto number = node.as_number()) return exact(*number);
    return string(node);
  }

  // The number of a choice of the field whose rules are being read.
  std::optional<std::int64_t> choice_of(NodeRef node) const {
    const auto written = node.as_string();
    if (!written) return std::nullopt;
    const auto found = std::find(choices.begin(), choices.end(), *written);
    if (found == choices.end()) return std::nullopt;
    return found - choices.begin();
  }

  KeyTest key_test(NodeRef node);

  using TableReader::read_value;
  void read_value(NodeRef node, std::string& into) { into = string(node); }
  void read_value(NodeRef node, std::int64_t& into) { into = node.as_integer().value_or(into); }
  void read_value(NodeRef node, double& into) { into = node.as_number().value_or(into); }
  // A list, or one.
  void read_value(NodeRef node, std::vector<std::string>& into) {
    if (!node.is(Kind::list)) return into.push_back(string(node));
    for (const NodeRef item : node) into.push_back(string(item));
  }
  void read_value(NodeRef node, std::vector<KeyPath>& into) {
    std::vector<std::string> written;
    read_value(node, written);
    for (const std::string& each : written) {
      for (KeyPath& path : parse_key_paths(each)) into.push_back(std::move(path));
    }
  }
  void read_value(NodeRef node, std::vector<KeyTest>& into) {
    for (const NodeRef item : list(node)) into.push_back(key_test(item));
  }
  void read_value(NodeRef node, FieldRules& into);

  // Of the field whose rules are being read, or of a layer's value: they may be written by name.
  std::span<const std::string_view> choices;
};

KeyTest Loader::key_test(NodeRef node) {
  KeyTest out;
  std::string_view rest = text(node);
  if (const auto equals = rest.find('='); equals != std::string_view::npos) {
    out.equals = std::string(trimmed(rest.substr(equals + 1)));
    rest = trimmed(rest.substr(0, equals));
  }
  if (const auto colon = rest.find(':'); colon != std::string_view::npos) {
    const std::string_view kind = trimmed(rest.substr(colon + 1));
    for (const Kind each : {Kind::table, Kind::list, Kind::string, Kind::integer}) {
      constexpr std::array<std::string_view, 4> names{"table", "list", "string", "integer"};
      if (names[static_cast<std::size_t>(each)] == kind) out.kind = each;
    }
    if (!out.kind)
      errors().push_back(
          with_code(node.error(fmt::format("unknown kind `{}`", kind)), ErrorCode::unknown_name));
    rest = trimmed(rest.substr(0, colon));
  }
  out.path = parse_key_path(rest);
  return out;
}

template <auto member>
constexpr auto value = text::value<Loader, member>;
template <class T>
using Value = text::KeyValue<T, Loader>;
template <class T>
using Key = text::Key<T, Loader>;

// A way to learn a value.

constexpr std::array<std::string_view, 18> ways{
    "value", "present",  "count", "maximum", "sum",  "leading_zeros", "interval", "text",  "units",
    "items", "unrolled", "names", "number",  "each", "is_null",       "implied",  "known", "defaulted"};

// Sets the kind, and the expression.
template <Alternative::Kind kind>
constexpr Value<Alternative> computed{[](Loader& load, NodeRef node, Alternative& into) {
                                        if (into.kind != Alternative::Kind::key || !into.keys.empty()) return;
                                        into.kind = kind;
                                        if (kind != Alternative::Kind::unknown)
                                          into.value = load.expression(node);
                                      },
                                      ValueType::expression};
template <auto member>
constexpr Value<Alternative> expression{
    [](Loader& load, NodeRef node, Alternative& into) { into.*member = load.expression(node); },
    ValueType::expression};

constexpr Value<Alternative> alternative_keys{
    [](Loader& load, NodeRef node, Alternative& into) { into.keys = parse_key_paths(load.text(node)); },
    ValueType::text};

constexpr Value<Alternative> take{[](Loader& load, NodeRef node, Alternative& into) {
                                    if (const auto index = load.choice(node, "way to read a key", ways))
                                      into.reading = static_cast<Alternative::Reading>(*index);
                                  },
                                  ValueType::text,
                                  [] { return std::vector<std::string_view>(ways.begin(), ways.end()); }};

constexpr Value<Alternative> item{[](Loader& load, NodeRef node, Alternative& into) {
                                    for (const std::string_view part : split(load.text(node), '.'))
                                      into.item.emplace_back(part);
                                  },
                                  ValueType::text};

constexpr Value<Alternative> map{
    [](Loader& load, NodeRef node, Alternative& into) {
      for (const NodeRef entry : node) {
        const auto number = entry.as_number();
        const auto boolean = entry.as_boolean();
        const auto choice = load.choice_of(entry);
        if (!number && !boolean && !choice) {
          load.errors().push_back(entry.error("a map gives numbers, booleans or one of the field's choices"));
        }
        into.map.emplace_back(std::string(entry.key()), number    ? *number
                                                        : boolean ? static_cast<double>(*boolean)
                                                                  : static_cast<double>(choice.value_or(0)));
      }
    },
    ValueType::map};

// The first of `key`, `derive`, `default` and `unknown` counts.
constexpr std::array alternative_table{
    Key<Alternative>{"when", expression<&Alternative::when>, "condition on other values"},
    Key<Alternative>{"note", value<&Alternative::note>, "note in reports"},
    Key<Alternative>{"key", alternative_keys, "keys that hold it; `a | b`: the first that is there"},
    Key<Alternative>{"value", expression<&Alternative::value>, "expression of `x`, the value of `key`"},
    Key<Alternative>{"map", map, "patterns of the value of `key`, and their meanings"},
    Key<Alternative>{"choices", value<&Alternative::choices>, "all values that the framework accepts"},
    Key<Alternative>{"take", take, "how `key` is read"},
    Key<Alternative>{"of", value<&Alternative::of>, "counted items, or index of an item"},
    Key<Alternative>{"item", item, "key inside an item"},
    Key<Alternative>{"derive", computed<Alternative::Kind::derived>, "expression of other values"},
    Key<Alternative>{"default", computed<Alternative::Kind::fallback>, "the framework's default"},
    Key<Alternative>{"unknown", computed<Alternative::Kind::unknown>, "`true`: unknown"}};

Alternative alternative(Loader& load, NodeRef node) {
  Alternative out;
  if (const auto keys = node.as_string()) {
    out.keys = parse_key_paths(*keys);
    return out;
  }
  if (node.is(Kind::integer) || node.is(Kind::boolean) || node.is(Kind::number)) {
    out.kind = Alternative::Kind::fallback;
    out.value = load.expression(node);
    return out;
  }
  if (!node.is(Kind::table)) {
    load.errors().push_back(node.error(
        fmt::format("{} does not set a value", text::describe(node.kind())),
        "write keys as a string, a default as a number, or a table with `key`, `derive` or `default`"));
    return out;
  }
  Loader::read_table(load, node, alternative_table, out);
  if (out.kind == Alternative::Kind::key && out.keys.empty())
    load.errors().push_back(node.error("an alternative needs `key`, `derive`, `default` or `unknown`"));
  return out;
}

void Loader::read_value(NodeRef node, FieldRules& into) {
  for (const NodeRef field : node) {
    Alternatives& rules = into[std::string(field.key())];
    const bool is_of_layers = field.key().starts_with(layer_prefix);
    if (is_of_layers) {
      const auto* key = model::find_layer_key(field.key().substr(layer_prefix.size()));
      if (key != nullptr) choices = key->choices;
      if (key == nullptr)
        errors().push_back(field.key_error(fmt::format("`{}` is not a value of a layer", field.key())));
    } else if (const model::FieldId id = model::find_field(field.key()); id != model::no_field) {
      choices = model::info(id).choices;
    }
    if (field.is(Kind::list)) {
      for (const NodeRef each : field) rules.push_back(alternative(*this, each));
    } else {
      rules.push_back(alternative(*this, field));
    }
    choices = {};
  }
}

// How a format's files are recognised.
constexpr std::array test_keys{
    Key<Test>{"has", value<&Test::has>,
              "keys that must all be present: `key`, `key: table`, `key = pattern | pattern`"},
    Key<Test>{"any", value<&Test::any>, "keys of which `at_least` must be present"},
    Key<Test>{"at_least", value<&Test::at_least>, "how many keys of `any` [default: 1]"},
    Key<Test>{"lacks", value<&Test::lacks>, "keys that must be absent"},
    Key<Test>{"file", value<&Test::file>, "pattern of the file's path"}};

constexpr std::array part_keys{
    Key<Part>{"name", value<&Part::name>, "name of the model in reports"},
    Key<Part>{"label", value<&Part::label>, "values that distinguish documents in one file"},
    Key<Part>{"at", value<&Part::at>, "places that may hold the model"},
    Key<Part>{"each", value<&Part::each>, "every place that exists, not only the first"},
    Key<Part>{"named_by_key", value<&Part::named_by_key>, "the first key of the place is the name"},
    Key<Part>{"also", value<&Part::also>, "other places with keys of the model"},
    Key<Part>{"needs", value<&Part::needs>, "keys without which it is not a model"},
    Key<Part>{"lacks", value<&Part::lacks>, "keys that must be absent"},
    Key<Part>{"made_by", value<&Part::made_by>, "Python call that makes the place (`vllm.LLM`)"},
    Key<Part>{"when", value<&Part::when>, "conditions on the whole file, as `has` of [[recognise]]"},
    Key<Part>{"unless", value<&Part::unless>, "conditions on the whole file that must not hold"},
    Key<Part>{"type", value<&Part::type>, "keys that name the model type"},
    Key<Part>{"fallback_type", value<&Part::fallback_type>, "type if the file names none"},
    Key<Part>{"always_type", value<&Part::always_type>, "type that overrides the file's"},
    Key<Part>{"type_prefix", value<&Part::type_prefix>,
              "prefix of types that are taken first, if the format has such a type"},
    Key<Part>{"known_model", value<&Part::known_model>,
              "keys that name a published model, instead of the format's"},
    Key<Part>{"fields", {value<&Part::fields>.read, ValueType::map}, "fields of this model, as [fields]"},
    Key<Part>{"runs", value<&Part::runs>, "runs per step of the whole model"},
    Key<Part>{"keep_incomplete", value<&Part::keep_incomplete>,
              "read the model even if its shape is incomplete"}};

constexpr std::array layers_keys{
    Key<DenseLayers>{"name", value<&DenseLayers::name>, "name of the layers in reports"},
    Key<DenseLayers>{"widths", value<&DenseLayers::widths>,
                     "keys whose value is a string such as `512-256-64`"},
    Key<DenseLayers>{"otherwise", value<&DenseLayers::otherwise>, "string to use if the file states none"},
    Key<DenseLayers>{"input", value<&DenseLayers::input>, "exported input width"},
    Key<DenseLayers>{"output", value<&DenseLayers::output>, "exported output width"},
    Key<DenseLayers>{"rows", value<&DenseLayers::rows>, "M of a GEMM of two activations"},
    Key<DenseLayers>{"columns", value<&DenseLayers::columns>, "N of a GEMM of two activations"},
    Key<DenseLayers>{"depth", value<&DenseLayers::depth>, "K of a GEMM of two activations"},
    Key<DenseLayers>{"repeat", value<&DenseLayers::repeat>, "number of repetitions [default: 1]"}};

constexpr Value<Command> starts{[](Loader& load, NodeRef node, Command& into) {
                                  if (!node.is(Kind::table)) {
                                    into.starts.emplace_back("*", load.string(node));
                                    return;
                                  }
                                  for (const NodeRef each : node)
                                    into.starts.emplace_back(each.key(), load.string(each));
                                },
                                ValueType::any};
constexpr Value<Command> options{[](Loader& load, NodeRef node, Command& into) {
                                   for (const NodeRef each : node) {
                                     CommandOption option{std::string(each.key()), {}};
                                     const bool is_mapped = each.is(Kind::table);
                                     load.read_value(is_mapped ? each["key"] : each, option.keys);
                                     for (const NodeRef one : is_mapped ? each["map"] : NodeRef{})
                                       option.map.emplace_back(one.key(), load.string(one));
                                     into.options.push_back(std::move(option));
                                   }
                                 },
                                 ValueType::map};

constexpr std::array command_keys{
    Key<Command>{"when", value<&Command::when>, "conditions on the whole file, all of which must hold"},
    Key<Command>{"needs", value<&Command::needs>, "keys of which one must be present"},
    Key<Command>{"lacks", value<&Command::lacks>, "keys that must be absent"},
    Key<Command>{"script", value<&Command::script>, "keys with shell lines, as a string or a list"},
    Key<Command>{"environment", value<&Command::environment>, "keys with environment variables"},
    Key<Command>{"program", value<&Command::program>, "keys with the first words of the command"},
    Key<Command>{"starts_by", value<&Command::starts_by>, "value that selects the program"},
    Key<Command>{"starts", starts, "program, or a table of programs by patterns of that value"},
    Key<Command>{"image", value<&Command::image>, "keys with the container image, which starts a program"},
    Key<Command>{"model", value<&Command::model>, "keys with the first word after the program"},
    Key<Command>{"words", value<&Command::words>, "keys with the words that follow"},
    Key<Command>{"options", options, "flags and the keys with their values, or a table of `key` and `map`"},
    Key<Command>{"flags", value<&Command::flags>, "tables whose keys are flags"},
    Key<Command>{"ends", value<&Command::ends>, "last words of the command"}};

constexpr std::array inherit_keys{
    Key<Inherit>{"key", value<&Inherit::keys>, "keys that name a file or a list of files"},
    Key<Inherit>{"search", value<&Inherit::search>,
                 "folders to search, relative to the file's [default: its own]"},
    Key<Inherit>{"suffixes", value<&Inherit::suffixes>, "suffixes to add to the names [default: none]"},
    Key<Inherit>{"mount", value<&Inherit::mount>, "table for the inherited values; `*`: the key's own name"},
    Key<Inherit>{"inside", value<&Inherit::inside>, "part of the file to inherit"},
    Key<Inherit>{"hydra", value<&Inherit::hydra>, "the list has `group: name` tables and bare names"},
    Key<Inherit>{"states", value<&Inherit::states>, "the only fields or sections that the file can hold"},
    Key<Inherit>{"defaults", value<&Inherit::defaults>, "framework files whose values [otherwise] states"},
    Key<Inherit>{"ending", value<&Inherit::ending>, "ending of the file's name, instead of `key`"},
    Key<Inherit>{"beside", value<&Inherit::beside>, "what replaces `ending` in the inherited file's name"}};

constexpr std::array type_keys{
    Key<ModelType>{"like", value<&ModelType::like>, "another type whose fields apply after this one's"},
    Key<ModelType>{
        "fields", {value<&ModelType::fields>.read, ValueType::map}, "fields tried before the format's"},
    Key<ModelType>{
        "defaults", {value<&ModelType::defaults>.read, ValueType::map}, "fields tried after the format's"}};

constexpr std::array example_keys{Key<Example>{"file", value<&Example::file>, "file name", required},
                                  Key<Example>{"text", value<&Example::text>, "content", required}};

// `FIELD = "text"`, or a table of texts by value; `serving`, `sinks`, `latent` and `pipeline_parallel` are
// tables of the same. `like`: of which runs and models.
void read_instructions(Loader& load, NodeRef table, const SettingInstruction& like,
                       std::vector<SettingInstruction>& out) {
  const auto add = [&](const std::string& field, std::string_view choice, NodeRef text) {
    SettingInstruction one = like;
    one.field = field;
    one.choice = choice;
    one.text = load.string(text);
    out.push_back(std::move(one));
  };
  for (const NodeRef node : table) {
    SettingInstruction inner = like;
    inner.for_serving = like.for_serving || node.key() == "serving";
    inner.for_sinks = like.for_sinks || node.key() == "sinks";
    inner.for_latent = like.for_latent || node.key() == "latent";
    inner.for_pipeline = like.for_pipeline || node.key() == "pipeline_parallel";
    const bool is_table = inner.for_serving != like.for_serving || inner.for_sinks != like.for_sinks ||
                          inner.for_latent != like.for_latent || inner.for_pipeline != like.for_pipeline;
    if (is_table) {
      read_instructions(load, node, inner, out);
      continue;
    }
    const std::string name(node.key());
    const model::FieldId field = model::find_field(name);
    if (field == model::no_field) {
      load.errors().push_back(with_code(
          node.key_error(fmt::format("unknown field `{}`", name), did_you_mean(name, model::field_names())),
          ErrorCode::unknown_name));
      continue;
    }
    if (!node.is(Kind::table)) {
      add(name, {}, node);
      continue;
    }
    for (const NodeRef choice : node) {
      const auto choices = model::info(field).choices;
      if (!choices.empty() && std::find(choices.begin(), choices.end(), choice.key()) == choices.end()) {
        load.errors().push_back(
            with_code(choice.key_error(fmt::format("`{}` is not a choice of `{}`", choice.key(), name),
                                       did_you_mean(choice.key(), choices)),
                      ErrorCode::unknown_name));
      }
      add(name, choice.key(), choice);
    }
  }
}
constexpr Value<Dialect> how{
    [](Loader& load, NodeRef node, Dialect& into) { read_instructions(load, node, {}, into.ways); },
    ValueType::map};

constexpr Value<Dialect> types{[](Loader& load, NodeRef node, Dialect& into) {
                                 for (const NodeRef each : node) {
                                   Loader::read_table(load, each, type_keys,
                                                      into.types[std::string(each.key())]);
                                 }
                               },
                               ValueType::map, nullptr, [] { return infos(type_keys); }};

template <auto member, const auto& keys>
constexpr auto tables = text::tables<Loader, member, keys>;

constexpr std::array dialect_keys{
    Key<Dialect>{"name", value<&Dialect::name>, "name in commands and reports", required},
    Key<Dialect>{"title", value<&Dialect::title>, "common name", required},
    Key<Dialect>{"like", value<&Dialect::like>, "another format whose entries apply after this one's"},
    Key<Dialect>{"whose", value<&Dialect::whose>, "owner of the defaults [default: the title]"},
    Key<Dialect>{"source", value<&Dialect::source>, "source that defines the keys"},
    Key<Dialect>{"order", value<&Dialect::order>, "formats of lower order are tried first [default: 100]"},
    Key<Dialect>{"syntax", value<&Dialect::syntax>,
                 "syntaxes of its files: json, yaml, toml, python, shell, gin"},
    Key<Dialect>{"flags", value<&Dialect::flags>, "keys may carry `--`, and `-` equals `_`"},
    Key<Dialect>{"reads_exponents", value<&Dialect::reads_exponents>, "`1e-5` in YAML is a number"},
    Key<Dialect>{"recognise", tables<&Dialect::recognise, test_keys>,
                 "conditions on a file, one of which must hold"},
    Key<Dialect>{"type", value<&Dialect::type>, "keys that name the model type"},
    Key<Dialect>{"known_model", value<&Dialect::known_model>, "keys that name a published model"},
    Key<Dialect>{"beside", value<&Dialect::beside>, "file in the same folder that describes the model"},
    Key<Dialect>{"runs", value<&Dialect::runs>, "file in the same folder that describes the run"},
    Key<Dialect>{"environment", value<&Dialect::environment>, "tables whose keys `${NAME}` may name"},
    Key<Dialect>{"exports", value<&Dialect::exports>, "values that rules see"},
    Key<Dialect>{"inherit", tables<&Dialect::inherit, inherit_keys>, "files that a file inherits from"},
    Key<Dialect>{"part", tables<&Dialect::parts, part_keys>, "places that may hold a model"},
    Key<Dialect>{"fields", {value<&Dialect::fields>.read, ValueType::map}, "key of each field"},
    Key<Dialect>{
        "otherwise", {value<&Dialect::otherwise>.read, ValueType::map}, "key of each field, tried last"},
    Key<Dialect>{"types", types, "additions per pattern of model types"},
    Key<Dialect>{"writes", value<&Dialect::writes>, "how a setting is written: `{key}: {value}`"},
    Key<Dialect>{"how", how, "how fields without a key are set, in words"},
    Key<Dialect>{"example", text::table<Loader, &Dialect::example, example_keys>, "a small file"},
    Key<Dialect>{"package", value<&Dialect::package>, "package that runs such files"},
    Key<Dialect>{"layers", tables<&Dialect::layers, layers_keys>, "dense layers of other networks"},
    Key<Dialect>{"command", tables<&Dialect::commands, command_keys>, "command lines in its files"}};

}  // namespace format_file

}  // namespace

KeyPath parse_key_path(std::string_view text) {
  KeyPath path;
  text = trimmed(text);
  if (text.starts_with('/')) {
    path.absolute = true;
    text.remove_prefix(1);
  }
  while (text.starts_with("..")) {
    ++path.up;
    text.remove_prefix(text.starts_with("../") ? 3 : 2);
  }
  if (text.empty()) return path;
  for (const std::string_view each : split(text, '.')) path.components.emplace_back(each);
  return path;
}

std::vector<KeyPath> parse_key_paths(std::string_view text) {
  std::vector<KeyPath> out;
  for (const std::string_view each : split(text, '|')) out.push_back(parse_key_path(each));
  return out;
}

void add_rules(FieldRules& into, const FieldRules& from) {
  for (const auto& [name, alternatives] : from) {
    Alternatives& list = into[name];
    list.insert(list.end(), alternatives.begin(), alternatives.end());
  }
}

bool matches_any(std::string_view patterns, std::string_view text) {
  for (const std::string_view each : split(patterns, '|')) {
    if (glob_matches(each, text, Glob::name)) return true;
  }
  return false;
}

std::vector<Test> load_tests(const text::Document& document, std::vector<Error>& errors) {
  format_file::Loader load(errors);
  Dialect out;
  if (const NodeRef tests = document.root()["recognise"])
    format_file::tables<&Dialect::recognise, format_file::test_keys>.read(load, tests, out);
  return std::move(out.recognise);
}

std::int64_t order_of(const text::Document& document) {
  return document.root()["order"].as_integer().value_or(100);
}

Dialect load_dialect(const text::Document& document, std::vector<Error>& errors) {
  format_file::Loader load(errors);
  Dialect out;
  out.path = std::string(document.path());
  text::TableReader::read_table(load, document.root(), format_file::dialect_keys, out);
  if (out.whose.empty()) out.whose = out.title;
  if (out.writes.empty() && !out.syntax.empty()) out.writes = setting_pattern(out.syntax.front());
  for (Inherit& each : out.inherit) {
    if (each.search.empty()) each.search.emplace_back(".");
    if (each.suffixes.empty()) each.suffixes.emplace_back("");
  }
  return out;
}

std::vector<text::KeyInfo> format_file_keys() {
  return text::infos(format_file::dialect_keys);
}

}  // namespace shapelint::formats
