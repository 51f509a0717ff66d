// The linter through the library: all that a finding has, and the same from several threads.
#include <shapelint/shapelint.hpp>

#include <algorithm>
#include <thread>

#include "tests/api/models_support.hpp"
#include "tests/catch.hpp"

using namespace shapelint;
using tests::gpt3;
using Strings = std::vector<std::string>;

namespace {

std::unique_ptr<const api::FileSystem> gpt3_file() {
  return api::memory_files({{"models/gpt3.toml", gpt3}}, "/project");
}

const api::Finding& required(const api::LintResult& result, std::string_view code) {
  const auto found = std::find_if(result.findings.begin(), result.findings.end(),
                                  [&](const api::Finding& each) { return each.code == code; });
  REQUIRE(found != result.findings.end());
  return *found;
}

// Everything that a caller can see of findings and errors.
std::string text_of(const api::LintResult& result) {
  std::string out;
  for (const api::Finding& finding : result.findings) {
    out += api::to_string(finding) + " " + std::to_string(finding.gain) + "\n";
    for (const api::Proposal& proposal : finding.proposals) out += "  " + proposal.summary + "\n";
  }
  for (const api::Error& error : result.errors) out += error.code + " " + api::to_string(error) + "\n";
  for (const std::string& note : result.notes) out += "note: " + note + "\n";
  return out;
}

}  // namespace

