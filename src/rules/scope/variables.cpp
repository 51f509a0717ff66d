// Names of expressions, by their place among the values.
#include "rules/scope/variables.hpp"

#include <string>

#include "model/arithmetic.hpp"
#include "model/mixer.hpp"

namespace shapelint::rules {

namespace {

using model::FieldId;
using model::real;

constexpr std::string_view stated_prefix = "stated_";

struct Names {
  std::vector<std::string> owned;
  std::vector<std::string_view> all;
  std::vector<double> choices;
  std::size_t first_stated = 0;
  std::size_t first_choice = 0;
  std::size_t first_variable = 0;
  struct Place {
    Level level;
    const Variable* variable;
  };
  std::vector<Place> variables;
};

const Names& names() {
  static const Names built = [] {
    Names out;
    const auto fields = model::fields();
    out.owned.reserve(fields.size());  // views into it must stay valid
    for (const model::FieldInfo& field : fields) out.all.push_back(field.name);
    out.first_stated = out.all.size();
    for (const model::FieldInfo& field : fields) {
      out.owned.push_back(std::string(stated_prefix) + std::string(field.name));
      out.all.push_back(out.owned.back());
    }
    out.first_choice = out.all.size();
    for (const model::FieldInfo& field : fields) {
      for (std::size_t i = 0; i < field.choices.size(); ++i) {
        out.all.push_back(field.choices[i]);
        out.choices.push_back(static_cast<double>(i));
      }
    }
    out.first_variable = out.all.size();
    for (const LevelInfo& level : levels()) {
      for (const Variable& variable : level.variables) {
        out.all.push_back(variable.name);
        out.variables.push_back({level.level, &variable});
      }
    }
    return out;
  }();
  return built;
}

}  // namespace

std::span<const std::string_view> variable_names() {
  return names().all;
}

Level level_of(std::size_t index) {
  const Names& all = names();
  return index < all.first_variable ? Level::model : all.variables[index - all.first_variable].level;
}

bool is_plain(std::size_t index) {
  const Names& all = names();
  return index < all.first_variable || all.variables[index - all.first_variable].variable->is_kind;
}

double value_of(std::size_t index, const Context& context) {
  static const Names& all = names();
  if (index < all.first_stated)
    return real(model::get(*context.setup, model::of_mixer(model::fields()[index].id, context.mixer)));
  if (index < all.first_choice) {
    const FieldId field = model::fields()[index - all.first_stated].id;
    return model::is_stated(*context.reading, model::of_mixer(field, context.mixer)) ? 1.0 : 0.0;
  }
  if (index < all.first_variable) return all.choices[index - all.first_choice];
  return all.variables[index - all.first_variable].variable->get(context);
}

bool is_of_mixer(std::size_t index) {
  const Names& all = names();
  if (index < all.first_choice) return model::is_of_mixer(model::fields()[index % all.first_stated].id);
  if (index < all.first_variable) return false;
  const Needs& needs = all.variables[index - all.first_variable].variable->needs;
  return model::is_of_mixer(needs.first) || model::is_of_mixer(needs.second);
}

void append_needs(std::size_t index, std::vector<model::FieldId>& out) {
  const Names& all = names();
  if (index < all.first_stated) {
    out.push_back(model::fields()[index].id);
  } else if (index >= all.first_variable) {
    const Needs& needs = all.variables[index - all.first_variable].variable->needs;
    for (const FieldId field : {needs.first, needs.second}) {
      if (field != model::no_field) out.push_back(field);
    }
  }
}

}  // namespace shapelint::rules
