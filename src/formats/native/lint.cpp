// The table [lint].
#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>

#include "base/strings.hpp"
#include "formats/native/keys.hpp"
#include "formats/native/native.hpp"
#include "model/fields.hpp"

namespace shapelint::formats {

namespace {

using text::Kind;
using text::NodeRef;

constexpr std::array<std::string_view, 3> severities{"info", "warning", "error"};

// A string, or a list of strings.
std::vector<Stated<std::string>> strings(const NodeRef& node, std::vector<Error>& errors) {
  std::vector<Stated<std::string>> out;
  if (node.is(Kind::list) && node.size() > max_names) {
    errors.push_back(node.error(fmt::format("`{}` has more than {} names", node.key(), max_names)));
    errors.back().code = ErrorCode::too_large;
    return out;
  }
  const auto one = [&](const NodeRef& each) {
    if (const auto value = each.as_string()) {
      out.push_back({std::string(*value), each.span()});
    } else {
      errors.push_back(each.error(fmt::format("`{}` is {}", each.path(), text::describe(each.kind())),
                                  "write a string or a list of strings"));
    }
  };
  if (node.is(Kind::list)) {
    for (const NodeRef each : node) one(each);
  } else {
    one(node);
  }
  return out;
}

std::optional<Stated<std::string>> choice(const NodeRef& node, std::span<const std::string_view> choices,
                                          std::vector<Error>& errors) {
  const auto value = node.as_string();
  if (value && std::find(choices.begin(), choices.end(), *value) != choices.end()) {
    return Stated<std::string>{std::string(*value), node.span()};
  }
  errors.push_back(
      node.error(value ? fmt::format("`{}` is `{}`", node.key(), *value)
                       : fmt::format("`{}` is {}", node.key(), text::describe(node.kind())),
                 fmt::format("expected one of `{}`, `{}` or `{}`", choices[0], choices[1], choices[2])));
  return std::nullopt;
}

void read_params(const NodeRef& table, LintOptions& options, std::vector<Error>& errors) {
  const auto need_table = [&](const NodeRef& node) {
    errors.push_back(node.error(fmt::format("`{}` is {}", node.path(), text::describe(node.kind())),
                                "write a table per rule: `[lint.params.SL104]`"));
  };
  if (!table.is(Kind::table)) return need_table(table);
  for (const NodeRef rule : table) {
    if (!rule.is(Kind::table)) {
      need_table(rule);
      continue;
    }
    for (const NodeRef param : rule) {
      const auto number = param.as_number();
      if (!number || !std::isfinite(*number)) {
        errors.push_back(
            param.error(fmt::format("`{}` is {}", param.path(),
                                    number ? "not finite" : std::string(text::describe(param.kind()))),
                        "write a number"));
        continue;
      }
      options.params.push_back(
          {std::string(rule.key()), std::string(param.key()), *number, param.key_span(), param.span()});
    }
  }
}

}  // namespace

LintOptions read_lint_options(const NodeRef& table, std::vector<Error>& errors) {
  LintOptions options;
  if (!table.is(Kind::table)) {
    errors.push_back(table.error(fmt::format("`{}` is {}", table.path(), text::describe(table.kind())),
                                 "write a table: `[lint]`"));
    return options;
  }
  std::array<std::string_view, lint_keys.size()> names{};
  for (std::size_t i = 0; i < names.size(); ++i) names[i] = lint_keys[i].key;
  for (const NodeRef node : table) {
    const std::string_view key = node.key();
    if (key == "gpu") {
      options.gpus = strings(node, errors);
    } else if (key == "select") {
      options.select = strings(node, errors);
    } else if (key == "ignore") {
      options.ignore = strings(node, errors);
    } else if (key == "stack") {
      options.stack = strings(node, errors);
    } else if (key == "params") {
      read_params(node, options, errors);
    } else if (key == "min_gain") {
      const auto value = node.as_number();
      if (value && *value >= 0 && *value <= 1) {
        options.min_gain = Stated<double>{*value, node.span()};
      } else {
        errors.push_back(node.error(value ? "`min_gain` is not between 0 and 1"
                                          : fmt::format("`min_gain` is {}", text::describe(node.kind())),
                                    "write a share of the step: `0.01` is 1 %"));
      }
    } else if (key == "fail_level") {
      options.fail_level = choice(node, severities, errors);
    } else if (key == "min_severity") {
      options.min_severity = choice(node, severities, errors);
    } else if (key == "shape") {
      options.shape = choice(node, model::shape_names, errors);
    } else if (key == "head_multiple") {
      const auto value = node.as_integer();
      if (value && *value >= 1 && *value <= model::largest_head_multiple) {
        options.head_multiple = Stated<std::int64_t>{*value, node.span()};
      } else {
        errors.push_back(
            node.error(value ? fmt::format("`head_multiple` is {}", *value)
                             : fmt::format("`head_multiple` is {}", text::describe(node.kind())),
                       fmt::format("write a whole number from 1 to {}", model::largest_head_multiple)));
      }
    } else {
      errors.push_back(with_code(
          node.key_error(fmt::format("unknown key `{}` in `[lint]`", key), did_you_mean(key, names)),
          ErrorCode::unknown_name));
    }
  }
  return options;
}

}  // namespace shapelint::formats
