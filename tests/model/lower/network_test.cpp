// Convolutional networks: published sizes, shapes of the implicit products, and what does not fit together.
#include "model/cnn/cnn.hpp"

#include "cost/step.hpp"
#include "gpu/registry.hpp"
#include "model/lower/lower.hpp"
#include "tests/catch.hpp"
#include "tests/formats/native/native_support.hpp"
#include "tests/model/expression_support.hpp"
#include "tests/model/workload_support.hpp"

namespace shapelint::model {

namespace {

Setup network(const std::string& source) {
  return tests::native(source).readings[0].setup;
}

constexpr const char* one_layer =
    "[model]\nin_channels = 64\nimage = 56\n[run]\nmicro_batch_size = 32\ndtype = \"fp16\"\n"
    "[[conv]]\ntype = \"max_pool\"\nkernel = 1\n"
    "[[conv]]\nname = \"first\"\nout_channels = 64\n"
    "[[conv]]\nname = \"second\"\n";

std::string shape(const Op& op) {
  const auto number = [](std::int64_t value) { return std::to_string(value); };
  return (op.batch.value > 1 ? number(op.batch.value) + " x " : "") + number(op.m.value) + " " +
         number(op.n.value) + " " + number(op.k.value);
}

std::vector<std::string> products(const Setup& setup, std::string_view name) {
  std::vector<std::string> out;
  for (const Op& op : lower(setup).ops) {
    if (op.name == name) out.push_back(shape(op));
  }
  return out;
}

}  // namespace

TEST_CASE("published sizes of convolutional networks", "[model]") {
  struct Published {
    std::string file;
    std::int64_t parameters;
    double giga_multiply_adds;
    double tolerance;  // of them: papers print few digits
    std::string source;
  };
  const Published all[] = {
      {"vgg-16", 138'357'544, 15.47, 0.01,
       "torchvision vgg16: 138357544 parameters, 15.47 GFLOPS (multiply-adds)"},
      {"resnet-18", 11'689'512, 1.81, 0.01, "torchvision resnet18: 11689512 parameters, 1.81 GFLOPS"},
      {"resnet-50", 25'557'032, 4.09, 0.01, "torchvision resnet50: 25557032 parameters, 4.09 GFLOPS"},
      {"mobilenet-v1", 4'231'976, 0.569, 0.002,
       "arXiv 1704.04861, table 4: 569 million mult-adds, 4.2 million parameters; Keras MobileNet: 4,253,864 "
       "with "
       "21,888 that are not trained (moving averages)"},
      {"inception-v3", 23'834'568, 5.71, 0.01,
       "torchvision inception_v3: 27161264 parameters with the auxiliary classifier (3,326,696), 5.71 "
       "GFLOPS"},
  };
  for (const Published& each : all) {
    INFO(each.file << ": " << each.source);
    const Setup setup = tests::example(each.file);
    CHECK(parameter_count(setup) == each.parameters);
    CHECK(forward_flops_per_token(setup) / 2e9 == Approx(each.giga_multiply_adds).epsilon(each.tolerance));
  }
}

// The often quoted pair of whole-network intensities: one operation per multiply-add; bytes of the weights
// and of every layer's output, once, fp32, where a batch norm and an activation are layers of their own
// (MobileNet in Keras; VGG's activations belong to its convolutions). Definition: bytes are weights plus each
// layer's output, https://zhexiangzhang.github.io/posts/mlsys/other/rooflinemodel, which prints 25 and 7.
TEST_CASE("VGG-16 lies right of a GTX 1080 Ti's ridge, MobileNet left of it", "[model]") {
  const auto intensity = [](const std::string& file) {
    const NetworkSize size = size_of(resolve(tests::example(file).model));
    const double outputs = size.output_elements + 2 * size.normalized_elements;
    return size.multiply_adds / (4 * (static_cast<double>(size.parameters) + outputs));
  };
  const gpu::Gpu gpu = *gpu::find_gpu("gtx-1080-ti");
  const double ridge = gpu.peak_fp32_cuda_tflops * 1e3 / gpu.dram_bandwidth_gb_s;
  CHECK(ridge == Approx(23.4).epsilon(0.01));
  CHECK(intensity("vgg-16") == Approx(25).epsilon(0.02));
  CHECK(intensity("mobilenet-v1") == Approx(7).epsilon(0.06));
  CHECK(intensity("mobilenet-v1") * gpu.dram_bandwidth_gb_s * 1e-3 == Approx(3.3).epsilon(0.1));
}

TEST_CASE("sizes of feature maps as torchvision prints them", "[model]") {
  const Network inception = resolve(tests::example("inception-v3").model);
  const auto out = [&](std::string_view name) {
    for (const LayerShape& each : inception.layers) {
      if (each.name == name) return each.out;
    }
    return Feature{};
  };
  CHECK(out("mixed_5b.concat") == Feature{256, 35, 35});
  CHECK(out("mixed_6a.concat") == Feature{768, 17, 17});
  CHECK(out("mixed_7a.concat") == Feature{1280, 8, 8});
  CHECK(out("mixed_7b.concat") == Feature{2048, 8, 8});
}

TEST_CASE("a convolution is three implicit products", "[model]") {
  using List = std::vector<std::string>;
  const std::string base = one_layer;
  // m = N P Q, n = K, k = C R S; gradients of the input and of the weights
  CHECK(products(network(base + "out_channels = 128\nkernel = 3\npadding = 1\n"), "second") ==
        List{"100352 128 576", "100352 64 1152", "128 576 100352"});
  // the first layer behind the image has no gradient of its input
  CHECK(products(network(base + "out_channels = 128\n"), "first") == List{"100352 64 64", "64 64 100352"});
  // stride 2: nine taps over a quarter of the pixels are 2.25 for each pixel of the input
  CHECK(products(network(base + "out_channels = 128\nkernel = 3\npadding = 1\nstride = 2\n"), "second") ==
        List{"25088 128 576", "100352 64 288", "128 576 25088"});
  // stride 2 without a kernel: three pixels of four are never looked at
  CHECK(products(network(base + "out_channels = 128\nstride = 2\n"), "second") ==
        List{"25088 128 64", "25088 64 128", "128 64 25088"});
  // groups are a batch
  CHECK(products(network(base + "out_channels = 128\nkernel = 3\npadding = 1\ngroups = 4\n"), "second") ==
        List{"4 x 100352 32 144", "4 x 100352 16 288", "4 x 32 144 100352"});
  // depthwise ones move memory
  const Workload depthwise = lower(network(base + "type = \"depthwise\"\nkernel = 3\npadding = 1\n"));
  for (const Op& op : depthwise.ops) {
    if (op.name != "second") continue;
    CHECK(op.kind == OpKind::elementwise);
    CHECK(op.bytes == 2.0 * (2.0 * 32 * 56 * 56 * 64 + 64 * 9));
    CHECK(op.flops == 2.0 * 32 * 56 * 56 * 64 * 9);
  }
}

TEST_CASE("bytes of a convolution are those of its tensors", "[model]") {
  const Workload workload =
      lower(network(std::string(one_layer) + "out_channels = 128\nkernel = 3\npadding = 1\n"));
  const double in = 32.0 * 56 * 56 * 64;
  const double out = 32.0 * 56 * 56 * 128;
  const double weights = 128.0 * 64 * 9;
  for (const Op& op : workload.ops) {
    if (op.name != "second") continue;
    const ImplicitGemm& i = op.implicit;
    CHECK(i.a_elements + i.b_elements + i.c_elements == in + out + weights);
    const gpu::Gpu gpu = *gpu::find_gpu("a100");
    // at least their time at the data sheet's bandwidth, far from that of the matrix that a kernel unrolls
    CHECK(cost::price(gpu, op).ideal_us >=
          2 * (in + out + weights) / (gpu.dram_bandwidth_gb_s * 1e3) * 0.999);
    CHECK(cost::price(gpu, op).ideal_us < 2 * 9 * in / (gpu.dram_bandwidth_gb_s * 1e3));
  }
}

TEST_CASE("a network's step counts what it needs", "[model]") {
  const Setup setup = tests::example("resnet-50");
  const Workload workload = lower(setup);
  CHECK(workload.tokens_per_step == 256);
  // forward and both gradients, but none of the image
  const double forward = forward_flops_per_token(setup) * 256;
  const double first = 2.0 * 256 * 112 * 112 * 64 * 3 * 49;
  CHECK(workload.model_flops == Approx(3 * forward - first).epsilon(1e-9));
  CHECK(workload.hardware_flops == Approx(workload.model_flops).epsilon(1e-3));
  for (const Op& op : workload.ops) {
    if (op.kind != OpKind::gemm) continue;
    for (const Dim& dim : {op.batch, op.m, op.n, op.k}) {
      INFO(op.name << ": " << dim.expression);
      CHECK(tests::evaluate(dim.expression, setup) == dim.value);
    }
  }
}

TEST_CASE("repeats are the same as writing them out", "[model]") {
  const std::string head =
      "[model]\nin_channels = 3\nimage = 32\nbatch_norm = true\n[run]\nmicro_batch_size = 8\n";
  const std::string block =
      "residual = true\nlayers = [{ out_channels = 64, kernel = 3, padding = 1 }, { out_channels = 256 }]\n";
  const Setup repeated = network(head + "[[conv]]\nrepeat = 3\n" + block);
  const Setup written = network(head + "[[conv]]\n" + block + "[[conv]]\n" + block + "[[conv]]\n" + block);
  CHECK(parameter_count(repeated) == parameter_count(written));
  CHECK(lower(repeated).model_flops == lower(written).model_flops);
  const gpu::Gpu gpu = *gpu::find_gpu("a100");
  const double one = cost::price(gpu, lower(repeated), DType::bf16).time_us;
  CHECK(one == Approx(cost::price(gpu, lower(written), DType::bf16).time_us).epsilon(1e-9));
}

// docs/explanation/convolutions.md, "How a layer is counted"
TEST_CASE("what follows a convolution moves tensors, fewer the more is fused", "[model]") {
  const std::string head =
      "[model]\nin_channels = 8\nimage = 16\nbatch_norm = true\n[run]\nmicro_batch_size = 2\ndtype = "
      "\"fp16\"\n";
  const std::string layers =
      "[[conv]]\nname = \"a\"\nresidual = true\nlayers = [{ name = \"x\", out_channels = 8 }]\n"
      "[[conv]]\nname = \"y\"\nout_channels = 8\nbatch_norm = false\n";
  const double tensor = 2.0 * 2 * 16 * 16 * 8;  // bytes
  const auto moved = [&](const std::string& mode, const std::string& fusion) {
    std::string out;
    for (const Op& op :
         lower(network(head + "mode = \"" + mode + "\"\nfusion = \"" + fusion + "\"\n" + layers)).ops) {
      if (op.kind != OpKind::elementwise || op.pass == Pass::update) continue;
      out += std::string(op.name) + " " + std::to_string(std::lround(op.bytes / tensor)) + ", ";
    }
    return out;
  };
  CHECK(moved("prefill", "none") == "a.x.norm 2, a.x.activation 2, a.add 3, y.bias 2, y.activation 2, ");
  CHECK(moved("prefill", "norms") == "a.x.norm 2, a.add 1, y.activation 2, ");
  CHECK(moved("prefill", "full") == "a.add 1, ");
  CHECK(moved("train", "none") ==
        "a.x.norm 3, a.x.norm 5, a.x.activation 2, a.x.activation 3, a.add 3, a.add 3, y.bias 2, y.bias 1, "
        "y.activation 2, y.activation 3, ");
  CHECK(moved("train", "norms") ==
        "a.x.norm 3, a.x.norm 5, a.add 1, a.add 2, y.activation 2, y.activation 3, ");
  CHECK(moved("train", "full") == moved("train", "norms"));
}

TEST_CASE("layers that do not fit are told at their place", "[native]") {
  const std::string head = "[model]\nin_channels = 4\nimage = 8\n";
  CHECK(tests::native_errors(head + "[[conv]]\nout_channels = 6\ngroups = 4\n") ==
        "6:10: `out_channels` is 6, which 4 groups do not divide; every group has as many channels\n");
  CHECK(tests::native_errors(head + "[[conv]]\nkernel = 3\n") ==
        "4:1: `out_channels` is missing from a convolution\n");
  CHECK(tests::native_errors(head +
                             "[[conv]]\nbranches = [[{ out_channels = 8 }], [{ type = \"max_pool\", kernel = "
                             "2 }]]\n") ==
        "5:12: branch 2 gives 4 x 4 pixels, those before it 8 x 8; only tensors of one image size can be "
        "concatenated\n");
  CHECK(tests::native_errors(
            head + "[[conv]]\nresidual = true\nlayers = [{ out_channels = 4, kernel = 6 }]\n") == "");
  CHECK(tests::native_errors(
            head + "[run]\nmode = \"decode\"\n[[conv]]\nout_channels = 8\n[parallel]\ntensor = 2\n") ==
        "5:8: a convolutional network has no decoding; use `train`, or `prefill` for a forward pass alone\n"
        "9:10: `tensor` is 2 together with `[[conv]]`; convolutional networks are split over images only: "
        "`data`\n");
  CHECK(tests::native_errors(head + "[[conv]]\ntype = \"con\"\nout_channels = 8\n") ==
        "5:8: `type` is `con`; did you mean `conv`?\n");
  CHECK(tests::native_errors(head +
                             "[[conv]]\nrepeat = 65536\nlayers = [{ repeat = 65536, out_channels = 4 }]\n") ==
        "6:22: the network runs more than 65536 layers\n");
  CHECK(tests::native_errors(head + "[[conv]]\nlayers = []\nkernel = 3\n") ==
        "6:1: `kernel` of a block; write it into the layers of the block\n");
  CHECK(tests::native_errors(head + "[[conv]]\nkernel = 2\npadding = \"same\"\nout_channels = 4\n") ==
        "6:11: `padding` is `same` for an even kernel; `same` needs an odd kernel; write a number\n");
}

}  // namespace shapelint::model
