// The lowering of a convolutional network: implicit matrix products, and what moves memory around them.
// Sources: NVIDIA, Convolutional Layers User's Guide, section 2 (the three products of a convolution);
// Chetlur et al. 2014, arXiv 1410.0759 (implicit GEMM).
#include <algorithm>
#include <cmath>
#include <deque>
#include <memory>

#include <fmt/format.h>

#include "base/budget.hpp"
#include "model/arithmetic.hpp"
#include "model/cnn/cnn.hpp"
#include "model/lower/emit.hpp"

namespace shapelint::model {

namespace {

// Tensors of the output's size that pass through memory around a convolution. A batch norm in training reads
// its input for the statistics and once more, and writes; its gradient reads input and gradient twice and
// writes. In inference it is a multiplication and an addition.
struct Tensors {
  double forward = 0;
  double backward = 0;
};
constexpr Tensors norm_in_training{3, 5};
constexpr Tensors norm_in_inference{2, 0};
constexpr Tensors activation{2, 3};  // in and out; its output and the gradient in, one out
constexpr Tensors bias{2, 1};        // in and out; the gradient in, to be summed up
constexpr Tensors add{3, 3};         // two in, one out; the gradients of both ways are added up
// Joined to the kernel before it: the other summand in; the gradient of the other way out, and in where the
// ways meet.
constexpr Tensors joined_add{1, 2};
constexpr Tensors concat{2, 2};  // in and out, where the framework copies

constexpr std::size_t max_ops_per_layer = 9;  // three products, and both ways of bias, norm and activation

// To make one and to price it: a network is lowered for each change that is tried.
constexpr std::size_t units_per_op = 20;

double elements(const Feature& feature) {
  return real(feature.channels) * real(feature.height) * real(feature.width);
}

class NetworkLowering {
 public:
  explicit NetworkLowering(const Setup& setup)
      : shared_(setup),
        texts_(std::make_shared<std::deque<std::string>>()),
        images_(setup.plan.micro_batch_size),
        fusion_(setup.plan.fusion) {
    // A batch norm in training needs all of its input before it can write anything.
    if (shared_.training) fusion_ = std::min(fusion_, Fusion::norms);
  }

  Workload run() {
    const Network network = resolve(shared_.model);
    workload_.ops.reserve(network.layers.size() * max_ops_per_layer);
    for (const LayerShape& shape : network.layers) lower(shape);
    charge(workload_.ops.size() * units_per_op);
    const NetworkSize size = size_of(network);
    for (const Op& op : workload_.ops) {
      if (op.kind == OpKind::gemm) {
        workload_.hardware_flops +=
            op.count * 2 * real(op.batch.value) * real(op.m.value) * real(op.n.value) * real(op.k.value);
      } else {
        workload_.hardware_flops += op.count * op.flops;
      }
    }
    if (shared_.training) {
      lower_update(shared_.setup, {real(size.parameters), 0}, workload_);
      for (const LayerShape& shape : network.layers) {
        workload_.model_flops += 2 * passes(shape) * real(shape.count) * multiply_adds(shape);
      }
    } else {
      workload_.model_flops = 2 * size.multiply_adds;
    }
    workload_.tokens_per_step = real(images_) * shared_.micro_batches;
    workload_.model_flops *= workload_.tokens_per_step;
    workload_.micro_batches = shared_.micro_batches;
    workload_.texts = texts_;
    return std::move(workload_);
  }

 private:
  // Forward, and the gradients of weights and of inputs that have one.
  static double passes(const LayerShape& shape) { return shape.needs_input_gradient ? 3 : 2; }

