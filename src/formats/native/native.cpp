// The native reader: driven by the table of fields.
#include "formats/native/native.hpp"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "base/number.hpp"
#include "base/strings.hpp"
#include "formats/charge.hpp"
#include "formats/native/internal.hpp"
#include "formats/native/keys.hpp"
#include "model/derive.hpp"
#include "model/fields.hpp"
#include "model/layer_list.hpp"
#include "text/errors.hpp"

namespace shapelint::formats {

namespace {

using model::FieldInfo;
using model::FieldType;
using text::Kind;
using text::NodeRef;

constexpr std::array<std::string_view, 6> top_level{"model", "run", "parallel", "plan", "conv", "lint"};
// An iteration of reinforcement learning decodes as many tokens.
constexpr double max_runs = 1e9;

bool is_image_key(std::string_view key) {
  return std::any_of(image_keys.begin(), image_keys.end(),
                     [&](const ImageKey& each) { return each.key == key && key != "name"; });
}

std::string quoted_list(std::span<const std::string_view> names) {
  std::string out;
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (i > 0) out += i + 1 == names.size() ? " or " : ", ";
    out += fmt::format("`{}`", names[i]);
  }
  return out;
}

std::vector<std::string_view> keys_of(std::string_view section) {
  std::vector<std::string_view> out;
  for (const FieldInfo& field : model::fields()) {
    if (field.section == section) out.push_back(field.key);
  }
  if (section == "model") {
    out.push_back("name");
    out.push_back("layers");
    out.push_back("layer");
    out.push_back("shared");
    out.insert(out.end(), model_tables.begin(), model_tables.end());
  }
  return out;
}

// A near miss in the same table, the same key in another table, or a near miss anywhere.
std::string hint_for_key(std::string_view section, std::string_view key) {
  const std::vector<std::string_view> here = keys_of(section);
  for (const FieldInfo& field : model::fields()) {
    if (field.key == key || field.name == key) {
      return fmt::format("write it as `{}` in `[{}]`", field.key, field.section);
    }
  }
  std::string hint = did_you_mean(key, here);
  if (!hint.empty()) return hint;
  const std::string_view near = nearest_name(key, model::field_names());
  const model::FieldId id = model::find_field(near);
  if (id == model::no_field) return {};
  const FieldInfo& field = model::info(id);
  return fmt::format("did you mean `{}` of `[{}]`?", field.key, field.section);
}

class NativeReader {
 public:
  NativeReader(const text::Document& document, std::vector<Error>& errors,
               std::span<const model::Override> overrides)
      : document_(document), errors_(errors), first_error_(errors.size()), overrides_(overrides) {}

  std::optional<NativeFile> read() {
    const NodeRef root = document_.root();
    reading_.path = std::string(document_.path());
    reading_.dialect = "native";
    if (!root || root.size() == 0) {
      errors_.push_back({"the file is empty", "it needs at least the tables `[model]` and `[run]`",
                         std::string(document_.path()), Span{0, 0}});
      return std::nullopt;
    }
    for (const NodeRef node : root) read_top_level(node);
    if (root["conv"]) read_network(document_, reading_, errors_);
    if (plans_.empty()) {
      finish();
    } else {
      const model::Reading shared = reading_;
      for (const NodeRef& plan : plans_) {
        charge_reading();
        reading_ = shared;
        read_plan(plan);
        finish();
      }
    }
    // What is wrong with several plans is said once.
    const auto first = errors_.begin() + static_cast<std::ptrdiff_t>(first_error_);
    std::stable_sort(first, errors_.end(), [](const Error& a, const Error& b) {
      return (a.span ? a.span->begin : 0) < (b.span ? b.span->begin : 0);
    });
    errors_.erase(std::unique(first, errors_.end(),
                              [](const Error& a, const Error& b) {
                                return a.span == b.span && a.message == b.message;
                              }),
                  errors_.end());
    if (errors_.size() > first_error_) return std::nullopt;
    return std::move(file_);
  }

