// What the language server offers of itself: completions, hints behind values, comments that silence, and the
// smallest of several ways out.
#include <algorithm>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "lsp/completion.hpp"
#include "lsp/documents.hpp"
#include "model/fields.hpp"
#include "tests/catch.hpp"

using namespace shapelint;
using namespace shapelint::lsp;

namespace {

using Texts = std::vector<std::string>;

// Labels of what is offered at `|`.
Texts offered(std::string text) {
  const std::size_t at = text.find('|');
  text.erase(at, 1);
  Texts out;
  for (const Completion& each : completions_at(text, static_cast<std::int64_t>(at)).items)
    out.push_back(each.label);
  return out;
}

bool has(const Texts& texts, const std::string& text) {
  return std::find(texts.begin(), texts.end(), text) != texts.end();
}

struct Opened {
  std::unique_ptr<const api::FileSystem> files;
  Documents documents;

  explicit Opened(const std::string& text, const std::string& uri = "file:///m.toml",
                  const std::string& gpu = "h100")
      : files(api::memory_files({})), documents(options(gpu), *files) {
    documents.open(uri, text, 1);
    documents.lint(uri);
  }
  static api::LintOptions options(const std::string& gpu) {
    api::LintOptions out;
    out.gpus.names = {gpu};
    out.read.isolated = true;
    return out;
  }
  Texts codes(const std::string& uri = "file:///m.toml") {
    Texts out;
    for (const Diagnostic& each : documents.lint(uri)) out.push_back(each.code);
    return out;
  }
};

constexpr TextRange everywhere{{0, 0}, {1000, 0}};

const std::string padded =
    "[model]\nhidden_size = 2560\nnum_layers = 4\nnum_attention_heads = 32  # as published\nvocab_size = "
    "50257\n"
    "[run]\nmicro_batch_size = 8\nsequence_length = 2048\nattention = \"flash\"\n";

}  // namespace

TEST_CASE("the stack of the project's configuration is checked while a file is written", "[lsp]") {
  const auto codes = [](const std::string& config) {
    const auto files = api::memory_files({{"shapelint.toml", config}}, "/project");
    api::LintOptions options;
    options.gpus.names = {"h100"};
    Documents documents(options, *files);
    const std::string uri = "file:///project/m.toml";
    documents.open(uri,
                   "[model]\nhidden_size = 4096\nnum_layers = 4\nnum_attention_heads = 64\n"
                   "num_key_value_heads = 4\nhead_dim = 128\nvocab_size = 151936\nmlp_gated = true\n"
                   "[model.moe]\nnum_experts = 128\nexperts_per_token = 8\nintermediate_size = 1536\n"
                   "[run]\nmode = \"decode\"\ndtype = \"fp8\"\nrecipe = \"block128\"\nmicro_batch_size = 16\n"
                   "context_length = 4096\n[parallel]\ntensor = 8\n",
                   1);
    Texts out;
    for (const Diagnostic& each : documents.lint(uri)) {
      if (each.code.starts_with("SL45")) out.push_back(each.code + " " + each.message);
    }
    return out;
  };
  CHECK(codes("gpu = [\"h100\"]\n").empty());
  const Texts found = codes("stack = [\"vllm==0.24\"]\n");
  REQUIRE(found.size() == 1);
  CHECK(found.front().find("SL451 vllm rejects `moe_intermediate_size") == 0);
  CHECK(found.front().find("1536 / 8 = 192") != std::string::npos);
}

TEST_CASE("keys are offered in the tables of a native file, without those that are there", "[lsp]") {
  const Texts model = offered("[model]\nhidden_size = 768\n|\nvocab_size = 5\n[run]\nmicro_batch_size = 8\n");
  CHECK(has(model, "num_layers"));
  CHECK_FALSE(has(model, "hidden_size"));
  CHECK_FALSE(has(model, "vocab_size"));
  CHECK_FALSE(has(model, "micro_batch_size"));
  CHECK(has(offered("[run]\nmicro_batch_size = 8\n  seq|"), "sequence_length"));
  CHECK(has(offered("[ model.moe ] # experts\n|"), "num_experts"));
  CHECK(has(offered("[model.mla]\nkv|"), "kv_lora_rank"));
  CHECK(offered("[package]\n|").empty());
  CHECK(offered("|").empty());
  CHECK(offered("[model]\n# hidden|").empty());
  CHECK(offered("[model]\nhidden_size = |").empty());
}

