// Trying the alternatives of each field in order, with values computed when something first asks for them.
#include "formats/dialect/resolve.hpp"

#include <algorithm>
#include <cmath>
#include <map>

#include <fmt/format.h>

#include "base/number.hpp"
#include "formats/dialect/edit_instructions.hpp"
#include "formats/dialect/formula.hpp"
#include "formats/dialect/known.hpp"
#include "formats/dialect/named.hpp"
#include "formats/dialect/rule_index.hpp"
#include "formats/dialect/unsettable.hpp"
#include "formats/dialect/values.hpp"
#include "formats/remarks.hpp"
#include "model/derive.hpp"
#include "model/layer_list.hpp"
#include "model/reading.hpp"

namespace shapelint::formats {

namespace {

using model::FieldId;
using model::Origin;
using text::Kind;
using text::NodeRef;

struct Value {
  std::optional<double> number;
  Origin origin;
  bool decided = false;  // an alternative decided, be it that nothing is known
  bool assumed = false;  // only by the common tables: whoever completes the reading says it better
  // A file says it and the run alone knows it, or a file that is not there may say it; of another value, this
  // one follows from that.
  std::optional<Unresolved> gap;
  NodeRef written;       // where the file states just this number
  bool by_name = false;  // stated by a name that stands for it
};

class Resolver {
 public:
  Resolver(const Dialect& dialect, const Dialect& common, const Part& part, const View& view,
           const Place& base, std::span<const model::Override> overrides, const FindModel& find,
           std::vector<Error>& errors)
      : dialect_(dialect), part_(part), view_(view), base_(base), overrides_(overrides), errors_(errors) {
    scopes_.push_back(base);
    for (const KeyPath& path : part.also) {
      Place place = path.absolute ? Place{} : base;
      for (int i = 0; i < path.up && !place.empty(); ++i) place.pop_back();
      place.insert(place.end(), path.components.begin(), path.components.end());
      scopes_.push_back(std::move(place));
    }
    const NodeRef type = view_.find_first(part.type.empty() ? dialect.type : part.type, base);
    type_name_ = text_of(type);
    if (!part.type_prefix.empty()) types_ = types_like(dialect, part.type_prefix + type_name_);
    if (types_.empty())
      types_ = types_like(dialect, part.always_type.empty() ? type_name_ : part.always_type);
    if (types_.empty() && part.always_type.empty()) types_ = types_like(dialect, part.fallback_type);
    if (type_name_.empty()) type_name_ = part.fallback_type;
    for (const std::string& each : part.known_model.empty() ? dialect.known_model : part.known_model) {
      auto [name, gap] = named_model(each, view_, base_, scopes_);
      if (name.empty() && gap) name_gap_ = std::move(gap);
      if (name.empty()) continue;
      known_ = find(name);
      name_gap_.reset();
      checkpoint_ = is_composed(each) ? std::string() : name;
      if (known_) break;
      const BaseModel like = base_model(name);
      if (like.keeps_shape) known_ = find(like.name);
      const std::string_view form = known_              ? "`{}` {}: read as `{}`, from its name"
                                    : like.name.empty() ? "`{}` {}"
                                                        : "`{}` {}, which has `{}`";
      notes_.push_back({fmt::format(fmt::runtime(form), name, unknown_model, like.name), {}, {}, {}});
      if (known_) break;
    }
    rules_.add(part_.fields, Stage::before_known);
    for (const ModelType* each : types_) rules_.add(each->fields, Stage::before_known);
    rules_.add(dialect_.fields, Stage::before_known);
    for (const ModelType* each : types_) rules_.add(each->defaults, Stage::after_known);
    rules_.add(dialect_.otherwise, Stage::after_known);
    rules_.add(common.fields, Stage::common);
    // A server runs what the checkpoint stores.
    if (known_ && get("as_stored").number.value_or(0) > 0) {
      for (const auto& [each, number] : apply_stored_weights(*known_, overrides))
        helpers_[each].number = number;
    }
  }

