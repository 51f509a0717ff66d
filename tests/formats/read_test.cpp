// Every fixture beside what is read from it: one small file for each dialect and for each trap.
#include "formats/read.hpp"

#include <algorithm>
#include <filesystem>
#include <functional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "base/budget.hpp"
#include "catalog/catalog.hpp"
#include "formats/dialect/dialects.hpp"
#include "formats/recognise.hpp"
#include "model/exports.hpp"
#include "model/fields.hpp"
#include "model/lower/lower.hpp"
#include "tests/catch.hpp"
#include "tests/formats/read_text.hpp"
#include "tests/golden.hpp"
#include "tests/source_dir.hpp"
#include "text/files.hpp"
#include "text/source.hpp"

using namespace shapelint;
using model::FieldType;
using model::Origin;

namespace {

namespace fs = std::filesystem;

const fs::path root(tests::source_dir());
const char* const folder = "tests/formats/fixtures";

std::string place(const Origin& origin) {
  const text::RealFileSystem files;
  const auto source = files.read((root / origin.path).string(), 1 << 20);
  REQUIRE(source);
  const text::Place at = text::place_of(*source, origin.span.begin);
  const auto bytes = source->substr(static_cast<std::size_t>(origin.span.begin),
                                    static_cast<std::size_t>(origin.span.end - origin.span.begin));
  return fmt::format("{}:{}:{} `{}` {}", fs::path(origin.path).filename().string(), at.line, at.column,
                     origin.key_path, bytes);
}

// What is not the same for every file: stated values, and what the dialect adds to them.
std::string describe(const model::Reading& reading) {
  std::string out = fmt::format("{}: {}, type `{}`, {}\n", reading.name, reading.dialect, reading.model_type,
                                reading.complete ? "complete" : "incomplete");
  for (const model::FieldInfo& field : model::fields()) {
    const Origin& origin = reading.origins[field.id];
    if (origin.kind == Origin::Kind::unknown || origin.note == "not stated" ||
        origin.note == "shapelint's default" || origin.note == "unused without experts") {
      continue;
    }
    const std::int64_t value = field.get(reading.setup);
    const std::string shown = field.type == FieldType::boolean ? (value != 0 ? "yes" : "no")
                              : field.type == FieldType::choice
                                  ? std::string(field.choices[static_cast<std::size_t>(value)])
                                  : std::to_string(value);
    const std::string from = origin.kind == Origin::Kind::stated    ? place(origin)
                             : origin.kind == Origin::Kind::derived ? "derived"
                                                                    : "default";
    out += fmt::format("  {} = {} <- {}{}{}\n", field.name, shown, from, origin.note.empty() ? "" : "; ",
                       origin.note);
  }
  for (const model::Extra& extra : reading.extras)
    out += fmt::format("  ({} = {})\n", extra.name, extra.value);
  for (const model::Note& note : reading.notes) out += fmt::format("  note: {}\n", note.message);
  return out;
}

std::string describe(const formats::ReadResult& result) {
  std::string out = result.recognised ? "" : "not recognised\n";
  for (const Error& error : result.errors) {
    out += fmt::format("error at byte {}: {}; {}\n", error.span.value_or(Span{}).begin, error.message,
                       error.hint);
  }
  for (const model::Reading& reading : result.readings) out += describe(reading);
  for (const model::Note& note : result.notes) out += fmt::format("note: {}\n", note.message);
  return out;
}

// Fixtures are read by paths from the root of the source, so that nothing depends on where that is.
class SourceTree final : public text::FileSystem {
 public:
  std::string working_directory() const override { return real_.working_directory(); }
  Result<std::string> read(const std::string& path, std::int64_t max_bytes) const override {
    return real_.read((root / path).string(), max_bytes);
  }
  Result<bool> write(const std::string& path, std::string_view content) const override {
    return real_.write((root / path).string(), content);
  }
  bool is_directory(const std::string& path) const override {
    return real_.is_directory((root / path).string());
  }
  bool exists(const std::string& path) const override { return real_.exists((root / path).string()); }
  Result<std::vector<std::string>> list(const std::string& path) const override {
    return real_.list((root / path).string());
  }

 private:
  text::RealFileSystem real_;
};

}  // namespace

