// Sums over a convolutional network's layers, and their numbers by name.
#include "model/cnn/cnn.hpp"

#include <algorithm>
#include <map>
#include <tuple>

#include <fmt/format.h>

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

namespace {

std::string text_of(const Feature& feature) {
  return fmt::format("{} x {} x {}", feature.height, feature.width, feature.channels);
}

std::string_view kind_text(LayerKind kind) {
  switch (kind) {
    case LayerKind::linear:
      return "linear";
    case LayerKind::max_pool:
    case LayerKind::average_pool:
    case LayerKind::global_pool:
      return "pool";
    case LayerKind::matmul:
      return "matmul";
    case LayerKind::elementwise:
      return "elementwise";
    case LayerKind::block:
      return "block";
    case LayerKind::conv:
      break;
  }
  return "conv";
}

// What flows from layer to layer.
struct Flow {
  Feature feature;
  bool is_image = true;  // nothing before it has weights, so its gradient is not needed
};

class Resolver {
 public:
  Network run(const ModelSpec& model) {
    const Flow in{{model.image_channels, model.image_height, model.image_width}, true};
    network_.out = sequence(model.conv, in, "").feature;
    return std::move(network_);
  }

 private:
  Flow sequence(const std::vector<Layer>& layers, Flow flow, const std::string& prefix) {
    for (std::size_t i = 0; i < layers.size() && !failed_; ++i) {
      const Layer& layer = layers[i];
      const std::string own =
          layer.name.empty() ? fmt::format("{}{}", kind_text(layer.kind), i + 1) : layer.name;
      const std::string name = prefix.empty() ? own : fmt::format("{}.{}", prefix, own);
      for (std::int64_t r = 0; r < layer.repeat && !failed_; ++r) {
        flow = layer.kind == LayerKind::block ? block(layer, flow, name) : single(layer, flow, name);
      }
    }
    return flow;
  }

  Flow problem(const Layer& layer, std::string key, std::string message, std::string hint = {}) {
    network_.problems.push_back({layer.id, std::move(key), std::move(message), std::move(hint)});
    failed_ = true;  // what comes behind has no shape
    return {};
  }

  Flow block(const Layer& layer, const Flow& in, const std::string& name) {
    Flow out = in;
    if (layer.branches.empty()) {
      out = sequence(layer.layers, in, name);
    } else {
      out = branches(layer, in, name);
    }
    if (failed_ || !layer.residual) return out;
    if (out.feature != in.feature) shortcut(layer, in, out.feature, name);
    LayerShape add;
    add.kind = ShapeKind::add;
    add.in = add.out = out.feature;
    record(layer, add, name + ".add");
    return out;
  }

  Flow branches(const Layer& layer, const Flow& in, const std::string& name) {
    Flow out;
    out.feature.channels = 0;
    bool first = true;
    for (std::size_t i = 0; i < layer.branches.size() && !failed_; ++i) {
      const Flow branch = sequence(layer.branches[i], in, fmt::format("{}.branch{}", name, i + 1));
      if (failed_) return {};
      if (first) {
        out.feature.height = branch.feature.height;
        out.feature.width = branch.feature.width;
      } else if (out.feature.height != branch.feature.height || out.feature.width != branch.feature.width) {
        return problem(
            layer, "branches",
            fmt::format("branch {} gives {} x {} pixels, those before it {} x {}", i + 1,
                        branch.feature.height, branch.feature.width, out.feature.height, out.feature.width),
            "only tensors of one image size can be concatenated");
      }
      first = false;
      out.feature.channels = plus(out.feature.channels, branch.feature.channels);
      out.is_image = out.is_image && branch.is_image;
    }
    LayerShape concat;
    concat.kind = ShapeKind::concat;
    concat.in = concat.out = out.feature;
    record(layer, concat, name + ".concat");
    return out;
  }

  void shortcut(const Layer& layer, const Flow& in, const Feature& out, const std::string& name) {
    const std::int64_t stride =
        std::max<std::int64_t>(1, divide_up(in.feature.height, std::max<std::int64_t>(1, out.height)));
    if ((in.feature.height - 1) / stride + 1 != out.height ||
        (in.feature.width - 1) / stride + 1 != out.width) {
      problem(layer, "residual",
              fmt::format("a block from {} to {} cannot be `residual`", text_of(in.feature), text_of(out)),
              "no 1 x 1 convolution takes the one to the other");
      return;
    }
    LayerShape shape;
    shape.in = in.feature;
    shape.out = out;
    shape.stride = stride;
    shape.bias = layer.bias;
    shape.batch_norm = layer.batch_norm;
    shape.activation = false;
    shape.needs_input_gradient = !in.is_image;
    record(layer, shape, name + ".shortcut");
  }

  // Rows or columns of the output along one side; 0 and a problem when the kernel is larger than the input.
  std::int64_t side(const Layer& layer, std::string_view which, std::int64_t image, std::int64_t kernel,
                    std::int64_t padding, std::int64_t stride) {
    const std::int64_t reach = layer.dilation * (kernel - 1) + 1;
    const std::int64_t padded = image + 2 * (layer.padding_same ? (reach - 1) / 2 : padding);
    if (reach > padded) {
      problem(layer, "", fmt::format("the kernel's {} is {}, the padded input's {}", which, reach, padded),
              "a kernel must not be larger than its input");
      return 0;
    }
    return (padded - reach) / stride + 1;
  }

