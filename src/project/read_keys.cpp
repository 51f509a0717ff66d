// Key by key.
#include "project/keys.hpp"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <optional>
#include <span>

#include <fmt/format.h>

#include "base/number.hpp"
#include "base/strings.hpp"
#include "formats/dialect/paths.hpp"
#include "formats/native/native.hpp"
#include "model/fields.hpp"
#include "text/errors.hpp"

namespace shapelint::project {

namespace {

using text::Kind;
using text::NodeRef;

template <std::size_t N>
std::optional<std::size_t> index_of(const std::array<std::string_view, N>& names, std::string_view name) {
  const auto found = std::find(names.begin(), names.end(), name);
  if (found == names.end()) return std::nullopt;
  return static_cast<std::size_t>(found - names.begin());
}

// What a field can be; nothing where the node is none of these.
std::optional<std::int64_t> value_of(const NodeRef& node, const model::FieldInfo& info) {
  if (info.type == model::FieldType::integer) {
    const auto number = node.as_integer();
    return number && *number >= info.minimum && *number <= info.maximum ? number : std::nullopt;
  }
  if (info.type == model::FieldType::boolean) {
    const auto boolean = node.as_boolean();
    return boolean ? std::optional<std::int64_t>(*boolean ? 1 : 0) : std::nullopt;
  }
  for (std::size_t i = 0; i < info.choices.size(); ++i)
    if (node.as_string() == info.choices[i]) return static_cast<std::int64_t>(i);
  return std::nullopt;
}

std::string expected_of(const model::FieldInfo& info) {
  switch (info.type) {
    case model::FieldType::integer:
      return fmt::format("a whole number from {} to {}", info.minimum, info.maximum);
    case model::FieldType::boolean:
      return "`true` or `false`";
    case model::FieldType::choice:
      break;
  }
  return fmt::format("one of `{}`", fmt::join(info.choices, "`, `"));
}

class KeyReader {
 public:
  KeyReader(Config& config, const std::string& path, std::vector<Error>& errors,
            const std::function<bool(const std::string&)>& may_name)
      : config_(config),
        path_(path),
        folder_(formats::folder_of(path)),
        errors_(errors),
        may_name_(may_name) {}

  void read(const NodeRef& table);

  struct Row;
  static std::span<const Row> rows();

 private:
  void wrong(const NodeRef& node, std::string_view expected) {
    errors_.push_back(node.error(fmt::format("`{}` is {}", node.path(), text::describe(node.kind())),
                                 fmt::format("write {}", expected)));
  }

  std::vector<Name> names(const NodeRef& node) {
    std::vector<Name> out;
    const auto one = [&](const NodeRef& each) {
      if (const auto value = each.as_string()) {
        out.push_back({std::string(*value), path_, each.span()});
      } else {
        wrong(each, "a string or a list of strings");
      }
    };
    if (!node.is(Kind::list)) {
      one(node);
    } else {
      for (const NodeRef each : node) one(each);
    }
    return out;
  }

  // Names of GPUs, rules, packages.
  std::vector<Name> few_names(const NodeRef& node) {
    std::vector<Name> out = names(node);
    using formats::max_names;
    const bool was_more = names_ > max_names;
    names_ += out.size();
    if (names_ <= max_names) return out;
    if (!was_more) {
      errors_.push_back(node.error(fmt::format("there are more than {} names in lists", max_names)));
      errors_.back().code = ErrorCode::too_large;
    }
    return {};
  }

  void paths(const NodeRef& node, std::vector<std::string>& out) {
    for (const Name& name : names(node)) {
      std::string path = beside(folder_, name.value);
      if (may_name_ && !may_name_(path)) return errors_.push_back(out_of_reach(node, dashed(node.key())));
      out.push_back(std::move(path));
    }
  }

  // Each is looked at for each file; real configurations have a dozen.
  Pattern pattern(std::string_view glob) {
    constexpr std::size_t max_patterns = 1000;
    if (++patterns_ == max_patterns + 1) {
      errors_.push_back({fmt::format("there are more than {} file patterns", max_patterns),
                         "name folders instead of their files",
                         path_,
                         {},
                         ErrorCode::too_large});
    }
    return {folder_, std::string(glob)};
  }

