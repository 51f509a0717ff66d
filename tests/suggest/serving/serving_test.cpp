// Serving: published speeds, and what must hold of latency, cache and quantization.
// `shapelint_tests "[.serving]"` prints predicted and published speeds side by side.
#include "suggest/serving/serving.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "cost/roofline.hpp"
#include "formats/read.hpp"
#include "gpu/registry.hpp"
#include "model/derive.hpp"
#include "model/lower/lower.hpp"
#include "suggest/serving/curve.hpp"
#include "suggest/serving/remedies.hpp"
#include "tests/catch.hpp"
#include "tests/formats/native/native_support.hpp"
#include "tests/model/workload_support.hpp"
#include "tests/suggest/serving/serving_support.hpp"
#include "text/files.hpp"
#include "text/toml/toml.hpp"

using namespace shapelint;
using tests::gpu_named;
using tests::llama2;
using tests::llama2_7b_decoding;
using text::NodeRef;

namespace {

// Mixtral 8x7B, its experts divided among the ranks like everything else.
model::Setup mixtral() {
  model::Setup setup = tests::native_file("examples/mixtral-8x7b.toml").readings[0].setup;
  setup.plan.mode = model::Mode::decode;
  setup.plan.micro_batch_size = 1;
  setup.plan.expert = 1;
  setup.plan.data = 1;
  return setup;
}

struct DecodingRun {
  std::string name;
  std::string gpu;
  bool gathered = false;
  double published = 0;
  double predicted = 0;
};

std::vector<DecodingRun> evaluated_decoding() {
  const auto document = text::parse_toml("published_serving.toml",
                                         tests::read_source_file("tests/suggest/published_serving.toml"));
  REQUIRE(document);
  std::vector<DecodingRun> runs;
  for (const NodeRef node : document->root()["run"]) {
    DecodingRun run;
    run.name = std::string(node["name"].as_string().value());
    run.gpu = std::string(node["gpu"].as_string().value());
    run.gathered = node["gathered"].as_boolean().value_or(false);
    run.published = node["tokens_per_s"].as_number().value();
    const std::string_view name = node["model"].as_string().value();
    model::Setup setup = name == "mixtral" ? mixtral() : llama2(name == "70b");
    setup.plan.fusion = model::Fusion::full;  // compiled with torch.compile
    setup.plan.context_length = 105;          // 5 tokens of the prompt and half of 200
    setup.plan.tensor = node["tensor"].as_integer().value();
    setup.plan.expert_tensor = setup.plan.tensor;
    setup.plan.weight_bits = node["weight_bits"].as_integer().value();
    setup.plan.weight_group_size = node["weight_group_size"].as_integer().value();
    run.predicted = suggest::serving_of(gpu_named(run.gpu), setup).tokens_per_s;
    runs.push_back(std::move(run));
  }
  return runs;
}

double mean_error(const std::vector<DecodingRun>& runs) {
  double sum = 0;
  double count = 0;
  for (const DecodingRun& run : runs) {
    if (run.gathered) continue;
    sum += std::abs(run.predicted / run.published - 1);
    ++count;
  }
  return sum / count;
}

}  // namespace

TEST_CASE("published speeds of decoding: within 10 % on average, none off by more than 20 %", "[serving]") {
  const std::vector<DecodingRun> runs = evaluated_decoding();
  CHECK(mean_error(runs) < 0.10);
  for (const DecodingRun& run : runs) {
    INFO(run.name << " on " << run.gpu << ": published " << run.published << ", predicted " << run.predicted);
    const double off = run.predicted / run.published - 1;
    if (run.gathered) {
      CHECK(off > 0);
      CHECK(off < 0.70);
    } else {
      CHECK(std::abs(off) < 0.20);
    }
  }
}

TEST_CASE("published speeds of decoding as a table", "[.serving]") {
  const std::vector<DecodingRun> runs = evaluated_decoding();
  REQUIRE_FALSE(runs.empty());
  for (const DecodingRun& run : runs) {
    std::printf("%-50s %-8s %8.1f %8.1f %+6.1f %%\n", run.name.c_str(), run.gpu.c_str(), run.published,
                run.predicted, 100 * (run.predicted / run.published - 1));
  }
  std::printf("mean absolute error without gathered experts %.1f %%\n", 100 * mean_error(runs));
}

