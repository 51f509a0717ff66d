// A convolutional network: from the layers as they are written to the shapes that run.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "model/op.hpp"
#include "model/spec.hpp"

namespace shapelint::model {

// Channels, rows and columns of one image's tensor.
struct Feature {
  std::int64_t channels = 0;
  std::int64_t height = 0;
  std::int64_t width = 0;
  friend bool operator==(const Feature&, const Feature&) = default;
};

enum class ShapeKind : std::uint8_t { conv, linear, pool, add, concat, matmul, elementwise };

// One layer with every size known.
struct LayerShape {
  ShapeKind kind = ShapeKind::conv;
  std::int32_t layer = -1;  // Layer::id that it comes from
  std::string name;  // unique in the network; `@3`: what differs from the third run of a repeated block on
  Feature in;
  Feature out;
  std::int64_t kernel_height = 1;
  std::int64_t kernel_width = 1;
  std::int64_t stride = 1;
  std::int64_t dilation = 1;
  std::int64_t groups = 1;
  bool bias = false;
  bool batch_norm = false;
  bool activation = true;            // behind a convolution; none behind that of a shortcut
  bool needs_input_gradient = true;  // false where the input is the image
  std::int64_t count = 1;            // how often it runs
  bool shares_weights = false;       // all runs do
  // as in Layer
  std::int64_t rows = 1;
  std::int64_t columns = 0;
  std::int64_t depth = 0;
  std::int64_t products = 1;
  std::int64_t elements = 0;
};

// Whether it is a depthwise convolution: one input channel per group, nothing for a matrix product to sum.
bool is_depthwise(const LayerShape& shape);
// Parameters of one layer, and multiply-adds of one run over one image.
std::int64_t parameters_of(const LayerShape& shape);
double multiply_adds(const LayerShape& shape);

// A layer that does not fit what comes before it.
struct LayerProblem {
  std::int32_t layer = 0;
  std::string key;  // the key to blame; may be empty
  std::string message;
  std::string hint;
};

struct Network {
  std::vector<LayerShape> layers;  // in the order of their first run; equal ones of one layer are together
  std::vector<LayerProblem> problems;
  Feature out;
};

// Most layers that a network may run, repeats counted.
inline constexpr std::int64_t max_layer_runs = 65'536;

// Every layer's shape. A layer without a stated input takes the output of the one before it.
Network resolve(const ModelSpec& model);

// Sums over a network, per image: what papers print.
struct NetworkSize {
  std::int64_t parameters = 0;
  double multiply_adds = 0;        // of convolutions, linear layers and products
  double output_elements = 0;      // of every convolution, linear layer, pool, sum and concatenation
  double normalized_elements = 0;  // of these, outputs of convolutions with a batch norm
  double largest_elements = 0;     // of any layer's output
};
NetworkSize size_of(const Network& network);

// The layer with this id; nullptr when there is none.
const Layer* find_layer(const std::vector<Layer>& layers, std::int32_t id);
Layer* find_layer(std::vector<Layer>& layers, std::int32_t id);

// Sets `in_channels`, `out_channels` or `groups` of a layer; of layer -1 the image's `in_channels`. False
// when there is no such layer or key. A layer behind it that states its own input keeps that.
bool set_layer_number(ModelSpec& model, std::int32_t layer, std::string_view key, std::int64_t value);

// Appends the numbers of every layer that a change may set: equal ones, of one file, are equal networks.
void append_sizes(const ModelSpec& model, std::vector<std::int64_t>& out);

// All ops of a CNN's step; as lower() for transformers.
Workload lower_network(const Setup& setup);

}  // namespace shapelint::model
