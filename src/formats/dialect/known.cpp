// Published models by name.
#include "formats/dialect/known.hpp"

#include "base/glob.hpp"
#include "formats/dialect/dialect.hpp"

namespace shapelint::formats {

const catalog::KnownModel* find_known_model(std::string_view name) {
  const auto base = [](std::string_view text) {
    const auto slash = text.find_last_of('/');
    return slash == std::string_view::npos ? text : text.substr(slash + 1);
  };
  for (const catalog::KnownModel& each : catalog::known_models()) {
    if (glob_matches(each.name, name, Glob::name) || glob_matches(base(each.name), base(name), Glob::name))
      return &each;
  }
  for (const catalog::KnownModel& each : catalog::known_models()) {
    for (const std::string& alias : each.aliases) {
      if (glob_matches(alias, name, Glob::name) || glob_matches(alias, base(name), Glob::name)) return &each;
    }
  }
  return nullptr;
}

}  // namespace shapelint::formats
