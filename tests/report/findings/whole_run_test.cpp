// What is said of a run as a whole: its memory, what was hidden, what all fixes make of it, the least that
// fits.
#include <algorithm>
#include <functional>
#include <regex>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/number.hpp"
#include "tests/catch.hpp"
#include "tests/cli/run_support.hpp"

using namespace shapelint;
using tests::run;
using tests::with;

namespace {

bool has(const std::string& text, std::string_view part) {
  return text.find(part) != std::string::npos;
}

// Wrapped lines as one.
std::string unwrapped(const std::string& text) {
  std::string out;
  for (const char c : text) {
    const bool is_blank = c == ' ' || c == '\n';
    if (!is_blank || !out.ends_with(' ')) out += is_blank ? ' ' : c;
  }
  return out;
}

const std::string served_70b =
    R"({"architectures": ["LlamaForCausalLM"], "model_type": "llama", "hidden_size": 8192, "num_hidden_layers": 80,
 "num_attention_heads": 64, "num_key_value_heads": 8, "intermediate_size": 28672, "vocab_size": 128256,
 "max_position_embeddings": 8192, "tie_word_embeddings": false})";

const std::string server =
    "[model]\nhidden_size = 4096\nnum_layers = 32\nnum_attention_heads = 32\nnum_key_value_heads = 8\n"
    "intermediate_size = 14336\nmlp_gated = true\nvocab_size = 128256\ntie_word_embeddings = false\n"
    "max_positions = 8192\n[run]\nmode = \"decode\"\ncontext_length = 8191\nmicro_batch_size = ";

}  // namespace

// Full sharding over ranks that only the launch knows.
TEST_CASE("a run's memory is one sum in text, JSON and the finding", "[lint]") {
  const auto files = with({{"nv.yaml",
                            "base_model: meta-llama/Llama-3.1-8B\nsequence_len: 16384\nmicro_batch_size: 4\n"
                            "gradient_accumulation_steps: 1\nflash_attention: true\nbf16: true\n"
                            "optimizer: adamw_torch_fused\nsample_packing: true\nfsdp:\n  - full_shard\n"}});
  const std::string text = unwrapped(run({"lint", "nv.yaml", "--gpu", "h100"}, files).out);
  const auto json =
      nlohmann::json::parse(run({"lint", "nv.yaml", "--gpu", "h100", "--format", "json"}, files).out);
  std::vector<double> sums;
  const std::function<void(const nlohmann::json&)> collect = [&](const nlohmann::json& node) {
    for (const auto& [key, value] : node.items()) {
      if (key == "total_bytes" && value.is_number()) sums.push_back(value.get<double>());
      if (key != "proposals" && value.is_structured()) collect(value);
    }
  };
  collect(json);
  REQUIRE_FALSE(sums.empty());
  const std::string gib_text = gib(sums.front());
  CHECK(has(text, fmt::format("needs about {} of 79.2 GiB", gib_text)));
  // Activations alone exceed the memory, however many ranks share the rest: finding and summary say so.
  CHECK(has(text, fmt::format("does not fit: needs about {} of 79.2 GiB", gib_text)));
  CHECK(has(text, fmt::format("{} of 79.2 GiB per GPU", gib_text)));
  CHECK(has(text, "weights, gradients and optimizer states"));
  CHECK(has(text, "unsharded"));
}

// Megatron-LM, training/arguments.py, validate_args: assert not args.bf16 under args.fp16.
TEST_CASE("a step that cannot start or does not fit has no time", "[lint]") {
  const auto files = with(
      {{"train.sh",
        "torchrun --nproc_per_node 8 pretrain_gpt.py --num-layers 8 --hidden-size 4096 --num-attention-heads "
        "32 "
        "--seq-length 4096 --max-position-embeddings 4096 --vocab-size 32000 --micro-batch-size 1 "
        "--global-batch-size 64 --use-flash-attn --bf16 --fp16\n"},
       {"large.toml",
        "[model]\nhidden_size = 2560\nnum_layers = 32\nnum_attention_heads = 32\nvocab_size = 50304\n[run]\n"
        "micro_batch_size = 4\nsequence_length = 2048\nattention = \"unfused\"\n[parallel]\ntensor = 1\n"}});
  const std::string fails = run({"lint", "train.sh", "--gpu", "h100", "--select", "SL4"}, files).out;
  CHECK(has(fails, "error[SL435]"));
  CHECK(has(fails, "n/a until fixed: SL435"));
  CHECK_FALSE(has(fails, "MFU"));
  const std::string over = run({"lint", "large.toml", "--gpu", "h100", "--select", "SL510"}, files).out;
  CHECK(has(over, "does not fit: needs about"));
  CHECK(has(over, "n/a until it fits"));
  CHECK_FALSE(has(over, "may not fit"));
  CHECK_FALSE(has(over, "MFU"));
  CHECK_FALSE(has(over, "  does not fit: "));  // said by the finding and by the row
}

