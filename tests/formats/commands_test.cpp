// Command lines that manifests, compose files and charts hold.
#include <string>
#include <vector>

#include "formats/read.hpp"
#include "tests/catch.hpp"
#include "tests/formats/read_text.hpp"

using namespace shapelint;
using tests::read_text;

namespace {

// What stands where the field's value does.
std::string written(const model::Reading& reading, const std::string& text, model::FieldId field) {
  const Span span = reading.origins[field].span;
  return text.substr(static_cast<std::size_t>(span.begin), static_cast<std::size_t>(span.end - span.begin));
}

using model::FieldId;

}  // namespace

TEST_CASE("a container's arguments are read as its image's command", "[formats]") {
  const std::string text = R"(apiVersion: apps/v1
kind: Deployment
spec:
  template:
    spec:
      containers:
        - name: server
          image: vllm/vllm-openai:v0.10.0
          env:
            - name: MODEL
              value: Qwen/Qwen2.5-7B-Instruct
          args:
            - --model=$(MODEL)
            - "--tensor-parallel-size"
            - "4"
            - --max-num-seqs=64
)";
  const auto result = read_text("deploy.yaml", text);
  CHECK(result.dialect == "vllm");
  REQUIRE(result.readings.size() == 1);
  const model::Reading& reading = result.readings.front();
  CHECK(reading.setup.model.hidden_size == 3584);
  CHECK(reading.setup.plan.tensor == 4);
  CHECK(reading.setup.plan.micro_batch_size == 64);
  // Where it can be changed.
  CHECK(written(reading, text, FieldId::tensor) == "4");
}

TEST_CASE("a script in a container sees the container's environment", "[formats]") {
  const std::string text = R"(apiVersion: batch/v1
kind: Job
spec:
  template:
    spec:
      containers:
        - image: lmsysorg/sglang:latest
          env: [{name: TP, value: "8"}]
          command: ["/bin/bash", "-c"]
          args:
            - |
              pip install x
              python -m sglang.launch_server --model-path Qwen/Qwen2.5-72B-Instruct \
                --tp-size $TP --context-length 32768
)";
  const auto result = read_text("job.yaml", text);
  CHECK(result.dialect == "sglang");
  REQUIRE(result.readings.size() == 1);
  CHECK(result.readings.front().setup.model.num_layers == 80);
  CHECK(result.readings.front().setup.plan.tensor == 8);
}

TEST_CASE("a compose service's command may be a text or a list, and its program another", "[formats]") {
  for (const std::string command :
       {"command: --model Qwen/Qwen2.5-7B-Instruct --tensor-parallel-size 2",
        "command: >\n      --model Qwen/Qwen2.5-7B-Instruct\n      --tensor-parallel-size 2",
        "command: [\"--model\", \"Qwen/Qwen2.5-7B-Instruct\", \"--tensor-parallel-size\", \"2\"]",
        "entrypoint: vllm serve ${MODEL:-Qwen/Qwen2.5-7B-Instruct}\n    command: --tensor-parallel-size "
        "${TP:-2}"}) {
    INFO(command);
    const std::string text = "services:\n  llm:\n    image: vllm/vllm-openai:latest\n    " + command + "\n";
    const auto result = read_text("compose.yaml", text);
    REQUIRE(result.readings.size() == 1);
    CHECK(result.readings.front().setup.model.hidden_size == 3584);
    CHECK(result.readings.front().setup.plan.tensor == 2);
    CHECK(written(result.readings.front(), text, FieldId::tensor) == "2");
  }
}