// transformers, models/siglip/modeling_siglip.py: a tower has no head, and every patch sees every other.
TEST_CASE("what has no decoding step is linted in one pass, whoever asks", "[api]") {
  const auto files = api::memory_files({{"config.json", R"({"model_type": "siglip_vision_model",
    "hidden_size": 1152, "image_size": 896, "intermediate_size": 4304, "num_attention_heads": 16,
    "num_hidden_layers": 27, "patch_size": 14})"}});
  const api::LintResult result =
      api::lint(*files, {{"config.json"}}, {.read = {.settings = {{"mode", "decode"}}}, .gpus = {{"a100"}}});
  CHECK(text_of(result).find(
            "note: config.json: an encoder or a diffusion transformer has no decoding step: it "
            "reads its input in one pass; linted as `prefill`\n") != std::string::npos);
  REQUIRE(result.steps.size() == 1);
  CHECK(result.steps.front().tokens_per_step > 4000);  // patches
}

TEST_CASE("a finding has a place, a price, and a way out as edits", "[api]") {
  const auto files = gpt3_file();
  const api::LintResult result = api::lint(*files, {{"models/gpt3.toml"}}, {.gpus = {{"a100"}}});
  CHECK(result.errors.empty());
  CHECK(result.fails);
  REQUIRE(result.gpus.size() == 1);
  CHECK(result.gpus.front().id == "a100-sxm4-80gb");

  const api::Finding& finding = required(result, "SL101");
  CHECK(api::to_string(finding) ==
        "models/gpt3.toml:7:14: warning: `vocab_size` 50257 is not a multiple of 64 [SL101]");
  CHECK(finding.severity == api::Severity::warning);
  CHECK(api::name(finding.confidence) == "measured");
  CHECK(finding.field == "vocab_size");
  CHECK(finding.key_path == "model.vocab_size");
  REQUIRE(finding.range);
  CHECK(std::string(gpt3).substr(
            static_cast<std::size_t>(finding.range->start.byte),
            static_cast<std::size_t>(finding.range->end.byte - finding.range->start.byte)) == "50257");
  CHECK(finding.range->end.column == 19);
  CHECK(finding.gain > 0.01);
  CHECK(finding.gain_error > 0);
  CHECK_FALSE(finding.why.empty());
  CHECK(finding.operations == Strings{"head.logits"});

  CHECK(finding.how == "the new rows are never used, and the tokenizer stays as it is");
  REQUIRE_FALSE(finding.proposals.empty());
  const api::Proposal& proposal = finding.proposals.front();
  REQUIRE(proposal.changes.size() == 1);
  CHECK(proposal.changes.front().field == "vocab_size");
  CHECK(proposal.changes.front().before == api::Scalar(std::int64_t{50257}));
  CHECK(proposal.changes.front().after == api::Scalar(std::int64_t{50304}));
  CHECK(proposal.gain == finding.gain);
  REQUIRE(proposal.edits.size() == 1);
  CHECK(proposal.edits.front().new_text == "50304");
  CHECK(proposal.edits.front().range.start.byte == finding.range->start.byte);
  CHECK(proposal.summary.starts_with("vocab_size 50257 → 50304, or another multiple of 64: saves "));
}

TEST_CASE("a model has its fields with where they come from, and its step", "[api]") {
  const auto files = gpt3_file();
  const api::LintResult result =
      api::lint(*files, {{"models/gpt3.toml"}}, {.gpus = {{"a100"}}, .with_operations = true});
  REQUIRE(result.models.size() == 1);
  CHECK(result.models.front().name == "GPT-3 2.7B");
  CHECK(result.models.front().dialect == "native");
  REQUIRE(result.steps.size() == 1);
  const api::LintedStep& step = result.steps.front();
  CHECK(step.gpu == "a100-sxm4-80gb");
  CHECK(step.after.step_us < step.step_us);
  CHECK(step.after.gain > 0);
  CHECK_FALSE(step.after.applied.empty());
  CHECK_FALSE(step.operations.empty());
  const api::LintResult without = api::lint(*files, {{"models/gpt3.toml"}}, {.gpus = {{"a100"}}});
  CHECK(without.steps.front().operations.empty());
  CHECK(without.steps.front().step_us == step.step_us);
}

TEST_CASE("options say what the command line's do", "[api]") {
  const auto files = gpt3_file();
  const std::vector<api::Source> source{{"models/gpt3.toml"}};
  CHECK(api::lint(*files, source, {.gpus = {{"a100"}}, .ignore = {"ALL"}}).findings.empty());
  const auto only = api::lint(*files, source, {.gpus = {{"a100"}}, .select = {"SL101"}});
  CHECK(only.findings.size() == 1);
  const auto padded =
      api::lint(*files, source,
                {.read = {.settings = {{"vocab_size", "50304"}}}, .gpus = {{"a100"}}, .select = {"SL101"}});
  CHECK(padded.findings.empty());
  CHECK_FALSE(padded.fails);
  const auto demanding =
      api::lint(*files, source, {.gpus = {{"a100"}}, .select = {"SL101"}, .min_gain = 0.5});
  CHECK(demanding.findings.empty());
  const auto lenient = api::lint(
      *files, source, {.gpus = {{"a100"}}, .select = {"SL101"}, .fail_severity = api::Severity::error});
  CHECK(lenient.findings.size() == 1);
  CHECK_FALSE(lenient.fails);
}

TEST_CASE("folders are searched, and the project's configuration counts", "[api]") {
  const auto files = api::memory_files({{"models/a.toml", gpt3},
                                        {"models/deep/b.toml", gpt3},
                                        {"models/readme.md", "no model"},
                                        {"shapelint.toml", "gpu = [\"h100\"]\nselect = [\"SL101\"]\n"}},
                                       "/project");
  const api::LintResult result = api::lint(*files, {{"models"}});
  Strings found;
  for (const api::Finding& finding : result.findings) found.push_back(finding.path + " " + finding.code);
  CHECK(found == Strings{"models/a.toml SL101", "models/deep/b.toml SL101"});
  CHECK(result.gpus.front().id == "h100-sxm5");
  CHECK(result.findings.back().model == result.models[1].id);
  // Not without one.
  CHECK(api::lint(*files, {{"models/a.toml"}}, {.read = {.isolated = true}}).findings.size() == 2);
}

TEST_CASE("a text is linted under the name that it is given", "[api]") {
  const auto files = api::memory_files({});
  const api::Source text{"buffer.toml", std::string(gpt3)};
  const api::LintResult result = api::lint(*files, {text}, {.gpus = {{"a100"}}, .select = {"SL101"}});
  REQUIRE(result.findings.size() == 1);
  CHECK(result.findings.front().path == "buffer.toml");
  CHECK(result.findings.front().proposals.front().edits.size() == 1);
}

TEST_CASE("what is wrong is said with codes and places, all at once", "[api]") {
  const auto files = api::memory_files({{"bad.toml", "[model]\nhidden_sise = 64\n"},
                                        {"good.toml", gpt3},
                                        {"configured/shapelint.toml", "selekt = []\n"},
                                        {"configured/m.toml", gpt3}},
                                       "/project");
  const auto wrong = api::lint(*files, {{"bad.toml"}, {"good.toml"}, {"gone.toml"}},
                               {.gpus = {{"a100"}}, .select = {"SL101"}});
  CHECK(wrong.findings.size() == 1);
  CHECK(text_of(wrong).find("invalid-file bad.toml:2:1: error: ") != std::string::npos);
  CHECK(text_of(wrong).find("not-found gone.toml: error: cannot be read") != std::string::npos);

  const auto unknown =
      api::lint(*files, {{"good.toml"}},
                {.read = {.settings = {{"hiden_size", "1"}, {"dtype", "bf61"}}}, .gpus = {{"a100"}}});
  CHECK(text_of(unknown) ==
        "invalid-option error: unknown field `hiden_size`; did you mean `hidden_size`?\n"
        "invalid-option error: `dtype` is `bf61`; one of fp32, tf32, fp16, bf16, fp8, int8, fp4\n");
  const auto gpu = api::lint(*files, {{"good.toml"}}, {.gpus = {{"h10"}}, .select = {"SL99"}});
  CHECK(text_of(gpu) ==
        "invalid-option error: unknown GPU `h10`; did you mean `h100`?\n"
        "invalid-option error: unknown rule `SL99`; did you mean `SL909`?\n");
  const auto configured = api::lint(*files, {{"configured/m.toml"}}, {.gpus = {{"a100"}}});
  REQUIRE(configured.errors.size() == 1);
  CHECK(configured.errors.front().code == "invalid-config");
  CHECK(configured.errors.front().path == "configured/shapelint.toml");
}

TEST_CASE("four threads find and suggest what one does", "[api]") {
  const auto files =
      api::memory_files({{"a.toml", gpt3}, {"shapelint.toml", "gpu = [\"a100\", \"h100\"]\n"}}, "/project");
  const auto both = [&] {
    std::string out = text_of(api::lint(*files, {{"a.toml"}}));
    const auto suggested =
        api::suggest(*files, {"a.toml"},
                     {.gpus = {{"a100"}}, .vary = {"vocab_size", "num_attention_heads"}, .threads = 2});
    if (!suggested) return out + "failed";
    for (const api::Suggestion& each : suggested->suggestions) {
      for (const api::Change& change : each.changes)
        out += change.field + " " + api::to_string(change.after) + " ";
      out += std::to_string(each.gain) + "\n";
    }
    return out;
  };
  const std::string alone = both();
  CHECK(alone.find("SL101") != std::string::npos);
  CHECK(alone.find("vocab_size 50304") != std::string::npos);
  std::vector<std::string> answers(4);
  std::vector<std::thread> threads;
  for (std::string& answer : answers) threads.emplace_back([&] { answer = both(); });
  for (std::thread& thread : threads) thread.join();
  for (const std::string& answer : answers) CHECK(answer == alone);
}