TEST_CASE("Llama-2-7B decodes at batch 1 on an A100 as its weights come from memory", "[serving]") {
  const gpu::Gpu a100 = gpu_named("a100");
  const model::Setup setup = llama2_7b_decoding(512);
  const suggest::Serving serving = suggest::serving_of(a100, setup);
  CHECK(serving.weight_bytes ==
        Approx(13.48e9).epsilon(0.01));  // 6.74 G parameters (Llama 2, table 1) of 2 B
  // The rule of thumb: weights over the bandwidth that copies reach (RRZE gpu-benches: 1737 GB/s) is 7.8 ms.
  const double min_us = serving.weight_bytes / (a100.dram_measured_gb_s * 1e3);
  CHECK(min_us == Approx(7760).epsilon(0.02));
  // gpt-fast: 104.9 tokens/s, 9.5 ms.
  CHECK(serving.token_us > min_us);
  CHECK(serving.token_us == Approx(9533).epsilon(0.15));
  const cost::Roofline line = cost::roofline(a100, model::lower(setup), setup.plan.dtype);
  CHECK(line.bound == cost::Bound::memory);
  CHECK(line.step.memory_us > 0.8 * line.step.time_us);
}

TEST_CASE("a prefill of 2048 tokens is compute-bound", "[serving]") {
  model::Setup setup = llama2(false);
  setup.plan.mode = model::Mode::prefill;
  setup.plan.sequence_length = 2048;
  const cost::Roofline line = cost::roofline(gpu_named("a100"), model::lower(setup), setup.plan.dtype);
  CHECK(line.bound == cost::Bound::compute);
}

TEST_CASE("linear layers turn compute-bound near the ridge", "[serving]") {
  const gpu::Gpu a100 = gpu_named("a100");
  const std::vector<std::int64_t> batches{1, 2, 4, 8, 16, 32, 64, 128, 256, 512};
  const suggest::Curve curve = suggest::curve_of(a100, batches, [](std::int64_t batch) {
    model::Setup setup = llama2_7b_decoding(512);
    setup.plan.micro_batch_size = batch;
    return setup;
  });
  // 312 TFLOP/s / 2039 GB/s: a weight of 2 bytes does 2 FLOPs per token, so 153 tokens by weights alone, some
  // more with the activations counted.
  CHECK(curve.ridge == Approx(153.0).epsilon(0.001));
  REQUIRE(curve.beyond_ridge);
  CHECK(*curve.beyond_ridge > 153);
  CHECK(*curve.beyond_ridge < 180);
  // Tiles of 128 rows: the 129th token computes a second row of tiles.
  REQUIRE(curve.compute_bound);
  CHECK(*curve.compute_bound > 64);
  CHECK(*curve.compute_bound < 153);
  for (std::size_t i = 1; i < curve.points.size(); ++i) {
    CHECK(curve.points[i].tokens_per_s_per_gpu > curve.points[i - 1].tokens_per_s_per_gpu);
    CHECK(curve.points[i].token_us > curve.points[i - 1].token_us);
    CHECK(curve.points[i].intensity > curve.points[i - 1].intensity);
  }
}

TEST_CASE("decoding on an H200 against an H100 follows bandwidth, prefill follows neither", "[serving]") {
  const suggest::Serving h100 = suggest::serving_of(gpu_named("h100"), llama2_7b_decoding(512));
  const suggest::Serving h200 = suggest::serving_of(gpu_named("h200"), llama2_7b_decoding(512));
  // 4800 / 3350 GB/s is 1.43; launches and small kernels do not shrink with it.
  const double faster = h200.tokens_per_s / h100.tokens_per_s;
  CHECK(faster > 1.2);
  CHECK(faster < 1.43);
  CHECK(h200.first_token_us == Approx(h100.first_token_us).epsilon(0.15));  // the same peak
}

TEST_CASE("the cache of grouped, multi-query and latent attention", "[serving]") {
  const auto per_token = [](std::string_view example) {
    model::Setup setup = tests::native_file("examples/" + std::string(example) + ".toml").readings[0].setup;
    setup.plan = {};
    setup.plan.mode = model::Mode::decode;
    return model::cache_bytes_per_token(setup);
  };
  CHECK(per_token("llama-2-7b") == 2.0 * 32 * 4096 * 2);  // keys and values, layers, heads x head_dim, bytes
  CHECK(per_token("llama-3-8b") == 2.0 * 32 * 8 * 128 * 2);  // 8 groups
  CHECK(per_token("falcon-7b") == 2.0 * 32 * 64 * 2);        // one head of 64
  // DeepSeek-V3: 512 + 64 per layer; 70 KB a token (arXiv 2412.19437 has 61 layers).
  CHECK(per_token("deepseek-v3") == 61.0 * (512 + 64) * 2);
}

