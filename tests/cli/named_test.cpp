// Published models by their names, folders and standard input where a command takes a file.
#include <map>
#include <string>
#include <vector>

#include "tests/catch.hpp"
#include "tests/cli/run_support.hpp"

using namespace shapelint;
using tests::run;

namespace {

const char* const llama =
    R"({"model_type": "llama", "hidden_size": 2048, "num_hidden_layers": 16, "num_attention_heads": 32,
 "num_key_value_heads": 8, "intermediate_size": 8192, "vocab_size": 128256})";

const std::string cached_model = "/hub/models--meta-llama--Llama-3.2-1B";
const std::map<std::string, std::string> with_cache{{"HF_HUB_CACHE", "/hub"}};

text::MemoryFileSystem cache() {
  text::MemoryFileSystem files;
  files.files[cached_model + "/refs/main"] = "bbb";
  files.files[cached_model + "/snapshots/aaa/config.json"] = "{}";
  files.files[cached_model + "/snapshots/bbb/config.json"] = llama;
  return files;
}

}  // namespace

TEST_CASE("a published model in the local cache is named as on the Hub", "[cli][named]") {
  const auto files = cache();
  const std::vector<std::vector<std::string>> commands{
      {"lint", "meta-llama/Llama-3.2-1B"},
      {"meta-llama/Llama-3.2-1B"},
      {"suggest", "meta-llama/Llama-3.2-1B", "--gpu", "h100", "--vary", "vocab_size"},
      {"roofline", "meta-llama/Llama-3.2-1B", "--gpu", "h100"},
      {"sweep", "meta-llama/Llama-3.2-1B", "--gpu", "h100", "--over", "vocab_size=128256"},
      {"show", "meta-llama/Llama-3.2-1B"},
      {"config", "--show", "meta-llama/Llama-3.2-1B"},
  };
  for (const auto& command : commands) {
    INFO(command.front());
    const auto ran = run(command, files, with_cache);
    CHECK(ran.code != 2);
    CHECK(ran.err.find("there is no") == std::string::npos);
  }
  const std::string shown = run({"show", "meta-llama/Llama-3.2-1B"}, files, with_cache).out;
  CHECK(shown.starts_with(cached_model + "/snapshots/bbb/config.json: huggingface, llama (text)\n"));
  CHECK(run({"roofline", "meta-llama/Llama-3.2-1B", "--gpu", "h100"}, files, with_cache)
            .out.find("meta-llama/Llama-3.2-1B") != std::string::npos);
}

TEST_CASE("the cache lies where the Hub's own library has it", "[cli][named]") {
  const std::vector<std::pair<std::map<std::string, std::string>, std::string>> places{
      {{{"HOME", "/h/u"}}, "/h/u/.cache/huggingface/hub"},
      {{{"HOME", "/h/u"}, {"XDG_CACHE_HOME", "/xdg"}}, "/xdg/huggingface/hub"},
      {{{"HOME", "/h/u"}, {"HF_HOME", "/hf"}}, "/hf/hub"},
      {{{"HF_HOME", "/hf"}, {"HF_HUB_CACHE", "/cache"}}, "/cache"},
  };
  for (const auto& [variables, hub] : places) {
    INFO(hub);
    text::MemoryFileSystem files;
    files.files[hub + "/models--org--m/snapshots/abc/config.json"] = llama;  // without refs/main
    CHECK(run({"show", "org/m"}, files, variables).code == 0);
    const auto ran = run({"show", "org/other"}, files, variables);
    CHECK(ran.code == 2);
    CHECK(ran.err ==
          "error: org/other: no such file, and no model of this name in the local Hugging Face cache "
          "or in the table of published models; pass the model's config.json: its path, or `-` for "
          "standard input; "
          "looked for `" +
              hub + "/models--org--other`; HF_HOME or HF_HUB_CACHE set another cache\n");
  }
}