  void read_share(const NodeRef& node) {
    std::optional<double> share = node.as_number();
    if (const auto written = node.as_string(); written && written->ends_with('%')) {
      share = parse_number(written->substr(0, written->size() - 1));
      if (share) *share /= 100.0;
    }
    if (share && *share >= 0 && *share <= 1) {
      config_.min_gain = share;
    } else {
      errors_.push_back(node.error("`min-gain` is not a share", "write `0.01` or `\"1%\"`"));
    }
  }

  void read_head_multiple(const NodeRef& node) {
    const auto value = node.as_integer();
    if (value && *value >= 1 && *value <= rules::largest_head_multiple) {
      config_.head_multiple = value;
    } else {
      wrong(node, fmt::format("a whole number from 1 to {}", rules::largest_head_multiple));
    }
  }

  template <std::size_t N>
  std::optional<std::size_t> choice(const NodeRef& node, const std::array<std::string_view, N>& choices) {
    const auto value = node.as_string();
    if (value) {
      if (const auto index = index_of(choices, *value)) return index;
    }
    std::string expected;
    for (const std::string_view each : choices) {
      expected += fmt::format("{}`{}`", expected.empty() ? "" : ", ", each);
    }
    errors_.push_back(node.error(value ? fmt::format("`{}` is `{}`", node.path(), *value)
                                       : fmt::format("`{}` is {}", node.path(), text::describe(node.kind())),
                                 "expected one of " + expected));
    return std::nullopt;
  }

  // By a member of the configuration.

  void read_base(const NodeRef& node) {
    if (!node.as_string()) wrong(node, "a path");
  }

  template <auto member>
  void read_names(const NodeRef& node) {
    config_.*member = few_names(node);
  }

  void read_select(const NodeRef& node) {
    config_.select = few_names(node);
    config_.extend_select.clear();
  }

  void read_extend_select(const NodeRef& node) {
    const auto more = few_names(node);
    config_.extend_select.insert(config_.extend_select.end(), more.begin(), more.end());
  }

  void read_exclude(const NodeRef& node) {
    for (const Name& name : names(node)) config_.exclude.push_back(pattern(name.value));
  }

  template <auto member>
  void read_paths(const NodeRef& node) {
    paths(node, config_.*member);
  }

  void read_baseline(const NodeRef& node) {
    std::vector<std::string> path;
    if (!node.as_string()) return wrong(node, "a path");
    paths(node, path);
    if (!path.empty()) config_.baseline = std::move(path.front());
  }

  template <auto member>
  void read_level(const NodeRef& node) {
    if (const auto index = choice(node, levels)) config_.*member = static_cast<rules::Severity>(*index);
  }

  void read_shape(const NodeRef& node) {
    if (const auto index = choice(node, rules::shape_names))
      config_.shape = static_cast<rules::Shape>(*index);
  }

  void read_severities(const NodeRef& table) {
    if (!table.is(Kind::table)) return wrong(table, "a table: `severity.SL101 = \"info\"`");
    for (const NodeRef node : table) {
      if (const auto index = choice(node, severities)) {
        SeveritySetting setting{{std::string(node.key()), path_, node.key_span()}, std::nullopt};
        if (*index < levels.size()) setting.severity = static_cast<rules::Severity>(*index);
        config_.severities.push_back(std::move(setting));
      }
    }
  }

  void read_parameters(const NodeRef& table) {
    if (!table.is(Kind::table)) return wrong(table, "a table per rule: `params.SL104 = { multiple = 128 }`");
    for (const NodeRef rule : table) {
      if (!rule.is(Kind::table)) {
        wrong(rule, "a table: `{ multiple = 128 }`");
        continue;
      }
      for (const NodeRef parameter : rule) {
        const auto value = parameter.as_number();
        if (!value || !std::isfinite(*value)) {
          wrong(parameter, "a number");
          continue;
        }
        config_.parameters.push_back({{std::string(rule.key()), path_, rule.key_span()},
                                      {std::string(parameter.key()), path_, parameter.key_span()},
                                      *value});
      }
    }
  }

  // A guess takes long: those that are not printed get none.
  std::string guess(std::string_view key, std::span<const std::string_view> known) const {
    return errors_.size() < text::max_reported_errors ? did_you_mean(key, known) : std::string();
  }

  void read_file_ignores(const NodeRef& table) {
    if (!table.is(Kind::table)) return wrong(table, "a table: `\"configs/old/*.toml\" = [\"SL1\"]`");
    for (const NodeRef node : table)
      config_.per_file_ignores.push_back({pattern(node.key()), few_names(node)});
  }