TEST_CASE("no title has a time or the MFU of a step that fails", "[lint]") {
  const auto files = with({{"m.toml",
                            "[model]\nhidden_size = 768\nnum_layers = 12\nnum_attention_heads = 12\n"
                            "vocab_size = 50304\n[run]\nmicro_batch_size = 1\nsequence_length = 512\n"}});
  const std::vector<std::string> args{
      "lint", "m.toml", "--gpu", "a100", "--select", "SL501,SL811,SL403", "--min-severity", "info"};
  const auto with_options = [&](std::vector<std::string> more) {
    std::vector<std::string> all = args;
    all.insert(all.end(), more.begin(), more.end());
    return unwrapped(run(all, files).out);
  };
  const std::string runs = with_options({});
  CHECK(has(runs, "`micro_batch_size` 1 (512 tokens per GEMM): MFU "));
  const std::string fails = with_options({"--tensor", "5"});
  CHECK(has(fails, "SL403"));
  CHECK(has(fails, "`micro_batch_size` 1: 512 tokens per GEMM"));
  CHECK_FALSE(has(fails, "MFU"));
  const std::string in_fp32 = with_options({"--dtype", "fp32"});
  CHECK(has(in_fp32, " per step, "));
  const std::string fails_in_fp32 = with_options({"--dtype", "fp32", "--tensor", "5"});
  CHECK(has(fails_in_fp32, "`dtype` fp32 although 16-bit GEMMs are faster"));
}

TEST_CASE("a cost says of what it is a share", "[lint]") {
  const auto files = with({{"m.toml",
                            "[model]\nhidden_size = 768\nnum_layers = 12\nnum_attention_heads = 12\n"
                            "vocab_size = 50257\n[run]\nmicro_batch_size = 1\nsequence_length = 512\n"}});
  const auto out = [&](const std::string& gpus, const std::string& rule) {
    return unwrapped(
        run({"lint", "m.toml", "--gpu", gpus, "--select", rule, "--min-severity", "info"}, files).out);
  };
  const std::regex of_tokens("= cost: [0-9.]+ ± [0-9.]+ % per token \\(estimated\\)");
  const std::string batch = out("a100", "SL501");
  INFO(batch);
  CHECK(std::regex_search(batch, of_tokens));
  CHECK_FALSE(has(batch, "saves"));
  CHECK(has(out("a100,h100", "SL101"), " % of the step on a100-sxm4-80gb, "));
}

TEST_CASE("requests that a roofline has room for are those that fit", "[serving]") {
  const auto with_requests = [](int number) {
    return with({{"s.toml", server + std::to_string(number) + "\n"}});
  };
  const std::string roofline = unwrapped(run({"roofline", "s.toml", "--gpu", "h100"}, with_requests(1)).out);
  const std::size_t at = roofline.find(" requests of 8,192 tokens");
  REQUIRE(at != std::string::npos);
  const std::size_t begin = roofline.rfind(' ', at - 1) + 1;
  const int room = static_cast<int>(std::stod(roofline.substr(begin, at - begin)));
  CHECK(room > 50);
  CHECK_FALSE(has(run({"lint", "s.toml", "--gpu", "h100"}, with_requests(room)).out, "SL510"));
  CHECK(has(run({"lint", "s.toml", "--gpu", "h100"}, with_requests(room + 1)).out, "SL510"));
}

