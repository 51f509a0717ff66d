// Models and GPUs that the tests of serving share.
#include "tests/suggest/serving/serving_support.hpp"

#include "gpu/registry.hpp"
#include "tests/catch.hpp"
#include "tests/formats/native/native_support.hpp"

namespace shapelint::tests {

model::Setup llama2(bool large) {
  model::Setup setup = tests::native_file("examples/llama-2-7b.toml").readings[0].setup;
  if (large) {
    setup.model.hidden_size = 8192;
    setup.model.num_layers = 80;
    setup.model.num_attention_heads = 64;
    setup.model.num_key_value_heads = 8;
    setup.model.intermediate_size = 28672;
  }
  setup.plan.mode = model::Mode::decode;
  setup.plan.micro_batch_size = 1;
  setup.plan.data = 1;  // the example trains 128 replicas
  return setup;
}

model::Setup llama2_7b_decoding(std::int64_t context) {
  model::Setup setup = llama2(false);
  setup.plan.context_length = context;
  setup.plan.dtype = DType::fp16;
  return setup;
}

gpu::Gpu gpu_named(std::string_view name) {
  auto found = gpu::find_gpu(name);
  REQUIRE(found);
  return *std::move(found);
}

}  // namespace shapelint::tests