  std::string_view text(std::string value) { return texts_->emplace_back(std::move(value)); }
  Dim constant(std::int64_t value) { return dim(value, text(fmt::format("{}", value))); }
  // `micro_batch_size * a * b`; factors of 1 are left out.
  Dim per_image(std::int64_t a, std::int64_t b) {
    std::string expression = "micro_batch_size";
    for (const std::int64_t factor : {a, b}) {
      if (factor > 1) expression += fmt::format(" * {}", factor);
    }
    return dim(times(images_, a, b), text(std::move(expression)));
  }
  Dim product(std::int64_t channels, std::int64_t height, std::int64_t width) {
    std::string expression = fmt::format("{}", channels);
    for (const std::int64_t factor : {height, width}) {
      if (height > 1 || width > 1) expression += fmt::format(" * {}", factor);
    }
    return dim(times(channels, height, width), text(std::move(expression)));
  }

  Op op_of(const LayerShape& shape, std::string_view name) {
    Op op;
    op.name = name;
    op.layer = shape.layer;
    op.count = real(shape.count) * shared_.micro_batches;
    return op;
  }

  void push(Op op, Pass pass) {
    op.pass = pass;
    workload_.ops.push_back(op);
  }

  void lower(const LayerShape& shape) {
    const std::string_view name = text(shape.name);
    switch (shape.kind) {
      case ShapeKind::conv:
        is_depthwise(shape) ? depthwise(shape, name) : conv(shape, name);
        return follow(shape);
      case ShapeKind::linear:
        linear(shape, name);
        if (shape.batch_norm) follow(shape);
        return;
      case ShapeKind::matmul:
        return matmul(shape, name);
      case ShapeKind::pool: {
        const double moved = elements(shape.in) + elements(shape.out);
        return memory(shape, name, moved, shape.needs_input_gradient ? moved : 0);
      }
      case ShapeKind::add:
        return tensors(shape, name, fusion_ == Fusion::none ? add : joined_add);
      case ShapeKind::concat:
        if (fusion_ == Fusion::full) return;  // each branch writes to its place
        return tensors(shape, name, concat);
      case ShapeKind::elementwise:
        return memory(shape, name, real(shape.elements), real(shape.elements));
    }
  }

  // `forward` and `backward`: elements moved per image.
  void memory(const LayerShape& shape, std::string_view name, double forward, double backward) {
    Op op = op_of(shape, name);
    op.kind = OpKind::elementwise;
    op.dtype = shared_.wide_dtype;
    op.bytes = forward * real(images_) * shared_.activation;
    push(op, Pass::forward);
    if (!shared_.training || backward <= 0) return;
    op.bytes = backward * real(images_) * shared_.activation;
    push(op, Pass::backward);
  }

  void tensors(const LayerShape& shape, std::string_view name, Tensors moved) {
    const double out = elements(shape.out) * real(shape.rows);
    memory(shape, name, moved.forward * out, moved.backward * out);
  }

  // Bias, batch norm and activation behind a convolution.
  void follow(const LayerShape& shape) {
    if (fusion_ == Fusion::full) return;
    const bool apart = fusion_ == Fusion::none;
    if (apart && shape.bias) tensors(shape, text(shape.name + ".bias"), bias);
    if (shape.batch_norm) {
      tensors(shape, text(shape.name + ".norm"), shared_.training ? norm_in_training : norm_in_inference);
    }
    if (shape.activation && (apart || !shape.batch_norm)) {
      tensors(shape, text(shape.name + ".activation"), activation);
    }
  }

