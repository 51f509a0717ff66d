// The native reader: driven by the table of fields.
#include "formats/native.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>

#include "base/names.hpp"
#include "base/number.hpp"
#include "formats/native_check.hpp"
#include "formats/native_keys.hpp"
#include "model/derive.hpp"
#include "model/fields.hpp"

namespace shapelint::formats {

namespace {

using model::FieldInfo;
using model::FieldType;
using text::Kind;
using text::NodeRef;

constexpr std::array<std::string_view, 5> top_level{"model", "run", "parallel", "conv", "lint"};
constexpr std::array<std::string_view, 2> model_tables{"moe", "mla"};

std::string quoted_list(std::span<const std::string_view> names) {
  std::string out;
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (i > 0) out += i + 1 == names.size() ? " or " : ", ";
    out += fmt::format("`{}`", names[i]);
  }
  return out;
}

// What was written, for a message: numbers and booleans as they stand in the file.
std::string written(const text::Document& document, const NodeRef& node) {
  if (!node.is(Kind::integer) && !node.is(Kind::number) && !node.is(Kind::boolean)) {
    return std::string(text::describe(node.kind()));
  }
  const Span span = node.span();
  return fmt::format("`{}`", document.source().substr(static_cast<std::size_t>(span.begin),
                                                      static_cast<std::size_t>(span.end - span.begin)));
}

std::vector<std::string_view> keys_of(std::string_view section) {
  std::vector<std::string_view> out;
  for (const FieldInfo& field : model::fields()) {
    if (field.section == section) out.push_back(field.key);
  }
  if (section == "model") {
    out.push_back("name");
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
  const FieldInfo& field = model::fields()[static_cast<std::size_t>(id)];
  return fmt::format("did you mean `{}` of `[{}]`", field.key, field.section);
}

class Reader {
 public:
  Reader(const text::Document& document, std::vector<Error>& errors,
         std::span<const model::Override> overrides)
      : document_(document), errors_(errors), first_error_(errors.size()), overrides_(overrides) {}

  std::optional<NativeFile> read() {
    const NodeRef root = document_.root();
    file_.reading.path = std::string(document_.path());
    file_.reading.dialect = "native";
    file_.reading.origins.resize(model::fields().size());
    if (!root || root.size() == 0) {
      errors_.push_back({"the file is empty", "it needs at least the tables `[model]` and `[run]`",
                         std::string(document_.path()), Span{0, 0}});
      return std::nullopt;
    }
    for (const NodeRef node : root) read_top_level(node);
    for (const model::Override& each : overrides_) apply(each);
    check_required(document_, file_.reading, errors_);  // a key with a bad value is not missing
    if (errors_.size() == first_error_) {
      model::complete(file_.reading);
      check_consistent(document_, file_.reading, errors_);
    }
    std::stable_sort(errors_.begin() + static_cast<std::ptrdiff_t>(first_error_), errors_.end(),
                     [](const Error& a, const Error& b) {
                       return (a.span ? a.span->begin : 0) < (b.span ? b.span->begin : 0);
                     });
    if (errors_.size() > first_error_) return std::nullopt;
    return std::move(file_);
  }

 private:
  void apply(const model::Override& given) {
    const auto index = static_cast<std::size_t>(given.field);
    model::fields()[index].set(file_.reading.setup, given.value);
    model::Origin& origin = file_.reading.origins[index];
    origin = {};
    origin.kind = model::Origin::Kind::command_line;
    origin.note = fmt::format("`{}`", given.flag);
  }

  void read_top_level(const NodeRef& node) {
    const std::string_view key = node.key();
    if (key == "conv") return read_convolutions(node);
    if (key == "lint") {
      file_.lint = read_lint_options(node, errors_);
      return;
    }
    if (key == "model" || key == "run" || key == "parallel") return read_section(key, node);
    std::string hint;
    if (node.is(Kind::table)) {
      hint = did_you_mean(key, top_level);
    } else {
      hint = hint_for_key("", key);
      if (key == "name") hint = "write it as `name` in `[model]`";
    }
    if (hint.empty()) hint = "a file has the tables " + quoted_list(top_level);
    errors_.push_back(
        node.key_error(fmt::format("unknown {} `{}`", node.is(Kind::table) ? "table" : "key", key), hint));
  }

  void read_section(std::string_view section, const NodeRef& table) {
    if (!table.is(Kind::table)) {
      errors_.push_back(table.error(fmt::format("`{}` is {}", table.path(), text::describe(table.kind())),
                                    fmt::format("write a table: `[{}]`", section)));
      return;
    }
    for (const NodeRef node : table) {
      if (section == "model" && node.key() == "name") {
        read_name(node);
      } else if (section == "model" && (node.key() == "moe" || node.key() == "mla")) {
        read_section(node.key() == "moe" ? "model.moe" : "model.mla", node);
      } else {
        read_key(section, node);
      }
    }
  }

  void read_name(const NodeRef& node) {
    if (const auto name = node.as_string()) {
      file_.reading.name = std::string(*name);
    } else {
      errors_.push_back(
          node.error(fmt::format("`name` is {}", text::describe(node.kind())), "write a string"));
    }
  }

  void read_key(std::string_view section, const NodeRef& node) {
    const auto table = model::fields();
    for (std::size_t i = 0; i < table.size(); ++i) {
      if (table[i].section == section && table[i].key == node.key()) return read_field(i, node);
    }
    errors_.push_back(node.key_error(fmt::format("unknown key `{}` in `[{}]`", node.key(), section),
                                     hint_for_key(section, node.key())));
  }

  void read_field(std::size_t index, const NodeRef& node) {
    const FieldInfo& field = model::fields()[index];
    model::Origin& origin = file_.reading.origins[index];
    origin.kind = model::Origin::Kind::stated;  // even with a bad value: it is not missing
    origin.path = std::string(document_.path());
    origin.span = node.span();
    origin.key_span = node.key_span();
    origin.key_path = node.path();
    const std::optional<std::int64_t> value = field_value(field, node);
    if (value) field.set(file_.reading.setup, *value);
  }

  std::optional<std::int64_t> field_value(const FieldInfo& field, const NodeRef& node) {
    switch (field.type) {
      case FieldType::boolean:
        if (const auto value = node.as_boolean()) return *value ? 1 : 0;
        errors_.push_back(node.error(fmt::format("`{}` is {}", field.key, written(document_, node)),
                                     "write `true` or `false`"));
        return std::nullopt;
      case FieldType::choice:
        return choice_value(field, node);
      case FieldType::integer:
        break;
    }
    return read_integer(node, field.key, field.minimum, field.maximum);
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
    if (hint.empty()) hint = "it is one of " + quoted_list(field.choices);
    errors_.push_back(node.error(fmt::format("`{}` is `{}`", field.key, *value), hint));
    return std::nullopt;
  }

  std::optional<std::int64_t> read_integer(const NodeRef& node, std::string_view key, std::int64_t minimum,
                                           std::int64_t maximum) {
    const auto value = node.as_integer();
    if (!value || !node.is(Kind::integer)) {
      const auto number = node.as_number();
      const bool whole = number && std::abs(*number) < 9e15 && std::floor(*number) == *number;
      errors_.push_back(
          node.error(fmt::format("`{}` is {}", key, written(document_, node)),
                     whole ? fmt::format("write the integer `{}`", static_cast<std::int64_t>(*number))
                           : "write an integer"));
      return std::nullopt;
    }
    if (*value < minimum || *value > maximum) {
      errors_.push_back(node.error(fmt::format("`{}` is `{}`", key, *value),
                                   fmt::format("it is from {} to {}", minimum, with_commas(maximum))));
      return std::nullopt;
    }
    return value;
  }

  void read_convolutions(const NodeRef& list) {
    bool tables = list.is(Kind::list);
    for (const NodeRef each : list) tables = tables && each.is(Kind::table);
    if (!tables) {
      errors_.push_back(list.error(
          fmt::format("`conv` is {}", list.is(Kind::list) ? "a list of other things than tables"
                                                          : std::string(text::describe(list.kind()))),
          "write a table `[[conv]]` for each layer"));
      return;
    }
    for (const NodeRef each : list) read_convolution(each);
  }

  void read_convolution(const NodeRef& table) {
    std::vector<std::string_view> names;
    for (const ConvKey& each : conv_keys) names.push_back(each.key);
    model::Conv conv;
    bool good = true;
    for (const NodeRef node : table) {
      const auto known = std::find_if(conv_keys.begin(), conv_keys.end(),
                                      [&](const ConvKey& each) { return each.key == node.key(); });
      if (known == conv_keys.end()) {
        errors_.push_back(node.key_error(fmt::format("unknown key `{}` in `[[conv]]`", node.key()),
                                         did_you_mean(node.key(), names)));
        good = false;
        continue;
      }
      const auto value = read_integer(node, node.key(), known->minimum, known->maximum);
      good = good && value.has_value();
      if (!value) continue;
      conv.*(known->member) = *value;
      if (known->second != nullptr) conv.*(known->second) = *value;
    }
    for (const std::string_view shorthand : {"kernel", "image"}) {
      for (const std::string_view part : {"_height", "_width"}) {
        const std::string full = std::string(shorthand) + std::string(part);
        if (!table[shorthand] || !table[full]) continue;
        errors_.push_back(
            table[full].key_error(fmt::format("`{}` and `{}` are both stated", shorthand, full),
                                  fmt::format("`{}` means both sides; leave one out", shorthand)));
        good = false;
      }
    }
    if (good) good = check_convolution(table, conv, errors_);
    if (good) file_.reading.setup.model.conv.push_back(conv);
  }

  const text::Document& document_;
  std::vector<Error>& errors_;
  std::size_t first_error_;
  std::span<const model::Override> overrides_;
  NativeFile file_;
};

}  // namespace

std::optional<NativeFile> read_native(const text::Document& document, std::vector<Error>& errors,
                                      std::span<const model::Override> overrides) {
  return Reader(document, errors, overrides).read();
}

}  // namespace shapelint::formats