 private:
  // What follows from what was read.
  void finish() {
    const bool is_network = static_cast<bool>(document_.root()["conv"]);
    for (const model::Override& each : overrides_) apply(each);
    if (describes_layers(layers_)) {
      read_kinds(layers_, reading_, errors_);
    } else if (layers_.order) {
      read_pattern(*layers_.order, reading_, errors_);
    }
    check_required(document_, reading_, errors_);  // a key with a bad value is not missing
    if (errors_.size() == first_error_) {
      is_network ? model::complete_network(reading_) : model::complete(reading_);
      check_consistent(document_, reading_, errors_);
    }
    file_.readings.push_back(reading_);
  }

  void collect_plans(const NodeRef& list) {
    const auto wants = [&](const NodeRef& node) {
      errors_.push_back(node.error(fmt::format("`{}` is {}", node.path(), text::describe(node.kind())),
                                   "write a table for each: `[[plan]]`"));
    };
    if (!list.is(Kind::list)) return wants(list);
    for (const NodeRef each : list) {
      if (!each.is(Kind::table)) {
        wants(each);
        continue;
      }
      plans_.push_back(each);
    }
  }

  // [[plan]]: what it says of `[run]` and `[parallel]` goes before theirs.
  void read_plan(const NodeRef& table) {
    reading_.part.clear();
    reading_.runs_in_whole = 1;
    for (const NodeRef node : table) {
      const std::string_view key = node.key();
      if (key == "run" || key == "parallel") {
        read_section(key, node);
      } else if (key == "name") {
        if (const auto name = node.as_string()) {
          reading_.part = std::string(*name);
        } else {
          errors_.push_back(
              node.error(fmt::format("`name` is {}", text::describe(node.kind())), "write a string"));
        }
      } else if (key == "runs") {
        const auto runs = node.as_number();
        if (runs && *runs > 0 && *runs <= max_runs) {
          reading_.runs_in_whole = *runs;
        } else {
          errors_.push_back(
              node.error(runs ? fmt::format("`runs` is {}", written(document_, node))
                              : fmt::format("`runs` is {}", text::describe(node.kind())),
                         "write how often the plan runs per iteration: above 0 and at most 1e9"));
        }
      } else {
        constexpr std::array<std::string_view, 4> keys{"name", "runs", "run", "parallel"};
        std::string hint = did_you_mean(key, keys);
        if (hint.empty()) hint = "a plan has " + quoted_list(keys);
        errors_.push_back(with_code(node.key_error(fmt::format("unknown key `{}` in `[[plan]]`", key), hint),
                                    ErrorCode::unknown_name));
      }
    }
    const auto has_name = [&](const model::Reading& other) { return other.part == reading_.part; };
    if (!reading_.part.empty() && std::any_of(file_.readings.begin(), file_.readings.end(), has_name))
      errors_.push_back(table["name"].error(fmt::format("two plans are called `{}`", reading_.part),
                                            "reports and `--model` call each by its name"));
    if (reading_.part.empty())
      errors_.push_back(table.error("`name` is missing from `[[plan]]`", "reports use it"));
  }

  void apply(const model::Override& given) {
    model::set(reading_.setup, given.field, given.value);
    model::Origin& origin = reading_.origins[given.field];
    origin = {};
    origin.kind = model::Origin::Kind::command_line;
    origin.note = fmt::format("`{}`", given.flag);
  }

  void read_top_level(const NodeRef& node) {
    const std::string_view key = node.key();
    if (key == "conv") return;  // after `[model]`, which has its defaults
    if (key == "lint") {
      file_.lint = read_lint_options(node, errors_);
      return;
    }
    if (key == "model" || key == "run" || key == "parallel") return read_section(key, node);
    if (key == "plan") return collect_plans(node);
    std::string hint;
    if (node.is(Kind::table)) {
      if (errors_.size() < text::max_reported_errors) hint = did_you_mean(key, top_level);
    } else {
      if (errors_.size() < text::max_reported_errors) hint = hint_for_key("", key);
      if (key == "name") hint = "write it as `name` in `[model]`";
    }
    if (hint.empty()) hint = "a file has the tables " + quoted_list(top_level);
    errors_.push_back(with_code(
        node.key_error(fmt::format("unknown {} `{}`", node.is(Kind::table) ? "table" : "key", key), hint),
        ErrorCode::unknown_name));
  }

