// TOML through toml++; the only file that sees its headers.
#include "text/toml/toml.hpp"

#include <algorithm>
#include <sstream>
#include <vector>

#include <fmt/format.h>
#include <toml++/toml.h>

#include "text/source.hpp"
#include "text/toml/measure.hpp"

namespace shapelint::text {

namespace {

// toml++ counts lines and code points.
Span span_of(const Places& places, const toml::source_region& region) {
  const auto offset = [&](const toml::source_position& position) {
    return places.offset(
        {static_cast<std::int64_t>(position.line), static_cast<std::int64_t>(position.column)});
  };
  const std::int64_t begin = offset(region.begin);
  return {begin, std::max(begin, offset(region.end))};
}

class Walker {
 public:
  explicit Walker(std::string_view text) : places_(text) {}

  void add(std::int32_t parent, std::string_view key, Span key_span, const toml::node& node) {
    const Span span = span_of(places_, node.source());
    if (const toml::table* table = node.as_table()) {
      add_table(tree_.add(parent, Kind::table, key, key_span, span), *table);
    } else if (const toml::array* array = node.as_array()) {
      const std::int32_t index = tree_.add(parent, Kind::list, key, key_span, span);
      for (const toml::node& item : *array) add(index, {}, {}, item);
    } else if (const auto* text = node.as_string()) {
      tree_.set_string(tree_.add(parent, Kind::string, key, key_span, span), text->get());
    } else if (const auto* integer = node.as_integer()) {
      tree_.set_integer(tree_.add(parent, Kind::integer, key, key_span, span), integer->get());
    } else if (const auto* number = node.as_floating_point()) {
      tree_.set_number(tree_.add(parent, Kind::number, key, key_span, span), number->get());
    } else if (const auto* boolean = node.as_boolean()) {
      tree_.set_boolean(tree_.add(parent, Kind::boolean, key, key_span, span), boolean->get());
    } else {
      std::ostringstream written;
      node.visit([&](const auto& value) {
        if constexpr (toml::is_value<decltype(value)>) written << value.get();
      });
      tree_.set_string(tree_.add(parent, Kind::string, key, key_span, span), written.str());
    }
  }

  TreeBuilder take() && { return std::move(tree_); }

 private:
  void add_table(std::int32_t index, const toml::table& table) {
    // toml++ keeps keys sorted by name; people read them in the order of the file.
    std::vector<std::pair<const toml::key*, const toml::node*>> entries;
    for (auto&& [key, value] : table) entries.emplace_back(&key, &value);
    std::stable_sort(entries.begin(), entries.end(), [](const auto& a, const auto& b) {
      const toml::source_position& x = a.first->source().begin;
      const toml::source_position& y = b.first->source().begin;
      return x.line != y.line ? x.line < y.line : x.column < y.column;
    });
    for (const auto& [key, value] : entries) add(index, key->str(), span_of(places_, key->source()), *value);
  }

  Places places_;
  TreeBuilder tree_;
};

}  // namespace

Result<Document> parse_toml(std::string path, SharedText source) {
  if (const auto problem = check_source(path, source)) return *problem;
  if (const auto problem = beyond_limits(path, source)) return *problem;
  try {
    const toml::table table = toml::parse(std::string_view(source), std::string_view(path));
    Walker walker(source);
    walker.add(no_node, {}, {}, table);
    return std::move(walker).take().finish(std::move(path), std::move(source));
  } catch (const toml::parse_error& problem) {
    const Span span = span_of(Places(source), problem.source());
    std::string message(problem.description());
    return Error{"not valid TOML: " + message, {}, std::move(path), span, ErrorCode::syntax};
  }
}

}  // namespace shapelint::text
