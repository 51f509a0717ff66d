// Operations of a step: matrix products and fused attention.
#include <algorithm>
#include <cmath>

#include "rules/scope/subjects.hpp"
#include "rules/scope/values.hpp"
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

// Of all passes and runs in the step. What one pass loses by a format, another may win.
template <class Time>
double sum_of_passes(const Context& c, Time time_us) {
  const OperationContext& o = c.operation;
  double sum = 0;
  for (std::size_t i = 0; i < o.workload->ops.size(); ++i) {
    const model::Op& op = o.workload->ops[i];
    if (op.kind == OpKind::gemm && op.name == o.op->name) sum += op.count * time_us(op, c.step->ops[i]);
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
    {"alignment_efficiency", "what misaligned rows leave of the speed, 0 to 1", [](const Context& c) { return c.operation.cost->efficiency.alignment; }},
    {"tile_efficiency", "what partial tiles leave of the speed, 0 to 1", [](const Context& c) { return c.operation.cost->efficiency.tile; }},
    {"wave_efficiency", "what idle SMs leave of the speed, 0 to 1", [](const Context& c) { return c.operation.cost->efficiency.wave; }},
    {"rest_efficiency", "what everything else leaves of the speed, 0 to 1", [](const Context& c) { return c.operation.cost->efficiency.rest; }},
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
    {"k", "the dimension that is summed over", [](const Context& c) { return real(c.operation.op->k.value); }},
    {"batch", "independent products of the batch", [](const Context& c) { return real(c.operation.op->batch.value); }},
    {"passes_us", "time in the step of all passes of the layer that the product belongs to, in microseconds", passes_us},
    {"passes_bf16_us", "the same in bf16, without quantization; of a format of 16 bits or more the same", passes_bf16_us},
    {"op_element_bytes", "bytes of one element of its operands", [](const Context& c) { return bytes_of(c.operation.op->dtype); }},
    {"unpacks_weights", "whether its weights are stored in fewer bits than it computes in, and unpacked by the kernel that multiplies them", [](const Context& c) { return c.operation.op->weight_bytes > 0 && c.operation.op->weight_bytes < bytes_of(c.operation.op->dtype) ? 1.0 : 0.0; }},
    {"dimension", "the dimension in question: the rule is evaluated for each that `blame` lists", [](const Context& c) { return c.operation.dimension; }},
    {"exact_dimension", "that dimension before it is rounded up, where ranks cannot share it out evenly", exact_size},
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
void add_dimensions(const Scene& scene, const Subject& operation, std::vector<Subject>& out) {
  const model::Op& op = *operation.context.operation.op;
  for (const std::string_view name : scene.blame) {
    const model::Dim& dim = dim_of(op, name.front());
    if (is_average(dim)) continue;
    Subject subject = operation;
    subject.context.operation.dimension = real(dim.value);
    subject.context.operation.letter = name.front();
    subject.context.operation.contiguous = is_contiguous(op.layout, name.front());
    subject.blame = scene.baseline.blames->of(scene.reading, dim.expression);
    subject.context.blamed = value_of(scene.reading, subject.blame.field);
    subject.expression = dim.expression;
    if (subject.blame.field != model::no_field) out.push_back(std::move(subject));
  }
}

std::vector<Subject> each_of(const Scene& scene, OpKind kind) {
  std::vector<Subject> out;
  const auto& ops = scene.baseline.workload->ops;
  const cost::StepCost& step = *scene.baseline.step;
  Subject subject{context_of(scene), listed_blame(scene)};
  subject.context.blamed = value_of(scene.reading, subject.blame.field);
  subject.context.operation.workload = scene.baseline.workload;
  for (std::size_t i = 0; i < ops.size(); ++i) {
    if (ops[i].kind != kind) continue;
    subject.context.operation.op = &ops[i];
    subject.context.operation.cost = &step.ops[i];
    subject.share = op_share(subject.context);
    if (subject.blame.field != model::no_field) {
      out.push_back(subject);
    } else {
      add_dimensions(scene, subject, out);
    }
  }
  return out;
}

}  // namespace

std::span<const Variable> operation_variables() {
  return of_operation;
}
std::span<const Variable> product_variables() {
  return of_product;
}

std::vector<Subject> each_product(const Scene& scene) {
  return each_of(scene, OpKind::gemm);
}
std::vector<Subject> each_attention(const Scene& scene) {
  return each_of(scene, OpKind::attention);
}

}  // namespace shapelint::rules
