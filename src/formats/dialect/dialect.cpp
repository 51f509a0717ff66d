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

std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  while (true) {
    const auto end = text.find(separator);
    parts.push_back(trimmed(text.substr(0, end)));
    if (end == std::string_view::npos) return parts;
    text.remove_prefix(end + 1);
  }
}

class Loader {
 public:
  explicit Loader(std::vector<Error>& errors) : errors_(errors) {}

  void check_keys(NodeRef table, std::initializer_list<std::string_view> known) {
    text::check_keys(table, {known.begin(), known.size()}, errors_);
  }

  std::string string(NodeRef node) {
    if (!node) return {};
    if (const auto value = node.as_string()) return std::string(*value);
    errors_.push_back(
        node.error(fmt::format("`{}` is {}, not a string", node.key(), text::describe(node.kind()))));
    return {};
  }

  // An expression may be written as a number, a boolean or, for a field with choices, one of their names.
  std::string expression(NodeRef node) {
    if (const auto choice = choice_of(node)) return std::to_string(*choice);
    if (const auto value = node.as_boolean()) return *value ? "1" : "0";
    if (const auto value = node.as_integer()) return std::to_string(*value);
    if (const auto value = node.as_number()) return exact(*value);
    return string(node);
  }

  std::vector<std::string> strings(NodeRef node) {
    std::vector<std::string> out;
    if (!node) return out;
    if (node.is(Kind::list)) {
      for (const NodeRef item : node) out.push_back(string(item));
    } else {
      out.push_back(string(node));
    }
    return out;
  }

  std::vector<KeyPath> paths(NodeRef node) {
    std::vector<KeyPath> out;
    for (const std::string& each : strings(node)) {
      for (KeyPath& path : parse_key_paths(each)) out.push_back(std::move(path));
    }
    return out;
  }

  // The number of a choice of the field whose rules are being read.
  std::optional<std::int64_t> choice_of(NodeRef node) const {
    const auto written = node.as_string();
    if (!written || (field_ == model::no_field && layer_key_ == nullptr)) return std::nullopt;
    const auto choices = layer_key_ != nullptr ? layer_key_->choices : model::info(field_).choices;
    const auto found = std::find(choices.begin(), choices.end(), *written);
    if (found == choices.end()) return std::nullopt;
    return found - choices.begin();
  }

  Alternative alternative(NodeRef node) {
    Alternative out;
    if (const auto keys = node.as_string()) {
      out.keys = parse_key_paths(*keys);
      return out;
    }
    if (node.is(Kind::integer) || node.is(Kind::boolean) || node.is(Kind::number)) {
      out.kind = Alternative::Kind::fallback;
      out.value = expression(node);
      return out;
    }
    if (!node.is(Kind::table)) {
      errors_.push_back(node.error(
          fmt::format("{} is no way to learn a value", text::describe(node.kind())),
          "write keys as a string, a default as a number, or a table with `key`, `derive` or `default`"));
      return out;
    }
    check_keys(node,
               {"key", "derive", "default", "unknown", "when", "value", "map", "note", "take", "of", "item"});
    out.when = node["when"] ? expression(node["when"]) : std::string();
    out.note = string(node["note"]);
    if (node["key"]) {
      out.keys = parse_key_paths(string(node["key"]));
      if (node["value"]) out.value = expression(node["value"]);
      out.of = string(node["of"]);
      const std::string take = string(node["take"]);
      if (node["item"]) {
        const std::string item = string(node["item"]);
        for (const std::string_view part : split(item, '.')) out.item.emplace_back(part);
      }
      constexpr std::array<std::string_view, 14> ways{
          "value", "present", "count", "maximum",  "sum",   "leading_zeros", "interval",
          "text",  "units",   "items", "unrolled", "names", "number",        "each"};
      const auto way = std::find(ways.begin(), ways.end(), take);
      if (way != ways.end()) {
        out.reading = static_cast<Alternative::Reading>(way - ways.begin());
      } else if (!take.empty()) {
        errors_.push_back(
            with_code(node["take"].error(fmt::format("unknown way `{}`", take), did_you_mean(take, ways)),
                      ErrorCode::unknown_name));
      }
    } else if (node["derive"]) {
      out.kind = Alternative::Kind::derived;
      out.value = expression(node["derive"]);
    } else if (node["default"]) {
      out.kind = Alternative::Kind::fallback;
      out.value = expression(node["default"]);
    } else if (node["unknown"]) {
      out.kind = Alternative::Kind::unknown;
    } else {
      errors_.push_back(node.error("an alternative needs `key`, `derive`, `default` or `unknown`"));
    }
    for (const NodeRef entry : node["map"]) {
      const auto number = entry.as_number();
      const auto boolean = entry.as_boolean();
      const auto choice = choice_of(entry);
      if (!number && !boolean && !choice) {
        errors_.push_back(entry.error("a map gives numbers, booleans or one of the field's choices"));
      }
      const double value = number    ? *number
                           : boolean ? static_cast<double>(*boolean)
                                     : static_cast<double>(choice.value_or(0));
      out.map.emplace_back(std::string(entry.key()), value);
    }
    return out;
  }