  void read_override(const NodeRef& node, FileOverrides& entry) {
    const model::FieldId field = model::find_field(node.key());
    if (field == model::no_field) {
      std::vector<std::string_view> known(model::field_names().begin(), model::field_names().end());
      known.insert(known.end(), {"match", "gpu"});
      errors_.push_back(node.key_error(fmt::format("unknown key `{}` in `[[files]]`", node.key()),
                                       guess(node.key(), known)));
      return;
    }
    const model::FieldInfo& info = model::info(field);
    const std::optional<std::int64_t> value = value_of(node, info);
    if (!value) {
      errors_.push_back(
          node.error(fmt::format("`{}` is not allowed here", node.key()), "write " + expected_of(info)));
      return;
    }
    entry.overrides.push_back({field, *value, fmt::format("{} of {}", node.key(), path_)});
  }

  void read_rule_url(const NodeRef& node) {
    const auto url = node.as_string();
    const bool names_rule = url && (url->find("{code}") != std::string_view::npos ||
                                    url->find("{name}") != std::string_view::npos);
    // What else could be in it would be run by a click.
    if (!names_rule || !(url->starts_with("https://") || url->starts_with("http://"))) {
      return wrong(node, "an address such as `\"https://example.org/rules/{code}.md\"`");
    }
    config_.rule_url = *url;
  }

  void read_files(const NodeRef& list) {
    if (!list.is(Kind::list)) return wrong(list, "tables: `[[files]]`");
    for (const NodeRef table : list) {
      FileOverrides entry;
      const auto match = table["match"].as_string();
      if (!match) {
        errors_.push_back(table.error("an entry of `files` has no `match`",
                                      "write a pattern: `match = \"configs/7b/*.yaml\"`"));
      }
      entry.match = pattern(match.value_or(""));
      for (const NodeRef node : table) {
        if (node.key() == "gpu") {
          entry.gpus = few_names(node);
        } else if (node.key() != "match") {
          read_override(node, entry);
        }
      }
      config_.files.push_back(std::move(entry));
    }
  }

  void read_ignore_keys(const NodeRef& list) {
    if (!list.is(Kind::list)) return wrong(list, "tables: `[[ignore-keys]]`");
    for (const NodeRef table : list) {
      KeyIgnore entry;
      entry.path = path_;
      entry.span = table["key"] ? table["key"].span() : table.span();
      entry.match = pattern("**");
      for (const NodeRef node : table) {
        const auto text = node.as_string();
        if (node.key() == "rules") {
          entry.rules = few_names(node);
        } else if (!index_of(ignore_key_keys, node.key())) {
          errors_.push_back(node.key_error(fmt::format("unknown key `{}` in `[[ignore-keys]]`", node.key()),
                                           guess(node.key(), ignore_key_keys)));
        } else if (!text) {
          wrong(node, "a string");
        } else if (node.key() == "path") {
          entry.match = pattern(*text);
        } else if (node.key() == "key") {
          entry.key = *text;
        } else {
          entry.reason = *text;
        }
      }
      if (entry.key.empty() || entry.rules.empty()) {
        errors_.push_back(table.error("an entry of `ignore-keys` needs `key` and `rules`",
                                      "write `key = \"model.vocab_size\"` and `rules = [\"SL101\"]`"));
        continue;
      }
      config_.ignore_keys.push_back(std::move(entry));
    }
  }

