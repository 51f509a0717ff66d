// One option per field of a model and its plan, made from the table of fields.
#include "cli/field_options.hpp"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "base/number.hpp"
#include "base/words.hpp"
#include "model/fields.hpp"

namespace shapelint::cli {

namespace {

constexpr std::array<std::string_view, 2> booleans{"false", "true"};

// `moe_num_experts` is `--moe-num-experts`.
std::string flag_of(const model::FieldInfo& field) {
  return "--" + dashed(field.name);
}

std::string group_of(std::string_view section) {
  if (section == "run") return "How it is run (instead of what the file says)";
  if (section == "parallel") return "How it is split over GPUs (instead of what the file says)";
  return "The model (instead of what the file says)";
}

std::string_view value_name(model::FieldType type) {
  switch (type) {
    case model::FieldType::integer:
      return "N";
    case model::FieldType::boolean:
      return "BOOL";
    case model::FieldType::choice:
      return "NAME";
  }
  return "";
}

Setter setter(const model::FieldInfo& field, const std::string& flag,
              std::vector<model::Override>& overrides) {
  return [&field, &overrides, flag](std::string_view text) -> std::optional<std::string> {
    std::int64_t value = 0;
    if (field.type == model::FieldType::integer) {
      const auto parsed = parse_integer(text);
      if (!parsed || *parsed < field.minimum || *parsed > field.maximum) {
        return fmt::format("a whole number from {} to {}", with_commas(field.minimum),
                           with_commas(field.maximum));
      }
      value = *parsed;
    } else {
      const std::span<const std::string_view> choices = field.type == model::FieldType::boolean
                                                            ? std::span<const std::string_view>(booleans)
                                                            : field.choices;
      std::size_t index = 0;
      if (auto expected = into_choice(index, choices)(text)) return expected;
      value = static_cast<std::int64_t>(index);
    }
    overrides.push_back({field.id, value, flag});
    return std::nullopt;
  };
}

}  // namespace

std::vector<Option> field_options(std::vector<model::Override>& overrides) {
  std::vector<Option> options;
  const auto fields = model::fields();
  options.reserve(fields.size());
  for (const model::FieldInfo& field : fields) {
    Option option;
    option.names = flag_of(field);
    option.doc = field.doc;
    option.group = group_of(field.section);
    option.set = setter(field, option.names, overrides);
    option.value = std::string(value_name(field.type));
    if (field.type == model::FieldType::boolean) option.choices = strings(booleans);
    if (field.type == model::FieldType::choice) option.choices = strings(field.choices);
    options.push_back(std::move(option));
  }
  return options;
}

Option dimension_option(std::vector<formats::GraphDimension>& dimensions) {
  constexpr std::int64_t largest = 1'000'000'000;
  return {.names = "--dim",
          .value = "NAME=N",
          .doc = "the size of a symbolic dimension of an ONNX graph; may be given several times",
          .set = [&dimensions](std::string_view text) -> std::optional<std::string> {
            const std::size_t equals = text.rfind('=');
            if (equals == std::string_view::npos || equals == 0) return "NAME=N";
            const auto size = parse_integer(text.substr(equals + 1));
            if (!size || *size < 1 || *size > largest)
              return fmt::format("NAME=N with a whole number from 1 to {}", with_commas(largest));
            dimensions.push_back({std::string(text.substr(0, equals)), *size});
            return std::nullopt;
          },
          .many = true,
          .group = group_of("run")};
}

}  // namespace shapelint::cli
