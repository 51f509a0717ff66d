// What conditions are evaluated on: operations and products, layers, remarks, and published models.
#include "rules/scope/subjects.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <unordered_map>

#include "base/budget.hpp"
#include "base/strings.hpp"
#include "model/layer_list.hpp"
#include "rules/scope/compare.hpp"
#include "rules/scope/context.hpp"
#include "rules/scope/variables.hpp"

namespace shapelint::rules {

namespace {

using model::FieldId;
using model::Layout;
using model::OpKind;

double tile_count(const Context& c) {
  const OperationContext& o = c.operation;
  if (o.cost->tile_m <= 0 || o.cost->tile_n <= 0) return 0;
  return real(o.op->batch.value) * std::ceil(real(o.op->m.value) / real(o.cost->tile_m)) *
         std::ceil(real(o.op->n.value) / real(o.cost->tile_n)) *
         real(std::max<std::int64_t>(1, o.cost->split_k));
}

// 1 where a kernel is priced by its timings, which do not tell its tiles: they divide whatever it multiplies.
double known_side(std::int64_t side) {
  return real(std::max<std::int64_t>(side, 1));
}

double tile_side(const Context& c) {
  const OperationContext& o = c.operation;
  return o.letter == 'm' ? known_side(o.cost->tile_m) : o.letter == 'n' ? known_side(o.cost->tile_n) : 1.0;
}

double op_share(const Context& c) {
  return share_of_step(c, c.operation.op->count * c.operation.cost->time_us);
}

// Over all passes and runs in the step. What one pass loses by a format, another may win.
template <class Time>
double sum_of_passes(const Context& c, Time time_us) {
  const OperationContext& o = c.operation;
  charge(o.workload->ops.size());  // for each operation once more
  double sum = 0;
  for (std::size_t i = 0; i < o.workload->ops.size(); ++i) {
    const model::Op& op = o.workload->ops[i];
    if (op.kind == OpKind::gemm && op.name == o.op->name && op.layer == o.op->layer)
      sum += op.count * time_us(op, c.step->ops[i]);
  }
  return sum;
}

double passes_us(const Context& c) {
  return sum_of_passes(c, [](const model::Op&, const cost::OpCost& cost) { return cost.time_us; });
}

double passes_bf16_us(const Context& c) {
  return sum_of_passes(c, [&](model::Op op, const cost::OpCost& cost) {
    if (bytes_of(op.dtype) >= bytes_of(DType::bf16)) return cost.time_us;
    op.dtype = DType::bf16;
    return cost::price(*c.gpu, op).time_us;
  });
}

// clang-format off
constexpr Variable of_operation[] = {
    {"share", "share of the step that all runs of the operation take", op_share},
    {"op_us", "time of one run in microseconds", [](const Context& c) { return c.operation.cost->time_us; }},
    {"ideal_us", "time of one run at the roofline", [](const Context& c) { return c.operation.cost->ideal_us; }},
    {"is_forward", "whether it belongs to the forward pass", [](const Context& c) { return c.operation.op->pass == model::Pass::forward ? 1.0 : 0.0; }},
    {"is_grad_input", "whether it computes the gradient of its input", [](const Context& c) { return c.operation.op->pass == model::Pass::grad_input ? 1.0 : 0.0; }},
    {"is_grad_weight", "whether it computes the gradient of its weight", [](const Context& c) { return c.operation.op->pass == model::Pass::grad_weight ? 1.0 : 0.0; }},
    {"compute_bound", "whether arithmetic bounds it", [](const Context& c) { return c.operation.cost->bound == cost::Bound::compute ? 1.0 : 0.0; }},
    {"memory_bound", "whether memory bandwidth bounds it", [](const Context& c) { return c.operation.cost->bound == cost::Bound::memory ? 1.0 : 0.0; }},
    {"overhead_bound", "whether its launch bounds it", [](const Context& c) { return c.operation.cost->bound == cost::Bound::overhead ? 1.0 : 0.0; }},
    {"alignment_efficiency", "share of throughput left by misalignment, 0 to 1", [](const Context& c) { return c.operation.cost->efficiency.alignment; }},
    {"tile_efficiency", "share of throughput left by tile quantization, 0 to 1", [](const Context& c) { return c.operation.cost->efficiency.tile; }},
    {"wave_efficiency", "share of throughput left by wave quantization, 0 to 1", [](const Context& c) { return c.operation.cost->efficiency.wave; }},
    {"rest_efficiency", "share of throughput left by everything else, 0 to 1", [](const Context& c) { return c.operation.cost->efficiency.rest; }},
};
// clang-format on

const model::Dim& dim_of(const model::Op& op, char dimension) {
  return dimension == 'm' ? op.m : dimension == 'n' ? op.n : op.k;
}

// Of what ranks share out unevenly its exact part, which the operation's size is rounded up from.
double exact_size(const Context& c) {
  const model::Dim& dim = dim_of(*c.operation.op, c.operation.letter);
  for (const FieldId ranks : {FieldId::tensor, FieldId::expert_tensor}) {
    const std::string_view name = model::info(ranks).name;
    const std::size_t separator = dim.expression.rfind(" / ");
    if (separator == std::string_view::npos || dim.expression.substr(separator + 3) != name) continue;
    const FieldId whole = model::find_field(dim.expression.substr(0, separator));
    if (whole != model::no_field) return value_of(*c.reading, whole) / value_of(*c.reading, ranks);
  }
  return real(dim.value);
}

// C[m,n] = A[m,k] B[k,n]
// clang-format off
constexpr Variable of_product[] = {
    {"m", "rows of the output", [](const Context& c) { return real(c.operation.op->m.value); }},
    {"n", "columns of the output", [](const Context& c) { return real(c.operation.op->n.value); }},
    {"k", "reduction dimension K", [](const Context& c) { return real(c.operation.op->k.value); }},
    {"batch", "GEMMs in the batch", [](const Context& c) { return real(c.operation.op->batch.value); }},
    {"passes_us", "time in the step of all passes of the layer, in microseconds", passes_us},
    {"passes_bf16_us", "the same in bf16, without quantization; of a format of 16 bits or more the same", passes_bf16_us},
    {"op_element_bytes", "bytes of one element of its operands", [](const Context& c) { return bytes_of(c.operation.op->dtype); }},
    {"unpacks_weights", "whether its weights are stored in fewer bits than it computes in, and dequantized in the kernel", [](const Context& c) { return c.operation.op->weight_bytes > 0 && c.operation.op->weight_bytes < bytes_of(c.operation.op->dtype) ? 1.0 : 0.0; }},
    {"dimension", "the dimension in question: the rule is evaluated for each that `blame` lists", [](const Context& c) { return c.operation.dimension; }},
    {"exact_dimension", "that dimension before it is rounded up, if it is not divisible by the ranks", exact_size},
    {"contiguous", "whether that dimension is the contiguous one of an operand or of the output", [](const Context& c) { return c.operation.contiguous ? 1.0 : 0.0; }},
    {"tile", "side of the tile along that dimension; 1 for k, and where it is not known", tile_side},
    {"tile_m", "rows of the tile that the library is predicted to choose; 1 where it is not known", [](const Context& c) { return known_side(c.operation.cost->tile_m); }},
    {"tile_n", "columns of that tile", [](const Context& c) { return known_side(c.operation.cost->tile_n); }},
    {"split_k", "parts that k is split into", [](const Context& c) { return real(c.operation.cost->split_k); }},
    {"tiles", "tiles of the output, times batch and split_k", tile_count},
    {"waves", "tiles / SMs that work on them", [](const Context& c) { return c.operation.cost->waves; }},
};
// clang-format on

// A by, B by, C by: see model::Layout.
bool is_contiguous(Layout layout, char dimension) {
  switch (layout) {
    case Layout::tn:
    case Layout::nn:
      return dimension == 'k' || dimension == 'n';
    case Layout::nt:
      return dimension == 'm' || dimension == 'n';
    case Layout::tt:
      return true;
  }
  return false;
}

// Whether it is the tokens that an expert gets on average: what one gets is chance, and frameworks fill it
// up.
bool is_average(const model::Dim& dim) {
  return dim.expression.find("moe_experts_per_token") != std::string_view::npos;
}

// One for each dimension of the operation that the rule lists, and that has a size of its own.
void add_dimensions(const EvaluationInput& scene, const Subject& operation, std::vector<Subject>& out) {
  const model::Op& op = *operation.context.operation.op;
  for (const std::string_view name : scene.blame) {
    const model::Dim& dim = dim_of(op, name.front());
    if (is_average(dim)) continue;
    Subject subject = operation;
    subject.context.operation.dimension = real(dim.value);
    subject.context.operation.letter = name.front();
    subject.context.operation.contiguous = is_contiguous(op.layout, name.front());
    // In the words of a layer of its own, one expression may blame another field.
    subject.blame = operation.context.own.empty()
                        ? scene.baseline.blames->of(scene.reading, dim.expression)
                        : choose_blame(scene.reading, fields_of(dim.expression), false);
    subject.context.blamed = value_of(scene.reading, subject.blame.field);
    subject.expression = dim.expression;
    if (subject.blame.field != model::no_field) out.push_back(std::move(subject));
  }
}

std::vector<Subject> each_of(const EvaluationInput& scene, OpKind kind) {
  std::vector<Subject> out;
  const auto& ops = scene.baseline.workload->ops;
  const cost::StepCost& step = *scene.baseline.step;
  const auto subject_of = [&](const EvaluationInput& of, std::span<const FieldId> own) {
    Subject subject{context_of(of), listed_blame(of)};
    subject.context.own = own;
    subject.context.blamed = value_of(of.reading, subject.blame.field);
    subject.context.operation.workload = scene.baseline.workload;
    return subject;
  };
  const auto add = [&](const EvaluationInput& of, Subject subject, std::size_t i) {
    subject.context.operation.op = &ops[i];
    subject.context.operation.cost = &step.ops[i];
    subject.share = op_share(subject.context);
    if (subject.blame.field != model::no_field) {
      out.push_back(std::move(subject));
    } else {
      add_dimensions(of, subject, out);
    }
  };
  const Subject common = subject_of(scene, {});
  for (std::size_t i = 0; i < ops.size(); ++i) {
    if (ops[i].kind != kind) continue;
    const auto layer = static_cast<std::size_t>(ops[i].layer);
    if (ops[i].layer < 0 || layer >= scene.baseline.layers.size() ||
        scene.baseline.layers[layer].own.empty()) {
      add(scene, common, i);
      continue;
    }
    const LayerReading& words = scene.baseline.layers[layer];
    const EvaluationInput own{words.reading, scene.baseline, scene.blame, scene.mixer};
    add(own, subject_of(own, words.own), i);
  }
  return out;
}

}  // namespace

std::vector<LayerReading> readings_of_layers(const model::Reading& reading) {
  std::vector<LayerReading> out;
  const std::vector<model::LayerGroup>& groups = reading.setup.model.layers;
  if (!reading.setup.model.layers_differ) return out;
  const auto is_own = [&](const model::LayerKey& key, std::int64_t value) {
    if (value < 0 || key.field == model::no_field || model::own_size(key.field) == nullptr) return false;
    return value != model::get(reading.setup, key.field) ||
           std::all_of(groups.begin(), groups.end(),
                       [&](const model::LayerGroup& each) { return each.layer.*key.member >= 0; });
  };
  for (const model::DistinctLayer& each : model::distinct_layers(reading.setup)) {
    LayerReading& words = out.emplace_back();
    words.reading = reading;
    words.reading.notes.clear();
    for (const model::LayerKey& key : model::layer_keys()) {
      const std::int64_t value = each.layer.*key.member;
      if (!is_own(key, value)) continue;
      model::make_common(words.reading.setup.model, key, value);
      words.own.push_back(key.field);
      const std::vector<const model::LayerOrigin*> places = model::origins_of_layers(reading, key, value);
      if (places.empty()) continue;
      model::Origin& origin = words.reading.origins[key.field];
      origin = {};
      origin.kind = model::Origin::Kind::stated;
      origin.path = reading.path;
      origin.span = places.front()->span;
      origin.key_span = places.front()->key_span;
      origin.key_path = places.front()->key_path;
    }
  }
  return out;
}

std::span<const Variable> operation_variables() {
  return of_operation;
}
std::span<const Variable> product_variables() {
  return of_product;
}

std::vector<Subject> each_product(const EvaluationInput& scene) {
  return each_of(scene, OpKind::gemm);
}
std::vector<Subject> each_attention(const EvaluationInput& scene) {
  return each_of(scene, OpKind::attention);
}

namespace {

// clang-format off
constexpr Variable of_layer[] = {
    {"in_channels", "channels of the input; of a linear layer all that it reads", [](const Context& c) { return real(c.layer.shape->in.channels); }},
    {"out_channels", "channels of the output", [](const Context& c) { return real(c.layer.shape->out.channels); }},
    {"groups", "groups of channels", [](const Context& c) { return real(c.layer.shape->groups); }},
    {"channels_per_group", "input channels of one group", [](const Context& c) { return real(c.layer.shape->in.channels / c.layer.shape->groups); }},
    {"filters_per_group", "output channels of one group", [](const Context& c) { return real(c.layer.shape->out.channels / c.layer.shape->groups); }},
    {"kernel_taps", "height times width of the kernel", [](const Context& c) { return real(c.layer.shape->kernel_height * c.layer.shape->kernel_width); }},
    {"conv_stride", "step of the kernel", [](const Context& c) { return real(c.layer.shape->stride); }},
    {"pixels", "height times width of the output", [](const Context& c) { return real(c.layer.shape->out.height * c.layer.shape->out.width); }},
    {"is_depthwise", "whether each group has one input channel", [](const Context& c) { return model::is_depthwise(*c.layer.shape) ? 1.0 : 0.0; }},
    {"is_linear", "whether it is a linear layer", [](const Context& c) { return c.layer.shape->kind == model::ShapeKind::linear ? 1.0 : 0.0; }},
    {"is_first", "whether it reads the image", [](const Context& c) { return c.layer.shape->needs_input_gradient ? 0.0 : 1.0; }},
    {"layer_share", "share of the step that the layer takes in all passes", [](const Context& c) { return share_of_step(c, c.layer.time_us); }},
    {"hits_share", "share of the step that all layers take where the rule's condition holds (in messages)", [](const Context& c) { return share_of_step(c, c.layer.all_us); }},
};
// clang-format on

struct Passes {
  std::size_t first = 0;  // the forward pass, as a number of the operation
  double time_us = 0;     // of all of them
};

std::unordered_map<std::string_view, Passes> passes_by_layer(const Baseline& baseline) {
  std::unordered_map<std::string_view, Passes> out;
  const auto& ops = baseline.workload->ops;
  for (std::size_t i = 0; i < ops.size(); ++i)
    out.try_emplace(ops[i].name, Passes{i}).first->second.time_us +=
        ops[i].count * baseline.step->ops[i].time_us;
  return out;
}

}  // namespace

std::span<const Variable> layer_variables() {
  return of_layer;
}

std::vector<Subject> each_layer(const EvaluationInput& scene) {
  std::vector<Subject> out;
  if (scene.baseline.network == nullptr || scene.reading.setup.model.conv.empty()) return out;
  const auto passes = passes_by_layer(scene.baseline);
  for (const model::LayerShape& shape : scene.baseline.network->layers) {
    if (shape.kind != model::ShapeKind::conv && shape.kind != model::ShapeKind::linear) continue;
    const auto found = passes.find(shape.name);
    if (found == passes.end()) continue;  // nothing runs for it
    Subject subject{context_of(scene)};
    Context& context = subject.context;
    const model::Op& op = scene.baseline.workload->ops[found->second.first];
    context.layer.shape = &shape;
    context.layer.time_us = found->second.time_us;
    context.operation.op = &op;
    context.operation.cost = &scene.baseline.step->ops[found->second.first];
    context.operation.workload = scene.baseline.workload;
    context.operation.dimension = real(op.n.value);
    out.push_back(std::move(subject));
  }
  return out;
}

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
    {"is_duplicate_key", "whether a key is in one table twice", [](const Context& c) { return is_remark(c, model::Remark::Kind::duplicate_key); }},
    {"is_repeated_key", "whether it is, with the same value both times", [](const Context& c) { return is_remark(c, model::Remark::Kind::repeated_key); }},
    {"is_number_misread", "whether a value looks like a number but is parsed as something else", [](const Context& c) { return is_remark(c, model::Remark::Kind::number_misread); }},
    {"is_unresolved", "whether a size is known only at run time", [](const Context& c) { return is_remark(c, model::Remark::Kind::unresolved); }},
    {"is_needed_key_misspelt", "whether an unknown key is nearly that of a needed size, which the file does not state", [](const Context& c) { return is_remark(c, model::Remark::Kind::needed_key_misspelt); }},
    {"is_key_misspelt", "whether an unknown key is nearly that of another field", [](const Context& c) { return is_remark(c, model::Remark::Kind::key_misspelt); }},
    {"is_flag_misspelt", "whether it is a flag of a command (`--`), and not an abbreviation of the known flag", [](const Context& c) { return is_flag_misspelt(c) ? 1.0 : 0.0; }},
    {"is_value_rejected", "whether a text is none of those that the framework takes", [](const Context& c) { return is_remark(c, model::Remark::Kind::value_refused); }},
    {"is_format_unmultiplied", "whether a GPU has no tensor cores for the dtype of the GEMMs", [](const Context& c) { return is_remark(c, model::Remark::Kind::format_unmultiplied); }},
};
// clang-format on

}  // namespace

