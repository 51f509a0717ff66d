// Which value of the file a finding points at.
#include "rules/scope/blame.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "model/mixer.hpp"
#include "rules/scope/scope.hpp"

namespace shapelint::rules {

namespace {

using model::FieldId;
using model::Origin;

// Fields that may be derived, and those that they then follow from.
constexpr std::pair<FieldId, FieldId> follows[] = {
    {FieldId::value_head_dim, FieldId::head_dim},
    {FieldId::head_dim, FieldId::num_attention_heads},
    {FieldId::num_key_value_heads, FieldId::num_attention_heads},
    {FieldId::moe_intermediate_size, FieldId::intermediate_size},
    {FieldId::intermediate_size, FieldId::hidden_size},
};

// The field that a derived one follows from.
FieldId source_of(const model::Reading& reading, FieldId field) {
  for (const auto& [derived, source] : follows) {
    if (field == derived && model::origin(reading, field).kind == Origin::Kind::derived) field = source;
  }
  return field;
}

// 32, `true`, `bf16`.
std::string quoted_value(FieldId field, const model::Setup& setup) {
  const std::string text = model::value_text(field, info(field).get(setup));
  return info(field).type == model::FieldType::integer ? text : fmt::format("`{}`", text);
}

int section_rank(FieldId field) {
  const std::string_view section = model::info(field).section;
  return section == "parallel" ? 2 : section == "run" ? 1 : 0;
}

std::int64_t pow2_divisor(std::int64_t value) {
  return value == 0 ? 0 : value & -value;
}

}  // namespace

std::vector<FieldId> fields_of(std::string_view expression) {
  std::vector<FieldId> out;
  std::size_t i = 0;
  const auto is_name = [](char c) { return (c >= 'a' && c <= 'z') || c == '_' || (c >= '0' && c <= '9'); };
  while (i < expression.size()) {
    if (!is_name(expression[i])) {
      ++i;
      continue;
    }
    const std::size_t begin = i;
    while (i < expression.size() && is_name(expression[i])) ++i;
    const FieldId field = model::find_field(expression.substr(begin, i - begin));
    if (field != model::no_field && std::find(out.begin(), out.end(), field) == out.end())
      out.push_back(field);
  }
  return out;
}

namespace {

void add(Blame& blame, FieldId field) {
  if (blame.field == model::no_field) {
    blame.field = field;
  } else if (field != blame.field &&
             std::find(blame.related.begin(), blame.related.end(), field) == blame.related.end()) {
    blame.related.push_back(field);
  }
}

// Those that the file states first.
Blame stated_first(const model::Reading& reading, std::span<const FieldId> fields) {
  Blame out;
  for (const bool stated : {true, false}) {
    for (const FieldId field : fields) {
      const FieldId source = source_of(reading, field);
      if (is_stated(reading, source) == stated) add(out, source);
    }
  }
  return out;
}

}  // namespace

Blame choose_blame(const model::Reading& reading, std::vector<FieldId> fields, bool in_order) {
  if (in_order) return stated_first(reading, fields);
  struct Entry {
    FieldId field;
    bool stated;
    int section;
    std::int64_t pow2;
  };
  // All heads together are hidden_size wide: fewer, wider heads would not change such a dimension.
  const auto has = [&](FieldId field) {
    return std::find(fields.begin(), fields.end(), field) != fields.end();
  };
  if (has(FieldId::num_attention_heads) && (has(FieldId::head_dim) || has(FieldId::value_head_dim)) &&
      suggest::links_of(reading).head_dim_from_hidden) {
    std::replace(fields.begin(), fields.end(), FieldId::num_attention_heads, FieldId::hidden_size);
    std::erase_if(fields, [&](FieldId field) {
      return field == FieldId::head_dim || field == FieldId::value_head_dim;
    });
  }
  const auto goes_before = [](const Entry& a, const Entry& b) {
    if (a.stated != b.stated) return a.stated;
    if (a.section != b.section) return a.section < b.section;
    return a.pow2 < b.pow2;
  };
  // A degree of 1 divides nothing.
  std::erase_if(fields, [&](FieldId field) {
    return section_rank(field) == section_rank(FieldId::tensor) && fields.size() > 1 &&
           model::info(field).get(reading.setup) == 1;
  });
  std::vector<Entry> entries;  // sorted; few
  entries.reserve(fields.size());
  for (const FieldId field : fields) {
    const FieldId source = source_of(reading, field);
    // The power of two is that of the value in the dimension, not of the one it follows from.
    const Entry entry{source, is_stated(reading, source), section_rank(source),
                      pow2_divisor(model::info(field).get(reading.setup))};
    entries.insert(std::upper_bound(entries.begin(), entries.end(), entry, goes_before), entry);
  }
  Blame out;
  for (const Entry& entry : entries) add(out, entry.field);
  return out;
}

bool may_blame(Scope scope, std::span<const std::string_view> blame, std::span<const FieldId> fields) {
  if (info(scope).blames != Blames::fields || blame.empty()) return true;
  return std::any_of(blame.begin(), blame.end(), [&](std::string_view name) {
    FieldId field = model::find_field(name);
    if (model::is_of_mixer(field)) return true;  // that of any of them
    const auto is_asked = [&] { return std::find(fields.begin(), fields.end(), field) != fields.end(); };
    if (is_asked()) return true;
    for (const auto& [derived, source] : follows) {
      if (field != derived) continue;
      field = source;
      if (is_asked()) return true;
    }
    return false;
  });
}

const Blame& DimensionBlames::of(const model::Reading& reading, std::string_view expression) {
  const auto [place, is_new] = known_.try_emplace(expression);
  if (is_new) place.value() = choose_blame(reading, fields_of(expression), false);
  return place->second;
}

void place_field(const Context& context, std::span<const std::string_view> blame, Finding& finding) {
  (void)blame;
  const model::Reading& reading = *context.reading;
  finding.path = reading.path;
  if (finding.blamed == model::no_field) return;
  const Origin& origin = reading.origins[finding.blamed];
  const std::string_view name = model::info(finding.blamed).name;
  const std::string because = origin.note.empty() ? "" : ": " + origin.note;
  switch (origin.kind) {
    case Origin::Kind::stated:
      finding.path = origin.path.empty() ? reading.path : origin.path;
      finding.span = origin.span;
      finding.use_span = origin.use_span;
      finding.key_path = origin.key_path;
      break;
    case Origin::Kind::command_line:
      finding.note = fmt::format("`{}` was given on the command line{}", name, because);
      break;
    case Origin::Kind::derived:
      finding.note =
          fmt::format("the file does not state `{}`; it follows from other values{}", name, because);
      break;
    case Origin::Kind::defaulted: {
      const bool is_noun = origin.note.starts_with("default of") || origin.note.starts_with("shape of");
      finding.note = fmt::format("the file does not state `{}`; {} is {}{}", name,
                                 quoted_value(finding.blamed, reading.setup), is_noun ? "the " : "",
                                 origin.note.empty() ? "a default" : origin.note);
      break;
    }
    case Origin::Kind::unknown:
      finding.note = fmt::format("the file does not state `{}`", name);
      break;
  }
}

void place_layer(const Context& context, std::span<const std::string_view> blame, Finding& finding) {
  const model::Reading& reading = *context.reading;
  const model::LayerShape& shape = *context.layer.shape;
  const std::string_view key = blame.empty() ? std::string_view{} : blame.front();
  finding.path = reading.path;
  const model::LayerOrigin* at = model::find_layer_key(reading, shape.layer, key);
  if (at == nullptr && key == "in_channels" && !shape.needs_input_gradient)
    at = model::find_layer_key(reading, -1, key);
  if (at == nullptr) at = model::find_layer_key(reading, shape.layer, "");
  if (at == nullptr) return;
  finding.span = at->span;
  finding.key_path = at->key_path;
}

void place_remark(const Context& context, std::span<const std::string_view> blame, Finding& finding) {
  (void)blame;
  finding.path = context.remark->path;
  finding.span = context.remark->span;
  finding.key_path = context.remark->key_path;
}

}  // namespace shapelint::rules