TEST_CASE("a finding about the second of two kinds of layers stands in its table", "[lsp]") {
  const auto files = api::memory_files({}, "/project");
  api::LintOptions options;
  options.gpus.names = {"h100"};
  Documents documents(options, *files);
  const std::string uri = "file:///project/m.toml";
  documents.open(
      uri,
      "[model]\nhidden_size = 2048\nnum_layers = 48\nnum_attention_heads = 16\nvocab_size = 151936\n"
      "mlp_gated = true\nlayers = \"2 mamba2, 1 delta_net, 1 attention\"\n"
      "[model.mixer]\nkey_head_dim = 128\nnum_key_heads = 8\nnum_value_heads = 64\nvalue_head_dim = 64\n"
      "[model.second_mixer]\nkind = \"delta_net\"\nkey_head_dim = 96\nnum_key_heads = 8\n"
      "num_value_heads = 8\nvalue_head_dim = 128\n[run]\nmicro_batch_size = 4\nsequence_length = 4096\n",
      1);
  std::vector<std::int64_t> lines;
  for (const Diagnostic& each : documents.lint(uri)) {
    if (each.code == "SL609") lines.push_back(each.range.begin.line);
  }
  CHECK(lines == std::vector<std::int64_t>{14});
  CHECK(has(offered("[model.second_mixer]\nkind = \"delta_net\"\n|"), "key_head_dim"));
  CHECK(has(offered("[model.third_mixer]\nkind = |"), "slstm"));
}

TEST_CASE("each field is offered in its table as a native file calls it", "[lsp]") {
  CHECK(has(offered("[model.mixer]\n|"), "num_value_heads"));
  CHECK(has(offered("[model.window]\n|"), "sinks"));
  for (const model::FieldInfo& field : model::fields()) {
    INFO(field.name);
    CHECK(has(offered("[" + std::string(field.section) + "]\n|"), std::string(field.key)));
  }
}

TEST_CASE("tables are offered, and values of choices", "[lsp]") {
  CHECK(offered("[|") == Texts{"model", "model.compressed", "model.diffusion", "model.indexer", "model.mixer",
                               "model.mla", "model.moe", "model.second_mixer", "model.shared_block",
                               "model.sparse", "model.third_mixer", "model.window", "parallel", "run"});
  CHECK(offered("[model]\n[mo|]\n") == Texts{"model.compressed", "model.diffusion", "model.indexer",
                                             "model.mixer", "model.mla", "model.moe", "model.second_mixer",
                                             "model.shared_block", "model.sparse", "model.third_mixer",
                                             "model.window", "parallel", "run"});
  CHECK(offered("[package]\nname = \"x\"\n[|").empty());
  CHECK(offered("[run]\nmode = |") == Texts{"train", "prefill", "decode"});
  CHECK(offered("[run]\nmode = \"d|\"") == Texts{"train", "prefill", "decode"});
  CHECK(offered("[model]\nmlp_gated = t|") == Texts{"true", "false"});
  CHECK(offered("[model]\nmlp_gated = true t|").empty());
}

TEST_CASE("a key comes with its values and what it means, and replaces what was typed of it", "[lsp]") {
  const std::string text = "[model]\nvocab_s = 5";
  const Completions found = completions_at(text, 12);
  CHECK(text.substr(static_cast<std::size_t>(found.begin_byte),
                    static_cast<std::size_t>(found.end_byte - found.begin_byte)) == "vocab_s");
  const auto vocabulary = std::find_if(found.items.begin(), found.items.end(),
                                       [](const Completion& each) { return each.label == "vocab_size"; });
  REQUIRE(vocabulary != found.items.end());
  CHECK(vocabulary->detail == "1 to 134,217,728 rows");
  CHECK(vocabulary->documentation == "size of the vocabulary");
}

namespace {

// Labels of what is offered at `|` in a file of a dialect.
Texts offered_in(const std::string& dialect, std::string text, bool is_json) {
  const std::size_t at = text.find('|');
  text.erase(at, 1);
  Texts out;
  for (const Completion& each :
       dialect_completions_at(text, static_cast<std::int64_t>(at), is_json, dialect).items)
    out.push_back(each.label);
  return out;
}

}  // namespace

TEST_CASE("keys of a framework are offered in its tables in JSON, each field once", "[lsp]") {
  const Texts top = offered_in("huggingface", R"({"hidden_size": 768, "num_|": 1, "vocab_size": 5})", true);
  CHECK(has(top, "num_attention_heads"));
  CHECK(has(top, "intermediate_size"));
  CHECK_FALSE(has(top, "hidden_size"));
  CHECK_FALSE(has(top, "n_embd"));  // the same field
  CHECK_FALSE(has(top, "vocab_size"));
  const Texts nested =
      offered_in("huggingface", R"({"model_type": "x", "text_config": {"hidden_size": 8, |}})", true);
  CHECK(has(nested, "num_attention_heads"));
  CHECK_FALSE(has(nested, "hidden_size"));
  // Broken as it is while one types, a value, a list, and a table that no format names.
  CHECK(has(offered_in("huggingface", "{\"hidden_size\": 768,\n  \"num_|\n  \"vocab_size\": 5}", true),
            "num_attention_heads"));
  CHECK(offered_in("huggingface", R"({"hidden_size": |})", true).empty());
  CHECK(offered_in("huggingface", R"({"layer_types": ["|"]})", true).empty());
  CHECK(offered_in("huggingface", R"({"nobody": {"|"}})", true).empty());
  CHECK(offered_in("no such dialect", R"({"|"})", true).empty());
  CHECK(offered_in("huggingface", "|", true).empty());
}