  const Value& get(std::string_view name) {
    const FieldId field = model::find_field(name);
    if (field != model::no_field) return get(field);
    const auto found = helpers_.find(name);
    if (found != helpers_.end()) return found->second;
    // A value that depends on itself is unknown while it is being worked out.
    Value& value = helpers_.emplace(std::string(name), Value{}).first->second;
    value = work_out(model::no_field, name, rules_.of(name));
    return value;
  }

  const Value& get(FieldId field) {
    Value& value = values_[field];
    if (was_asked_[field]) return value;
    was_asked_[field] = true;
    Value computed = work_out(field, model::info(field).name, rules_.of(field));
    if (computed.gap && computed.gap->field == model::no_field) computed.gap->field = field;
    value = std::move(computed);
    return value;
  }

  model::Reading reading() {
    model::Reading out;
    out.dialect = dialect_.name;
    out.part = part_.name;
    out.runs_in_whole = part_.runs;
    out.model_type = type_name_;
    out.checkpoint = checkpoint_;
    model::PerField<bool> open;  // left for model::complete()
    std::vector<Unresolved> unresolved;
    for (const model::FieldInfo& field : model::fields()) {
      const Value& known = get(field.id);
      if (known.gap && known.gap->field == field.id) unresolved.push_back(*known.gap);
      withheld_[field.id] = known.gap && known.gap->is_stated;
      open[field.id] = known.assumed || !known.decided;
      if (!known.number) continue;
      Value value = known;
      check_range(field, value);
      open[field.id] = value.assumed || !value.decided;
      if (!value.number || value.assumed) continue;
      field.set(out.setup, static_cast<std::int64_t>(std::round(*value.number)));
      out.origins[field.id] = std::move(value.origin);
    }
    out.complete = is_complete(out);
    if (out.complete) read_layers(out);
    const model::PerField<Origin> before = out.origins;
    model::complete(out);
    for (const model::FieldInfo& field : model::fields()) {
      const bool was_unknown = before[field.id].kind == Origin::Kind::unknown;
      if (!was_unknown) continue;
      // How it is run can be assumed even where the file's own value is not understood; its shape cannot.
      const bool is_plan = field.section == "run" || field.section == "parallel";
      if (withheld_[field.id]) {
        out.origins[field.id] = Origin{};
      } else if (is_plan && !open[field.id]) {
        out.origins[field.id].note = "assumed: the file's value is unknown";
      } else if (!open[field.id] || !has_known_base(out, field.id)) {
        out.origins[field.id] = Origin{};
      }
    }
    assume(out, FieldId::sequence_length);
    clamp_to_positions(out);
    follow_length(out);
    if (open[FieldId::vocab_size]) assume_vocabulary(out);
    for (const std::string& name : dialect_.exports) {
      const Value& value = get(name);
      const bool says_nothing = value.number == 0.0 && name.starts_with(model::unsettable_prefix);
      if (value.number && !says_nothing) out.extras.push_back({name, *value.number, value.origin});
    }
    note_unsettable(dialect_, part_, rules_, out);
    note_named_shape(out);
    note_towers(out);
    out.notes = std::move(notes_);
    out.remarks = std::move(remarks_);
    std::vector<const FieldRules*> tables{&part_.fields};
    for (const ModelType* type : types_) tables.push_back(&type->fields);
    tables.push_back(&dialect_.fields);
    for (const ModelType* type : types_) tables.push_back(&type->defaults);
    tables.push_back(&dialect_.otherwise);
    remark_on_near_keys(tables, view_, scopes_, out, out.remarks);
    remark_on_unresolved(out, unresolved);
    return out;
  }

 private:
  // A width that a name stands for is changed with the name.
  void note_named_shape(model::Reading& out) const {
    const Value& width = values_[FieldId::hidden_size];
    const bool is_known = model::extra(out, "names_published") > 0;
    if (width.by_name && !is_known) out.extras.push_back({"names_published", 1, width.origin});
  }

