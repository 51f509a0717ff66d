// What a value of a configuration says as a number.
#include "formats/dialect/values.hpp"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <iterator>
#include <optional>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "base/number.hpp"
#include "base/strings.hpp"
#include "text/shell/shell.hpp"

namespace shapelint::formats {

namespace {

using model::FieldId;
using text::Kind;
using text::NodeRef;

Seen number(double value) {
  return {Seen::Kind::number, value};
}

std::string all_text(NodeRef node) {
  std::string out = written_form(node);
  for (const NodeRef child : node) out += all_text(child) + " ";
  return out;
}

// Sums of bracketed lists of 0 and 1 times a count.
bool expand_pattern(std::string_view text, std::vector<bool>& layers) {
  constexpr std::size_t max_layers = 4096;
  if (text.find('[') == std::string_view::npos) return false;
  std::size_t at = 0;
  while ((at = text.find('[', at)) != std::string_view::npos) {
    const auto close = text.find(']', at);
    if (close == std::string_view::npos) return false;
    std::vector<bool> unit;
    for (const char c : text.substr(at, close - at)) {
      if (c == '0' || c == '1') unit.push_back(c == '1');
    }
    std::size_t times = 1;
    at = close + 1;
    while (at < text.size() && (text[at] == ' ' || text[at] == '*')) ++at;
    const auto end = std::min(text.find_first_not_of("0123456789", at), text.size());
    if (end > at) {
      times = static_cast<std::size_t>(
          std::max<std::int64_t>(0, parse_integer(text.substr(at, end - at)).value_or(0)));
      at = end;
    }
    for (std::size_t i = 0; i < times && layers.size() < max_layers; ++i) {
      layers.insert(layers.end(), unit.begin(), unit.end());
    }
  }
  return true;
}

// Items of such a list; of a number, which stands for a list of any length, nothing.
Seen count_items(NodeRef node) {
  if (node.is(Kind::list)) return number(static_cast<double>(node.size()));
  std::vector<bool> layers;
  if (const auto text = node.as_string(); text && expand_pattern(*text, layers)) {
    return number(static_cast<double>(layers.size()));
  }
  return {};
}

// `(tt|)*3` is `tt|tt|tt|`, and `t*7` seven of them; blanks and commas count for nothing (Megatron-LM,
// core/transformer/pipeline_parallel_layer_layout.py, parse_str_to_list). Groups hold no groups.
std::string unroll(std::string_view text) {
  constexpr std::size_t longest = 65'536;
  std::string out;
  std::size_t group = std::string::npos;  // where the open or the last group began in `out`
  std::size_t unit = std::string::npos;   // where what a `*` repeats begins
  for (std::size_t at = 0; at < text.size() && out.size() < longest; ++at) {
    const char c = text[at];
    if (c == '(') {
      group = out.size();
    } else if (c == ')') {
      unit = group;
    } else if (c == '*' && unit != std::string::npos) {
      const auto end = std::min(text.find_first_not_of("0123456789", at + 1), text.size());
      const std::string repeated = out.substr(unit);
      const std::int64_t times = parse_integer(text.substr(at + 1, end - at - 1)).value_or(1);
      out.resize(unit);
      for (std::int64_t i = 0; i < times && out.size() < longest; ++i) out += repeated;
      at = end - 1;
      unit = std::string::npos;
    } else if (c != ' ' && c != ',') {
      unit = out.size();
      out += c;
    }
  }
  return out;
}

Seen count_unrolled(NodeRef node, std::string_view of) {
  const auto text = node.as_string();
  if (!text) return {};
  const std::string letters = unroll(*text);
  return number(static_cast<double>(std::count_if(
      letters.begin(), letters.end(), [&](char c) { return of.find(c) != std::string_view::npos; })));
}

// Whether `name` is among the names that a list or a text has: `["moe", "mlp"]`, `moe mlp`, `moe,mlp`.
Seen look_for_name(NodeRef node, const std::string& name) {
  std::string names = " " + all_text(node) + " ";
  const auto parts = [](char c) { return c != '_' && std::isalnum(static_cast<unsigned char>(c)) == 0; };
  std::replace_if(names.begin(), names.end(), parts, ' ');
  return number(names.find(" " + name + " ") == std::string::npos ? 0 : 1);
}

// Which layers are mixtures, as 0 and 1 per layer: a list, or Python's `([0]*3+[1]*58)`.
Seen look_at_pattern(NodeRef node, const Alternative& each) {
  const bool wants_interval = each.reading == Alternative::Reading::interval;
  if (const auto value = node.as_integer())
    return wants_interval ? number(static_cast<double>(*value)) : Seen{};
  std::vector<bool> layers;
  if (node.is(Kind::list)) {
    for (const NodeRef item : node) layers.push_back(item.as_integer().value_or(1) != 0);
  } else if (const auto text = node.as_string()) {
    if (!expand_pattern(*text, layers)) {
      const auto value = parse_integer(*text);
      if (!value) return {Seen::Kind::unreadable, 0};
      return wants_interval ? number(static_cast<double>(*value)) : Seen{};
    }
  }
  const auto first = std::find(layers.begin(), layers.end(), true);
  if (first == layers.end()) return {};
  if (!wants_interval) return number(static_cast<double>(first - layers.begin()));
  const auto second = std::find(first + 1, layers.end(), true);
  return number(second == layers.end() ? 1 : static_cast<double>(second - first));
}

// One value for all layers when they agree; which of several counts, an alternative must say.
Seen look_at_list(NodeRef list, const Alternative& each, FieldId field) {
  Seen out;
  for (const NodeRef item : list) {
    const Seen seen = look(item, each, field);
    if (seen.kind != Seen::Kind::number) return {Seen::Kind::unreadable, 0};
    if (out.kind == Seen::Kind::nothing) {
      out = seen;
    } else if (each.reading == Alternative::Reading::maximum) {
      out.number = std::max(out.number, seen.number);
    } else if (each.reading == Alternative::Reading::sum) {
      out.number += seen.number;
    } else if (out.number != seen.number) {
      return {Seen::Kind::unreadable, 0};
    }
  }
  return out;
}

// Items of a list, entries of a table, or letters of a pattern such as `M-M*`; all of them, or those of `of`.
Seen count(NodeRef node, const Alternative& each) {
  // A pattern of one number is no text: `CUDA_VISIBLE_DEVICES=7`.
  const auto text = node.as_string();
  if (text || node.as_number()) {
    const std::string letters = text ? std::string(*text) : written_form(node);
    if (each.of.empty()) return number(static_cast<double>(letters.size()));
    return number(static_cast<double>(std::count_if(letters.begin(), letters.end(), [&](char letter) {
      return each.of.find(letter) != std::string::npos;
    })));
  }
  if (!node.is(Kind::list) && (!node.is(Kind::table) || node["()"])) return {Seen::Kind::unreadable, 0};
  double found = 0;
  for (const NodeRef item : node) {
    // Of tables those that have this key; of what is not read, by what is said of it: the name of an
    // enumerator.
    const bool has = item.is(Kind::table) && item[each.of] && !item[each.of].is(Kind::null);
    const std::string form = item.is(Kind::unknown) ? std::string(item.note()) : written_form(item);
    found += each.of.empty() || has || matches_any(each.of, form) ? 1 : 0;
  }
  return number(found);
}

// No name of a value that something else fills in.
bool is_plain_word(std::string_view text) {
  constexpr std::string_view left_to_others =
      "auto|default|max|min|none|null|same|inherit|infer*|dynamic|tbd|unset";
  if (text.empty() || matches_any(left_to_others, text)) return false;
  const bool has_small = std::any_of(text.begin(), text.end(), [](char c) { return c >= 'a' && c <= 'z'; });
  const bool is_word = std::all_of(text.begin(), text.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' ||
           c == '-' || c == ' ';
  });
  const bool is_one_letter = text.find_first_not_of(text.front()) == std::string_view::npos;  // `xxxx`
  return has_small && is_word && !is_one_letter;
}

// Models of one file may read the same value.
void add_error(Error error, std::vector<Error>& errors) {
  const bool is_said = std::any_of(errors.begin(), errors.end(), [&](const Error& other) {
    return other.path == error.path && other.span == error.span;
  });
  if (!is_said) errors.push_back(std::move(error));
}

// What leaves no model where it is nothing.
constexpr FieldId model_fields[] = {FieldId::hidden_size, FieldId::num_layers};
// Sizes that are numbers in every framework.
constexpr FieldId shape_fields[] = {FieldId::hidden_size,         FieldId::num_layers,
                                    FieldId::num_attention_heads, FieldId::num_key_value_heads,
                                    FieldId::intermediate_size,   FieldId::vocab_size};
// Sizes and degrees of a run, and of a mixture.
constexpr FieldId run_fields[] = {FieldId::head_dim,
                                  FieldId::sequence_length,
                                  FieldId::micro_batch_size,
                                  FieldId::tensor,
                                  FieldId::gradient_accumulation,
                                  FieldId::pipeline,
                                  FieldId::data,
                                  FieldId::context,
                                  FieldId::expert,
                                  FieldId::expert_tensor,
                                  FieldId::moe_intermediate_size,
                                  FieldId::moe_num_experts,
                                  FieldId::virtual_pipeline,
                                  FieldId::moe_experts_per_token};
// Of those where no framework takes 0 for none or for a choice of its own.
constexpr FieldId never_zero[] = {FieldId::micro_batch_size, FieldId::tensor, FieldId::pipeline,
                                  FieldId::gradient_accumulation};

template <std::size_t size>
bool is_one_of(const FieldId (&fields)[size], FieldId field) {
  return std::find(std::begin(fields), std::end(fields), field) != std::end(fields);
}

// `4,096`: an integer in groups of three digits.
bool has_grouped_digits(std::string_view text) {
  const std::size_t first = text.find(',');
  if (first == std::string_view::npos || first == 0 || first > 3 || (text.size() - first) % 4 != 0)
    return false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool is_comma = i >= first && (i - first) % 4 == 0;
    if (is_comma ? text[i] != ',' : text[i] < '0' || text[i] > '9') return false;
  }
  return true;
}

