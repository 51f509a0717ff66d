// Evaluates rules' conditions.
#include "rules/engine/hits.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "base/names.hpp"

namespace shapelint::rules {

namespace {

using model::Layout;
using model::OpKind;

// A by, B by, C by: see model::Layout.
bool is_contiguous(Layout layout, char dimension) {
  switch (layout) {
    case Layout::tn:
    case Layout::nn:
      return dimension == 'k' || dimension == 'n';
    case Layout::nt:
      return dimension == 'm' || dimension == 'n';
  }
  return false;
}

const model::Dim& dim_of(const model::Op& op, char dimension) {
  return dimension == 'm' ? op.m : dimension == 'n' ? op.n : op.k;
}

bool is_dimension(std::string_view name) {
  return name == "m" || name == "n" || name == "k";
}

class Finder {
 public:
  Finder(CompiledRule& rule, const model::Reading& reading, const Baseline& baseline,
         std::vector<Error>& errors)
      : rule_(rule), reading_(reading), baseline_(baseline), errors_(errors) {}

  std::vector<Hit> find() {
    if (rule_.lacks(reading_)) return {};
    Context context;
    context.reading = &reading_;
    context.setup = &reading_.setup;
    context.gpu = baseline_.gpu;
    context.step = baseline_.step;
    switch (rule_.rule().scope) {
      case Scope::model:
      case Scope::parallel:
      case Scope::step:
      case Scope::file:
        look_once(context);
        break;
      case Scope::gemm:
        look_at_ops(context, OpKind::gemm);
        break;
      case Scope::attention:
        look_at_ops(context, OpKind::attention);
        break;
      case Scope::conv:
        look_at_layers(context);
        break;
      case Scope::known:
        look_at_known(context);
        break;
      case Scope::remark:  // rules/remarks.cpp
      case Scope::comment:
        break;
    }
    return std::move(hits_);
  }

 private:
  bool holds(const Context& context) {
    const Result<bool> result = rule_.holds(context);
    if (result) return *result;
    if (!failed_) {
      Error error = result.error();
      error.message = fmt::format("rule {}: {}", rule_.rule().code, error.message);
      error.path = std::string(rule_.rule().when.node.file());
      error.span = rule_.rule().when.node.span();
      errors_.push_back(std::move(error));
    }
    failed_ = true;
    return false;
  }

  Blame listed_blame() const {
    std::vector<model::FieldId> fields;
    for (const std::string_view name : rule_.rule().blame) {
      if (!is_dimension(name)) fields.push_back(model::find_field(name));
    }
    return choose_blame(reading_, std::move(fields), true);
  }

  void set_blamed(Context& context, model::FieldId field) const {
    context.blamed = field == model::no_field ? 0 : static_cast<double>(model::get(reading_.setup, field));
  }

  void look_once(Context context) {
    const Blame blame = listed_blame();
    set_blamed(context, blame.field);
    if (holds(context)) hits_.push_back({blame, context, {}, {}, 1, nullptr});
  }

  // Merges what one field does to several operations.
  void add(const Blame& blame, const Context& context, std::string_view expression, const model::Op& op,
           double share) {
    const auto same = std::find_if(hits_.begin(), hits_.end(),
                                   [&](const Hit& hit) { return hit.blame.field == blame.field; });
    if (same == hits_.end()) {
      hits_.push_back({blame, context, expression, {std::string(op.name)}, share, nullptr});
      largest_.push_back(share);
      return;
    }
    const auto index = static_cast<std::size_t>(same - hits_.begin());
    same->share += share;
    if (std::find(same->ops.begin(), same->ops.end(), op.name) == same->ops.end()) {
      same->ops.emplace_back(op.name);
    }
    for (const model::FieldId field : blame.related) {
      auto& related = same->blame.related;
      if (std::find(related.begin(), related.end(), field) == related.end()) related.push_back(field);
    }
    if (share > largest_[index]) {
      largest_[index] = share;
      same->context = context;
      same->expression = expression;
    }
  }