TEST_CASE("KubeAI, KServe and charts say the model and its options beside the arguments", "[formats]") {
  const std::vector<std::pair<std::string, std::string>> files = {
      {"kubeai",
       "apiVersion: kubeai.org/v1\nkind: Model\nspec:\n  url: hf://Qwen/Qwen2.5-7B-Instruct\n  engine: VLLM\n"
       "  args: [--tensor-parallel-size=2]\n"},
      {"llm-inference-service",
       "apiVersion: serving.kserve.io/v1alpha1\nkind: LLMInferenceService\nspec:\n  model: {uri: "
       "\"hf://Qwen/Qwen2.5-7B-Instruct\"}\n  parallelism: {tensor: 2}\n"},
      {"inference-service",
       "apiVersion: serving.kserve.io/v1beta1\nkind: InferenceService\nspec:\n  predictor:\n    model:\n     "
       " modelFormat: "
       "{name: huggingface}\n      storageUri: hf://Qwen/Qwen2.5-7B-Instruct\n      args: "
       "[--tensor-parallel-size=2]\n"},
      {"production-stack",
       "servingEngineSpec:\n  modelSpec:\n    - name: a\n      modelURL: Qwen/Qwen2.5-7B-Instruct\n      "
       "vllmConfig: "
       "{tensorParallelSize: 2, enablePrefixCaching: false}\n"},
      {"ray",
       "applications:\n  - args:\n      llm_configs:\n        - model_loading_config: {model_id: q, "
       "model_source: "
       "Qwen/Qwen2.5-7B-Instruct}\n          engine_kwargs: {tensor_parallel_size: 2}\n"},
      // ray-project/kuberay, ray-operator/config/samples/ray-service.llm-serve.yaml
      {"ray-service",
       "apiVersion: ray.io/v1\nkind: RayService\nspec:\n  serveConfigV2: |\n    applications:\n    - args:\n "
       "  "
       "     llm_configs:\n        - model_loading_config: {model_id: q, model_source: "
       "Qwen/Qwen2.5-7B-Instruct}\n          engine_kwargs:\n            tensor_parallel_size: 2\n"},
      {"options", "model: Qwen/Qwen2.5-7B-Instruct\ntensor-parallel-size: 2\nmax-model-len: 8192\n"},
      {"sky",
       "resources: {accelerators: L4}\nenvs: {TP: 2}\nrun: |\n  vllm serve Qwen/Qwen2.5-7B-Instruct -tp "
       "$TP\n"}};
  for (const auto& [name, text] : files) {
    INFO(name);
    const auto result = read_text(name + ".yaml", text);
    CHECK(result.dialect == "vllm");
    REQUIRE(result.readings.size() == 1);
    CHECK(result.readings.front().setup.model.hidden_size == 3584);
    CHECK(result.readings.front().setup.plan.tensor == 2);
  }
}

TEST_CASE("what a file within a text says stands where the text says it", "[formats]") {
  const std::string text =
      "apiVersion: ray.io/v1\nkind: RayService\nspec:\n  serveConfigV2: |\n    applications:\n    - args:\n  "
      "  "
      "    llm_configs:\n        - model_loading_config: {model_source: Qwen/Qwen2.5-7B}\n          "
      "engine_kwargs:\n            tensor_parallel_size: 4\n";
  const auto result = read_text("ray.yaml", text);
  REQUIRE(result.readings.size() == 1);
  const Span span = result.readings.front().origins[model::FieldId::tensor].span;
  CHECK(text.substr(static_cast<std::size_t>(span.begin), 1) == "4");
}

TEST_CASE("manifests that start nothing that is known are nobody's", "[formats]") {
  const auto result = read_text("web.yaml",
                                "apiVersion: v1\nkind: Pod\nspec:\n  containers:\n    - image: nginx:1\n"
                                "      args: [--port, \"80\"]\n");
  CHECK_FALSE(result.recognised);
  CHECK(result.readings.empty());
  CHECK(result.errors.empty());
  REQUIRE(result.notes.size() == 1);
  CHECK(result.notes.front().message ==
        "Kubernetes manifest: no format reads the program that it starts (`nginx:1`)");
}

TEST_CASE("a container without arguments starts what its image does, by its environment", "[formats]") {
  // https://github.com/GoogleCloudPlatform/kubernetes-engine-samples,
  // ai-ml/llm-serving-gemma/tgi/tgi-2-27b-it.yaml
  const auto result = read_text(
      "tgi.yaml",
      "apiVersion: apps/v1\nkind: Deployment\nspec:\n  template:\n    spec:\n      containers:\n"
      "        - name: server\n          image: x/gcr.io/huggingface-text-generation-inference-cu124\n"
      "          env:\n            - {name: NUM_SHARD, value: '4'}\n"
      "            - {name: MAX_TOTAL_TOKENS, value: '2048'}\n"
      "            - {name: MODEL_ID, value: google/gemma-2-27b-it}\n");
  CHECK(result.dialect == "tgi");
  REQUIRE(result.readings.size() == 1);
  CHECK(result.readings.front().setup.model.num_layers == 46);
  CHECK(result.readings.front().setup.plan.tensor == 4);
  CHECK(result.readings.front().setup.plan.longest_sequence == 2048);
}

TEST_CASE("a document that is to be filled in leaves the others readable", "[formats]") {
  const auto result =
      read_text("deploy.yaml",
                "apiVersion: v1\nkind: Pod\nspec:\n  containers:\n    - image: vllm/vllm-openai\n"
                "      args: [--model, Qwen/Qwen3-8B, --tensor-parallel-size, '2']\n---\n"
                "apiVersion: v1\nkind: Secret\nstringData:\n  token: {{HF_TOKEN}}\n");
  REQUIRE(result.readings.size() == 1);
  CHECK(result.readings.front().setup.plan.tensor == 2);
}