  FieldRules rules(NodeRef table) {
    FieldRules out;
    for (const NodeRef field : table) {
      Alternatives& into = out[std::string(field.key())];
      field_ = model::find_field(field.key());
      const bool is_of_layers = field.key().starts_with(layer_prefix);
      layer_key_ = is_of_layers ? model::find_layer_key(field.key().substr(layer_prefix.size())) : nullptr;
      if (is_of_layers && layer_key_ == nullptr)
        errors_.push_back(field.key_error(fmt::format("`{}` is not a value of a layer", field.key())));
      if (field.is(Kind::list)) {
        for (const NodeRef item : field) into.push_back(alternative(item));
      } else {
        into.push_back(alternative(field));
      }
    }
    field_ = model::no_field;
    layer_key_ = nullptr;
    return out;
  }

  // `FIELD = "text"`, or a table of texts by value; `serving` is a table of the same.
  void ways(NodeRef table, bool for_serving, std::vector<SettingInstruction>& out) {
    for (const NodeRef node : table) {
      if (node.key() == "serving" && !for_serving) {
        ways(node, true, out);
        continue;
      }
      const std::string name(node.key());
      if (model::find_field(name) == model::no_field) {
        errors_.push_back(with_code(
            node.key_error(fmt::format("unknown field `{}`", name), did_you_mean(name, model::field_names())),
            ErrorCode::unknown_name));
        continue;
      }
      if (!node.is(Kind::table)) {
        out.push_back({name, {}, for_serving, string(node)});
        continue;
      }
      field_ = model::find_field(name);
      for (const NodeRef choice : node) {
        const auto choices = model::info(field_).choices;
        if (!choices.empty() && std::find(choices.begin(), choices.end(), choice.key()) == choices.end()) {
          errors_.push_back(
              with_code(choice.key_error(fmt::format("`{}` is not a choice of `{}`", choice.key(), name),
                                         did_you_mean(choice.key(), choices)),
                        ErrorCode::unknown_name));
        }
        out.push_back({name, std::string(choice.key()), for_serving, string(choice)});
      }
      field_ = model::no_field;
    }
  }

  KeyTest key_test(NodeRef node) {
    KeyTest out;
    const std::string written = string(node);
    std::string_view rest = written;
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
        errors_.push_back(
            with_code(node.error(fmt::format("unknown kind `{}`", kind)), ErrorCode::unknown_name));
      rest = trimmed(rest.substr(0, colon));
    }
    out.path = parse_key_path(rest);
    return out;
  }

  std::vector<KeyTest> key_tests(NodeRef list) {
    std::vector<KeyTest> out;
    for (const NodeRef item : list) out.push_back(key_test(item));
    return out;
  }

  Test test(NodeRef node) {
    check_keys(node, {"has", "any", "at_least", "lacks", "file"});
    Test out;
    out.has = key_tests(node["has"]);
    out.any = key_tests(node["any"]);
    out.at_least = node["at_least"].as_integer().value_or(1);
    out.lacks = key_tests(node["lacks"]);
    out.file = string(node["file"]);
    return out;
  }

  Part part(NodeRef node) {
    check_keys(node, {"name", "label", "at", "each", "named_by_key", "also", "needs", "lacks", "when",
                      "unless", "type", "fallback_type", "always_type", "fields", "runs", "keep_incomplete"});
    Part out;
    out.name = string(node["name"]);
    out.label = paths(node["label"]);
    out.at = paths(node["at"]);
    out.each = node["each"].as_boolean().value_or(false);
    out.named_by_key = node["named_by_key"].as_boolean().value_or(false);
    out.also = paths(node["also"]);
    out.needs = paths(node["needs"]);
    out.lacks = paths(node["lacks"]);
    out.when = key_tests(node["when"]);
    out.unless = key_tests(node["unless"]);
    out.type = paths(node["type"]);
    out.fallback_type = string(node["fallback_type"]);
    out.always_type = string(node["always_type"]);
    out.fields = rules(node["fields"]);
    out.runs = node["runs"].as_number().value_or(0);
    out.keep_incomplete = node["keep_incomplete"].as_boolean().value_or(false);
    return out;
  }

  DenseLayers layers(NodeRef node) {
    check_keys(node,
               {"name", "widths", "otherwise", "input", "output", "rows", "columns", "depth", "repeat"});
    const auto of = [&](std::string_view key) { return string(node[key]); };
    return {of("name"), paths(node["widths"]), of("otherwise"), of("input"), of("output"),
            of("rows"), of("columns"),         of("depth"),     of("repeat")};
  }

  Command command(NodeRef node) {
    check_keys(node, {"when", "needs", "lacks", "script", "environment", "program", "starts_by", "starts",
                      "image", "model", "words", "options", "flags", "ends"});
    Command out;
    out.flags = paths(node["flags"]);
    out.ends = string(node["ends"]);
    out.when = key_tests(node["when"]);
    out.needs = paths(node["needs"]);
    out.lacks = paths(node["lacks"]);
    out.script = paths(node["script"]);
    out.environment = paths(node["environment"]);
    out.program = paths(node["program"]);
    out.starts_by = paths(node["starts_by"]);
    if (node["starts"].is(Kind::table)) {
      for (const NodeRef each : node["starts"]) out.starts.emplace_back(each.key(), string(each));
    } else if (node["starts"]) {
      out.starts.emplace_back("*", string(node["starts"]));
    }
    out.image = paths(node["image"]);
    out.model = paths(node["model"]);
    out.words = paths(node["words"]);
    for (const NodeRef each : node["options"]) out.options.push_back({std::string(each.key()), paths(each)});
    return out;
  }

  Inherit inherit(NodeRef node) {
    check_keys(node, {"key", "search", "suffixes", "mount", "inside", "hydra", "states", "defaults", "ending",
                      "beside"});
    Inherit out;
    out.keys = paths(node["key"]);
    out.search = strings(node["search"]);
    if (out.search.empty()) out.search.emplace_back(".");
    out.suffixes = strings(node["suffixes"]);
    if (out.suffixes.empty()) out.suffixes.emplace_back("");
    out.mount = string(node["mount"]);
    out.inside = string(node["inside"]);
    out.hydra = node["hydra"].as_boolean().value_or(false);
    out.states = strings(node["states"]);
    out.defaults = strings(node["defaults"]);
    out.ending = string(node["ending"]);
    out.beside = string(node["beside"]);
    return out;
  }

 private:
  std::vector<Error>& errors_;
  model::FieldId field_ = model::no_field;
  const model::LayerKey* layer_key_ = nullptr;  // of values of layers
};

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
  Loader load(errors);
  std::vector<Test> out;
  for (const NodeRef each : document.root()["recognise"]) out.push_back(load.test(each));
  return out;
}