  // A published model's shape is that of its language model, with the weights of its towers.
  void note_towers(model::Reading& out) const {
    constexpr std::string_view uncosted = "uncosted_parts";
    const bool is_its_shape = known_ && out.origins[FieldId::hidden_size].note.starts_with("shape of ");
    if (!is_its_shape || known_->towers.means.empty() || model::extra(out, uncosted) > 0) return;
    Origin origin = out.origins[FieldId::hidden_size];
    origin.note = known_->towers.means;
    out.extras.push_back({std::string(uncosted), 1, std::move(origin)});
  }

  // The list of layers, of what the dialect works out for each, or of the model that the file names.
  void read_layers(model::Reading& out) {
    constexpr std::int64_t max_listed = 4096;
    const std::int64_t layers = out.setup.model.num_layers;
    std::vector<std::pair<const model::LayerKey*, const RuleIndex::Entry*>> asked;
    for (const model::LayerKey& key : model::layer_keys()) {
      if (const auto* rules = rules_.of(std::string(layer_prefix) + std::string(key.name)); rules != nullptr)
        asked.emplace_back(&key, rules);
    }
    std::vector<model::LayerGroup> list;
    if (layers > 0 && layers <= max_listed) {
      for (std::int64_t i = 0; i < layers && !asked.empty(); ++i)
        model::add_layers(list, 1, layer_at(i, asked, out));
    }
    layer_ = no_layer;
    const bool says_nothing =
        list.empty() || (list.size() == 1 && list.front().layer == model::TransformerLayer{});
    if (says_nothing && known_) list = catalog::layers_of(known_->model);
    take_largest(list, out);
    model::set_layers(out, std::move(list));
    if (out.setup.model.layers_differ && out.setup.model.window.size > 0 &&
        !is_known(out, FieldId::window_size)) {
      out.origins[FieldId::window_size].kind = Origin::Kind::derived;
      out.origins[FieldId::window_size].note = "of layers that have one";
    }
  }

  // The model's own value of what only its layers state is their largest.
  static void take_largest(const std::vector<model::LayerGroup>& list, model::Reading& out) {
    for (const model::LayerKey& key : model::layer_keys()) {
      if (key.field == model::no_field || is_known(out, key.field)) continue;
      std::int64_t most = -1;
      bool is_everywhere = !list.empty();
      for (const model::LayerGroup& group : list) {
        const std::int64_t own = group.layer.*key.member;
        most = std::max(most, own);
        const bool needs = key.field != FieldId::intermediate_size || group.layer.feeding != 0;
        is_everywhere = is_everywhere && (own >= 0 || !needs);
      }
      if (!is_everywhere || most < model::smallest(key)) continue;
      model::set(out.setup, key.field, most);
      out.origins[key.field].kind = Origin::Kind::derived;
      out.origins[key.field].note = "the largest of the layers'";
    }
  }

  model::TransformerLayer layer_at(
      std::int64_t index, std::span<const std::pair<const model::LayerKey*, const RuleIndex::Entry*>> asked,
      model::Reading& reading) {
    model::TransformerLayer out;
    layer_ = index;
    for (const auto& [key, entry] : asked) {
      Value value;
      const std::string name = std::string(layer_prefix) + std::string(key->name);
      for (const RuleIndex::Entry* each = entry; each != nullptr; each = each->next) {
        if (try_rules(*each->alternatives, name, value)) break;
      }
      if (!value.number) continue;
      const auto own = static_cast<std::int64_t>(std::round(*value.number));
      if (own < model::smallest(*key) || own > model::largest(*key)) continue;
      out.*(key->member) = own;
      const Origin& origin = value.origin;
      if (origin.kind == Origin::Kind::stated && origin.path == reading.path && origin.use_span == Span{})
        reading.layers.push_back({static_cast<std::int32_t>(index), std::string(key->name), origin.span,
                                  origin.key_span, origin.key_path});
    }
    return out;
  }

  // Enough to cost it. Where no layer has attention, or an MLP, nothing of it is needed.
  bool is_complete(const model::Reading& reading) {
    const model::ModelSpec& model = reading.setup.model;
    const bool width = is_known(reading, FieldId::intermediate_size) ||
                       is_known(reading, FieldId::moe_intermediate_size) ||
                       !get("intermediate_size").decided || model.layers_without_mlp >= model.num_layers;
    const bool heads =
        is_known(reading, FieldId::num_attention_heads) || model.layers_without_attention >= model.num_layers;
    const Value& experts = get("moe_num_experts");  // stated and not understood: no dense model
    const bool may_be = experts.gap && experts.gap->node.is(Kind::unknown);
    return is_known(reading, FieldId::hidden_size) && is_known(reading, FieldId::num_layers) && heads &&
           width && (experts.number || !experts.decided || may_be);
  }