// Gemma 3 12B (config.json): 48 layers, every sixth of them global, others with a window of 1024; 8 heads of
// 256.
TEST_CASE("a token behind the window grows the cache of global layers alone", "[serving]") {
  const text::MemoryFileSystem none;
  const std::string command = "vllm serve google/gemma-3-12b-it --max-model-len 8192 --max-num-seqs 64\n";
  const formats::ReadResult file = formats::read(none, formats::parse("serve.sh", command, false));
  REQUIRE(file.readings.size() == 1);
  const suggest::Serving serving = suggest::serving_of(gpu_named("h100"), file.readings[0].setup);
  const double of_a_layer = 2.0 * 8 * 256 * 2;  // keys and values, heads, their width, bytes
  CHECK(serving.cache_bytes_per_token == 8 * of_a_layer);
  CHECK(serving.first_cache_bytes_per_token == 48 * of_a_layer);
}

TEST_CASE("packed weights and caches move fewer bytes", "[serving]") {
  const gpu::Gpu a100 = gpu_named("a100");
  model::Setup setup = llama2_7b_decoding(4096);
  const suggest::Serving wide = suggest::serving_of(a100, setup);
  setup.plan.kv_cache_bits = 8;
  const suggest::Serving narrow_cache = suggest::serving_of(a100, setup);
  CHECK(narrow_cache.cache_bytes == wide.cache_bytes / 2);
  CHECK(narrow_cache.token_us < wide.token_us);
  setup.plan.weight_bits = 4;
  setup.plan.weight_group_size = 128;
  const suggest::Serving packed = suggest::serving_of(a100, setup);
  CHECK(packed.token_us < 0.7 * narrow_cache.token_us);
  // 4 bits and a 16-bit scale per 128; embedding and head stay at 16 bits.
  const double ends = 2.0 * 32000 * 4096 * 2;
  CHECK(packed.weight_bytes - ends ==
        Approx((wide.weight_bytes - ends) / 2 * (0.5 + 2.0 / 128)).epsilon(1e-3));
  // With many tokens the arithmetic counts, and unpacking comes on top of it.
  model::Setup prefill = setup;
  prefill.plan.mode = model::Mode::prefill;
  prefill.plan.sequence_length = 4096;
  prefill.plan.context_length = 0;
  model::Setup plain = prefill;
  plain.plan.weight_bits = 0;
  const auto time_us = [&](const model::Setup& s) {
    return cost::price(a100, model::lower(s), s.plan.dtype).time_us;
  };
  CHECK(time_us(prefill) > time_us(plain));
}

TEST_CASE("until the first token an engine's host takes time beside the GPU", "[serving]") {
  // The kernels of a prompt's pass are in no CUDA graph: vLLM captures steps of up to 512 tokens
  // (vllm/config, max_cudagraph_capture_size), SGLang and TensorRT-LLM decoding alone.
  const auto first_us = [](const char* gpu, std::int64_t prompt, model::ServingEngine engine,
                           std::int64_t chunk = 0) {
    model::Setup setup = llama2_7b_decoding(prompt);
    setup.plan.engine = engine;
    return suggest::serving_of(gpu_named(gpu), setup, chunk).first_token_us;
  };
  const auto vllm = model::ServingEngine::vllm;
  // However fast the GPU: 32 layers of 0.4 ms at least, and the prompt's tokens.
  CHECK(first_us("b200", 640, vllm) > 32 * 400.0);
  CHECK(first_us("h200", 640, vllm) > first_us("b200", 640, vllm) + 1000);
  CHECK(first_us("h200", 513, vllm) > first_us("h200", 512, vllm) + 32 * 400.0);
  // Of SGLang and TensorRT-LLM mixtures alone were published.
  CHECK(first_us("h200", 640, model::ServingEngine::sglang) < 32 * 1000.0);
  // Beside a long prompt in one pass it is little; in vLLM's own, of 2048 tokens, each pass waits for it.
  const double long_us = first_us("a100", 16384, vllm, 16384);
  CHECK(first_us("a100", 16384, vllm) > long_us + 7 * 32 * 400.0);
  CHECK(long_us == Approx(first_us("a100", 16384, model::ServingEngine::fastest)).epsilon(0.3));
}