TEST_CASE("keys of a framework are offered in its tables in YAML, written as the file writes them", "[lsp]") {
  const Texts model =
      offered_in("nemo", "trainer:\n  devices: 8\nmodel:\n  hidden_size: 768\n  |\n  num_layers: 4\n", false);
  CHECK(has(model, "num_attention_heads"));
  CHECK_FALSE(has(model, "hidden_size"));
  CHECK_FALSE(has(model, "num_layers"));
  CHECK(has(offered_in("neox", "num-layers: 4\nhidden-|", false), "hidden-size"));
  CHECK(has(offered_in("neox", "{\n  \"num-layers\": 4,\n  \"hid|\n}", false), "hidden-size"));
  CHECK(has(offered_in("native", "run:\n  micro_batch_size: 8\nmodel:\n  moe:\n    num|", false),
            "num_experts"));
  CHECK(offered_in("nemo", "model:\n  hidden_size: |", false).empty());
  CHECK(offered_in("nemo", "model:\n  - |", false).empty());
  CHECK(offered_in("nemo", "model:\n  # hid|", false).empty());
}

TEST_CASE("an offered key of a framework says what it becomes, and brings its quotation marks", "[lsp]") {
  const std::string text = R"({"model_type": "gpt2", })";
  const Completions found = dialect_completions_at(text, 23, true, "huggingface");
  const auto width = std::find_if(found.items.begin(), found.items.end(),
                                  [](const Completion& each) { return each.label == "n_embd"; });
  REQUIRE(width != found.items.end());
  CHECK(width->text == "\"n_embd\": ");
  CHECK(width->detail.starts_with("hidden_size: 1 to "));
  CHECK(width->documentation == "width of the residual stream");
}

TEST_CASE("an editor is offered the keys of what the file was when it was understood", "[lsp]") {
  const std::string config =
      R"({"model_type": "gpt2", "n_embd": 768, "n_layer": 12, "n_head": 12, "vocab_size": 50257})";
  Opened opened(config, "file:///config.json");
  opened.documents.change("file:///config.json", {{TextRange{{0, 1}, {0, 1}}, "\"\", "}}, 2);
  opened.documents.lint("file:///config.json");
  const Offer offer = opened.documents.completions("file:///config.json", {0, 2});
  const auto has_label = [&](const char* label) {
    return std::any_of(offer.items.begin(), offer.items.end(),
                       [&](const Completion& each) { return each.label == label; });
  };
  CHECK(has_label("n_positions"));
  CHECK_FALSE(has_label("n_embd"));
}

TEST_CASE("a head that a kernel pads says so behind the value that it comes from", "[lsp]") {
  Opened opened(padded);
  const std::vector<Hint> hints = opened.documents.hints("file:///m.toml", everywhere);
  REQUIRE(hints.size() == 1);
  CHECK(hints[0].label == "head_dim 80 of 96");
  CHECK(hints[0].place.line == 3);
  CHECK(hints[0].place.character == 24);
  CHECK(hints[0].tooltip == "the fused attention kernel of h100-sxm5 pads head_dim 80 to 96");
  CHECK(opened.documents.hints("file:///m.toml", {{0, 0}, {2, 0}}).empty());
  Opened fitting(
      "[model]\nhidden_size = 2560\nnum_layers = 4\nnum_attention_heads = 20\nvocab_size = 50257\n"
      "[run]\nmicro_batch_size = 8\nsequence_length = 2048\n");
  CHECK(fitting.documents.hints("file:///m.toml", everywhere).at(0).label == "head_dim 128");
}

TEST_CASE("the comment that is offered silences the finding", "[lsp]") {
  Opened opened(padded);
  const Texts before = opened.codes();
  REQUIRE(has(before, "SL101"));
  std::vector<TextChange> edits;
  for (const Action& each : opened.documents.actions("file:///m.toml", everywhere)) {
    if (each.title.starts_with("ignore ")) edits.push_back(each.edits.at(0));
  }
  CHECK(edits.size() == before.size());
  for (const TextChange& edit : edits) opened.documents.change("file:///m.toml", {edit}, 2);
  CHECK(opened.codes().empty());
  const std::vector<Action> none = opened.documents.actions("file:///m.toml", everywhere);
  CHECK(none.empty());
  // Plain JSON has no comments.
  const std::string config =
      R"({"model_type": "gpt2", "n_embd": 768, "n_layer": 12, "n_head": 12, "n_positions": 1024, "vocab_size": 50257})";
  Opened json(config, "file:///config.json");
  const std::vector<Action> actions = json.documents.actions("file:///config.json", everywhere);
  CHECK_FALSE(actions.empty());
  for (const Action& each : actions) CHECK_FALSE(each.title.starts_with("ignore "));
}

TEST_CASE("of the ways out of a finding one is preferred, the smallest change", "[lsp]") {
  Opened opened(padded);
  std::map<std::string, int> preferred;
  for (const Action& each : opened.documents.actions("file:///m.toml", everywhere)) {
    preferred[each.diagnostic.code] += each.is_preferred ? 1 : 0;
    if (each.is_preferred && each.diagnostic.code == "SL101") CHECK(each.edits.at(0).text == "50304");
  }
  REQUIRE(preferred.contains("SL101"));
  for (const auto& [code, count] : preferred) CHECK(count <= 1);
  CHECK(preferred["SL101"] == 1);
}