TEST_CASE("each fixture is read as the file beside it says", "[formats]") {
  const SourceTree files;
  std::vector<fs::path> paths;
  for (const auto& entry : fs::recursive_directory_iterator(root / folder)) {
    if (entry.is_regular_file() && entry.path().extension() != ".expected") {
      paths.push_back(entry.path().lexically_relative(root));
    }
  }
  std::sort(paths.begin(), paths.end());
  REQUIRE(paths.size() > 40);
  for (const fs::path& path : paths) {
    const formats::ReadResult result = formats::read_any(files, path.string());
    const std::string difference = tests::compare_with_file(path.string() + ".expected", describe(result));
    CHECK(difference == "");
  }
}

TEST_CASE("unrelated files are not recognised", "[formats]") {
  const SourceTree files;
  for (const auto& entry : fs::directory_iterator(root / folder / "unrelated")) {
    if (entry.path().extension() == ".expected") continue;
    CAPTURE(entry.path().filename());
    CHECK_FALSE(formats::read_any(files, entry.path().lexically_relative(root).string()).recognised);
  }
}

TEST_CASE("every value that rules ask a dialect for is exported by one", "[formats]") {
  std::set<std::string, std::less<>> exported;
  for (const formats::Dialect* each : formats::Dialects::builtin().all())
    exported.insert(each->exports.begin(), each->exports.end());
  for (const std::string_view name : model::export_names) {
    INFO(name);
    CHECK(exported.contains(name));
  }
}

TEST_CASE("the data files of the dialects are free of mistakes", "[formats]") {
  std::vector<Error> errors;
  for (const text::Document& document : catalog::builtin("formats")) formats::load_dialect(document, errors);
  const formats::Dialects& dialects = formats::Dialects::builtin();
  formats::check_expressions(catalog::builtin("formats"), dialects, errors);
  for (const Error& error : errors) {
    FAIL_CHECK(error.path << ": " << error.message << "; " << error.hint);
  }
  CHECK(dialects.all().size() > 20);
}

TEST_CASE("docs/reference/formats.md is what the data files say", "[formats][docs]") {
  const std::string difference = tests::compare_with_file(
      "docs/reference/formats.md", formats::formats_markdown(formats::Dialects::builtin()));
  CHECK(difference == "");
}

TEST_CASE("the command line wins over the file, before anything is derived", "[formats]") {
  text::MemoryFileSystem files;
  files.files["m/config.json"] =
      R"({"model_type": "llama", "hidden_size": 4096, "num_attention_heads": 32, "num_hidden_layers": 4})";
  formats::ReadOptions options;
  options.overrides.push_back({model::FieldId::num_attention_heads, 16, "--num-attention-heads"});
  const formats::ReadResult result = formats::read_any(files, "m/config.json", options);
  REQUIRE(result.readings.size() == 1);
  const model::Reading& reading = result.readings[0];
  CHECK(reading.setup.model.num_attention_heads == 16);
  CHECK(reading.setup.model.head_dim == 256);
  CHECK(reading.name == "m");
  const Origin& origin = reading.origins[model::FieldId::num_attention_heads];
  CHECK(origin.kind == Origin::Kind::command_line);
  CHECK(origin.note == "`--num-attention-heads`");
}

TEST_CASE("inheritance ends: cycles, missing files, and files outside the repository", "[formats]") {
  text::MemoryFileSystem files;
  files.files["repo/.git/HEAD"] = "";
  files.files["repo/a.yaml"] = "extends: [b.yaml]\nnum_layers: 2\nhidden_size: 64\nnum_attention_heads: 4\n";
  files.files["repo/b.yaml"] = "extends: [a.yaml]\nhidden_size: 32\nffn_hidden_size: 128\n";
  files.files["repo/c.yaml"] = "extends: [../outside.yaml]\nnum_layers: 2\nhidden_size: 64\n";
  files.files["outside.yaml"] = "ffn_hidden_size: 1\n";
  const auto cyclic = formats::read_any(files, "repo/a.yaml");
  REQUIRE(cyclic.readings.size() == 1);
  CHECK(cyclic.readings[0].setup.model.hidden_size == 64);
  CHECK(cyclic.readings[0].setup.model.intermediate_size == 128);
  CHECK(cyclic.readings[0].origins[model::FieldId::intermediate_size].path == "repo/b.yaml");
  const auto outside = formats::read_any(files, "repo/c.yaml");
  REQUIRE(outside.readings.size() == 1);
  CHECK(outside.readings[0].setup.model.intermediate_size == 256);
}

