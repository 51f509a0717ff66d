// Many files at once, with plain data in and out: no command line, no streams.
#include "lint/run.hpp"

#include <new>
#include <stdexcept>

#include "lint/file.hpp"
#include "lint/phrases.hpp"
#include "tests/catch.hpp"

using namespace shapelint;

namespace {

std::string model_with(int vocabulary) {
  return "[model]\nhidden_size = 1024\nnum_layers = 4\nnum_attention_heads = 16\nvocab_size = " +
         std::to_string(vocabulary) + "\n[run]\nmicro_batch_size = 4\nsequence_length = 1024\n";
}

project::Request a100(std::string rule = "SL101") {
  project::Request request;
  request.gpus.names = {"a100"};
  request.select = {std::move(rule)};
  return request;
}

std::vector<std::string> found(const lint::Report& report) {
  std::vector<std::string> out;
  for (const lint::ModelReport& model : report.models) {
    for (const rules::Finding& finding : model.result.findings) {
      out.push_back(model.path + " " + std::string(finding.code));
    }
  }
  return out;
}

using Strings = std::vector<std::string>;

}  // namespace

TEST_CASE("files, folders and given texts are linted alike by any number of threads", "[lint]") {
  text::MemoryFileSystem files;
  for (int i = 0; i < 6; ++i)
    files.files["c/" + std::to_string(i) + ".toml"] = model_with(50257 + 47 * (i % 2));
  files.files["c/notes.yaml"] = "just: words\n";
  lint::RunRequest request;
  request.paths = {"c"};
  request.texts.push_back({"given", model_with(50257)});
  for (const std::int64_t jobs : {1, 3, 8}) {
    request.jobs = jobs;
    const project::Project project(a100(), files);
    const lint::RunOutcome out = lint::lint_files(request, project);
    CHECK(out.refused.empty());
    CHECK(found(out.report) == Strings{"c/0.toml SL101", "c/2.toml SL101", "c/4.toml SL101", "given SL101"});
    CHECK(out.has_findings);
    CHECK(out.report.gpus.size() == 1);
    // Each operation is forgotten unless it is asked for.
    CHECK(out.report.models.front().result.gpus.front().before.ops.empty());
  }
}

TEST_CASE("a run says as data why it did not look, and why nothing came of a file", "[lint]") {
  text::MemoryFileSystem files;
  files.files["wrong/shapelint.toml"] = "slect = [\"SL1\"]\n";
  files.files["wrong/m.toml"] = model_with(50257);
  files.files["apart/words.yaml"] = "just: words\n";
  files.files["apart/empty.toml"] = "\n";
  lint::RunRequest request;
  request.paths = {"wrong"};
  {
    const project::Project project(a100(), files);
    const lint::RunOutcome out = lint::lint_files(request, project);
    REQUIRE(out.refused.size() == 1);
    CHECK(out.refused.front().error.path == "wrong/shapelint.toml");
    CHECK(out.report.models.empty());
  }
  const project::Project project(a100(), files);
  request.paths = {"apart"};
  const lint::RunOutcome folder = lint::lint_files(request, project);
  CHECK(folder.is_empty);
  REQUIRE(folder.notes.size() == 1);
  CHECK(folder.notes.front().is_detail);
  request.paths = {"apart/words.yaml", "apart/empty.toml"};
  const lint::RunOutcome named = lint::lint_files(request, project);
  CHECK_FALSE(named.is_empty);
  REQUIRE(named.report.errors.size() == 2);
  CHECK(named.report.errors[0].error.message == "the file is empty");
  CHECK(named.report.errors[1].error.path == "apart/words.yaml");
  CHECK(named.report.errors[1].error.message == "unrecognized config format, so nothing in it was checked");
  request.allow_unrecognised = true;
  const lint::RunOutcome allowed = lint::lint_files(request, project);
  CHECK(allowed.report.errors.empty());
  REQUIRE(allowed.notes.size() == 2);
  CHECK(allowed.notes[0].text == "apart/empty.toml: the file is empty");
  CHECK(allowed.notes[0].is_detail);
  CHECK(allowed.notes[1].is_detail);
}

TEST_CASE("a model's config.json that is broken is an error among others of its folder", "[lint]") {
  text::MemoryFileSystem files;
  files.files["m/good.toml"] = model_with(50257);
  files.files["m/config.json"] = "{\n\"hidden_size\": 1024,, }";
  files.files["m/other.json"] = "{,}";            // data of whatever kind
  files.files["m/tokenizer/config.json"] = "{}";  // whole, and no model's
  lint::RunRequest request;
  request.paths = {"m"};
  const project::Project project(a100(), files);
  const lint::RunOutcome out = lint::lint_files(request, project);
  CHECK(found(out.report) == Strings{"m/good.toml SL101"});
  REQUIRE(out.report.errors.size() == 1);
  const Error& error = out.report.errors.front().error;
  CHECK(error.path == "m/config.json");
  CHECK(error.message.starts_with("not valid JSON: unexpected ','"));
  CHECK(error.hint == "skip such files with `--allow-unrecognised`");
  REQUIRE(error.span);
  CHECK(error.span->begin == 22);  // the second comma
  request.allow_unrecognised = true;
  CHECK(lint::lint_files(request, project).report.errors.empty());
}

