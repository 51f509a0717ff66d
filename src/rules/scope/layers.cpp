// Layers of a convolutional network.
#include "rules/scope/subjects.hpp"
#include "rules/scope/values.hpp"
#include "rules/scope/variables.hpp"

namespace shapelint::rules {

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

// The layer's forward pass as the operation, and the time of all its passes; false when nothing runs for it.
bool look_up(const model::LayerShape& shape, const Baseline& baseline, Context& context) {
  const auto& ops = baseline.workload->ops;
  for (std::size_t i = 0; i < ops.size(); ++i) {
    if (ops[i].name != shape.name) continue;
    const cost::OpCost& cost = baseline.step->ops[i];
    if (context.operation.op == nullptr) {
      context.operation.op = &ops[i];
      context.operation.cost = &cost;
      context.operation.workload = baseline.workload;
      context.operation.dimension = real(ops[i].n.value);
    }
    context.layer.time_us += ops[i].count * cost.time_us;
  }
  return context.operation.op != nullptr;
}

}  // namespace

std::span<const Variable> layer_variables() {
  return of_layer;
}

std::vector<Subject> each_layer(const Scene& scene) {
  std::vector<Subject> out;
  if (scene.baseline.network == nullptr || scene.reading.setup.model.conv.empty()) return out;
  for (const model::LayerShape& shape : scene.baseline.network->layers) {
    if (shape.kind != model::ShapeKind::conv && shape.kind != model::ShapeKind::linear) continue;
    Subject subject{context_of(scene)};
    subject.context.layer.shape = &shape;
    if (look_up(shape, scene.baseline, subject.context)) out.push_back(std::move(subject));
  }
  return out;
}

}  // namespace shapelint::rules