  void check_range(const model::FieldInfo& field, Value& value) {
    if (is_in_range(*value.number, field)) return;
    if (value.written) refuse_size(value.written, *value.number, field.id, errors_);
    notes_.push_back({fmt::format("`{}` would be {}, which is out of range: treated as unknown", field.name,
                                  exact(*value.number)),
                      value.origin.path, value.origin.span, value.origin.key_path});
    value.number.reset();
    value.decided = true;
  }

  // The assumed vocabulary is not padded: unknown rows cannot have findings.
  void assume_vocabulary(model::Reading& reading) {
    if (is_known(reading, FieldId::vocab_size) || withheld_[FieldId::vocab_size]) return;
    assume(reading, FieldId::vocab_size);
    leave_unpadded(reading);
  }

  // No step can be costed without a length and a vocabulary; the common tables hold those that are assumed.
  void assume(model::Reading& reading, FieldId field) {
    Origin& origin = reading.origins[field];
    if (origin.kind != Origin::Kind::unknown || withheld_[field]) return;
    const RuleIndex::Entry* each = rules_.of(field);
    while (each != nullptr && each->stage != Stage::common) each = each->next;
    Value value;
    if (each == nullptr || !try_rules(*each->alternatives, model::info(field).name, value) || !value.number)
      return;
    model::set(reading.setup, field, static_cast<std::int64_t>(*value.number));
    origin = value.origin;
  }

  // Absent where a file that is not there would go before it.
  NodeRef find(const KeyPath& path, FieldId field) const {
    for (const Place& scope : scopes_)
      if (const NodeRef node = view_.find(path, scope))
        return view_.missing_above(path, scope, field) == nullptr ? node : NodeRef();
    return {};
  }

  // Once for per-layer values, whatever the number of layers.
  void note(NodeRef node, std::string message) {
    const bool is_said =
        layer_ != no_layer &&
        std::any_of(notes_.begin(), notes_.end(), [&](const auto& each) { return each.message == message; });
    if (is_said) return;
    notes_.push_back({std::move(message), std::string(node.file()), node.span(), node.path()});
  }

  // `field` is none of a value of the dialect's own.
  Value work_out(FieldId field, std::string_view name, const RuleIndex::Entry* each) {
    Value out;
    for (const model::Override& override : overrides_) {
      if (override.field != field) continue;
      out.number = static_cast<double>(override.value);
      out.origin.kind = Origin::Kind::command_line;
      out.origin.note = fmt::format("`{}`", override.flag);
      return out;
    }
    for (; each != nullptr && each->stage == Stage::before_known; each = each->next) {
      if (try_rules(*each->alternatives, name, out)) return out;
    }
    if (known_ && field != model::no_field && take_known(field, out)) return out;
    if (name_gap_ && is_named_size(field)) {
      out.gap = name_gap_;
      out.decided = true;
      return out;
    }
    for (; each != nullptr && each->stage == Stage::after_known; each = each->next) {
      if (!try_rules(*each->alternatives, name, out)) continue;
      if (out.written) refuse_null(out.written, field, errors_);
      return out;
    }
    out.assumed = each != nullptr && try_rules(*each->alternatives, name, out);
    return out;
  }

  bool take_known(FieldId field, Value& out) const {
    const auto stated = catalog::stated(known_->model, field);
    if (!stated) return false;
    out.number = static_cast<double>(*stated);
    out.gap.reset();
    out.origin = origin_of(*known_, field);
    return true;
  }

  // True when an alternative decided, be it that the value is unknown.
  bool try_rules(const Alternatives& alternatives, std::string_view name, Value& out) {
    const auto decides = [&](const Alternative& each) { return try_alternative(each, name, out); };
    if (std::none_of(alternatives.begin(), alternatives.end(), decides)) return false;
    out.decided = true;
    return true;
  }

