// What to write into a file to follow a proposal.
#include "lint/edits.hpp"

#include <algorithm>
#include <cctype>
#include <optional>

#include <fmt/format.h>

#include "base/number.hpp"
#include "base/strings.hpp"
#include "lint/phrases.hpp"
#include "model/fields.hpp"
#include "model/layer_list.hpp"
#include "rules/scope/launch.hpp"
#include "suggest/edit/axes.hpp"

namespace shapelint::lint {

namespace {

using model::Origin;

bool is_quoted(std::string_view text) {
  return text.size() >= 2 && (text.front() == '"' || text.front() == '\'') && text.back() == text.front();
}

std::string without(std::string_view text, char taken) {
  std::string out(text);
  out.erase(std::remove(out.begin(), out.end(), taken), out.end());
  return out;
}

// As `old` groups its digits: `50_304`.
std::string grouped_like(std::string_view old, std::string number) {
  if (old.find('_') == std::string_view::npos) return number;
  constexpr std::size_t group = 3;
  for (std::size_t at = number.size(); at > group; at -= group) number.insert(at - group, "_");
  return number;
}

// `reduce_scatter` as some files write it.
std::string in_capitals(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(),
                 [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
  return text;
}

// How a file that writes `old` for the value `from` writes `to`: in its quotes, if it has any, and as Python
// and YAML do where truth has a capital letter. Nothing when it writes `from` in another way.
std::optional<std::string> spelled_like(std::string_view old, std::string from, std::string to) {
  std::string_view plain = is_quoted(old) ? old.substr(1, old.size() - 2) : old;
  const bool is_truth = from == "true" || from == "false";
  const bool has_capital =
      is_truth && !plain.empty() && std::isupper(static_cast<unsigned char>(plain.front())) != 0;
  std::string written = without(plain, '_');
  if (from != plain && in_capitals(from) == plain && !is_truth) {
    from = in_capitals(from);
    to = in_capitals(to);
  }
  if (has_capital) {
    written.front() = from.front();
    to.front() = static_cast<char>(std::toupper(static_cast<unsigned char>(to.front())));
  }
  if (written != without(from, '_')) return std::nullopt;
  if (plain != from && !has_capital) to = grouped_like(plain, std::move(to));
  return is_quoted(old) ? old.front() + to + old.front() : to;
}

std::size_t skipped(std::string_view text, std::size_t at, std::string_view what) {
  while (at > 0 && what.find(text[at - 1]) != std::string_view::npos) --at;
  return at;
}

std::string_view word_before(std::string_view text, std::size_t end) {
  std::size_t begin = end;
  while (begin > 0 && is_name_character(text[begin - 1])) --begin;
  return text.substr(begin, end - begin);
}

// What a literal is called where it stands, and how often that is said there.
struct Definition {
  std::string_view name;
  std::size_t times = 1;
};

// `TP` of `TP=4`, `TP="4"`, `${TP:-4}` and `TP=${1:-4}`, twice of `TP=${TP:-4}`; `width` of `width: 4096` and
// `&width 4096`.
Definition definition_before(std::string_view text, std::size_t at) {
  const std::string_view name = word_before(text, skipped(text, at, " \t\"'=:-"));
  const auto begin = static_cast<std::size_t>(name.data() - text.data());
  if (!text.substr(0, begin).ends_with("${")) return {name};
  const std::string_view outer = word_before(text, skipped(text, begin - 2, "\"="));
  if (outer == name) return {name, 2};
  const bool is_argument = name.find_first_not_of("0123456789") == std::string_view::npos;
  return {is_argument ? outer : name};
}

struct Place {
  Span span;
  Span use_span;
  std::string path;
};

// Where the layers' own values are stated that the change is of, one after the other.
std::vector<Place> places_of_layers(const rules::Change& change, const ModelReport& model,
                                    std::string& obstacle) {
  std::vector<Place> out;
  for (const model::LayerOrigin* each :
       model::origins_of_layers(model.reading, *model::own_size(change.field), change.from))
    out.push_back({each->span, {}, model.path});
  if (out.empty())
    obstacle = fmt::format("the file does not state `{}` of each layer: change {} to {} by hand",
                           changed_name(change), change.from, change.to);
  return out;
}

// Where a change's value is stated, or why nowhere that could be edited.
std::optional<Place> place_of(const rules::Change& change, const ModelReport& model, std::string& obstacle) {
  const std::string name = changed_name(change);
  const std::string to = model::value_text(change.field, change.to);
  if (!change.key.empty()) {
    const model::LayerOrigin* place = model::find_layer_key(model.reading, change.layer, change.key);
    if (place != nullptr) return Place{place->span, {}, model.path};
    obstacle = fmt::format("the file does not state `{}`: write {} there", name, to);
    return std::nullopt;
  }
  const Origin& origin = model::origin(model.reading, change.field);
  if (origin.kind == Origin::Kind::stated) return Place{origin.span, origin.use_span, origin.path};
  if (origin.kind == Origin::Kind::command_line) {
    obstacle =
        fmt::format("`{}` is given on the command line or in the configuration: give {} there", name, to);
  } else if (model.reading.dialect == "native" &&
             static_cast<bool>(suggest::parse_range(fmt::format("{}={}", name, to), true))) {
    obstacle = fmt::format(
        "the file does not state `{0}`: `shapelint suggest {1} --vary {0} --range {0}={2} --apply 1 --write` "
        "adds it",
        name, model.path, to);
  } else if (model::extra_named(model.reading, model::unsettable(change.field)) > 0) {
    obstacle = fmt::format("no key of the file sets `{}` alone ({})", name, origin.note);
  } else {
    obstacle = fmt::format("the file does not state `{}`: add it with the value {}", name, to);
  }
  return std::nullopt;
}

std::string_view unquoted(std::string_view text) {
  return is_quoted(text) ? text.substr(1, text.size() - 2) : text;
}

// Micro-batches of a step are noted as worked out of a batch, also where the two happen to be equal.
bool is_worked_out(const rules::Change& change, const ModelReport& model) {
  return change.key.empty() && change.field == model::FieldId::gradient_accumulation &&
         !model::origin(model.reading, change.field).note.empty();
}

// The number that a value is worked out from, where the file states that instead: a global batch.
std::optional<std::int64_t> computed_from(std::string_view old, const rules::Change& change,
                                          const ModelReport& model) {
  if (!change.key.empty()) return std::nullopt;
  const auto number = parse_integer(without(unquoted(old), '_'));
  return number && (*number != change.from || is_worked_out(change, model)) ? number : std::nullopt;
}

// A key as its file calls it.
std::string key_of(const rules::Change& change, const ModelReport& model) {
  constexpr std::string_view of_flags = "flags.";  // the table that a command line is read as
  std::string_view path = model::origin(model.reading, change.field).key_path;
  if (path.starts_with(of_flags)) path.remove_prefix(of_flags.size());
  return path.empty() ? std::string("another key") : fmt::format("`{}`", path);
}

// The text for a key that is to grow by the same factor, where that is a whole number.
std::optional<std::string> scaled(std::string_view old, std::int64_t number, const rules::Change& change) {
  constexpr std::int64_t most = 1'000'000'000;
  if (change.from <= 0 || change.to <= 0 || change.to > most || number <= 0 || number > most ||
      number * change.to % change.from != 0) {
    return std::nullopt;
  }
  return spelled_like(old, fmt::format("{}", number), fmt::format("{}", number * change.to / change.from));
}

// The text for a ratio to the width that gives the new value, rounded down as frameworks do. One that is
// written without decimals may have to be whole.
std::optional<std::string> ratio_for(std::string_view old, const rules::Change& change,
                                     const ModelReport& model) {
  if (!change.key.empty() || change.of_layers || old.find('.') == std::string_view::npos) return std::nullopt;
  std::string text = model::ratio_text(model::origin(model.reading, change.field), change.to);
  if (text.empty() || !parse_number(old)) return std::nullopt;
  return text;
}

// A value as files of the format write it; empty where they cannot.
std::string word_for(const rules::Change& change, std::int64_t value, const ModelReport& model) {
  for (const ChoiceWord& each : model.words) {
    if (change.key.empty() && each.field == change.field && each.value == value) return each.text;
  }
  return model::value_text(change.field, value);
}

// When the file states exactly the old value, or one that gives it. Neither an edit nor an obstacle: it
// follows. `remark` then says from what, or what is changed instead. An obstacle goes into the plan.
std::optional<TextEdit> edit_of(const rules::Change& change, const Place& place, const ModelReport& model,
                                const EditableText& editable, Computed computed, std::string& remark,
                                EditPlan& plan) {
  std::string& obstacle = plan.obstacle;
  const std::string name = changed_name(change);
  const std::string to = model::value_text(change.field, change.to);
  const text::SharedText* text = editable(place.path);
  if (text == nullptr) {
    plan.obstacle = fmt::format("`{}` is stated in {}: change it to {} there", name, place.path, to);
    plan.is_elsewhere = true;
    return std::nullopt;
  }
  const Span span = place.span;
  if (span.begin < 0 || span.end <= span.begin || span.end > static_cast<std::int64_t>(text->size())) {
    obstacle = fmt::format("`{}` cannot be changed in this kind of file", name);
    return std::nullopt;
  }
  const auto begin = static_cast<std::size_t>(span.begin);
  const std::string_view source = *text;
  const std::string_view old = source.substr(begin, static_cast<std::size_t>(span.end) - begin);
  const std::string word = word_for(change, change.to, model);
  if (word.empty()) {
    obstacle = fmt::format("no value of {} says `{}`: change it by hand", key_of(change, model), to);
    return std::nullopt;
  }
  auto written = is_worked_out(change, model)
                     ? std::nullopt
                     : spelled_like(old, model::value_text(change.field, change.from), word);
  if (!written && !is_worked_out(change, model))
    written = spelled_like(old, word_for(change, change.from, model), word);
  const auto source_number = written ? std::nullopt : computed_from(old, change, model);
  const auto ratio = written || source_number ? std::nullopt : ratio_for(old, change, model);
  if (source_number || ratio) {
    const std::string key = key_of(change, model);
    const std::string& note = model::origin(model.reading, change.field).note;
    if (computed == Computed::follow) {
      remark = "follows from " + key;
      return std::nullopt;
    }
    if (computed == Computed::scale) written = ratio ? ratio : scaled(old, *source_number, change);
    if (!written) {
      obstacle = fmt::format("`{}` follows from {} {}{}: change that so that it becomes {}", name, key, old,
                             note.empty() ? "" : fmt::format(" ({})", note), to);
      return std::nullopt;
    }
    remark = fmt::format("by {} {} → {}", key, unquoted(old), unquoted(*written));
  }
  // `4 * hidden` follows where `hidden` is changed, too.
  if (!written && computed == Computed::follow && change.field == model::FieldId::intermediate_size &&
      model::origin(model.reading, change.field).scales_with_width) {
    remark = "follows from " + model::origin(model.reading, model::FieldId::hidden_size).key_path;
    return std::nullopt;
  }
  if (!written) {
    obstacle = fmt::format("`{}` is written as `{}`: change it by hand so that it becomes {}", name, old, to);
    return std::nullopt;
  }
  if (place.use_span.end > place.use_span.begin) {
    const Definition made = definition_before(source, begin);
    // There, and where it is used.
    const bool is_used_once = count_word(source, made.name) == made.times + 1;
    if (made.name.empty() || place.path != model.path || !is_used_once) {
      obstacle = fmt::format(
          "`{}` comes from `{}`, which is used elsewhere, too: change it by hand so that it "
          "becomes {}",
          name, made.name, to);
      return std::nullopt;
    }
  }
  return TextEdit{span, *std::move(written), place.path};
}

// Two values that one number of a file gives are one edit, if they need the same text.
void add_edit(TextEdit edit, const rules::Change& change, EditPlan& plan) {
  const auto same = std::find_if(plan.edits.begin(), plan.edits.end(), [&](const TextEdit& each) {
    return each.path == edit.path && each.span == edit.span;
  });
  if (same == plan.edits.end()) {
    plan.edits.push_back(std::move(edit));
  } else if (same->text != edit.text) {
    plan.obstacle =
        fmt::format("one value gives `{}` and another field, and they need different ones: edit it by hand",
                    changed_name(change));
  }
}

// The edits of one change, until there is an obstacle; the remark on it, if it has one.
std::string add_edits_of(const rules::Change& change, const ModelReport& model, const EditableText& editable,
                         Computed computed, EditPlan& plan) {
  std::vector<Place> places;
  if (change.of_layers) {
    places = places_of_layers(change, model, plan.obstacle);
  } else if (const auto place = place_of(change, model, plan.obstacle)) {
    places.push_back(*place);
  }
  std::string remark;
  for (const Place& place : places) {
    auto edit = edit_of(change, place, model, editable, computed, remark, plan);
    if (edit) add_edit(*std::move(edit), change, plan);
    if (!plan.obstacle.empty()) break;
  }
  return remark;
}

}  // namespace

EditPlan plan_edits(const rules::Proposal& proposal, const ModelReport& model, const EditableText& editable,
                    Computed computed) {
  EditPlan plan;
  std::vector<rules::Change> made;
  std::string remarks;
  for (const rules::Change& change : proposal.changes) {
    const std::string remark = add_edits_of(change, model, editable, computed, plan);
    if (!plan.obstacle.empty()) return {{}, std::move(plan.obstacle), {}, false, plan.is_elsewhere};
    if (remark.empty()) {
      made.push_back(change);
    } else {
      plan.is_computed = true;
      remarks += fmt::format("{}{} {}", remarks.empty() ? "" : ", ", changes_text({change}), remark);
    }
  }
  // What follows needs something to follow from.
  if (plan.edits.empty() && computed == Computed::follow && plan.is_computed)
    return plan_edits(proposal, model, editable, Computed::refuse);
  plan.summary = made.empty()      ? remarks
                 : remarks.empty() ? changes_text(made)
                                   : fmt::format("{} ({})", changes_text(made), remarks);
  return plan;
}

model::Setup with_changes(const rules::Proposal& proposal, const model::Reading& reading) {
  model::Setup after = reading.setup;
  for (const rules::Change& each : proposal.changes) {
    if (each.field != model::no_field) model::set(after, each.field, each.to);
  }
  return after;
}

bool follows_batch(const rules::Change& change, const rules::Proposal& proposal,
                   const model::Reading& reading) {
  using model::FieldId;
  if (change.field != FieldId::gradient_accumulation || model::extra_named(reading, "fixes_batch") <= 0)
    return false;
  const bool is_alone =
      std::all_of(proposal.changes.begin(), proposal.changes.end(), [&](const rules::Change& each) {
        return each.field == change.field || each.field == FieldId::micro_batch_size;
      });
  return is_alone &&
         rules::global_batch(with_changes(proposal, reading).plan) == rules::global_batch(reading.setup.plan);
}

namespace {

bool leaves_batch(const rules::Proposal& proposal, const model::Reading& reading) {
  return std::any_of(proposal.changes.begin(), proposal.changes.end(),
                     [&](const rules::Change& each) { return follows_batch(each, proposal, reading); });
}

}  // namespace

bool rests_on_ranks(const rules::Proposal& proposal, const model::Reading& reading) {
  const bool is_open =
      reading.setup.plan.mode == model::Mode::train && model::extra_named(reading, "fixes_batch") > 0 &&
      !model::is_stated(reading, model::FieldId::data) && model::extra_named(reading, rules::world_name) <= 0;
  return is_open &&
         (leaves_batch(proposal, reading) || rules::gpus_of_plan(with_changes(proposal, reading).plan) <
                                                 rules::gpus_of_plan(reading.setup.plan));
}

std::vector<TextEdit> edits_of(const rules::Proposal& proposal, const ModelReport& model) {
  if (proposal.is_by_hand) return {};
  const bool follows = leaves_batch(proposal, model.reading) && !rests_on_ranks(proposal, model.reading);
  return plan_edits(
             proposal, model,
             [&](const std::string& path) { return path == model.path ? &model.source : nullptr; },
             follows ? Computed::follow : Computed::refuse)
      .edits;
}

std::string edited(const std::string& text, std::vector<TextEdit> edits) {
  std::sort(edits.begin(), edits.end(),
            [](const TextEdit& a, const TextEdit& b) { return a.span.begin < b.span.begin; });
  std::string out;
  std::size_t at = 0;
  for (const TextEdit& each : edits) {
    out.append(text, at, static_cast<std::size_t>(each.span.begin) - at);
    out += each.text;
    at = static_cast<std::size_t>(each.span.end);
  }
  return out.append(text, at);
}

}  // namespace shapelint::lint