TEST_CASE("a published model is known by its name where no file and no cache has it", "[cli][named]") {
  text::MemoryFileSystem files;
  const auto ran = run({"Qwen/Qwen3-8B", "--gpu", "h100", "--sequence-length", "8192"}, files, with_cache);
  CHECK(ran.code == 0);
  CHECK(ran.out.find("h100-sxm5: Qwen/Qwen3-8B, 8.191 B parameters") != std::string::npos);
  CHECK(ran.out.find("shape fixed: the published shape of Qwen/Qwen3-8B") != std::string::npos);
  for (const char* const command : {"lint", "suggest", "roofline", "fits", "show"}) {
    INFO(command);
    std::vector<std::string> words{command, "gpt2"};
    if (command != std::string_view("show")) words.insert(words.end(), {"--gpu", "a100"});
    if (command == std::string_view("fits")) words.insert(words.end(), {"--count", "4"});
    CHECK(run(words, files, with_cache).code != 2);
  }
  // Its length is assumed, and said to be: no more than its table of positions.
  CHECK(run({"gpt2", "--gpu", "a100"}, files).out.find("assumed: micro_batch_size 1, sequence_length 1024") !=
        std::string::npos);
  CHECK(
      run({"Qwen/Qwne3-8B", "--gpu", "h100"}, files, with_cache).err.find("did you mean `Qwen/Qwen3-8B`?") !=
      std::string::npos);
  // What can only be a path is one.
  files.files["openai-community/README.md"] = "";
  for (const char* const path : {"./gpt2", "a/b/gpt2", "gpt2.json", "openai-community/gpt2"}) {
    INFO(path);
    CHECK(run({"show", path}, files, with_cache).code == 2);
  }
}

// Encoders with decoders, which count them, and towers: the parameters are those of the checkpoints.
TEST_CASE("a published model of several parts is known by its name", "[cli][named]") {
  const auto parameters = [](const std::string& name) {
    text::MemoryFileSystem files;
    const auto ran = run({"show", name}, files);
    INFO(ran.err);
    REQUIRE(ran.code == 0);
    std::string digits;
    std::int64_t last = 0;
    for (std::size_t at = ran.out.find("\nparameters "); at != std::string::npos;
         at = ran.out.find("\nparameters ", at + 1)) {
      digits.clear();
      for (std::size_t i = at + 12;
           i < ran.out.size() && (std::isdigit(ran.out[i]) != 0 || ran.out[i] == ','); ++i)
        if (ran.out[i] != ',') digits += ran.out[i];
      last = std::stoll(digits);
    }
    return static_cast<double>(last);
  };
  CHECK(parameters("google-t5/t5-base") == Approx(222.9e6).epsilon(0.001));
  CHECK(parameters("t5-base") == parameters("google-t5/t5-base"));
  CHECK(parameters("google/flan-t5-base") == Approx(247.6e6).epsilon(0.001));
  CHECK(parameters("google/flan-t5-xxl") == Approx(11.1e9).epsilon(0.005));
  CHECK(parameters("google/mt5-xxl") == Approx(12.9e9).epsilon(0.005));
  CHECK(parameters("google/byt5-small") == Approx(300e6).epsilon(0.005));
  CHECK(parameters("openai/whisper-large-v3") == Approx(1543.5e6).epsilon(0.001));
  CHECK(parameters("google/vit-base-patch16-224") == Approx(85.8e6).epsilon(0.001));
  text::MemoryFileSystem files;
  CHECK(run({"show", "openai/whisper"}, files).code == 2);
  CHECK(run({"show", "google-t5/t5"}, files).code == 2);
}

TEST_CASE("a name that is neither a file nor a model has one answer in every command", "[cli][named]") {
  const std::string wanted =
      "no such file, and no model of this name in the local Hugging Face cache or in the table of published "
      "models; did you mean `Qwen3-8B`?";
  for (const std::vector<std::string>& command :
       {std::vector<std::string>{"show", "Qwne3-8B"}, std::vector<std::string>{"Qwne3-8B", "--gpu", "h100"},
        std::vector<std::string>{"roofline", "Qwne3-8B", "--gpu", "h100"}}) {
    INFO(command.front());
    const auto ran = run(command, text::MemoryFileSystem{});
    CHECK(ran.code == 2);
    CHECK(ran.err.find(wanted) != std::string::npos);
    CHECK(ran.err.find("pass the model's config.json: its path, or `-` for standard input") !=
          std::string::npos);
  }
  // What has a file's ending is a file.
  CHECK(run({"show", "model.toml"}, text::MemoryFileSystem{}).err.find("No such file or directory") !=
        std::string::npos);
}

