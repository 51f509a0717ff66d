// What a single kernel costs.
#include <array>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "base/counted.hpp"
#include "base/dtype.hpp"
#include "base/number.hpp"
#include "base/strings.hpp"
#include "cost/kernels/attention.hpp"
#include "cost/kernels/gemm.hpp"
#include "gpu/registry.hpp"
#include "model/op.hpp"
#include "objects/convert.hpp"

namespace shapelint::api {

namespace {

constexpr std::int64_t largest_size = 1'000'000'000'000;
constexpr std::int64_t largest_length = 1'000'000'000;

struct Size {
  std::string_view name;
  std::int64_t value;
};

// Collects what is wrong with a question about one kernel.
class Question {
 public:
  Question(std::string_view gpu_name, std::string_view dtype_name) {
    auto found = gpu::find_gpu(gpu_name);
    if (found) {
      gpu_ = *std::move(found);
    } else {
      errors_.push_back(error_of(found.error(), code::invalid_option));
    }
    const auto known = parse_dtype(dtype_name);
    if (known) {
      dtype_ = *known;
    } else {
      std::array<std::string_view, dtypes.size()> names{};
      for (std::size_t i = 0; i < names.size(); ++i) names[i] = dtypes[i].name;
      wrong(fmt::format("`{}` is not a known dtype", dtype_name), did_you_mean(dtype_name, names));
    }
    if (errors_.empty() && !can_multiply(gpu_, dtype_)) {
      errors_.push_back(error_of(gpu::cannot_multiply({&gpu_, 1}, dtype_), code::unable));
    }
  }

  void wrong(std::string message, std::string hint) {
    errors_.push_back(api::wrong(std::move(message), std::move(hint)));
  }

  void check(std::initializer_list<Size> sizes, std::int64_t most) {
    for (const Size& each : sizes) {
      if (each.value >= 1 && each.value <= most) continue;
      wrong(fmt::format("`{}` is {}", each.name, each.value),
            fmt::format("expected a whole number from 1 to {}", with_commas(most)));
    }
  }

  const std::vector<Error>& errors() const { return errors_; }
  const gpu::Gpu& gpu() const { return gpu_; }
  DType dtype() const { return dtype_; }

 private:
  std::vector<Error> errors_;
  gpu::Gpu gpu_;
  DType dtype_ = DType::bf16;
};

}  // namespace

Result<KernelCost> price_gemm(std::string_view gpu, const Gemm& gemm) {
  Question question(gpu, gemm.dtype);
  question.check({{"m", gemm.m}, {"n", gemm.n}, {"k", gemm.k}, {"batch", gemm.batch}}, largest_size);
  cost::GemmShape shape{gemm.batch, gemm.m, gemm.n, gemm.k, question.dtype()};
  const auto layout = model::parse_layout(gemm.layout);
  if (!layout) {
    question.wrong(fmt::format("`{}` is not a known layout", gemm.layout), "tn, nn, nt or tt");
  } else {
    shape.layout = *layout;
  }
  if (!question.errors().empty()) return question.errors();
  return kernel_of(cost::predict_gemm(question.gpu(), shape));
}

Result<KernelCost> price_attention(std::string_view gpu, const AttentionKernel& attention) {
  Question question(gpu, attention.dtype);
  question.check({{"sequences", attention.sequences},
                  {"heads", attention.heads},
                  {"key_value_heads", attention.key_value_heads},
                  {"query_length", attention.query_length},
                  {"key_length", attention.key_length},
                  {"head_dim", attention.head_dim}},
                 largest_length);
  if (attention.key_value_heads > 0 && attention.heads % attention.key_value_heads != 0) {
    question.wrong(fmt::format("{} not divisible by {}", counted(attention.heads, "head is|heads are"),
                               counted(attention.key_value_heads, "KV head")),
                   "`heads` is a multiple of `key_value_heads`");
  }
  if (!question.errors().empty()) return question.errors();
  model::AttentionShape shape;
  shape.sequences.value = attention.sequences;
  shape.heads.value = attention.heads;
  shape.key_value_heads.value = attention.key_value_heads;
  shape.query_length.value = attention.query_length;
  shape.key_length.value = attention.key_length;
  shape.head_dim.value = attention.head_dim;
  shape.value_head_dim.value = attention.head_dim;
  shape.causal = attention.causal;
  return kernel_of(cost::price_attention(question.gpu(), shape, model::Pass::forward, question.dtype()));
}

}  // namespace shapelint::api