  void look_at_ops(Context context, OpKind kind) {
    const auto& ops = baseline_.workload->ops;
    const Blame listed = listed_blame();
    for (std::size_t i = 0; i < ops.size() && !failed_; ++i) {
      if (ops[i].kind != kind) continue;
      context.op = &ops[i];
      context.cost = &baseline_.step->ops[i];
      const double share =
          baseline_.step->time_us > 0 ? ops[i].count * context.cost->time_us / baseline_.step->time_us : 0;
      if (listed.field != model::no_field) {
        set_blamed(context, listed.field);
        if (holds(context)) add(listed, context, {}, ops[i], share);
        continue;
      }
      for (const std::string_view name : rule_.rule().blame) {
        const model::Dim& dim = dim_of(ops[i], name.front());
        context.dimension = static_cast<double>(dim.value);
        context.dimension_letter = name.front();
        context.contiguous = is_contiguous(ops[i].layout, name.front());
        const Blame blame = choose_blame(reading_, fields_of(dim.expression), false);
        set_blamed(context, blame.field);
        if (blame.field != model::no_field && holds(context))
          add(blame, context, dim.expression, ops[i], share);
      }
    }
  }

  // Every layer with weights, its forward pass as the operation; all that are found are one hit.
  void look_at_layers(Context context) {
    if (baseline_.network == nullptr || reading_.setup.model.conv.empty()) return;
    const auto& ops = baseline_.workload->ops;
    Hit hit;
    double most_us = -1;
    double all_us = 0;
    for (const model::LayerShape& shape : baseline_.network->layers) {
      if (shape.kind != model::ShapeKind::conv && shape.kind != model::ShapeKind::linear) continue;
      context.layer = &shape;
      context.op = nullptr;
      context.layer_us = 0;
      for (std::size_t i = 0; i < ops.size(); ++i) {
        if (ops[i].name != shape.name) continue;
        if (context.op == nullptr) {
          context.op = &ops[i];
          context.cost = &baseline_.step->ops[i];
        }
        context.layer_us += ops[i].count * baseline_.step->ops[i].time_us;
      }
      if (context.op == nullptr) continue;
      context.dimension = static_cast<double>(context.op->n.value);
      if (!holds(context)) continue;
      hit.layers.push_back(context);
      hit.ops.push_back(shape.name);
      all_us += context.layer_us;
      if (context.layer_us <= most_us) continue;
      most_us = context.layer_us;
      hit.context = context;
    }
    if (hit.layers.empty()) return;
    hit.context.hits_us = all_us;
    hit.share = baseline_.step->time_us > 0 ? all_us / baseline_.step->time_us : 0;
    // the layer that the message is about comes first
    const auto worst = std::find(hit.ops.begin(), hit.ops.end(), hit.context.layer->name);
    std::rotate(hit.ops.begin(), worst, worst + 1);
    hits_.push_back(std::move(hit));
  }

  void look_at_known(Context context) {
    if (!reading_.setup.model.conv.empty()) return;
    std::vector<Hit> found;
    for (const catalog::KnownModel& known : catalog::known_models()) {
      const Comparison comparison = compare(reading_, known);
      if (comparison.differences.empty()) return;  // it is this very model
      const auto& [field, value] = comparison.differences.front();
      // A head dimension that is left out is to be written, rather than what it was derived from changed.
      const bool is_head_dim = field == model::FieldId::head_dim;
      const Blame blame = is_head_dim ? Blame{field, {}} : choose_blame(reading_, {field}, true);
      context.known_differences = static_cast<double>(comparison.differences.size());
      context.known_value = static_cast<double>(value);
      context.known_swapped = comparison.swapped;
      context.known_same_width = comparison.same_width;
      context.known_here = static_cast<double>(model::get(reading_.setup, field));
      context.known_head_dim = is_head_dim;
      const std::int64_t here = model::get(reading_.setup, field);
      context.known_digits = static_cast<double>(edit_distance(std::to_string(here), std::to_string(value)));
      set_blamed(context, field);
      if (!holds(context)) continue;
      Hit hit{blame, context, {}, {}, 1, &known};
      hit.known_field = field;
      if (comparison.swapped) hit.blame.related.push_back(comparison.differences[1].first);
      found.push_back(std::move(hit));
    }
    // Several siblings may be as near; one is enough.
    if (!found.empty()) hits_.push_back(std::move(found.front()));
  }

  CompiledRule& rule_;
  const model::Reading& reading_;
  const Baseline& baseline_;
  std::vector<Error>& errors_;
  std::vector<Hit> hits_;
  std::vector<double> largest_;
  bool failed_ = false;
};

}  // namespace

std::vector<Hit> find_hits(CompiledRule& rule, const model::Reading& reading, const Baseline& baseline,
                           std::vector<Error>& errors) {
  return Finder(rule, reading, baseline, errors).find();
}

}  // namespace shapelint::rules
