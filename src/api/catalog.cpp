// What the library knows: GPUs, rules and fields.
#include <algorithm>

#include "base/strings.hpp"
#include "gpu/registry.hpp"
#include "model/fields.hpp"
#include "objects/convert.hpp"
#include "rules/book/rule.hpp"
#include "rules/book/select.hpp"

namespace shapelint::api {

namespace {

FieldType type_of(model::FieldType type) {
  switch (type) {
    case model::FieldType::integer:
      return FieldType::integer;
    case model::FieldType::boolean:
      return FieldType::boolean;
    case model::FieldType::choice:
      break;
  }
  return FieldType::choice;
}

}  // namespace

std::vector<Gpu> gpus() {
  std::vector<Gpu> all;
  for (const std::string_view id : gpu::gpu_ids()) {
    if (const auto found = gpu::find_gpu(id)) all.push_back(gpu_of(*found));
  }
  std::sort(all.begin(), all.end(), [](const Gpu& a, const Gpu& b) { return a.id < b.id; });
  return all;
}

Result<Gpu> find_gpu(std::string_view name) {
  const auto found = gpu::find_gpu(name);
  if (!found) return error_of(found.error(), code::invalid_option);
  return gpu_of(*found);
}

std::vector<Rule> rules() {
  std::vector<Rule> all;
  for (const rules::Rule& rule : rules::builtin_rules().rules()) all.push_back(rule_of(rule));
  return all;
}

Result<Rule> find_rule(std::string_view code_or_name) {
  const rules::RuleBook& book = rules::builtin_rules();
  if (const rules::Rule* rule = book.find(code_or_name)) return rule_of(*rule);
  // Beginnings of codes select rules, and are none themselves.
  const auto unknown = rules::check_selector(book, code_or_name);
  return unknown ? error_of(*unknown, code::invalid_option)
                 : Error{std::string(code::invalid_option),
                         "`" + std::string(code_or_name) + "` matches several rules",
                         "`rules()` lists them",
                         {}};
}

std::vector<Field> fields() {
  std::vector<Field> all;
  for (const model::FieldInfo& field : model::fields()) {
    Field out;
    out.name = field.name;
    out.section = field.section;
    out.key = field.key;
    out.type = type_of(field.type);
    out.minimum = field.minimum;
    out.maximum = field.maximum;
    out.choices = strings(field.choices);
    out.unit = field.unit;
    out.doc = field.doc;
    all.push_back(std::move(out));
  }
  return all;
}

}  // namespace shapelint::api