TEST_CASE("a model that does not fit on one GPU is told with the least that does", "[lint]") {
  const auto files = with({{"config.json", served_70b}});
  const std::string serving = run({"lint", "config.json", "--gpu", "h100", "--mode", "decode"}, files).out;
  // 131 GiB of weights and a cache of 4,096 tokens on 80 GB
  CHECK(has(unwrapped(serving),
            "does not fit: 133 of 79.2 GiB per GPU; no parallelism is given: the smallest "
            "plan that fits is 2 x h100-sxm5 (TP 2), 66.3 GiB per GPU"));
}

TEST_CASE("what was hidden is told in the line that says that nothing is shown", "[lint]") {
  const auto files = with({{"m.toml",
                            "[model]\nhidden_size = 4096\nnum_layers = 32\nnum_attention_heads = 32\n"
                            "vocab_size = 32768\n[run]\nmicro_batch_size = 1\nsequence_length = 4096\n"
                            "gradient_accumulation = 8\n[parallel]\npipeline = 8\n"}});
  const std::string out =
      unwrapped(run({"lint", "m.toml", "--gpu", "a100", "--min-severity", "warning"}, files).out);
  CHECK_FALSE(has(out, "nothing found"));
  CHECK(has(out, "m.toml: no error or warning; "));
  CHECK(has(out, " hidden ("));
}

TEST_CASE("of a run that stops nobody says what all fixes make of it", "[lint]") {
  const auto files = with({{"m.toml",
                            "[model]\nhidden_size = 4096\nnum_layers = 16\nnum_attention_heads = 32\n"
                            "vocab_size = 50257\n[run]\nmicro_batch_size = 1\nsequence_length = 4096\n"
                            "[parallel]\ntensor = 3\n"}});
  const std::string out = run({"lint", "m.toml", "--gpu", "a100"}, files).out;
  CHECK(has(out, "SL403"));
  CHECK_FALSE(has(out, "with all fixes"));
}

TEST_CASE("a folder in which nothing could be checked is an error, unless that is asked for", "[lint]") {
  const auto files = with({{"apart/words.yaml", "just: words\n"}});
  CHECK(run({"lint", "apart"}, files).code == 2);
  CHECK(has(run({"lint", "apart"}, files).err, "nothing could be checked"));
  CHECK(run({"lint", "apart", "--allow-unrecognised"}, files).code == 0);
  CHECK(run({"lint", "apart", "--exclude", "*.yaml"}, files).code == 0);
}

TEST_CASE("a change of GPUs tells a step's time beside what a token saves", "[lint]") {
  const auto files = with({{"m.toml",
                            "[model]\nhidden_size = 2048\nnum_layers = 24\nnum_attention_heads = 16\n"
                            "vocab_size = 50304\n[run]\nmicro_batch_size = 4\nsequence_length = 2048\n"
                            "[parallel]\ntensor = 8\n"}});
  const std::string out = unwrapped(
      run({"lint", "m.toml", "--gpu", "a100", "--min-severity", "info", "--select", "SL502"}, files).out);
  CHECK(has(out, " per GPU and token "));
  CHECK(has(out, "; a step takes "));
  CHECK(has(out, " instead of "));
}

TEST_CASE("explain, help and suggest say what they mean", "[lint]") {
  const std::string contract = run({"explain", "SL451"}).out;
  CHECK_FALSE(has(contract, "0 > 1"));
  CHECK(has(contract, "a requirement of the stack is not met"));
  const std::string heads = run({"explain", "SL403", "SL301"}).out;
  CHECK(has(heads, "requirement megatron-core/heads-over-tensor"));
  CHECK(has(heads, "nearby values of the field in the title"));
  const std::string memory = run({"explain", "SL509"}).out;
  CHECK(std::count(memory.begin(), memory.end(), '\n') < 150);  // most of them examples
  CHECK(has(unwrapped(memory), "the least of each kind that helps"));
  const std::string fits = run({"fits", "--help"}).out;
  CHECK(has(fits, "Usage: shapelint fits [OPTIONS] --count N FILE"));
  CHECK(has(unwrapped(fits), "comma-separated numbers of GPUs: `3,6,8,24`; required"));
  const auto files = with({{"s.toml", server + "8\n"}});
  const std::string suggested = run({"suggest", "s.toml", "--gpu", "h100"}, files).out;
  CHECK(has(suggested, "best by tokens/s per GPU"));
  CHECK_FALSE(has(suggested, "training tokens"));
}