  Flow single(const Layer& layer, const Flow& in, const std::string& name) {
    LayerShape shape;
    shape.needs_input_gradient = !in.is_image;
    if (layer.kind == LayerKind::matmul || layer.kind == LayerKind::elementwise) {
      shape.kind = layer.kind == LayerKind::matmul ? ShapeKind::matmul : ShapeKind::elementwise;
      shape.rows = layer.rows;
      shape.columns = layer.columns;
      shape.depth = layer.depth;
      shape.products = layer.products;
      shape.elements = layer.elements;
      record(layer, shape, name);
      return {in.feature, false};
    }
    shape.in = in.feature;
    if (layer.in_channels > 0) shape.in.channels = layer.in_channels;
    if (layer.image_height > 0) shape.in.height = layer.image_height;
    if (layer.image_width > 0) shape.in.width = layer.image_width;
    if (layer.kind == LayerKind::linear) return linear(layer, shape, in, name);
    if (shape.in.channels == 0) {
      return problem(layer, "", "`in_channels` is missing from the first layer",
                     "or write `in_channels = 3` into `[model]`");
    }
    if (shape.in.height == 0 || shape.in.width == 0) {
      return problem(
          layer, "", "`image` is missing from the first layer",
          "the height and width of the input, such as `image = 224`; it may also stand in `[model]`");
    }
    return layer.kind == LayerKind::conv ? conv(layer, shape, name) : pool(layer, shape, in, name);
  }

  Flow conv(const Layer& layer, LayerShape& shape, const std::string& name) {
    const std::int64_t channels = shape.in.channels;
    shape.out.channels = layer.out_channels > 0 ? layer.out_channels : layer.depthwise ? channels : 0;
    if (shape.out.channels == 0) return problem(layer, "", "`out_channels` is missing from a convolution");
    shape.groups = layer.depthwise ? channels : layer.groups;
    for (const auto& [which, value] :
         {std::pair{"in_channels", channels}, std::pair{"out_channels", shape.out.channels}}) {
      if (value % shape.groups == 0) continue;
      return problem(layer, layer.groups > 1 ? "groups" : which,
                     fmt::format("`{}` is {}, which {} groups do not divide", which, value, shape.groups),
                     "every group has as many channels");
    }
    shape.kernel_height = layer.kernel_height;
    shape.kernel_width = layer.kernel_width;
    shape.stride = std::max<std::int64_t>(1, layer.stride);
    shape.dilation = layer.dilation;
    shape.out.height =
        side(layer, "height", shape.in.height, layer.kernel_height, layer.padding_height, shape.stride);
    if (failed_) return {};
    shape.out.width =
        side(layer, "width", shape.in.width, layer.kernel_width, layer.padding_width, shape.stride);
    if (failed_) return {};
    shape.bias = layer.bias;
    shape.batch_norm = layer.batch_norm;
    record(layer, shape, name);
    return {shape.out, false};
  }

  Flow pool(const Layer& layer, LayerShape& shape, const Flow& in, const std::string& name) {
    shape.kind = ShapeKind::pool;
    shape.out = {shape.in.channels, 1, 1};
    if (layer.kind == LayerKind::global_pool) {
      shape.kernel_height = shape.in.height;
      shape.kernel_width = shape.in.width;
    } else {
      shape.kernel_height = layer.kernel_height;
      shape.kernel_width = layer.kernel_width;
      shape.stride = layer.stride > 0 ? layer.stride : layer.kernel_height;
      shape.out.height =
          side(layer, "height", shape.in.height, layer.kernel_height, layer.padding_height, shape.stride);
      if (failed_) return {};
      shape.out.width =
          side(layer, "width", shape.in.width, layer.kernel_width, layer.padding_width, shape.stride);
      if (failed_) return {};
    }
    record(layer, shape, name);
    return {shape.out, in.is_image};
  }

  Flow linear(const Layer& layer, LayerShape& shape, const Flow& in, const std::string& name) {
    shape.kind = ShapeKind::linear;
    const std::int64_t inputs = layer.in_channels > 0
                                    ? layer.in_channels
                                    : times(in.feature.channels, in.feature.height, in.feature.width);
    if (inputs == 0) {
      return problem(layer, "", "`in_channels` is missing from the first layer",
                     "or write `in_channels` and `image` into `[model]`");
    }
    if (layer.out_channels == 0) return problem(layer, "", "`out_channels` is missing from a linear layer");
    shape.in = {inputs, 1, 1};
    shape.out = {layer.out_channels, 1, 1};
    shape.bias = layer.bias;
    shape.batch_norm = layer.batch_norm;
    shape.rows = layer.rows;
    shape.shares_weights = layer.shares_weights;
    record(layer, shape, name);
    return {shape.out, false};
  }

  void record(const Layer& layer, LayerShape shape, std::string name) {
    if (++runs_ > max_layer_runs) {
      problem(layer, "repeat", fmt::format("the network runs more than {} layers", max_layer_runs));
      return;
    }
    const Key key{
        layer.id,       static_cast<int>(shape.kind), shape.in.channels, shape.in.height,
        shape.in.width, shape.out.channels,           shape.stride,      shape.needs_input_gradient};
    const auto [known, inserted] = known_.try_emplace(key, network_.layers.size());
    if (!inserted) {
      ++network_.layers[known->second].count;
      return;
    }
    shape.layer = layer.id;
    shape.name = std::move(name);
    const std::int64_t run = ++names_[shape.name];
    if (run > 1) shape.name += fmt::format("@{}", run);
    network_.layers.push_back(std::move(shape));
  }

  using Key = std::tuple<std::int32_t, int, std::int64_t, std::int64_t, std::int64_t, std::int64_t,
                         std::int64_t, bool>;
  Network network_;
  std::map<Key, std::size_t> known_;
  std::map<std::string, std::int64_t> names_;
  std::int64_t runs_ = 0;
  bool failed_ = false;
};

}  // namespace

Network resolve(const ModelSpec& model) {
  return Resolver().run(model);
}

}  // namespace shapelint::model
