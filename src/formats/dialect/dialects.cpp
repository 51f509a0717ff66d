// What is read of a dialect, and when.
#include "formats/dialect/dialects.hpp"

#include <algorithm>
#include <set>
#include <string>
#include <string_view>

#include <fmt/format.h>

#include "base/strings.hpp"
#include "catalog/catalog.hpp"
#include "formats/dialect/formula.hpp"
#include "model/exports.hpp"
#include "model/fields.hpp"
#include "model/reading.hpp"

namespace shapelint::formats {

namespace {

// The name of the file with the tables that every dialect falls back to.
constexpr std::string_view common_name = "common";

// The tables of another dialect follow after one's own.
void add_tables(Dialect& into, const Dialect& other) {
  add_rules(into.fields, other.fields);
  add_rules(into.otherwise, other.otherwise);
  into.types.insert(other.types.begin(), other.types.end());
  into.ways.insert(into.ways.end(), other.ways.begin(), other.ways.end());
  into.exports.insert(into.exports.end(), other.exports.begin(), other.exports.end());
}

}  // namespace

ListedDialect::ListedDialect(text::Document document)
    : document_(std::move(document)),
      name_(document_.root()["name"].as_string().value_or("")),
      syntax_(document_.root()["syntax"]),
      order_(order_of(document_)),
      flags_(document_.root()["flags"].as_boolean().value_or(false)) {}

bool ListedDialect::supports_syntax(std::string_view syntax) const {
  if (syntax_.as_string() == syntax) return true;
  for (const text::NodeRef each : syntax_) {
    if (each.as_string() == syntax) return true;
  }
  return false;
}

const std::vector<Test>& ListedDialect::recognise() const {
  std::call_once(tests_are_read_, [&] {
    std::vector<Error> errors;  // whoever loads a user's file reports them
    tests_ = load_tests(document_, errors);
  });
  return tests_;
}

void ListedDialect::read(std::vector<Error>& errors) const {
  std::call_once(is_read_, [&] {
    whole_ = load_dialect(document_, errors);
    const ListedDialect* other = like_;
    for (int links = 0; other != nullptr && other != this && links < max_likenesses; ++links) {
      std::vector<Error> of_other;  // reported where it is loaded itself
      add_tables(*whole_, load_dialect(other->document_, of_other));
      other = other->like_;
    }
  });
}

const Dialect& ListedDialect::whole() const {
  std::vector<Error> errors;  // what is built in has none, and a user's are read with the list
  read(errors);
  return *whole_;
}

Dialects::Dialects(std::span<const text::Document> users, std::vector<Error>& errors) {
  for (const text::Document& document : users) listed_.push_back(std::make_unique<ListedDialect>(document));
  for (const text::Document& document : catalog::builtin("formats")) {
    auto listed = std::make_unique<ListedDialect>(document);
    if (listed->name() == common_name) {
      common_ = std::move(listed);
    } else {
      listed_.push_back(std::move(listed));
    }
  }
  for (const auto& each : listed_) {
    const auto like = each->document_.root()["like"].as_string();
    const auto other =
        std::find_if(listed_.begin(), listed_.end(), [&](const auto& one) { return one->name() == like; });
    if (like && other != listed_.end()) each->like_ = other->get();
  }
  for (std::size_t i = 0; i < users.size(); ++i) listed_[i]->read(errors);
  std::stable_sort(listed_.begin(), listed_.end(),
                   [](const auto& a, const auto& b) { return a->order() < b->order(); });
}

const Dialects& Dialects::builtin() {
  // Never destroyed: that takes as long as reading, and the end of the program frees it.
  static const Dialects& dialects = *[] {
    std::vector<Error> errors;
    return new Dialects({}, errors);
  }();
  return dialects;
}

std::vector<const Dialect*> Dialects::all() const {
  std::vector<const Dialect*> out;
  out.reserve(listed_.size());
  for (const auto& each : listed_) out.push_back(&each->whole());
  return out;
}

const Dialect* Dialects::find(std::string_view name) const {
  const auto found =
      std::find_if(listed_.begin(), listed_.end(), [&](const auto& each) { return each->name() == name; });
  return found == listed_.end() ? nullptr : &(*found)->whole();
}

const Dialect& Dialects::common() const {
  return common_->whole();
}

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

  // An expression as messages quote it.
  static std::string quoted(const std::string& text) {
    constexpr std::size_t most = 80;
    return text.size() <= most ? text : text.substr(0, most) + "...";
  }

  void check_expression(const std::string& text, bool has_x, std::string_view where, std::string_view field) {
    if (text.empty()) return;
    const auto used = variables(text);
    if (!used) {
      fail(fmt::format("`{}` of `{}` in `{}`: {}", quoted(text), field, where, used.error().message), {});
      return;
    }
    for (const std::string& name : *used) {
      if ((name == "x" && has_x) || (name == "i" && field.starts_with(layer_prefix))) continue;
      check_name(name, fmt::format("`{}` of `{}` in `{}`", quoted(text), field, where));
    }
  }

  void check_name(std::string_view name, std::string_view where) {
    if (names_.contains(name)) return;
    const std::vector<std::string_view> all(names_.begin(), names_.end());
    fail(fmt::format("unknown name `{}` in {}", name, where), did_you_mean(name, all));
  }

  // `unsettable_FIELD` or `unsettable_FIELD_VALUE` (model::unsettable): what no key of such a run sets.
  static bool names_unsettable(std::string_view name) {
    const auto fields = model::fields();
    return std::any_of(fields.begin(), fields.end(), [&](const model::FieldInfo& field) {
      const std::string own = model::unsettable(field.id);
      return name == own || name.starts_with(own + '_');
    });
  }

  // That somebody reads it: rules or searches, or the dialect's own list of layers.
  void check_export(std::string_view name) {
    if (model::is_export(name) || names_unsettable(name) || !names_.contains(name)) return;
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