  void conv(const LayerShape& s, std::string_view name) {
    const std::int64_t in_channels = s.in.channels / s.groups;
    const std::int64_t out_channels = s.out.channels / s.groups;
    const std::int64_t taps = s.kernel_height * s.kernel_width;
    const std::int64_t out_pixels = times(s.out.height, s.out.width);
    const std::int64_t in_pixels = times(s.in.height, s.in.width);
    // Pixels of the input that any tap falls on: a quarter of them for a 1 x 1 kernel of stride 2.
    const bool strided_out = times(out_pixels, taps) < in_pixels;
    const double used =
        real(images_) * real(s.in.channels) * real(strided_out ? times(out_pixels, taps) : in_pixels);
    const double out = real(images_) * real(s.out.channels) * real(out_pixels);
    const double weights = real(s.out.channels) * real(in_channels) * real(taps);

    Op op = op_of(s, name);
    op.dtype = shared_.linear_dtype;
    op.batch = constant(s.groups);
    op.m = per_image(s.out.height, s.out.width);
    op.n = constant(out_channels);
    op.k = product(in_channels, s.kernel_height, s.kernel_width);
    op.layout = Layout::tn;
    op.implicit = {used, weights, out, 0, out_channels, in_channels};
    const bool three =
        s.groups == 1 && s.kernel_height == 3 && s.kernel_width == 3 && s.stride == 1 && s.dilation == 1;
    const auto tiled = [&](const Feature& result) {
      op.implicit.channels_first = !shared_.plan.channels_last;
      if (!three) return;
      op.implicit.images = images_;
      op.implicit.out_height = result.height;
      op.implicit.out_width = result.width;
    };
    tiled(s.out);
    push(op, Pass::forward);
    if (!shared_.training) return;

    if (s.needs_input_gradient) {
      // Each pixel of the input gets as many taps as reach it: all of them at a stride of 1.
      if (strided_out) {
        op.m = per_image(out_pixels, taps);
        op.k = constant(out_channels);
      } else {
        op.m = per_image(s.in.height, s.in.width);
        const double reaching = real(out_channels) * real(taps) * real(out_pixels) / real(in_pixels);
        op.k = s.in.height == s.out.height && s.in.width == s.out.width
                   ? product(out_channels, s.kernel_height, s.kernel_width)
                   : constant(std::llround(std::max(1.0, reaching)));
      }
      op.n = constant(in_channels);
      op.layout = Layout::nn;
      op.implicit = {out, weights, real(images_) * elements(s.in), 0, in_channels, out_channels};
      tiled(s.in);
      push(op, Pass::grad_input);
    }
    op.m = constant(out_channels);
    op.n = product(in_channels, s.kernel_height, s.kernel_width);
    op.k = per_image(s.out.height, s.out.width);
    op.layout = Layout::nt;
    op.implicit = {out, used, weights, out_channels, in_channels, 0};
    tiled(s.out);
    push(op, Pass::grad_weight);
  }

  // One input channel per group: no two products share an operand, so that the arithmetic runs on CUDA cores
  // and memory bounds it.
  void depthwise(const LayerShape& s, std::string_view name) {
    const double in = real(images_) * elements(s.in);
    const double out = real(images_) * elements(s.out);
    const double weights = real(s.out.channels) * real(s.kernel_height) * real(s.kernel_width);
    Op op = op_of(s, name);
    op.kind = OpKind::elementwise;
    op.dtype = shared_.wide_dtype;
    op.flops = 2 * real(images_) * multiply_adds(s);
    op.bytes = shared_.activation * (in + out + weights);
    push(op, Pass::forward);
    if (!shared_.training) return;
    if (s.needs_input_gradient) push(op, Pass::grad_input);
    push(op, Pass::grad_weight);
  }

  void linear(const LayerShape& s, std::string_view name) {
    Op op = op_of(s, name);
    op.dtype = shared_.linear_dtype;
    op.batch = {1, "1"};
    op.m = per_image(s.rows, 1);
    op.n = constant(s.out.channels);
    op.k = constant(s.in.channels);
    append_product(op, {0, shared_.training, s.needs_input_gradient}, workload_.ops);
  }

  void matmul(const LayerShape& s, std::string_view name) {
    Op op = op_of(s, name);
    op.dtype = shared_.wide_dtype;
    op.batch = per_image(s.products, 1);
    op.m = constant(s.rows);
    op.n = constant(s.columns);
    op.k = constant(s.depth);
    op.layout = Layout::nn;
    append_product(op, {0, shared_.training, true}, workload_.ops);
  }

  const LoweringContext shared_;
  std::shared_ptr<std::deque<std::string>> texts_;
  std::int64_t images_;
  Fusion fusion_;
  Workload workload_;
};

}  // namespace

Workload lower_network(const Setup& setup) {
  return NetworkLowering(setup).run();
}

}  // namespace shapelint::model