TEST_CASE("what is known to a baseline is left out, and the baseline says what became of it", "[lint]") {
  text::MemoryFileSystem files;
  files.files["m.toml"] = model_with(50257);
  lint::RunRequest request;
  request.paths = {"m.toml"};
  request.baseline.path = "known.json";
  request.baseline.write = true;
  {
    const project::Project project(a100(), files);
    const lint::RunOutcome out = lint::lint_files(request, project);
    REQUIRE(out.baselines.size() == 1);
    CHECK(out.baselines.front().kind == lint::BaselineNote::Kind::written);
    CHECK(out.baselines.front().findings == 1);
  }
  request.baseline.write = false;
  {
    const project::Project project(a100(), files);
    const lint::RunOutcome out = lint::lint_files(request, project);
    CHECK(found(out.report).empty());
    CHECK(out.report.baselined == 1);
    CHECK(out.baselines.empty());
  }
  files.files["m.toml"] = model_with(50304);
  const project::Project project(a100(), files);
  const lint::RunOutcome out = lint::lint_files(request, project);
  REQUIRE(out.baselines.size() == 1);
  CHECK(out.baselines.front().kind == lint::BaselineNote::Kind::is_stale);
}

TEST_CASE("findings outlive the project whose own rules made them", "[lint]") {
  text::MemoryFileSystem files;
  files.files["shapelint.toml"] = "rule-folders = [\"rules\"]\n";
  files.files["rules/OWN101-any-model.toml"] = R"(
code = "OWN101"
name = "any-model"
since = "1.0"
summary = "models"
severity = "info"
confidence = "certain"
scope = "model"
effect = "advice"
when = "vocab_size > 0"
blame = ["vocab_size"]
message = "a model"
mechanism = "it is one"
sources = ["this test"]
why = "It is one."
[[example]]
finds = true
config = ""
)";
  lint::FileOutcome out;
  {
    const project::Project project(a100("OWN101"), files);
    REQUIRE(project.of("m.toml").errors.empty());
    out = lint::lint_text(project.of("m.toml"), formats::parse("m.toml", model_with(50304)), files);
  }
  REQUIRE(out.models.size() == 1);
  REQUIRE(out.models.front().result.findings.size() == 1);
  CHECK(out.models.front().result.findings.front().code == "OWN101");
}

TEST_CASE("a baseline takes the place of a baseline only, and the findings stay in the report", "[lint]") {
  text::MemoryFileSystem files;
  files.files["m.toml"] = model_with(50257);
  lint::RunRequest request;
  request.paths = {"m.toml"};
  request.baseline.write = true;
  const auto write = [&] {
    const project::Project project(a100(), files);
    return lint::lint_files(request, project);
  };
  const lint::RunOutcome out = write();
  CHECK(out.refused.empty());
  REQUIRE(out.baselines.size() == 1);
  CHECK(out.baselines.front().findings == 1);
  CHECK(found(out.report) == Strings{"m.toml SL101"});
  CHECK_FALSE(out.has_findings);
  CHECK(out.report.baselined == 0);
  const std::string written = files.files.at("shapelint-baseline.json");
  // Of any version, for those are made anew.
  files.files["shapelint-baseline.json"] = R"({"format": "shapelint-baseline", "version": 99})";
  CHECK(write().refused.empty());
  CHECK(files.files.at("shapelint-baseline.json") == written);
  for (const std::string precious :
       {"", "{}", "as it was", R"({"format": "other", "version": 1, "findings": []})"}) {
    CAPTURE(precious);
    files.files["shapelint-baseline.json"] = precious;
    const lint::RunOutcome refused = write();
    REQUIRE(refused.refused.size() == 1);
    CHECK(refused.refused.front().error.path == "shapelint-baseline.json");
    CHECK(refused.refused.front().error.message == "not a shapelint baseline file; only those are replaced");
    CHECK(refused.report.models.empty());
    CHECK(files.files.at("shapelint-baseline.json") == precious);
  }
}

