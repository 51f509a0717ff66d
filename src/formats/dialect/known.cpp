// Published models by name.
#include "formats/dialect/known.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <string>
#include <unordered_map>

#include <fmt/format.h>

#include "base/strings.hpp"
#include "catalog/entry.hpp"
#include "formats/neighbours.hpp"
#include "model/derive.hpp"

namespace shapelint::formats {

namespace {

using catalog::KnownModel;
using model::FieldId;

// Endings that leave every size as it is: what a checkpoint was trained for. Those of how its weights are
// stored are data (formats/models/stored.toml).
// Then those of files that a framework made of it (Megatron's `-mcore`, `_torch_dist`), of training with
// quantized weights, and of weights without the direction that refuses (https://github.com/p-e-w/heretic).
constexpr std::array<std::string_view, 27> neutral{
    "instruct",  "chat",    "base",        "it",          "pt",           "hf",        "sft",
    "dpo",       "rlhf",    "thinking",    "unsloth",     "online",       "merged",    "preview",
    "converted", "mcore",   "megatron",    "mg",          "torch",        "dist",      "qat",
    "ct",        "heretic", "abliterated", "obliterated", "derestricted", "uncensored"};

// A checkpoint's day or month: `0324` (March 24), `2507` (July 2025), `20250324`.
bool is_date(std::string_view word) {
  constexpr std::string_view century = "20";
  if (!std::all_of(word.begin(), word.end(), is_digit)) return false;
  if (word.size() == 8 && word.starts_with(century)) word.remove_prefix(century.size());
  if (word.size() != 4 && word.size() != 6) return false;
  const auto pair = [&](std::size_t at) { return 10 * (word[at] - '0') + (word[at + 1] - '0'); };
  const auto is_month = [](int number) { return number >= 1 && number <= 12; };
  const auto is_day = [](int number) { return number >= 1 && number <= 31; };
  const auto is_year = [](int number) { return number >= 20 && number <= 39; };
  if (word.size() == 6) return is_year(pair(0)) && is_month(pair(2)) && is_day(pair(4));
  return (is_month(pair(0)) && is_day(pair(2))) || (is_year(pair(0)) && is_month(pair(2)));
}

bool is_neutral(std::string_view word) {
  return std::find(neutral.begin(), neutral.end(), word) != neutral.end() || is_date(word) ||
         catalog::tells_storage(word);
}

// Whether `_` stands between a family's version and a size: `qwen3_235b`, `llama3_1_8b`, and not in
// `OpenELM-1_1B`.
bool parts_size(std::string_view name, std::size_t at) {
  std::size_t before = at;
  while (before > 0 && is_digit(name[before - 1])) --before;
  std::size_t after = at + 1;
  while (after < name.size() && is_digit(name[after])) ++after;
  return before > 0 && name[before - 1] != '-' && after < name.size() &&
         (name[after] == 'b' || name[after] == 'B');
}

// One spelling of a name's last part: `Llama-3.1-8B`, `llama3.1-8b` and `Meta-Llama-3_1-8B` are the same.
std::string spelling(std::string_view name) {
  constexpr std::string_view maker = "meta-";
  if (name.size() > maker.size() && glob_matches("meta-llama*", name, Glob::name))
    name.remove_prefix(maker.size());
  std::string out;
  for (std::size_t i = 0; i < name.size(); ++i) {
    const bool between_digits =
        i > 0 && i + 1 < name.size() && is_digit(name[i - 1]) && is_digit(name[i + 1]);
    char c = static_cast<char>(std::tolower(static_cast<unsigned char>(name[i])));
    if (c == '_') c = between_digits && !parts_size(name, i) ? '.' : '-';
    // The version follows the family with or without a hyphen.
    const bool letters_only =
        std::none_of(out.begin(), out.end(), [](char each) { return is_digit(each) || each == '-'; });
    if (c == '-' && letters_only && i + 1 < name.size() && is_digit(name[i + 1])) continue;
    out += c;
  }
  return out;
}

// Without the last neutral ending; empty when it has none.
std::string shortened(std::string_view name) {
  const auto hyphen = name.find_last_of('-');
  if (hyphen == std::string_view::npos || hyphen == 0) return {};
  if (!is_neutral(name.substr(hyphen + 1))) return {};
  return std::string(name.substr(0, hyphen));
}

// Without such a word before the size or the version: `internlm-chat-7b` is `internlm-7b`,
// `Mistral-7B-Instruct-v0.3` is `Mistral-7B-v0.3`.
std::string without_inner_word(std::string name) {
  for (const std::string_view word : {"-chat-", "-instruct-", "-base-", "-it-"}) {
    const auto at = name.find(word);
    if (at == std::string::npos || at + word.size() >= name.size()) continue;
    std::size_t next = at + word.size();
    if (name[next] == 'v') ++next;
    if (next >= name.size() || !is_digit(name[next])) continue;
    // The family's name is followed by a digit without a hyphen, as spelling() has it.
    const bool letters_only = std::none_of(name.begin(), name.begin() + static_cast<std::ptrdiff_t>(at),
                                           [](char each) { return is_digit(each) || each == '-'; });
    name.replace(at, word.size(), letters_only ? "" : "-");
  }
  return name;
}

std::string bare(std::string name) {
  name = without_inner_word(std::move(name));
  for (std::string next = shortened(name); !next.empty(); next = shortened(name)) name = std::move(next);
  return name;
}

bool same_shape(const KnownModel& a, const KnownModel& b) {
  constexpr std::array sizes{FieldId::hidden_size,         FieldId::num_layers,
                             FieldId::num_attention_heads, FieldId::num_key_value_heads,
                             FieldId::intermediate_size,   FieldId::vocab_size,
                             FieldId::moe_num_experts,     FieldId::tie_word_embeddings};
  return std::all_of(sizes.begin(), sizes.end(), [&](FieldId field) {
    const auto left = catalog::stated(a, field);
    const auto right = catalog::stated(b, field);
    return !left || !right || *left == *right;
  });
}

// A spelling that stands for models of several shapes stands for none: nullptr.
using Index = std::unordered_map<std::string, const KnownModel*>;

void add(Index& index, std::string key, const KnownModel& known) {
  const auto [at, is_new] = index.emplace(std::move(key), &known);
  if (!is_new && at->second != nullptr && !same_shape(*at->second, known)) at->second = nullptr;
}

struct Names {
  Index whole;     // with their organisation
  Index last;      // without
  Index by_shape;  // and without endings
};

Names names_of(std::span<const KnownModel> models) {
  Names out;
  for (const KnownModel& each : models) {
    const std::string_view name = each.name;
    const std::string last = spelling(name.substr(name.find_last_of('/') + 1));  // npos + 1: all of it
    out.whole.emplace(std::string(name.substr(0, name.find_last_of('/') + 1)) + last, &each);
    add(out.last, last, each);
    add(out.by_shape, bare(last), each);
  }
  // After all names: an entry of its own goes before another's alias.
  for (const KnownModel& each : models) {
    for (const std::string& alias : each.aliases) {
      if (alias.find_first_of("*/") != std::string::npos) continue;
      add(out.last, spelling(alias), each);
      add(out.by_shape, bare(spelling(alias)), each);
    }
  }
  return out;
}

const KnownModel* look_up(const Index& index, const std::string& key) {
  const auto found = index.find(key);
  return found == index.end() ? nullptr : found->second;
}

// `org/Name` of a name, or the path that it is: without a revision.
std::string published_name(std::string_view name) {
  std::string cached = hub_name(name);
  if (!cached.empty()) name = cached;
  while (name.ends_with('/')) name.remove_suffix(1);
  return std::string(name.substr(0, name.find('@')));
}

const KnownModel* find(std::string_view asked, std::span<const KnownModel> models, const Names& names) {
  const std::string published = published_name(asked);
  const std::string_view name = published;
  const auto slash = name.find_last_of('/');
  const std::string last = spelling(name.substr(slash + 1));
  if (last.empty()) return nullptr;
  if (slash != std::string_view::npos) {
    const auto owner = name.substr(0, slash).find_last_of('/');
    const std::string whole = std::string(name.substr(owner + 1, slash - owner)) + last;
    if (const KnownModel* found = look_up(names.whole, whole)) return found;
  }
  for (const KnownModel& each : models) {
    for (const std::string& alias : each.aliases) {
      if (alias.find('/') != std::string::npos && glob_matches(alias, name, Glob::name)) return &each;
    }
  }
  for (std::string key = last; !key.empty(); key = shortened(key)) {
    const auto found = names.last.find(key);
    if (found != names.last.end()) return found->second;
  }
  return look_up(names.by_shape, bare(last));
}

std::optional<Checkpoint> with_storage(const KnownModel* known, std::string_view asked) {
  if (known == nullptr) return std::nullopt;
  Checkpoint out{*known};
  const std::string name = published_name(asked);
  const auto slash = name.find_last_of('/');
  const auto owner = slash == 0 || slash == std::string::npos ? slash : name.find_last_of('/', slash - 1);
  const std::string whole = name.substr(owner == slash ? 0 : owner + 1);
  const auto* stored = catalog::stored_weights(whole, spelling(name.substr(slash + 1)));
  if (stored != nullptr) out.stored = *stored;
  // Its own, not those of the model whose shape it has.
  if (const std::int64_t positions = catalog::max_positions(whole); positions > 0) {
    std::erase_if(out.model.values, [](const auto& each) { return each.first == FieldId::max_positions; });
    out.model.values.emplace_back(FieldId::max_positions, positions);
  }
  out.drafting_layers = catalog::drafting_layers(whole);
  out.towers = catalog::towers(whole);
  if (out.towers.parameters > 0 && !catalog::stated(out.model, FieldId::tower_parameters))
    out.model.values.emplace_back(FieldId::tower_parameters, out.towers.parameters);
  return out;
}

}  // namespace

std::string base_of(std::string_view name) {
  return bare(spelling(name.substr(name.find_last_of('/') + 1)));  // npos + 1: all of it
}

const KnownModel* find_known_model(std::string_view name) {
  static const Names names = names_of(catalog::known_models());
  return find(name, catalog::known_models(), names);
}

const KnownModel* find_known_model(std::string_view name, std::span<const KnownModel> among) {
  return among.empty() ? nullptr : find(name, among, names_of(among));
}

std::optional<Checkpoint> find_checkpoint(std::string_view name) {
  return with_storage(find_known_model(name), name);
}

std::optional<Checkpoint> find_checkpoint(std::string_view name, std::span<const KnownModel> among) {
  return with_storage(find_known_model(name, among), name);
}

using model::FieldId;
using model::Origin;

bool has_known_base(const model::Reading& reading, FieldId field) {
  switch (field) {
    case FieldId::intermediate_size:
      return is_known(reading, FieldId::hidden_size);
    case FieldId::moe_intermediate_size:
      return is_known(reading, FieldId::intermediate_size);
    case FieldId::num_key_value_heads:
      return is_known(reading, FieldId::num_attention_heads);
    case FieldId::head_dim:
    case FieldId::value_head_dim:
      return is_known(reading, FieldId::num_attention_heads) && is_known(reading, FieldId::hidden_size);
    default:
      return true;
  }
}

bool is_in_range(double number, const model::FieldInfo& field) {
  const double rounded = std::round(number);
  return std::abs(rounded - number) < 1e-6 && rounded >= static_cast<double>(field.minimum) &&
         rounded <= static_cast<double>(field.maximum);
}

void leave_unpadded(model::Reading& reading) {
  reading.setup.model.vocab_padding_multiple = 1;
  Origin& padding = reading.origins[FieldId::vocab_padding_multiple];
  padding = Origin{};
  padding.kind = Origin::Kind::defaulted;
  padding.note = "not used: the vocabulary is assumed";
}

void clamp_to_positions(model::Reading& reading) {
  const Origin& origin = reading.origins[FieldId::sequence_length];
  const std::int64_t positions = reading.setup.model.learned_positions;
  if (origin.kind != Origin::Kind::defaulted || positions <= 0) return;
  reading.setup.plan.sequence_length = std::min(reading.setup.plan.sequence_length, positions);
}

void follow_length(model::Reading& reading) {
  // What a dialect derives is of its own.
  const bool follows = reading.origins[FieldId::source_length].kind == Origin::Kind::derived &&
                       model::derives_from_table(reading, FieldId::source_length);
  if (!follows) return;
  reading.setup.plan.source_length = reading.setup.plan.sequence_length;
}

Origin origin_of(const Checkpoint& known, FieldId field) {
  Origin out;
  out.kind = Origin::Kind::defaulted;
  const bool is_shape = model::info(field).section.starts_with("model");
  out.note = is_shape || !known.stored ? fmt::format("shape of {}", known.model.name)
                                       : fmt::format("the checkpoint's weights: {}", known.stored->means);
  if (field == FieldId::tower_parameters && known.towers.parameters > 0)
    out.note = fmt::format("{} of the published model", known.towers.means);
  return out;
}

std::vector<std::pair<std::string, double>> apply_stored_weights(Checkpoint& known,
                                                                 std::span<const model::Override> overrides) {
  std::vector<std::pair<std::string, double>> out;
  if (known.drafting_layers > 0) out.emplace_back("drafting_layers", known.drafting_layers);
  if (!known.stored || !known.stored->is_packed) return out;
  const auto& values = known.stored->values;
  const bool differs = std::any_of(overrides.begin(), overrides.end(), [&](const model::Override& asked) {
    return asked.field == FieldId::dtype &&
           std::any_of(values.begin(), values.end(), [&](const catalog::FieldValue& each) {
             return each.first == FieldId::dtype && each.second != asked.value;
           });
  });
  if (differs) return out;
  for (const catalog::FieldValue& each : values) catalog::put(known.model.values, each);
  out.emplace_back("packs_weights", 1);
  out.emplace_back("quantization_block", known.stored->quantization_block);
  return out;
}

std::string why_unknown(const model::Reading& reading) {
  for (const model::Note& each : reading.notes) {
    const std::size_t at = each.message.find(unknown_model);
    if (at == std::string::npos) continue;
    // `NAME` and a space stand before; what follows names a model that is nearly that.
    const bool is_all = at + unknown_model.size() == each.message.size() && at > 3;
    return is_all ? fmt::format("{}; {}", each.message, instead_of_unknown(each.message.substr(1, at - 3)))
                  : each.message;
  }
  for (const FieldId field : model::missing_sizes(reading)) {
    const std::string begin = fmt::format("`{}` {}", model::info(field).name, unknown_because);
    for (const model::Note& each : reading.notes) {
      if (each.message.starts_with(begin)) return each.message.substr(begin.size());
    }
  }
  return {};
}

namespace {

// What tells a model from others of its family: its numbers (version, size, experts; dates are left out), and
// its letters.
struct NameParts {
  std::string letters;
  std::vector<std::string> numbers;  // `4.5v`, `8b`, in order
};

NameParts name_parts(std::string_view name) {
  const std::string base = base_of(name);
  const auto is_letter = [](char c) { return c >= 'a' && c <= 'z'; };
  NameParts out;
  for (std::size_t i = 0; i < base.size();) {
    if (!is_digit(base[i])) {
      if (is_letter(base[i])) out.letters += base[i];
      ++i;
      continue;
    }
    const std::size_t begin = i;
    while (i < base.size() && (is_digit(base[i]) || base[i] == '.')) ++i;
    while (i < base.size() && is_letter(base[i])) ++i;
    const std::string number = base.substr(begin, i - begin);
    if (!is_date(number)) out.numbers.push_back(number);
  }
  std::sort(out.numbers.begin(), out.numbers.end());
  return out;
}

// A model of another size or version, or of another family, is none that was meant: only its letters may be
// misspelt.
bool may_be_meant(const NameParts& asked, const NameParts& other) {
  constexpr std::size_t letters_for_each_slip = 4;
  constexpr std::size_t max_slips = 2;
  return asked.numbers == other.numbers &&
         edit_distance(asked.letters, other.letters) <=
             std::min(max_slips, asked.letters.size() / letters_for_each_slip);
}

}  // namespace

std::string instead_of_unknown(std::string_view name) {
  // A bare name, or a folder, has no organisation to compare.
  const bool is_of_hub =
      name.find('/') != std::string_view::npos && name.find('/') == name.rfind('/') && !name.starts_with('/');
  const auto compared = [&](std::string_view each) {
    return is_of_hub ? each : each.substr(each.rfind('/') + 1);  // npos + 1: all of it
  };
  std::vector<std::string_view> names;
  const NameParts asked = name_parts(name);
  const auto add_meant = [&](std::string_view each) {
    if (may_be_meant(asked, name_parts(each))) names.push_back(compared(each));
  };
  for (const KnownModel& each : catalog::known_models()) add_meant(each.name);
  for (const catalog::KnownConfig& each : catalog::known_configs()) add_meant(each.name);
  const std::string near = did_you_mean(compared(name), names);
  return fmt::format("{}{}pass the model's config.json", near, near.empty() ? "" : " otherwise ");
}

}  // namespace shapelint::formats