std::int64_t order_of(const text::Document& document) {
  return document.root()["order"].as_integer().value_or(100);
}

Dialect load_dialect(const text::Document& document, std::vector<Error>& errors) {
  Loader load(errors);
  const NodeRef root = document.root();
  load.check_keys(root, {"name",      "title",     "like",
                         "whose",     "source",    "order",
                         "syntax",    "flags",     "reads_exponents",
                         "recognise", "type",      "known_model",
                         "beside",    "runs",      "environment",
                         "exports",   "inherit",   "part",
                         "fields",    "otherwise", "types",
                         "writes",    "how",       "example",
                         "package",   "layers",    "command"});
  Dialect out;
  out.path = std::string(document.path());
  out.name = load.string(root["name"]);
  out.title = load.string(root["title"]);
  out.like = load.string(root["like"]);
  out.whose = load.string(root["whose"]);
  if (out.whose.empty()) out.whose = out.title;
  out.source = load.string(root["source"]);
  out.package = load.string(root["package"]);
  load.check_keys(root["example"], {"file", "text"});
  out.example = {load.string(root["example"]["file"]), load.string(root["example"]["text"])};
  out.order = order_of(document);
  out.syntax = load.strings(root["syntax"]);
  out.flags = root["flags"].as_boolean().value_or(false);
  out.reads_exponents = root["reads_exponents"].as_boolean().value_or(false);
  out.writes = load.string(root["writes"]);
  if (out.writes.empty() && !out.syntax.empty()) out.writes = setting_pattern(out.syntax.front());
  load.ways(root["how"], false, out.ways);
  out.recognise = load_tests(document, errors);
  out.type = load.paths(root["type"]);
  out.known_model = load.strings(root["known_model"]);
  out.beside = load.string(root["beside"]);
  out.runs = load.string(root["runs"]);
  out.environment = load.strings(root["environment"]);
  out.exports = load.strings(root["exports"]);
  for (const NodeRef each : root["inherit"]) out.inherit.push_back(load.inherit(each));
  for (const NodeRef each : root["part"]) out.parts.push_back(load.part(each));
  for (const NodeRef each : root["layers"]) out.layers.push_back(load.layers(each));
  for (const NodeRef each : root["command"]) out.commands.push_back(load.command(each));
  out.fields = load.rules(root["fields"]);
  out.otherwise = load.rules(root["otherwise"]);
  for (const NodeRef each : root["types"]) {
    load.check_keys(each, {"like", "fields", "defaults"});
    ModelType& type = out.types[std::string(each.key())];
    type.like = load.string(each["like"]);
    type.fields = load.rules(each["fields"]);
    type.defaults = load.rules(each["defaults"]);
  }
  return out;
}

}  // namespace shapelint::formats
