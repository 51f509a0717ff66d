// What is not looked at is said, and what a file fixes stays.
#include <algorithm>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "tests/catch.hpp"
#include "tests/cli/run_support.hpp"
#include "tests/formats/native/native_support.hpp"

using namespace shapelint;
using tests::run;
using tests::with;

namespace {

std::string replaced_all(std::string text, char from, char to) {
  std::replace(text.begin(), text.end(), from, to);
  return text;
}

}  // namespace

TEST_CASE("a GPU that is left out beside others is named", "[lint][cli]") {
  const std::string fp8 =
      R"({"architectures": ["LlamaForCausalLM"], "model_type": "llama", "hidden_size": 4096,
 "num_hidden_layers": 32, "num_attention_heads": 32, "intermediate_size": 11008, "vocab_size": 32000,
 "quantization_config": {"quant_method": "fp8"}})";
  const text::MemoryFileSystem files = with({{"a/config.json", fp8}, {"b/config.json", fp8}});
  const auto says = [](const tests::Ran& ran, const std::string& text) {
    return replaced_all(ran.out, '\n', ' ').find(text) != std::string::npos;
  };
  CHECK(says(run({"a/config.json", "--gpu", "a100,h100"}, files),
             "  skipped: a100-sxm4-80gb (no tensor cores for fp8); alone, it is predicted"));
  CHECK_FALSE(says(run({"a/config.json", "--gpu", "h100"}, files), "skipped: "));
  CHECK_FALSE(says(run({"a/config.json", "--gpu", "a100"}, files), "skipped: "));
  CHECK(says(run({"a", "b", "--gpu", "a100,h100"}, files),
             "a100-sxm4-80gb skipped for 2 files: no tensor cores for the dtype of the weights "));
  const tests::Ran json = run({"a/config.json", "--gpu", "a100,h100", "--format", "json"}, files);
  CHECK(nlohmann::json::parse(json.out)["models"][0]["gpus_left_out"] ==
        nlohmann::json::array({"a100-sxm4-80gb"}));
  const tests::Ran roofline = run({"roofline", "a/config.json", "--gpu", "a100,h100"}, files);
  CHECK(roofline.err.find("note: skipped: a100-sxm4-80gb (no tensor cores for fp8)") != std::string::npos);
}

TEST_CASE("models without attention are linted, and it is said that their layers are not costed",
          "[lint][cli]") {
  std::size_t looked_at = 0;
  for (const std::string path :
       {"neox/mamba.yml", "lingua/mamba.yaml", "lingua/hawk.yaml", "flagscale/rwkv/train.yaml"}) {
    INFO(path);
    ++looked_at;
    const text::MemoryFileSystem files =
        with({{"rwkv/" + path, tests::read_source_file("tests/formats/fixtures/" + path)}});
    const tests::Ran ran = run({"rwkv/" + path, "--gpu", "h100,a100", "--format", "concise", "--min-severity",
                                "info", "--exit-zero"},
                               files);
    CHECK(ran.code == 0);
    CHECK(ran.out.find(" layers are of an unsupported type [SL912]") != std::string::npos);
    // Nothing is said of heads that are not there.
    for (const char* word : {"num_attention_heads", "head_dim", "num_key_value_heads"}) {
      CHECK(ran.out.find(word) == std::string::npos);
    }
    const tests::Ran search = run({"suggest", "rwkv/" + path, "--gpu", "h100"}, files);
    CHECK(search.code == 2);
    CHECK(search.err.find("no layer of this model has attention, and its other layer types are not modeled; "
                          "`shapelint` lints the rest\n") != std::string::npos);
  }
  CHECK(looked_at == 4);
}

TEST_CASE("no proposal changes the number of sequences that a file fixes", "[lint][cli]") {
  std::size_t proposals = 0;
  for (const int batch : {3, 8, 16, 32}) {
    for (const char* plan : {"", "--pipeline-model-parallel-size 4", "--tensor-model-parallel-size 8",
                             "--tensor-model-parallel-size 16", "--pipeline-model-parallel-size 8"}) {
      for (const char* width : {"256 --num-attention-heads 4", "12288 --num-attention-heads 96"}) {
        const std::string script = fmt::format(
            "torchrun --nproc_per_node 8 pretrain_gpt.py --num-layers 32 --hidden-size {} --seq-length 2048 "
            "--max-position-embeddings 2048 --micro-batch-size 1 --global-batch-size {} {} --train-iters "
            "1000 "
            "--lr 1e-4 --bf16\n",
            width, batch, plan);
        const tests::Ran ran = run({"train.sh", "--gpu", "a100,h100", "--format", "json", "--with", "fields"},
                                   with({{"train.sh", script}}));
        INFO(script);
        const nlohmann::json report = nlohmann::json::parse(ran.out);
        for (const auto& model : report["models"]) {
          const auto value = [&](const char* field) { return model["fields"][field]["value"].get<double>(); };
          for (const auto& finding : report["findings"]) {
            if (finding["model"] != model["id"]) continue;
            for (const auto& proposal : finding["proposals"]) {
              double micro = value("micro_batch_size");
              double accumulation = value("gradient_accumulation");
              bool has_more_ranks = false;
              for (const auto& change : proposal["changes"]) {
                if (change["field"] == "micro_batch_size") micro = change["after"];
                if (change["field"] == "gradient_accumulation") accumulation = change["after"];
                has_more_ranks = has_more_ranks || change["field"] == "data";
              }
              INFO(finding["code"] << " " << proposal.dump());
              ++proposals;
              if (has_more_ranks) continue;
              CHECK(micro * accumulation == value("micro_batch_size") * value("gradient_accumulation"));
            }
          }
        }
      }
    }
  }
  CHECK(proposals > 50);
}