  Config& config_;
  std::string path_;
  std::string folder_;
  std::size_t patterns_ = 0;
  std::size_t names_ = 0;  // of all lists
  std::vector<Error>& errors_;
  const std::function<bool(const std::string&)>& may_name_;
};

// A key, and what reads it.
struct KeyReader::Row {
  Key key;
  void (KeyReader::*read)(const NodeRef& node);
};

std::span<const KeyReader::Row> KeyReader::rows() {
  static constexpr Row all[] = {
      {{"extend", KeyType::text, "configuration file that this one extends"}, &KeyReader::read_base},
      {{"gpu", KeyType::names, "GPUs to lint for, by name"}, &KeyReader::read_names<&Config::gpus>},
      {{"stack", KeyType::names,
        "packages whose requirements are checked: `vllm==0.24`; `auto`: detect them"},
       &KeyReader::read_names<&Config::stack>},
      {{"select", KeyType::names,
        "rules to run: codes, names, or beginnings of codes such as `SL1`; [default: all]"},
       &KeyReader::read_select},
      {{"extend-select", KeyType::names, "rules to run in addition to `select` or the extended file"},
       &KeyReader::read_extend_select},
      {{"ignore", KeyType::names, "rules not to run"}, &KeyReader::read_names<&Config::ignore>},
      {{"per-file-ignores", KeyType::table, "rules not to run for files that match a pattern"},
       &KeyReader::read_file_ignores},
      {{"exclude", KeyType::names, "files to skip when a folder is linted, as patterns"},
       &KeyReader::read_exclude},
      {{"min-gain", KeyType::share,
        "hide findings that save less than this share of the step: 0.01 or \"1%\""},
       &KeyReader::read_share},
      {{"fail-level", KeyType::level, "exit with 1 for findings from this severity on"},
       &KeyReader::read_level<&Config::fail_level>},
      {{"min-severity", KeyType::level,
        "show findings from this severity on, [default: warning; at most the fail level]"},
       &KeyReader::read_level<&Config::min_severity>},
      {{"shape", KeyType::shape,
        "what fixes may change of the model: `free`: all, `padding`: vocabulary and intermediate sizes, "
        "`fixed`: vocabulary only [default: by the kind of file]"},
       &KeyReader::read_shape},
      {{"head-multiple", KeyType::multiple,
        "proposed head counts are multiples of this, or divide it [default: 4; 1: any]"},
       &KeyReader::read_head_multiple},
      {{"severity", KeyType::table, "severities of rules"}, &KeyReader::read_severities},
      {{"params", KeyType::table, "parameters of rules"}, &KeyReader::read_parameters},
      {{"rule-folders", KeyType::paths, "folders with rules of your own"},
       &KeyReader::read_paths<&Config::rule_folders>},
      {{"gpu-folders", KeyType::paths, "folders with profiles of GPUs of your own"},
       &KeyReader::read_paths<&Config::gpu_folders>},
      {{"format-folders", KeyType::paths, "folders with descriptions of configuration formats of your own"},
       &KeyReader::read_paths<&Config::format_folders>},
      {{"model-folders", KeyType::paths, "folders with shapes of models of your own, which files name"},
       &KeyReader::read_paths<&Config::model_folders>},
      {{"contract-folders", KeyType::paths, "folders with your own requirements"},
       &KeyReader::read_paths<&Config::contract_folders>},
      {{"baseline", KeyType::text, "file with known findings, which are not reported"},
       &KeyReader::read_baseline},
      {{"rule-url", KeyType::text, "address of the rules' pages, with `{code}` or `{name}`"},
       &KeyReader::read_rule_url},
      {{"files", KeyType::tables, "GPUs and fields of the plan for files that match a pattern"},
       &KeyReader::read_files},
      {{"ignore-keys", KeyType::tables, "findings to leave out by the key path of their value"},
       &KeyReader::read_ignore_keys},
  };
  return all;
}

void KeyReader::read(const NodeRef& table) {
  if (!table.is(Kind::table)) return wrong(table, "a table");
  for (const NodeRef node : table) {
    const std::string name = dashed(node.key());
    const auto found =
        std::find_if(rows().begin(), rows().end(), [&](const Row& row) { return row.key.name == name; });
    if (found != rows().end()) {
      (this->*found->read)(node);
      continue;
    }
    std::vector<std::string_view> known;
    for (const Row& row : rows()) known.push_back(row.key.name);
    errors_.push_back(node.key_error(fmt::format("unknown key `{}`", node.key()), guess(name, known)));
  }
}

}  // namespace

std::vector<Key> keys() {
  std::vector<Key> out;
  for (const KeyReader::Row& row : KeyReader::rows()) out.push_back(row.key);
  return out;
}

std::string beside(const std::string& folder, std::string_view path) {
  const std::filesystem::path joined = std::filesystem::path(folder) / path;
  return joined.lexically_normal().generic_string();
}

Error out_of_reach(const NodeRef& node, std::string_view key) {
  return node.error(
      fmt::format("`{}` is outside the repository (or the configuration's folder without one)", key),
      "`--allow-outside` allows it, for a configuration of your own");
}

void read_keys(const NodeRef& table, const std::string& path, Config& config, std::vector<Error>& errors,
               const std::function<bool(const std::string&)>& may_name) {
  KeyReader(config, path, errors, may_name).read(table);
}

}  // namespace shapelint::project