// `8k` is 8,000, `8K` 8,192, `25.6k` 25,600; a fraction has thousands only (vLLM, engine/arg_utils.py,
// human_readable_int).
std::optional<double> with_unit(std::string_view text) {
  constexpr std::string_view decimal = "kmgt";
  constexpr std::string_view binary = "KMGT";
  if (text.empty()) return std::nullopt;
  const auto value = parse_number(text.substr(0, text.size() - 1));
  if (!value) return std::nullopt;
  if (const auto at = decimal.find(text.back()); at != std::string_view::npos)
    return *value * std::pow(1000.0, static_cast<double>(at + 1));
  const auto at = binary.find(text.back());
  if (at == std::string_view::npos || *value != std::floor(*value)) return std::nullopt;
  return *value * std::pow(1024.0, static_cast<double>(at + 1));
}

// The number at a place, from `1`, in `1,8,-1`, `dp:1,fsdp:8,mp:-1` or a list.
Seen look_for_number(NodeRef node, std::string_view place) {
  const auto at = parse_integer(place);
  if (!at || *at < 1) return {};
  if (node.is(Kind::list)) {
    const auto value = node[static_cast<std::size_t>(*at - 1)].as_number();
    return value ? number(*value) : Seen{};
  }
  std::string_view text = node.as_string().value_or("");
  if (text.starts_with('(') && text.ends_with(')')) text = text.substr(1, text.size() - 2);
  for (std::int64_t i = 1; i < *at; ++i) {
    const auto comma = text.find(',');
    if (comma == std::string_view::npos) return {};
    text.remove_prefix(comma + 1);
  }
  text = text.substr(0, text.find(','));
  const auto name = text.find_last_of(":!");
  if (name != std::string_view::npos) text.remove_prefix(name + 1);
  const auto value = parse_number(trimmed(text));
  return value ? number(*value) : Seen{};
}