// Published first tokens of one request at a time (bench/first_token_runs.toml has more), which nothing was
// fitted to: the pass alone is 0.5 to 0.8 of them.
TEST_CASE("a first token takes as long as was published", "[serving]") {
  const auto first_ms = [](const char* gpu, const model::Setup& setup) {
    return suggest::serving_of(gpu_named(gpu), setup).first_token_us / 1e3;
  };
  // tenstorrent/tt-inference-server, issue 521: gemma-3-4b, vLLM on an A100.
  model::Setup gemma = llama2_7b_decoding(1024);
  gemma.model.hidden_size = 2560;
  gemma.model.num_layers = 34;
  gemma.model.num_attention_heads = 8;
  gemma.model.num_key_value_heads = 4;
  gemma.model.head_dim = gemma.model.value_head_dim = 256;
  gemma.model.intermediate_size = 10240;
  gemma.model.vocab_size = 262208;
  gemma.plan.engine = model::ServingEngine::vllm;
  CHECK(first_ms("a100", gemma) == Approx(62.7).epsilon(0.2));
  gemma.plan.context_length = 3072;
  CHECK(first_ms("a100", gemma) == Approx(157.6).epsilon(0.2));
  // vLLM reads 2048 tokens a step on any A100, 8192 on an H100 (vllm/engine/arg_utils.py).
  gemma.plan.context_length = 4096;
  CHECK(first_ms("a100", gemma) == Approx(208.0).epsilon(0.15));
  CHECK(suggest::serving_of(gpu_named("a100"), gemma).chunk == 2048);
  CHECK(suggest::serving_of(gpu_named("h100"), gemma).chunk == 4096);
  // NVIDIA/TensorRT-LLM, issue 5929: DeepSeek-R1 in FP8 on eight H200, experts on ranks of their own.
  model::Setup deepseek = tests::example("deepseek-v3");
  deepseek.plan = {};
  deepseek.plan.mode = model::Mode::decode;
  deepseek.plan.dtype = DType::fp8;
  deepseek.plan.recipe = Recipe::block128;
  deepseek.plan.engine = model::ServingEngine::trtllm;
  deepseek.plan.tensor = deepseek.plan.expert = 8;
  deepseek.plan.context_length = 8192;
  CHECK(first_ms("h200", deepseek) == Approx(352.8).epsilon(0.2));
}

TEST_CASE("a prompt in chunks takes longer alone; speculation gains what is accepted", "[serving]") {
  const gpu::Gpu h100 = gpu_named("h100");
  model::Setup setup = llama2_7b_decoding(4096);
  const suggest::Serving whole = suggest::serving_of(h100, setup);
  const suggest::Serving chunked = suggest::serving_of(h100, setup, 512);
  CHECK(chunked.first_token_us > whole.first_token_us);
  CHECK(chunked.first_token_us < 2 * whole.first_token_us);
  CHECK(suggest::serving_of(h100, setup, 1'000'000).first_token_us == whole.first_token_us);

  setup.plan.speculative_tokens = 4;
  setup.plan.speculative_acceptance = 80;
  // (1 - 0.8^5) / (1 - 0.8), arXiv 2211.17192, equation 1
  CHECK(model::accepted_tokens(setup.plan) == Approx(3.3616).epsilon(1e-9));
  const suggest::Serving speculating = suggest::serving_of(h100, setup);
  CHECK(speculating.token_us < whole.token_us / 3);
  CHECK(speculating.token_us > whole.token_us / 3.3616);
  setup.plan.speculative_acceptance = 100;
  CHECK(model::accepted_tokens(setup.plan) == 5);
}

TEST_CASE("remedies are what pricing the change gives, best first", "[serving]") {
  const gpu::Gpu a100 = gpu_named("a100");
  const model::Setup setup = llama2_7b_decoding(512);
  const std::vector<gpu::Gpu> others{gpu_named("h100")};
  const std::vector<suggest::Remedy> remedies = suggest::remedies(a100, setup, others);
  REQUIRE(remedies.size() > 3);
  const double before = cost::price(a100, model::lower(setup), setup.plan.dtype).time_us;
  bool saw_weights = false;
  for (std::size_t i = 0; i < remedies.size(); ++i) {
    INFO(remedies[i].id);
    if (i > 0) CHECK(remedies[i].throughput_ratio <= remedies[i - 1].throughput_ratio);
    if (remedies[i].id != "weights-8-bit") continue;
    saw_weights = true;
    model::Setup changed = setup;
    changed.plan.weight_bits = 8;
    const double after = cost::price(a100, model::lower(changed), changed.plan.dtype).time_us;
    CHECK(remedies[i].time_ratio == Approx(after / before).epsilon(1e-12));
    CHECK(remedies[i].against == cost::Bound::memory);
  }
  CHECK(saw_weights);
}