TEST_CASE("what nobody foresaw costs the file and not the run", "[lint]") {
  struct Failing final : text::FileSystem {
    text::MemoryFileSystem inner;
    std::string working_directory() const override { return inner.working_directory(); }
    Result<std::string> read(const std::string& path, std::int64_t max_bytes) const override {
      if (path == "c/1.toml") throw std::bad_alloc();
      if (path == "c/2.toml") throw std::out_of_range("at");
      return inner.read(path, max_bytes);
    }
    Result<bool> write(const std::string& path, std::string_view content) const override {
      return inner.write(path, content);
    }
    bool is_directory(const std::string& path) const override { return inner.is_directory(path); }
    bool exists(const std::string& path) const override { return inner.exists(path); }
    Result<std::vector<std::string>> list(const std::string& folder) const override {
      return inner.list(folder);
    }
  };
  Failing files;
  for (int i = 0; i < 6; ++i) files.inner.files["c/" + std::to_string(i) + ".toml"] = model_with(50257);
  const project::Project project(a100(), files);
  lint::RunRequest request;
  request.paths = {"c"};
  for (const std::int64_t jobs : {1, 4}) {
    request.jobs = jobs;
    const lint::RunOutcome outcome = lint::lint_files(request, project);
    CHECK(found(outcome.report) ==
          Strings{"c/0.toml SL101", "c/3.toml SL101", "c/4.toml SL101", "c/5.toml SL101"});
    REQUIRE(outcome.report.errors.size() == 2);
    CHECK(outcome.report.errors[0].error.path == "c/1.toml");
    CHECK(outcome.report.errors[0].error.message == "there is not enough memory for this file");
    CHECK(outcome.report.errors[1].error.message == "internal error: at");
  }
}

TEST_CASE("a model that cannot be priced is told with the sizes that nobody says", "[lint]") {
  text::MemoryFileSystem files;
  files.files["config.json"] =
      R"({"architectures": ["LlamaForCausalLM"], "model_type": "llama", "hidden_size": 4096,
"intermediate_size": 11008, "num_hidden_layers": 32, "num_attention_heads": 0, "vocab_size": 32000})";
  lint::RunRequest request;
  request.paths = {"config.json"};
  const project::Project project(a100(), files);
  const lint::RunOutcome out = lint::lint_files(request, project);
  REQUIRE(out.report.errors.size() == 1);
  CHECK(out.report.errors[0].error.message ==
        "too little is known about the model to predict a step (unknown: num_attention_heads), so nothing in "
        "it "
        "was "
        "checked");
}

TEST_CASE("a stack of which nothing binds the run is told of", "[lint]") {
  text::MemoryFileSystem files;
  files.files["m.toml"] = model_with(50304);
  lint::RunRequest request;
  request.paths = {"m.toml"};
  const auto told = [&](std::string package, model::Mode mode) {
    project::Request asked = a100("SL455");
    asked.stack = {std::move(package)};
    asked.overrides.push_back({model::FieldId::mode, static_cast<std::int64_t>(mode), {}});
    const project::Project project(asked, files);
    const lint::RunOutcome out = lint::lint_files(request, project);
    Strings briefs;
    for (const lint::ModelReport& model : out.report.models) {
      for (const rules::Finding& finding : model.result.findings) briefs.push_back(finding.brief);
      for (const rules::Finding& finding : model.hidden) briefs.push_back(finding.brief);
    }
    return briefs;
  };
  CHECK(told("vllm==0.24", model::Mode::train) ==
        Strings{"not checked: vllm 0.24: no requirement applies to a training step"});
  CHECK(told("vllm==0.24", model::Mode::decode).empty());
  CHECK(told("auto", model::Mode::train).empty());
  CHECK(told("none", model::Mode::train).empty());
}

TEST_CASE("what stops a run is not answered with what its framework refuses", "[lint]") {
  text::MemoryFileSystem files;
  files.files["run.sh"] =
      "torchrun --nnodes 8 --nproc_per_node 8 pretrain_gpt.py --num-layers 82 --hidden-size 8192 "
      "--num-attention-heads 64 --seq-length 8192 --max-position-embeddings 8192 --vocab-size 128256 --bf16 "
      "--tensor-model-parallel-size 8 --pipeline-model-parallel-size 4 "
      "--num-layers-per-virtual-pipeline-stage 5 "
      "--sequence-parallel --micro-batch-size 1 --global-batch-size 128\n";
  lint::RunRequest request;
  request.paths = {"run.sh"};
  project::Request asked = a100();
  asked.select = {"SL417", "SL451"};
  const project::Project project(asked, files);
  const lint::RunOutcome out = lint::lint_files(request, project);
  CHECK(found(out.report) == Strings{"run.sh SL417", "run.sh SL451"});
  Strings proposed;
  for (const rules::Proposal& each : out.report.models.at(0).result.findings.at(0).proposals)
    proposed.push_back(lint::changes_text(each.changes));
  // One chunk for each stage is no way out: four stages cannot share 82 layers, which Megatron-core demands.
  // A model of other layers is another model.
  CHECK(proposed.empty());
}