// A call, or what a search over values writes.
bool stands_for_a_number(NodeRef table) {
  for (const NodeRef child : table) {
    if (matches_any("()|*value*|min|max|distribution|default|choices|_*", child.key())) return true;
  }
  return false;
}

}  // namespace

std::string written_form(NodeRef node) {
  if (const auto text = node.as_string()) return std::string(*text);
  if (const auto value = node.as_boolean()) return *value ? "true" : "false";
  if (const auto value = node.as_integer()) return std::to_string(*value);
  if (const auto value = node.as_number()) return exact(*value);
  return {};
}

// Numbers with commas between them: `16,32`.
Seen look_for_largest(std::string_view text) {
  Seen out;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(','), text.size());
    const auto value = parse_integer(text.substr(0, end));
    if (!value) return {Seen::Kind::unreadable, 0};
    const auto found = static_cast<double>(*value);
    out = number(out.kind == Seen::Kind::nothing ? found : std::max(out.number, found));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return out;
}

Seen look(NodeRef node, const Alternative& each, FieldId field) {
  if (each.reading == Alternative::Reading::number) return look_for_number(node, each.of);
  if (each.reading == Alternative::Reading::present || each.reading == Alternative::Reading::is_null)
    return number(1);
  if (each.reading == Alternative::Reading::defaulted)
    return number(node.is(Kind::integer) && node.note() == text::note_of_default ? 1 : 0);
  if (each.reading == Alternative::Reading::count) return count(node, each);
  if (each.reading == Alternative::Reading::items) return count_items(node);
  if (each.reading == Alternative::Reading::unrolled) return count_unrolled(node, each.of);
  if (each.reading == Alternative::Reading::names) return look_for_name(node, each.of);
  if (each.reading == Alternative::Reading::leading_zeros || each.reading == Alternative::Reading::interval) {
    return look_at_pattern(node, each);
  }
  if (each.reading == Alternative::Reading::text) {
    const std::string written = all_text(node);
    for (const auto& [pattern, value] : each.map) {
      if (matches_any(pattern, written)) return number(value);
    }
    return {};
  }
  if (node.is(Kind::list)) return look_at_list(node, each, field);
  if (const auto text = node.as_string();
      text && each.reading == Alternative::Reading::maximum && text->find(',') != std::string_view::npos)
    return look_for_largest(*text);
  // What a call gives that is not worked out.
  if (node.is(Kind::table)) return {node["()"] ? Seen::Kind::unreadable : Seen::Kind::nothing, 0};
  if (!each.map.empty()) {
    const std::string written = written_form(node);
    for (const auto& [pattern, value] : each.map) {
      if (matches_any(pattern, written)) return number(value);
    }
    return {};
  }
  if (const auto value = node.as_number()) return number(*value);
  if (const auto value = node.as_boolean()) return number(*value ? 1 : 0);
  if (const auto text = node.as_string()) {
    if (field != model::no_field) {
      const auto choices = model::info(field).choices;
      for (std::size_t i = 0; i < choices.size(); ++i) {
        if (choices[i] == *text) return number(static_cast<double>(i));
      }
    }
    std::string digits(*text);
    std::erase_if(digits, [](char c) { return c == '_' || c == ' '; });
    if (const auto value = parse_number(digits)) return number(*value);
    if (each.reading == Alternative::Reading::units) {
      if (const auto value = with_unit(digits)) return number(*value);
    }
    if (matches_any("true|yes|on", *text)) return number(1);
    if (matches_any("false|no|off", *text)) return number(0);
    if (matches_any("none|null", *text)) return {};
  }
  return {Seen::Kind::unreadable, 0};
}