  // Nothing when it is not known.
  std::optional<bool> holds(const std::string& condition, std::optional<double> x, Value& out) {
    if (condition.empty()) return true;
    const auto value = calculate(condition, x, out);
    return value ? std::optional(*value != 0) : std::nullopt;
  }

  // Of `out`: what its values leave open is left open by the result.
  std::optional<double> calculate(const std::string& text, std::optional<double> x, Value& out) {
    std::optional<Unresolved> gap;
    const auto value = evaluate(text, [&](std::string_view name) -> std::optional<double> {
      if (name == "x") return x;
      if (name == "i" && layer_ != no_layer) return static_cast<double>(layer_);
      const Value& used = get(name);
      if (used.gap && (!gap || used.gap->is_stated)) gap = used.gap;
      return used.number;
    });
    // What came to a number did not need what is not known.
    if (gap && gap->is_stated ? !value : gap && !out.gap) out.gap = gap;
    return value;
  }

  bool try_alternative(const Alternative& each, std::string_view name, Value& out) {
    if (each.kind == Alternative::Kind::key) return try_key(each, name, out);
    if (!holds(each.when, std::nullopt, out).value_or(false)) return is_withheld(out);
    if (each.kind == Alternative::Kind::unknown) {
      if (!each.note.empty())
        notes_.push_back({fmt::format("`{}` {}{}", name, unknown_because, each.note), {}, {}, {}});
      return true;
    }
    const auto value = calculate(each.value, std::nullopt, out);
    if (!value) return is_withheld(out);
    out.number = value;
    const bool constant = parse_number(each.value).has_value();
    out.origin.scales_with_width = names_width(each);
    const bool is_derived = each.kind == Alternative::Kind::derived;
    out.origin.kind = is_derived ? Origin::Kind::derived : Origin::Kind::defaulted;
    const std::string usual = !is_derived ? "default of " + about_type()
                              : constant  ? about_type()
                                          : each.value;
    out.origin.note = each.note.empty() ? usual : each.note;
    return true;
  }

  // What is worked out of a ratio to the width; it is whole for this many widths, however a few of them are
  // rounded.
  void note_ratio(const Alternative& each, Value& out) {
    constexpr double units = 1024;
    Value ignored;
    const auto of_units = calculate(each.value, units, ignored);
    const auto of_twice = calculate(each.value, 2 * units, ignored);
    if (!of_units || !of_twice || *of_units <= 0 || *of_twice != 2 * *of_units) return;
    out.origin.scales_with_width = true;
    out.origin.per_unit = *of_units / units;
  }

  static bool is_withheld(const Value& value) { return value.gap && value.gap->is_stated; }

  // A file that is not there may say what this one does not.
  void look_for_missing(const KeyPath& path, std::string_view name, Value& out) const {
    for (const Place& scope : scopes_) {
      const Missing* missing = view_.missing_at(path, scope, model::find_field(name));
      if (missing == nullptr || out.gap) continue;
      out.gap = Unresolved{model::no_field, missing->node, missing->meaning, false};
    }
  }

  // Written, but nothing that the file states.
  bool leave_open(const Alternative& each, NodeRef node, std::string_view name, Value& out) {
    const bool only_the_run_knows = node.is(Kind::unknown);
    Value ignored;
    const auto applies = holds(each.when, std::nullopt, ignored);
    if (only_the_run_knows ? applies == false : !holds(each.when, 0.0, ignored).value_or(false)) return false;
    if (refuse_word(node, each, model::find_field(name), errors_)) return true;
    note(node, fmt::format("`{}` cannot be read as a number, so `{}` is unknown", shown_key(node), name));
    // `auto` leaves it to the program, which an assumption stands for.
    const auto text = node.as_string();
    const std::string why = only_the_run_knows ? std::string(node.note())
                                               : fmt::format("`{}` is not a number", text.value_or(""));
    if (only_the_run_knows || (text && *text != "auto")) out.gap = {model::no_field, node, why, true};
    return true;
  }