TEST_CASE("`hf://` names a model of the Hub, from the local cache only", "[cli][named]") {
  auto files = cache();
  CHECK(run({"show", "hf://meta-llama/Llama-3.2-1B"}, files, with_cache)
            .out.starts_with(cached_model + "/snapshots/bbb/config.json: huggingface, llama (text)\n"));
  CHECK(run({"show", "hf://Qwen/Qwen3-8B"}, files, with_cache).out.starts_with("Qwen/Qwen3-8B: published\n"));
  const auto missing = run({"show", "hf://org/other"}, files, with_cache);
  CHECK(missing.code == 2);
  CHECK(missing.err.find(
            "error: hf://org/other: no such file, and no model of this name in the local Hugging Face "
            "cache") == 0);
  CHECK(missing.err.find("pass the model's config.json: its path, or `-` for standard input") !=
        std::string::npos);
  for (const char* const wrong : {"hf://", "hf://a/b/c", "hf://../etc", "hf://org/.."}) {
    INFO(wrong);
    const auto ran = run({"show", wrong}, files, with_cache);
    CHECK(ran.code == 2);
    CHECK(ran.err.find("`hf://org/Name`") != std::string::npos);
  }
}

TEST_CASE("what is there goes before the cache, and a misspelt path is none of its models", "[cli][named]") {
  auto files = cache();
  files.files["meta-llama/Llama-3.2-1B"] = llama;
  CHECK(run({"show", "meta-llama/Llama-3.2-1B"}, files, with_cache)
            .out.starts_with("meta-llama/Llama-3.2-1B: "));
  files.files["configs/model.yaml"] = "";
  CHECK(
      run({"lint", "configs/modle.yaml"}, files, with_cache).err.find("did you mean `configs/model.yaml`?") !=
      std::string::npos);
  CHECK(run({"lint", "configs/modle"}, files, with_cache).err.find("cache") == std::string::npos);
  files.files["/hub/models--org--weights/snapshots/abc/model.gguf"] = "";
  CHECK(run({"lint", "org/weights"}, files, with_cache)
            .err.find("no revision in `/hub/models--org--weights/snapshots` has a config.json") !=
        std::string::npos);
}

TEST_CASE("a folder with a config.json is a model, and `-` is standard input", "[cli][named]") {
  text::MemoryFileSystem files;
  files.files["m/config.json"] = llama;
  for (const char* const file : {"m", "-"}) {
    for (const std::vector<std::string>& command : std::vector<std::vector<std::string>>{
             {"roofline", file, "--gpu", "h100"},
             {"sweep", file, "--gpu", "h100", "--over", "vocab_size=128256"},
             {"show", file},
             {"lint", file, "--gpu", "h100"}}) {
      INFO(file << ' ' << command.front());
      CHECK(run(command, files, {}, false, llama).code != 2);
    }
  }
  CHECK(run({"show", "-"}, files, {}, false, llama).out.starts_with("<stdin>: huggingface, llama (text)\n"));
}

TEST_CASE("a list on the command line is bounded as one in a file", "[cli][named]") {
  const auto refused = [](std::vector<std::string> words, const std::string& option, const std::string& item,
                          const std::string& what) {
    std::string list = item;
    for (int i = 1; i <= 1000; ++i) list += "," + item;
    words.insert(words.end(), {"m.toml", option, list});
    const tests::Ran ran = run(words, tests::with({{"m.toml", tests::odd}}));
    CHECK(ran.code == 2);
    CHECK(ran.err.find(what) != std::string::npos);
  };
  refused({"lint"}, "--gpu", "h100", "1001 GPUs are named");
  refused({"roofline"}, "--gpu", "none", "1001 GPUs are named");
  refused({"fits", "--gpu", "h100"}, "--count", "8", "`--count` has 1001 numbers");
}
