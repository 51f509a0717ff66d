// Packages of hydra files.
#include "formats/dialect/package.hpp"

#include <algorithm>
#include <string>

#include "formats/dialect/dialect.hpp"

namespace shapelint::formats {

Place place_of(std::string_view dotted, Place mount) {
  std::string text(dotted);
  std::replace(text.begin(), text.end(), '/', '.');
  for (const std::string& component : parse_key_path(text).components) mount.push_back(component);
  return mount;
}

std::optional<Place> package_of(const text::Document& document, const Place& group) {
  constexpr std::size_t first_bytes = 1000;
  const std::string_view source = document.source().substr(0, first_bytes);
  constexpr std::string_view word = "# @package ";
  const auto at = source.find(word);
  if (at == std::string_view::npos || (at > 0 && source[at - 1] != '\n')) return std::nullopt;
  std::string_view name = source.substr(at + word.size());
  name = name.substr(0, name.find_first_of(" \r\n"));
  if (name == "_global_") return Place{};
  if (name == "_group_") return group;
  return place_of(name, {});
}

}  // namespace shapelint::formats