TEST_CASE("what is inherited counts with the file, text and tree", "[formats]") {
  text::MemoryFileSystem files;
  files.files["repo/.git/HEAD"] = "";
  std::string list = "x: [";
  for (int i = 0; i < 100'000; ++i) list += "1,";
  const std::string comment = "x: 1 # " + std::string(8 << 20, 'x') + "\n";
  for (const std::string& each : {list + "1]\n", comment}) {
    files.files["repo/a.yaml"] = "num_layers: 2\nhidden_size: 64\nnum_attention_heads: 4\nseq_length: 8\n";
    for (int i = 0; i < 30; ++i) {
      files.files[fmt::format("repo/b{}.yaml", i)] = each;
      files.files["repo/a.yaml"] += fmt::format("k{}: !include b{}.yaml\n", i, i);
    }
    const Budget budget;
    CHECK_THROWS_AS(formats::read_any(files, "repo/a.yaml"), Spent);
    CHECK(budget.spent_on().starts_with("repo/b"));
  }
}

TEST_CASE("a path of another machine is looked for by its end", "[formats]") {
  text::MemoryFileSystem files;
  files.files["repo/.git/HEAD"] = "";
  files.files["repo/conf/ds.json"] = R"({"zero_optimization": {"stage": 2}})";
  files.files["ds.json"] = R"({"zero_optimization": {"stage": 3}})";
  const auto zero = [&](const std::string& path) {
    files.files["repo/run.sh"] =
        "deepspeed pretrain_gpt.py --num-layers 2 --hidden-size 64 --num-attention-heads 4 --seq-length 128 "
        "--micro-batch-size 1 --deepspeed_config " +
        path + "\n";
    const auto read = formats::read_any(files, "repo/run.sh");
    REQUIRE(read.readings.size() == 1);
    return read.readings[0].origins[model::FieldId::zero].kind == Origin::Kind::stated
               ? static_cast<int>(read.readings[0].setup.plan.zero)
               : -1;
  };
  CHECK(zero("/workspace/repo/conf/ds.json") == 2);
  CHECK(zero("$ROOT/conf/ds.json") == 2);
  // A name without a folder may be any file, and nothing outside of the repository is read.
  CHECK(zero("/workspace/ds.json") == -1);
  CHECK(zero("$ROOT//../ds.json") == -1);
  CHECK(zero("/conf/../../ds.json") == -1);
}

// Of the examples that ms-swift publishes: examples/megatron/embedding/qwen3_emb.sh has 151,665 rows over two
// ranks (mcore-bridge, model/gpt_model.py pads them), multimodal/lora_llm_vit_full/sft.sh adapters of
// experts.
TEST_CASE("ms-swift pads the vocabulary for its ranks, and lora_llm trains adapters", "[formats]") {
  text::MemoryFileSystem files;
  files.files["emb.sh"] =
      "megatron sft --model Qwen/Qwen3-Embedding-8B --tuner_type full --tensor_model_parallel_size 2\n";
  files.files["llm.sh"] =
      "megatron sft --model Qwen/Qwen3-30B-A3B --tuner_type lora_llm --lora_rank 8 "
      "--expert_model_parallel_size 4\n";
  const auto padded = formats::read_any(files, "emb.sh");
  REQUIRE(padded.readings.size() == 1);
  CHECK(model::extra(padded.readings[0], "pads_for_tensor") == 1);
  const auto adapted = formats::read_any(files, "llm.sh");
  REQUIRE(adapted.readings.size() == 1);
  CHECK(adapted.readings[0].setup.plan.adapters);
  CHECK(adapted.readings[0].setup.plan.adapter_rank == 8);
}

TEST_CASE("compressed-tensors whose operands are both of fewer bits run in them", "[formats]") {
  // https://github.com/vllm-project/compressed-tensors, quantization_config of RedHatAI's FP8-dynamic and
  // NVFP4 checkpoints.
  const auto of = [](const std::string& weights, const std::string& operands) {
    text::MemoryFileSystem files;
    files.files["config.json"] =
        R"({"model_type":"llama","hidden_size":4096,"intermediate_size":14336,"num_attention_heads":32,
            "num_hidden_layers":32,"vocab_size":128256,"quantization_config":{"quant_method":"compressed-tensors",
            "config_groups":{"group_0":{"weights":)" +
        weights + R"(,"input_activations":)" + operands + "}}}}";
    const formats::ReadResult result = formats::read_any(files, "config.json");
    REQUIRE(result.readings.size() == 1);
    return result.readings.front().setup.plan;
  };
  const model::Plan fp8 = of(R"({"num_bits":8,"type":"float","strategy":"channel"})",
                             R"({"num_bits":8,"type":"float","dynamic":true,"strategy":"token"})");
  CHECK(fp8.dtype == DType::fp8);
  CHECK(fp8.weight_bits == 0);
  CHECK(of(R"({"num_bits":4,"type":"float","group_size":16})",
           R"({"num_bits":4,"type":"float","group_size":16})")
            .dtype == DType::fp4);
  const model::Plan int4 = of(R"({"num_bits":4,"type":"int","group_size":128})", "null");
  CHECK(int4.dtype == DType::bf16);
  CHECK(int4.weight_bits == 4);
  CHECK(int4.weight_group_size == 128);
}

TEST_CASE("another program's [model] is no native file for a key of the same name", "[formats]") {
  // The names of https://github.com/KempnerInstitute/KempnerForge, configs/model/llama_7b.toml.
  text::MemoryFileSystem files;
  files.files["llama_7b.toml"] =
      "[model]\ndim = 4096\nn_layers = 32\nn_heads = 32\nn_kv_heads = 8\nvocab_size = 128256\nmax_seq_len = "
      "4096\n";
  const formats::ReadResult result = formats::read_any(files, "llama_7b.toml");
  CHECK(result.errors.empty());
  CHECK(result.dialect == "kempnerforge");
}

TEST_CASE("a null says that there is none, not that the default holds", "[formats]") {
  // https://huggingface.co/deepseek-ai/DeepSeek-V2-Lite, config.json; its card: 15.7 B parameters. The
  // class's default of q_lora_rank is 1536 (transformers, configuration_deepseek_v2.py).
  const std::string lite =
      R"({"model_type": "deepseek_v2", "hidden_size": 2048, "intermediate_size": 10944, "num_hidden_layers": 27,
  "num_attention_heads": 16, "num_key_value_heads": 16, "kv_lora_rank": 512, "qk_nope_head_dim": 128,
  "qk_rope_head_dim": 64, "v_head_dim": 128, "n_routed_experts": 64, "n_shared_experts": 2, "num_experts_per_tok": 6,
  "moe_intermediate_size": 1408, "first_k_dense_replace": 1, "moe_layer_freq": 1, "vocab_size": 102400)";
  const auto rank = [&](const std::string& more) {
    text::MemoryFileSystem files;
    files.files["config.json"] = lite + more + "}";
    const auto result = formats::read_any(files, "config.json");
    REQUIRE(result.readings.size() == 1);
    return result.readings.front().setup;
  };
  CHECK(rank(R"(, "q_lora_rank": null)").model.mla.q_lora_rank == 0);
  CHECK(model::parameter_count(rank(R"(, "q_lora_rank": null)")) == Approx(15.7e9).epsilon(0.001));
  CHECK(rank("").model.mla.q_lora_rank == 1536);
}

TEST_CASE("torchtitan's option of selective recomputation is a text, and no misread number", "[formats]") {
  // https://github.com/pytorch/torchtitan, torchtitan/config/job_config.py: selective_ac_option: str = "2"
  text::MemoryFileSystem files;
  files.files["train.toml"] =
      "[model]\nname = \"llama3\"\nflavor = \"8B\"\n[training]\nlocal_batch_size = 1\nseq_len = 8192\n"
      "[activation_checkpoint]\nmode = \"selective\"\nselective_ac_option = \"2\"\n";
  const auto result = formats::read_any(files, "train.toml");
  REQUIRE(result.readings.size() == 1);
  CHECK(result.remarks.empty());
  CHECK(result.readings.front().setup.plan.recompute_layers == 16);
}

TEST_CASE("a file has at most a thousand keys that are written twice", "[read]") {
  const auto repeated = [](int count) {
    std::string text = R"({"architectures": ["LlamaForCausalLM"], "model_type": "llama", "hidden_size": 64)";
    for (int i = 0; i <= count; ++i) text += fmt::format(", \"k\": {}", i);
    return tests::read_text("config.json", text + "}");
  };
  CHECK(repeated(1000).remarks.size() == 1000);
  CHECK(repeated(1000).errors.empty());
  const formats::ReadResult more = repeated(5000);
  REQUIRE(more.errors.size() == 1);
  CHECK(more.errors.front().message ==
        "the file has more than 1,000 duplicate or misspelt keys and malformed numbers");
}
