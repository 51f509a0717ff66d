// Published models.
#include "rules/known.hpp"

#include "catalog/catalog.hpp"

namespace shapelint::rules {

std::span<const KnownModel> known_models() {
  static const std::vector<KnownModel> models = [] {
    std::vector<KnownModel> out;
    for (const text::Document& document : catalog::builtin("rules/known")) {
      for (const text::NodeRef table : document.root()["model"]) {
        KnownModel known;
        for (const text::NodeRef value : table) {
          const model::FieldId field = model::find_field(value.key());
          if (field != model::no_field) known.values.emplace_back(field, value.as_integer().value_or(0));
        }
        known.name = table["name"].as_string().value_or("");
        known.source = table["source"].as_string().value_or("");
        out.push_back(std::move(known));
      }
    }
    return out;
  }();
  return models;
}

Comparison compare(const model::Reading& reading, const KnownModel& known) {
  Comparison out;
  std::vector<std::int64_t> seen;
  std::int64_t heads = 0;  // of the known model
  for (const auto& [field, value] : known.values) {
    if (model::fields()[static_cast<std::size_t>(field)].name == "num_attention_heads") heads = value;
  }
  for (const auto& [field, value] : known.values) {
    const auto index = static_cast<std::size_t>(field);
    ++out.compared;
    const std::int64_t here = model::fields()[index].get(reading.setup);
    if (here == value) continue;
    // A value that only follows from a mistyped one is not a second mistake.
    const std::string_view name = model::fields()[index].name;
    const bool derived =
        index < reading.origins.size() && reading.origins[index].kind == model::Origin::Kind::derived;
    const bool follows =
        derived && (name == "intermediate_size" || (name == "num_key_value_heads" && value == heads));
    if (follows) continue;
    out.differences.emplace_back(field, value);
    seen.push_back(here);
  }
  out.swapped = out.differences.size() == 2 && out.differences[0].second == seen[1] &&
                out.differences[1].second == seen[0];
  return out;
}

}  // namespace shapelint::rules
