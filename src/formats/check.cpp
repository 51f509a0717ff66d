// Mistakes in the dialects' data that only show when everything is loaded.
#include "formats/check.hpp"

#include <algorithm>
#include <set>
#include <string>
#include <string_view>

#include <fmt/format.h>

#include "base/names.hpp"
#include "formats/dialect/formula.hpp"
#include "model/exports.hpp"
#include "model/fields.hpp"

namespace shapelint::formats {

namespace {

class Checker {
 public:
  Checker(const Dialect& dialect, const Dialect& common, std::vector<Error>& errors)
      : dialect_(dialect), errors_(errors) {
    for (const std::string_view name : model::field_names()) names_.insert(name);
    add_names(common.fields);
    add_names(dialect.fields);
    add_names(dialect.otherwise);
    for (const Part& part : dialect.parts) add_names(part.fields);
    for (const auto& [name, type] : dialect.types) {
      add_names(type.fields);
      add_names(type.defaults);
    }
  }

  void check() {
    check(dialect_.fields, "fields");
    check(dialect_.otherwise, "otherwise");
    for (const Part& part : dialect_.parts) {
      check(part.fields, "part");
      check_type(part.fallback_type);
      check_type(part.always_type);
    }
    for (const auto& [name, type] : dialect_.types) {
      check(type.fields, name);
      check(type.defaults, name);
      check_type(type.like);
    }
    for (const std::string& each : dialect_.exports) {
      check_name(each, "exports");
      check_export(each);
    }
  }

 private:
  void add_names(const FieldRules& rules) {
    for (const auto& [name, alternatives] : rules) names_.insert(name);
  }

  void check(const FieldRules& rules, std::string_view where) {
    for (const auto& [name, alternatives] : rules) {
      for (const Alternative& each : alternatives) {
        check_expression(each.when, each.kind == Alternative::Kind::key, where, name);
        check_expression(each.value, each.kind == Alternative::Kind::key, where, name);
      }
    }
  }

  void check_expression(const std::string& text, bool has_x, std::string_view where, std::string_view field) {
    if (text.empty()) return;
    const auto used = variables(text);
    if (!used) {
      fail(fmt::format("`{}` of `{}` in `{}`: {}", text, field, where, used.error().message), {});
      return;
    }
    for (const std::string& name : *used) {
      if ((name == "x" && has_x) || (name == "i" && field.starts_with(layer_prefix))) continue;
      check_name(name, fmt::format("`{}` of `{}` in `{}`", text, field, where));
    }
  }

  void check_name(std::string_view name, std::string_view where) {
    if (names_.contains(name)) return;
    const std::vector<std::string_view> all(names_.begin(), names_.end());
    fail(fmt::format("unknown name `{}` in {}", name, where), did_you_mean(name, all));
  }

  // That somebody reads it: rules or searches, or the dialect's own list of layers.
  void check_export(std::string_view name) {
    if (model::is_export(name) || !names_.contains(name)) return;
    for (const DenseLayers& each : dialect_.layers) {
      for (const std::string& used :
           {each.otherwise, each.input, each.output, each.rows, each.columns, each.depth, each.repeat}) {
        if (used == name) return;
      }
    }
    fail(fmt::format("nothing reads `{}` of exports", name), did_you_mean(name, model::export_names));
  }

  void check_type(const std::string& type) {
    if (type.empty() || dialect_.types.contains(type)) return;
    for (const auto& [patterns, unused] : dialect_.types) {
      if (matches_any(patterns, type)) return;
    }
    fail(fmt::format("unknown model type `{}`", type), {});
  }

  void fail(std::string message, std::string hint) {
    errors_.push_back({std::move(message), std::move(hint), dialect_.path, {}});
  }

  const Dialect& dialect_;
  std::vector<Error>& errors_;
  std::set<std::string_view> names_;
};

}  // namespace

void check_expressions(std::span<const text::Document> documents, const Dialects& dialects,
                       std::vector<Error>& errors) {
  const auto is_of = [&](const ListedDialect& dialect) {
    return std::any_of(documents.begin(), documents.end(), [&](const text::Document& each) {
      return each.root()["name"].as_string() == dialect.name();
    });
  };
  for (const auto& each : dialects.listed()) {
    if (is_of(*each)) Checker(each->whole(), dialects.common(), errors).check();
  }
}

}  // namespace shapelint::formats