namespace {

// Items of a list that is given as text: `"[0, 4, 128]"`.
std::optional<std::vector<std::string>> listed_in(std::string_view text) {
  text = trimmed(text);
  if (!text.starts_with('[') || !text.ends_with(']') || text.size() < 2) return std::nullopt;
  text = text.substr(1, text.size() - 2);
  std::vector<std::string> out;
  while (!text.empty()) {
    const auto end = std::min(text.find(','), text.size());
    out.emplace_back(trimmed(text.substr(0, end)));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return out;
}

}  // namespace

Seen look_at_layer(NodeRef node, const Alternative& each, std::int64_t index) {
  const auto at = static_cast<std::size_t>(index);
  const auto mapped = [&](const std::string& written) -> Seen {
    for (const auto& [pattern, value] : each.map) {
      if (matches_any(pattern, written)) return number(value);
    }
    const auto value = parse_number(written);
    return value && each.map.empty() ? number(*value) : Seen{};
  };
  if (const auto text = node.as_string()) {
    std::vector<bool> layers;
    if (expand_pattern(*text, layers)) return at < layers.size() ? mapped(layers[at] ? "1" : "0") : Seen{};
    if (const auto items = listed_in(*text)) return at < items->size() ? mapped((*items)[at]) : Seen{};
    return at < text->size() ? mapped(std::string(1, (*text)[at])) : Seen{};
  }
  if (!node.is(Kind::list)) {  // one value for all
    Alternative plain;
    plain.map = each.map;
    return look(node, plain, model::no_field);
  }
  if (at >= node.size()) return {};
  NodeRef item = node[at];
  for (const std::string& key : each.item) item = item[key];
  if (!item || item.is(Kind::null) || item.is(Kind::table) || item.is(Kind::list)) return {};
  const std::string written = written_form(item);
  if (!each.map.empty()) return mapped(written);
  if (const auto flag = item.as_boolean()) return number(*flag ? 1 : 0);
  return mapped(written);
}

model::Origin stated_at(NodeRef node, const std::string& note) {
  model::Origin out;
  out.kind = model::Origin::Kind::stated;
  out.path = node.file();
  out.span = node.span();
  out.use_span = node.use_span().value_or(Span{});
  out.key_span = node.key_span();
  out.key_path = node.path();
  out.note = note;
  return out;
}

std::string shown_key(NodeRef node) {
  const std::string_view key = node.key();
  return key.starts_with('-') ? std::string(key) : node.path();
}

bool refuse_word(NodeRef node, const Alternative& each, FieldId field, std::vector<Error>& errors) {
  const auto text = node.as_string();
  if (!text || field == model::no_field || !each.map.empty() || each.reading != Alternative::Reading::value)
    return false;
  const model::FieldInfo& info = model::info(field);
  const bool is_grouped = is_one_of(shape_fields, field) && has_grouped_digits(*text);
  if (info.type != model::FieldType::integer || (!is_plain_word(*text) && !is_grouped)) return false;
  add_error(node.error(fmt::format("`{}` must be a number, not `{}`", shown_key(node), *text),
                       is_grouped ? "write its digits without commas" : ""),
            errors);
  return true;
}

bool refuse_kind(NodeRef node, const Alternative& each, FieldId field, std::vector<Error>& errors) {
  const bool is_plain = each.map.empty() && each.when.empty() && each.reading == Alternative::Reading::value;
  if (!is_plain || !is_one_of(shape_fields, field) || node.key().starts_with('-')) return false;
  const auto truth = node.as_boolean();
  const bool is_table = node.is(Kind::table) && !stands_for_a_number(node);
  if (!truth && !is_table) return false;
  const std::string_view found = is_table ? "a table" : *truth ? "`true`" : "`false`";
  add_error(node.error(fmt::format("`{}` must be a number, not {}", shown_key(node), found)), errors);
  return true;
}

bool refuse_null(NodeRef node, FieldId field, std::vector<Error>& errors) {
  if (!is_one_of(model_fields, field) || !node.is(Kind::null)) return false;
  add_error(node.error(fmt::format("`{}` must be a number, not null", shown_key(node))), errors);
  return true;
}

bool refuse_size(NodeRef node, double value, FieldId field, std::vector<Error>& errors) {
  const std::int64_t maximum = model::info(field).maximum;
  if (field == FieldId::zero && value > static_cast<double>(maximum)) {
    add_error(node.error(fmt::format("`{}` is {}, but ZeRO has stages 0 to {}", shown_key(node), exact(value),
                                     maximum)),
              errors);
    return true;
  }
  const bool is_model = is_one_of(model_fields, field);
  if (!is_model && !is_one_of(shape_fields, field) && !is_one_of(run_fields, field)) return false;
  if (!std::isfinite(value) || value != std::floor(value)) {
    const std::string shown = std::isnan(value) ? "NaN" : std::isinf(value) ? "infinite" : exact(value);
    add_error(node.error(fmt::format("`{}` must be a whole number, not {}", shown_key(node), shown)), errors);
    return true;
  }
  // What is none or automatic is 0 in some frameworks, and -1 in most.
  const bool is_mistake = value < -1 || is_model || (value == 0 && is_one_of(never_zero, field));
  const std::int64_t minimum = model::info(field).minimum;
  if (!is_mistake || value >= static_cast<double>(minimum)) return false;
  add_error(
      node.error(fmt::format("`{}` is {}, but must be at least {}", shown_key(node), exact(value), minimum)),
      errors);
  return true;
}

}  // namespace shapelint::formats