std::span<const Variable> remark_variables() {
  return of_remark;
}

std::vector<Subject> each_remark(const EvaluationInput& scene) {
  std::vector<Subject> out;
  for (const model::Remark& remark : scene.reading.remarks) {
    Subject subject{context_of(scene), {remark.field, {}}};
    subject.context.remark = &remark;
    out.push_back(std::move(subject));
  }
  return out;
}

namespace {

// clang-format off
constexpr Variable of_known[] = {
    {"known_differences", "dimensions that differ from the known model", [](const Context& c) { return c.known.differences; }},
    {"known_value", "value of the known model", [](const Context& c) { return c.known.value; }},
    {"known_digits", "digits of the blamed value that differ from the known model", [](const Context& c) { return c.known.digits; }},
    {"known_swapped", "whether two dimensions of the known model are swapped", [](const Context& c) { return c.known.swapped ? 1.0 : 0.0; }},
    {"known_here", "value in the file", [](const Context& c) { return c.known.here; }},
    {"known_same_width", "whether hidden_size is that of the known model, and intermediate_size differs in one digit", [](const Context& c) { return c.known.same_width ? 1.0 : 0.0; }},
    {"known_head_dim", "whether the first difference is the head dimension", [](const Context& c) { return c.known.head_dim ? 1.0 : 0.0; }},
};
// clang-format on

Subject subject_of(const EvaluationInput& scene, const catalog::KnownModel& model,
                   const Comparison& comparison) {
  const auto& [field, value] = comparison.differences.front();
  const std::int64_t here = model::get(scene.reading.setup, field);
  Subject subject{context_of(scene)};
  KnownContext& known = subject.context.known;
  known.model = &model;
  known.field = field;
  known.differences = static_cast<double>(comparison.differences.size());
  known.value = real(value);
  known.here = real(here);
  known.digits = static_cast<double>(edit_distance(std::to_string(here), std::to_string(value)));
  known.swapped = comparison.swapped;
  known.head_dim = field == model::FieldId::head_dim;
  known.same_width = comparison.same_width;
  subject.context.blamed = known.here;
  // A head dimension that is left out is to be written, rather than what it was derived from changed.
  subject.blame = known.head_dim ? Blame{field, {}} : choose_blame(scene.reading, {field}, true);
  if (comparison.swapped) subject.blame.related.push_back(comparison.differences[1].first);
  return subject;
}

}  // namespace

std::span<const Variable> known_variables() {
  return of_known;
}

std::vector<Subject> each_known_model(const EvaluationInput& scene) {
  std::vector<Subject> out;
  if (!scene.reading.setup.model.conv.empty()) return out;
  for (const catalog::KnownModel& known : catalog::known_models()) {
    if (is_other_kind(scene.reading, known)) continue;
    if (!is_near(scene.reading, known)) continue;
    const Comparison comparison = compare(scene.reading, known);
    if (comparison.differences.empty()) return {};  // it is this very model
    out.push_back(subject_of(scene, known, comparison));
  }
  return out;
}

}  // namespace shapelint::rules