  std::string about_type() const {
    if (types_.empty() || type_name_.empty()) return dialect_.whose;
    return fmt::format("{} for `{}`", dialect_.whose, type_name_);
  }

  bool try_key(const Alternative& each, std::string_view name, Value& out) {
    for (const KeyPath& path : each.keys) {
      const FieldId field = model::find_field(name);
      const NodeRef node = find(path, field);
      if (!node) look_for_missing(path, name, out);
      if (node.is(Kind::null)) out.written = node;
      if (!node || node.is(Kind::null) != (each.reading == Alternative::Reading::is_null)) continue;
      if (refuse_kind(node, each, field, errors_)) return true;
      const bool is_of_layer = each.reading == Alternative::Reading::each && layer_ != no_layer;
      std::int64_t place = layer_;
      if (is_of_layer && !each.of.empty())
        place = static_cast<std::int64_t>(calculate(each.of, std::nullopt, out).value_or(-1));
      if (is_of_layer && place < 0) continue;
      if (!each.choices.empty() && holds(each.when, 0, out).value_or(false))
        remark_on_choice(node, each, field, remarks_);
      const Seen seen = is_of_layer ? look_at_layer(node, each, place) : look(node, each, field);
      const bool is_needed = each.reading != Alternative::Reading::known;
      if (seen.kind == Seen::Kind::unreadable && is_needed && leave_open(each, node, name, out)) return true;
      if (seen.kind != Seen::Kind::number) continue;
      if (!holds(each.when, seen.number, out).value_or(false)) continue;
      const bool is_plain = each.map.empty() && each.reading == Alternative::Reading::value;
      // A batch of no sequence has no micro-batches, whatever it is divided by.
      if (is_plain && field == FieldId::gradient_accumulation && seen.number < 1)
        refuse_size(node, seen.number, field, errors_);
      out.gap.reset();
      Value ignored;
      Value& leaves_open = is_needed ? out : ignored;
      out.number = seen.number;
      if (!each.value.empty()) out.number = calculate(each.value, seen.number, leaves_open);
      if (!out.number && !is_needed) continue;
      if (!out.number) {
        note(node, fmt::format("`{}` is given as `{}`, of which a part is unknown", name, node.path()));
        return true;
      }
      if (is_plain) remark_on_text(dialect_, node, field, remarks_);
      if (each.reading == Alternative::Reading::implied) {
        out.origin = {};
        out.origin.kind = Origin::Kind::derived;
        out.origin.note = each.note.empty() ? node.path() : each.note;
      } else {
        out.origin = stated_at(node, each.note);
        out.by_name = !each.map.empty();
        if (is_plain && names_width(each)) note_ratio(each, out);
      }
      out.written = is_plain && each.value.empty() ? node : NodeRef{};
      return true;
    }
    return false;
  }

  const Dialect& dialect_;
  const Part& part_;
  const View& view_;
  const Place& base_;
  std::vector<Place> scopes_;
  std::span<const model::Override> overrides_;
  std::vector<Error>& errors_;
  std::string type_name_;
  std::string checkpoint_;
  std::vector<const ModelType*> types_;
  std::optional<Checkpoint> known_;
  std::optional<Unresolved> name_gap_;  // the file names a model, and only the run knows which
  RuleIndex rules_;
  model::PerField<Value> values_;
  model::PerField<bool> was_asked_;
  std::map<std::string, Value, std::less<>> helpers_;  // the dialect's own
  static constexpr std::int64_t no_layer = -1;
  std::int64_t layer_ = no_layer;  // whose value is worked out
  std::vector<model::Note> notes_;
  std::vector<model::Remark> remarks_;
  model::PerField<bool> withheld_{};  // stated, and only the run knows them
};

}  // namespace

model::Reading resolve(const Dialect& dialect, const Dialect& common, const Part& part, const View& view,
                       const Place& base, std::span<const model::Override> overrides, const FindModel& find,
                       std::vector<Error>& errors) {
  return Resolver(dialect, common, part, view, base, overrides, find, errors).reading();
}

}  // namespace shapelint::formats