TEST_CASE("a model that is not known is named, and the one that its name holds", "[formats]") {
  const auto taken =
      read_text("serve.sh", "vllm serve someone/Qwen2.5-7B-Instruct-medical --tensor-parallel-size 2\n");
  REQUIRE(taken.readings.size() == 1);
  CHECK(taken.readings.front().setup.model.hidden_size == 3584);
  CHECK(taken.readings.front().notes.front().message ==
        "`someone/Qwen2.5-7B-Instruct-medical` is not in the table of known models: read as "
        "`Qwen2.5-7B-Instruct`, from its name");
  // Another size behind it is another model.
  const auto other =
      read_text("serve.sh", "vllm serve someone/Qwen2.5-7B-pruned-4B --tensor-parallel-size 2\n");
  REQUIRE(other.readings.size() == 1);
  CHECK_FALSE(other.readings.front().complete);
  CHECK(other.readings.front().notes.front().message ==
        "`someone/Qwen2.5-7B-pruned-4B` is not in the table of known models, which has `Qwen2.5-7B`");
}

TEST_CASE("an image without arguments runs what its environment says", "[formats]") {
  const auto result =
      read_text("compose.yaml",
                "services:\n  tgi:\n    image: ghcr.io/huggingface/text-generation-inference:3.0\n"
                "    environment:\n      - MODEL_ID=meta-llama/Llama-3.1-8B-Instruct\n      - NUM_SHARD=2\n");
  CHECK(result.dialect == "tgi");
  REQUIRE(result.readings.size() == 1);
  CHECK(result.readings.front().setup.model.num_layers == 32);
  CHECK(result.readings.front().setup.plan.tensor == 2);
}

TEST_CASE("an engine is found at the top of a file, in its main, and where it is run", "[formats]") {
  const std::string call = "llm = LLM(model=\"Qwen/Qwen2.5-7B-Instruct\", tensor_parallel_size=2)\n";
  for (const std::string& body : {call, "def main():\n    " + call + "    llm.generate([])\nmain()\n",
                                  "if __name__ == \"__main__\":\n    " + call}) {
    INFO(body);
    const auto result = read_text("generate.py", "from vllm import LLM\n" + body);
    CHECK(result.dialect == "vllm-python");
    REQUIRE(result.readings.size() == 1);
    CHECK(result.readings.front().setup.model.hidden_size == 3584);
    CHECK(result.readings.front().setup.plan.tensor == 2);
  }
}

TEST_CASE("a size behind an underscore is no part of the version", "[formats]") {
  const auto hidden = [](const std::string& name) {
    const auto result = read_text("run.sh", "python scripts/performance/run_script.py --model_recipe_name " +
                                                name + " --num_gpus 64 --seq_length 4096\n");
    return result.readings.empty() ? 0 : result.readings.front().setup.model.hidden_size;
  };
  CHECK(hidden("qwen3_235b_a22b") == 4096);
  CHECK(hidden("llama31_405b") == 16384);
  CHECK(hidden("llama3_8b") == 4096);
  CHECK(hidden("deepseek_v3") == 7168);
}

TEST_CASE("the beginning of an option stands for it", "[formats]") {
  const auto result =
      read_text("train.sh",
                "torchrun pretrain_gpt.py --num-layers 4 --hidden-size 512 --num-attention-head 8 "
                "--seq-length 1024 --micro-batch-siz 2 --vocab-size 32000\n");
  REQUIRE(result.readings.size() == 1);
  CHECK(result.readings.front().setup.model.num_attention_heads == 8);
  CHECK(result.readings.front().setup.plan.micro_batch_size == 2);
  CHECK(result.readings.front().remarks.empty());
}

TEST_CASE("a layer of an unknown kind is not swallowed", "[formats]") {
  const auto result =
      read_text("config.json", R"({"model_type": "llama", "hidden_size": 4096, "intermediate_size": 14336,
      "num_hidden_layers": 3, "num_attention_heads": 32, "vocab_size": 128256,
      "layer_types": ["full_attention", "mystery_attention", "sliding_attention"]})");
  REQUIRE(result.readings.size() == 1);
  CHECK(extra(result.readings.front(), "state_space_layers") == 1);
}

TEST_CASE("how a checkpoint is stored is not how it runs", "[formats]") {
  const auto stored = [](const std::string& dtype) {
    return read_text("config.json",
                     R"({"model_type": "llama", "hidden_size": 4096, "intermediate_size": 11008,
      "num_hidden_layers": 2, "num_attention_heads": 32, "vocab_size": 32001, "torch_dtype": ")" +
                         dtype + "\"}")
        .readings.front();
  };
  CHECK(stored("float32").setup.plan.dtype == DType::bf16);
  CHECK_FALSE(model::is_stated(stored("float32"), FieldId::dtype));
  CHECK(stored("float16").setup.plan.dtype == DType::fp16);
}
