// Published models by name.
#include "formats/dialect/known.hpp"

#include "formats/dialect/dialect.hpp"

namespace shapelint::formats {

const catalog::KnownModel* find_known_model(std::string_view name) {
  const auto base = [](std::string_view text) {
    const auto slash = text.find_last_of('/');
    return slash == std::string_view::npos ? text : text.substr(slash + 1);
  };
  for (const catalog::KnownModel& each : catalog::known_models()) {
    if (matches(each.name, name) || matches(base(each.name), base(name))) return &each;
  }
  for (const catalog::KnownModel& each : catalog::known_models()) {
    for (const std::string& alias : each.aliases) {
      if (matches(alias, name) || matches(alias, base(name))) return &each;
    }
  }
  return nullptr;
}

}  // namespace shapelint::formats
