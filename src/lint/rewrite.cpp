// Values that follow from others are left to follow; where they then come to something else, what they are
// worked out from is changed, or a key of their own is added.
#include "lint/rewrite.hpp"

#include <algorithm>
#include <iterator>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "base/counted.hpp"
#include "formats/dialect/edit_instructions.hpp"
#include "formats/edit.hpp"
#include "formats/read.hpp"
#include "lint/edits.hpp"
#include "lint/phrases.hpp"
#include "model/arithmetic.hpp"
#include "model/fields.hpp"
#include "project/applied.hpp"
#include "rules/scope/launch.hpp"

namespace shapelint::lint {

namespace {

using model::Origin;

// Each pass reads what the one before it wrote: values, what they are worked out from, and keys that only
// another layout has.
constexpr int max_passes = 4;

// The same model as another text of the file has it.
Result<model::Reading> read_again(const RewriteRequest& request, const std::string& content) {
  const std::string& path = request.start.path;
  text::OverlayFileSystem files(request.files);
  files.put(path, content);
  formats::ReadResult read = project::read_model(
      request.configured, formats::parse(path, content, request.assume_native), files, request.assume_native);
  if (read.readings.empty()) {
    return Error{
        read.errors.empty() ? std::string("it cannot be read") : read.errors.front().message, {}, {}, {}};
  }
  const auto same = std::find_if(read.readings.begin(), read.readings.end(),
                                 [&](const model::Reading& each) { return each.part == request.start.part; });
  if (same == read.readings.end()) return Error{"another model", {}, {}, {}};
  return std::move(*same);
}

// Whether a key of the format holds the number of replicas.
bool states_replicas(const formats::Dialect& dialect, const model::Reading& reading, std::int64_t data) {
  const std::string setting =
      formats::setting_syntax(dialect, reading, model::FieldId::data, reading.setup.plan.data, data, true);
  return setting.starts_with('`');
}

// Where the file states how many sequences an optimizer step takes, larger micro-batches are fewer, and so
// are those of more replicas.
bool keeps_batch(const model::Reading& start, const model::Reading& now) {
  return model::extra(start, "fixes_batch") > 0 &&
         rules::global_batch(start.setup.plan) == rules::global_batch(now.setup.plan);
}

// Where the launch states the GPUs, replicas of fewer are more.
bool keeps_gpus(const model::Reading& start, const model::Reading& now) {
  return model::extra(start, "world_size") > 0 &&
         rules::gpus_of_plan(start.setup.plan) == rules::gpus_of_plan(now.setup.plan);
}

// No key of the file states the replicas: they follow from the GPUs that it is launched on.
bool follows_launch(const model::Reading& now, const RewriteRequest& request) {
  const formats::Dialect* const dialect = project::dialect_of(request.configured, now);
  const model::Plan& plan = request.wanted.plan;
  return dialect != nullptr && !model::is_stated(now, model::FieldId::data) &&
         !states_replicas(*dialect, now, plan.data);
}

// Has no meaning in the layout, and may stay as it is.
bool is_moot(model::FieldId field, const model::Plan& plan) {
  return (field == model::FieldId::sequence_parallel && plan.tensor <= 1) ||
         (field == model::FieldId::pipeline_schedule && plan.pipeline <= 1);
}

// What is still to be changed in `now` so that it says what is wanted.
std::vector<suggest::Change> still_to_change(const model::Reading& now, const RewriteRequest& request) {
  auto wrong = suggest::differences(now.setup, request.wanted);
  const bool is_launched = follows_launch(now, request);
  std::erase_if(wrong, [&](const suggest::Change& each) {
    return suggest::is_copy(each.field, request.links, now.setup) ||
           is_moot(each.field, request.wanted.plan) ||
           (each.field == model::FieldId::gradient_accumulation && keeps_batch(request.start, now)) ||
           (each.field == model::FieldId::data && (is_launched || keeps_gpus(request.start, now)));
  });
  return wrong;
}

// What of the run follows from the changes and is none of them: Megatron FSDP reduces gradients in another
// format.
std::vector<suggest::Change> taken_along(const model::Reading& now, const RewriteRequest& request,
                                         std::vector<suggest::Change>& wrong) {
  // Another key that states it now can be set.
  const auto is_set_by_another = [&](model::FieldId field) {
    return model::is_stated(now, field) &&
           model::origin(now, field).key_path != model::origin(request.start, field).key_path;
  };
  const auto follows = [&](const suggest::Change& each) {
    return each.field != model::no_field && model::info(each.field).section != "model" &&
           !is_set_by_another(each.field) &&
           std::none_of(request.changes.begin(), request.changes.end(),
                        [&](const suggest::Change& asked) { return asked.field == each.field; });
  };
  std::vector<suggest::Change> out;
  std::copy_if(wrong.begin(), wrong.end(), std::back_inserter(out), follows);
  std::erase_if(wrong, follows);
  for (suggest::Change& each : out) std::swap(each.from, each.to);
  return out;
}

// One key may stand for two fields: torchtitan's tensor parallelism is sequence parallel.
std::string_view key_in(std::string_view setting) {
  return setting.substr(0, setting.find_first_of(" ="));
}

std::string setting_of(const formats::Dialect* dialect, const model::Reading& reading,
                       const suggest::Change& change) {
  if (dialect == nullptr || change.field == model::no_field) return {};
  return formats::setting_syntax(*dialect, reading, change.field, change.from, change.to, true);
}

std::string native_setting(const suggest::Change& change) {
  const model::FieldInfo& field = model::info(change.field);
  const std::string_view quote = field.choices.empty() ? "" : "\"";
  return fmt::format("`{0} = {2}{1}{2}`", field.name, model::value_text(change.field, change.to), quote);
}

// A change of a stated value, by the file's own key.
std::string said(const formats::Dialect* dialect, const model::Reading& reading,
                 const suggest::Change& change, const TextEdit& edit) {
  std::string setting = setting_of(dialect, reading, change);
  if (dialect == nullptr && change.field != model::no_field) setting = native_setting(change);
  if (!setting.empty()) return setting;
  const std::string& key =
      change.field == model::no_field ? change.path : model::origin(reading, change.field).key_path;
  return fmt::format("`{}` becomes {}", key.empty() ? changed_name(change) : key, edit.text);
}

bool overlap(const std::vector<TextEdit>& edits) {
  std::vector<Span> spans;
  for (const TextEdit& each : edits) spans.push_back(each.span);
  std::sort(spans.begin(), spans.end(), [](const Span& a, const Span& b) { return a.begin < b.begin; });
  return std::adjacent_find(spans.begin(), spans.end(),
                            [](const Span& a, const Span& b) { return a.end > b.begin; }) != spans.end();
}

// Values of a run that no key of the file states, so that they may come right with others.
bool may_follow(const suggest::Change& change, const model::Reading& reading) {
  if (change.field == model::no_field || model::info(change.field).section == "model") return false;
  const Origin::Kind kind = model::origin(reading, change.field).kind;
  return kind != Origin::Kind::stated && kind != Origin::Kind::command_line;
}

// What the launch decides; where the batch is fixed, the micro-batches that follow from it; and at first
// whatever may follow.
bool is_left_to_follow(const suggest::Change& change, const model::Reading& reading,
                       const RewriteRequest& request, Computed computed) {
  if (is_moot(change.field, request.wanted.plan)) return true;
  if (project::dialect_of(request.configured, reading) == nullptr) return false;
  if (change.field == model::FieldId::data && follows_launch(reading, request)) return true;
  const bool is_of_batch =
      change.field == model::FieldId::gradient_accumulation && model::extra(reading, "fixes_batch") > 0 &&
      rules::global_batch(request.start.setup.plan) == rules::global_batch(request.wanted.plan);
  return is_of_batch || (computed == Computed::follow && may_follow(change, reading) &&
                         model::origin(reading, change.field).kind == Origin::Kind::derived);
}

std::string no_keys(const std::vector<suggest::Change>& changes) {
  std::vector<std::string> names;
  for (const suggest::Change& each : changes) names.push_back(changed_name(each));
  return fmt::format("no key of the file sets {}: what trains the model does", fmt::join(names, ", "));
}

// Whether the launch has to say how many GPUs the plan takes.
bool needs_launch(const model::Reading& now, const RewriteRequest& request) {
  const double stated = model::extra(now, "world_size");
  const auto gpus = model::real(rules::gpus_of_plan(request.wanted.plan));
  return now.setup.plan.data != request.wanted.plan.data || (stated > 0 && stated != gpus);
}

// How often a step accumulates where its batch stays.
std::string batch_note(const model::Reading& now, const RewriteRequest& request) {
  const std::int64_t then = request.start.setup.plan.gradient_accumulation;
  const std::int64_t left = now.setup.plan.gradient_accumulation;
  if (then == left || !keeps_batch(request.start, now)) return {};
  return fmt::format("gradient_accumulation {} → {} keeps the sequences of a step", then, left);
}

// As `lint --fix` changes values; keys that the file leaves out are added to it.
Rewritten change(const RewriteRequest& request, const std::string& content, const model::Reading& reading,
                 std::span<const suggest::Change> changes, Computed computed) {
  Rewritten out;
  const formats::Dialect* const dialect = project::dialect_of(request.configured, reading);
  rules::Proposal written;
  std::vector<formats::AddedValue> added;
  std::vector<TextEdit> edits;
  const text::Source source = formats::parse(reading.path, content);
  const auto is_said = [&](const std::string& setting) {
    return std::any_of(out.settings.begin(), out.settings.end(), [&](const std::string& other) {
      return setting.starts_with('`') && key_in(other) == key_in(setting);
    });
  };
  const auto say = [&](const std::string& setting) {
    if (!setting.empty() && !is_said(setting)) out.settings.push_back(setting);
  };
  ModelReport model;
  model.path = reading.path;
  model.source = content;
  model.reading = reading;
  if (dialect != nullptr) add_words(*dialect, changes, model);
  const EditableText editable = [&](const std::string& path) {
    return path == model.path ? &model.source : nullptr;
  };
  for (const suggest::Change& each : changes) {
    if (is_left_to_follow(each, reading, request, computed)) continue;
    if (formats::can_add(reading, each.field)) {
      added.push_back({each.field, each.to});
      say(native_setting(each));
      continue;
    }
    rules::Proposal one;
    one.changes = {each};
    const EditPlan alone = plan_edits(one, model, editable, computed);
    const bool has_no_key = model::extra_named(reading, model::unsettable(each.field)) > 0;
    if (!alone.obstacle.empty() && !alone.is_elsewhere && !has_no_key && dialect != nullptr) {
      const std::string setting = setting_of(dialect, reading, each);
      if (is_said(setting)) continue;
      if (const auto patches = formats::patches_for(source, reading, setting); !patches.empty()) {
        for (const formats::TextPatch& patch : patches)
          edits.push_back({patch.span, patch.text, reading.path});
        say(setting.substr(0, setting.find(" or `")));  // of several ways the first was taken
        continue;
      }
      if (may_follow(each, reading)) continue;
    }
    written.changes.push_back(each);
    if (!alone.edits.empty()) say(said(dialect, reading, each, alone.edits.front()));
  }
  EditPlan plan = plan_edits(written, model, editable, computed);
  if (!plan.obstacle.empty()) return {{}, {}, std::move(plan.obstacle), {}};
  edits.insert(edits.end(), plan.edits.begin(), plan.edits.end());
  if (overlap(edits)) return {{}, {}, "two of the changes set one value: edit it by hand", {}};
  out.text = formats::add_values(edited(content, std::move(edits)), added);
  if (plan.is_computed) out.summary = std::move(plan.summary);
  return out;
}

}  // namespace

Rewritten rewrite(const RewriteRequest& request) {
  Rewritten made = change(request, request.text, request.start, request.changes, Computed::follow);
  if (!made.obstacle.empty()) {
    Rewritten scaled = change(request, request.text, request.start, request.changes, Computed::scale);
    if (!scaled.obstacle.empty()) return made;
    made = std::move(scaled);
  }
  constexpr std::string_view otherwise = "the changed file would differ from the suggestion: ";
  for (int pass = 1;; ++pass) {
    const auto now = read_again(request, made.text);
    if (!now) return {{}, {}, fmt::format("{}{}", otherwise, now.error().message), {}};
    std::vector<suggest::Change> wrong = still_to_change(*now, request);
    const std::vector<suggest::Change> along = taken_along(*now, request, wrong);
    if (wrong.empty()) {
      if (needs_launch(*now, request)) {
        const std::string gpus = counted(rules::gpus_of_plan(request.wanted.plan), "GPU");
        made.summary = "to be launched on " + gpus;
        made.settings.push_back("launch on " + gpus);
      } else if (std::string note = batch_note(*now, request); !note.empty()) {
        made.summary = std::move(note);
      }
      if (!along.empty()) {
        made.summary += fmt::format("{}also: {}", made.summary.empty() ? "" : "; ", changes_text(along));
      }
      return made;
    }
    const bool is_last = pass == max_passes;
    Rewritten next = is_last ? Rewritten{} : change(request, made.text, *now, wrong, Computed::scale);
    if (next.text == request.text && next.obstacle.empty()) return {{}, {}, no_keys(wrong), {}};
    if (is_last || !next.obstacle.empty() || next.text == made.text) {
      for (suggest::Change& each : wrong) std::swap(each.from, each.to);
      return {{}, {}, fmt::format("{}{}; edit it by hand", otherwise, changes_text(wrong)), {}};
    }
    next.settings.insert(next.settings.begin(), made.settings.begin(), made.settings.end());
    made = std::move(next);
  }
}

}  // namespace shapelint::lint