  void read_section(std::string_view section, const NodeRef& table) {
    if (!table.is(Kind::table)) {
      errors_.push_back(table.error(fmt::format("`{}` is {}", table.path(), text::describe(table.kind())),
                                    fmt::format("write a table: `[{}]`", section)));
      return;
    }
    for (const NodeRef node : table) {
      if (section == "model" && document_.root()["conv"] && is_image_key(node.key())) continue;
      if (section == "model" && node.key() == "name") {
        read_name(node);
      } else if (section == "model" && node.key() == "layers") {
        layers_.order = node;
      } else if (section == "model" && node.key() == "layer") {
        layers_.kinds = node;
      } else if (section == "model" && node.key() == "shared") {
        layers_.shared = node;
      } else if (section == "model" && node.is(Kind::list) && model::find_layer_key(node.key()) != nullptr) {
        layers_.lists.push_back(node);
      } else if (section == "model" && is_model_table(node.key())) {
        read_section(fmt::format("model.{}", node.key()), node);
      } else {
        read_key(section, node);
      }
    }
  }

  void read_name(const NodeRef& node) {
    if (const auto name = node.as_string()) {
      reading_.name = std::string(*name);
    } else {
      errors_.push_back(
          node.error(fmt::format("`name` is {}", text::describe(node.kind())), "write a string"));
    }
  }

  void read_key(std::string_view section, const NodeRef& node) {
    for (const FieldInfo& field : model::fields()) {
      if (field.section == section && field.key == node.key()) return read_field(field, node);
    }
    errors_.push_back(with_code(
        node.key_error(
            fmt::format("unknown key `{}` in `[{}]`", node.key(), section),
            errors_.size() < text::max_reported_errors ? hint_for_key(section, node.key()) : std::string()),
        ErrorCode::unknown_name));
  }

  void read_field(const FieldInfo& field, const NodeRef& node) {
    model::Origin& origin = reading_.origins[field.id];
    origin.kind = model::Origin::Kind::stated;  // even with a bad value: it is not missing
    origin.path = std::string(document_.path());
    origin.span = node.span();
    origin.key_span = node.key_span();
    origin.key_path = node.path();
    const std::optional<std::int64_t> value = field_value(field, node);
    if (value) field.set(reading_.setup, *value);
  }

  std::optional<std::int64_t> field_value(const FieldInfo& field, const NodeRef& node) {
    switch (field.type) {
      case FieldType::boolean:
        if (const auto value = boolean_value(document_, node, field.key, errors_)) return *value ? 1 : 0;
        return std::nullopt;
      case FieldType::choice:
        return choice_value(field, node);
      case FieldType::integer:
        break;
    }
    return integer_value(document_, node, field.key, {field.minimum, field.maximum}, errors_);
  }

  std::optional<std::int64_t> choice_value(const FieldInfo& field, const NodeRef& node) {
    const auto value = node.as_string();
    if (!value) {
      errors_.push_back(node.error(fmt::format("`{}` is {}", field.key, written(document_, node)),
                                   "write one of the strings " + quoted_list(field.choices)));
      return std::nullopt;
    }
    const auto found = std::find(field.choices.begin(), field.choices.end(), *value);
    if (found != field.choices.end()) return found - field.choices.begin();
    std::string hint = did_you_mean(*value, field.choices);
    if (hint.empty()) hint = "expected one of " + quoted_list(field.choices);
    errors_.push_back(node.error(fmt::format("`{}` is `{}`", field.key, *value), hint));
    return std::nullopt;
  }

  const text::Document& document_;
  std::vector<Error>& errors_;
  std::size_t first_error_;
  std::span<const model::Override> overrides_;
  NativeFile file_;
  model::Reading reading_;  // the one that is being read
  std::vector<NodeRef> plans_;
  LayerNodes layers_;  // after what they count
};

}  // namespace

std::optional<NativeFile> read_native(const text::Document& document, std::vector<Error>& errors,
                                      std::span<const model::Override> overrides) {
  return NativeReader(document, errors, overrides).read();
}

}  // namespace shapelint::formats
