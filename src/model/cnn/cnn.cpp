// Sums over a convolutional network's layers, and their numbers by name.
#include "model/cnn/cnn.hpp"

#include <algorithm>

#include "model/arithmetic.hpp"

namespace shapelint::model {

namespace {

std::int64_t elements(const Feature& feature) {
  return times(feature.channels, feature.height, feature.width);
}

template <class Layers>
auto find(Layers& layers, std::int32_t id) -> decltype(&layers.front()) {
  for (auto& layer : layers) {
    if (layer.id == id) return &layer;
    if (auto* inside = find(layer.layers, id)) return inside;
    for (auto& branch : layer.branches) {
      if (auto* inside = find(branch, id)) return inside;
    }
  }
  return nullptr;
}

}  // namespace

bool is_depthwise(const LayerShape& shape) {
  return shape.kind == ShapeKind::conv && shape.groups > 1 && shape.groups == shape.in.channels;
}

std::int64_t parameters_of(const LayerShape& shape) {
  if (shape.kind != ShapeKind::conv && shape.kind != ShapeKind::linear) return 0;
  const std::int64_t weights =
      times(shape.out.channels, shape.in.channels / shape.groups, shape.kernel_height, shape.kernel_width);
  // a batch norm has a gain and a bias per channel
  return plus(weights, times(shape.out.channels, (shape.bias ? 1 : 0) + (shape.batch_norm ? 2 : 0)));
}

double multiply_adds(const LayerShape& shape) {
  const auto d = [](std::int64_t value) { return static_cast<double>(value); };
  switch (shape.kind) {
    case ShapeKind::conv:
      return d(elements(shape.out)) * d(shape.in.channels / shape.groups) * d(shape.kernel_height) *
             d(shape.kernel_width);
    case ShapeKind::linear:
      return d(shape.rows) * d(shape.in.channels) * d(shape.out.channels);
    case ShapeKind::matmul:
      return d(shape.products) * d(shape.rows) * d(shape.columns) * d(shape.depth);
    default:
      return 0;
  }
}

NetworkSize size_of(const Network& network) {
  NetworkSize size;
  for (const LayerShape& shape : network.layers) {
    const auto count = static_cast<double>(shape.count);
    size.parameters =
        plus(size.parameters, times(shape.shares_weights ? 1 : shape.count, parameters_of(shape)));
    size.multiply_adds += count * multiply_adds(shape);
    const double out = count * static_cast<double>(times(shape.rows, elements(shape.out)));
    size.output_elements += out;
    if (shape.batch_norm) size.normalized_elements += out;
    size.largest_elements =
        std::max(size.largest_elements, static_cast<double>(times(shape.rows, elements(shape.out))));
  }
  return size;
}

namespace {

void append_layers(const std::vector<Layer>& layers, std::vector<std::int64_t>& out) {
  for (const Layer& layer : layers) {
    for (const std::int64_t value : {layer.in_channels, layer.out_channels, layer.groups})
      out.push_back(value);
    append_layers(layer.layers, out);
    for (const std::vector<Layer>& branch : layer.branches) append_layers(branch, out);
  }
}

}  // namespace

void append_sizes(const ModelSpec& model, std::vector<std::int64_t>& out) {
  out.push_back(model.image_channels);
  append_layers(model.conv, out);
}

bool set_layer_number(ModelSpec& model, std::int32_t id, std::string_view key, std::int64_t value) {
  if (id < 0) {
    if (key != "in_channels") return false;
    model.image_channels = value;
    return true;
  }
  Layer* layer = find_layer(model.conv, id);
  if (layer == nullptr) return false;
  if (key == "in_channels") {
    layer->in_channels = value;
  } else if (key == "out_channels") {
    layer->out_channels = value;
  } else if (key == "groups") {
    layer->groups = value;
  } else {
    return false;
  }
  return true;
}

const Layer* find_layer(const std::vector<Layer>& layers, std::int32_t id) {
  return find(layers, id);
}
Layer* find_layer(std::vector<Layer>& layers, std::int32_t id) {
  return find(layers, id);
}

}  // namespace shapelint::model
