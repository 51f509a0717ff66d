// Likely mistakes in what a file writes, whatever the shape of its model is.
#include "rules/scope/subjects.hpp"
#include "rules/scope/variables.hpp"

namespace shapelint::rules {

namespace {

double is_remark(const Context& c, model::Remark::Kind kind) {
  return c.remark != nullptr && c.remark->kind == kind ? 1.0 : 0.0;
}

// A command line's parser stops at what it does not know, but takes the beginning of a flag for the flag.
bool is_flag_misspelt(const Context& c) {
  const bool is_misspelt = is_remark(c, model::Remark::Kind::needed_key_misspelt) > 0 ||
                           is_remark(c, model::Remark::Kind::key_misspelt) > 0;
  return is_misspelt && c.remark->key.starts_with("--") && !c.remark->instead.starts_with(c.remark->key);
}

// clang-format off
constexpr Variable of_remark[] = {
    {"is_duplicate_key", "whether a key is written twice in one table", [](const Context& c) { return is_remark(c, model::Remark::Kind::duplicate_key); }},
    {"is_repeated_key", "whether it is, with the same value both times", [](const Context& c) { return is_remark(c, model::Remark::Kind::repeated_key); }},
    {"is_number_misread", "whether what looks like a number is read as something else", [](const Context& c) { return is_remark(c, model::Remark::Kind::number_misread); }},
    {"is_unresolved", "whether a size is written, but only the run knows its value", [](const Context& c) { return is_remark(c, model::Remark::Kind::unresolved); }},
    {"is_needed_key_misspelt", "whether a key is not known, and nearly one of a needed size that the file does not state", [](const Context& c) { return is_remark(c, model::Remark::Kind::needed_key_misspelt); }},
    {"is_key_misspelt", "the same of any other field", [](const Context& c) { return is_remark(c, model::Remark::Kind::key_misspelt); }},
    {"is_flag_misspelt", "whether it is a flag of a command (`--`), and not the beginning of the one that it is near to", [](const Context& c) { return is_flag_misspelt(c) ? 1.0 : 0.0; }},
    {"is_format_unmultiplied", "whether a GPU has no units for the number format of the products", [](const Context& c) { return is_remark(c, model::Remark::Kind::format_unmultiplied); }},
};
// clang-format on

}  // namespace

std::span<const Variable> remark_variables() {
  return of_remark;
}

std::vector<Subject> each_remark(const Scene& scene) {
  std::vector<Subject> out;
  for (const model::Remark& remark : scene.reading.remarks) {
    Subject subject{context_of(scene), {remark.field, {}}};
    subject.context.remark = &remark;
    out.push_back(std::move(subject));
  }
  return out;
}

}  // namespace shapelint::rules
