// Findings as people read them: input beside the exact text.
#include "report/findings/text.hpp"

#include <fmt/format.h>

#include "report/exchange/exchange.hpp"
#include "tests/catch.hpp"
#include "tests/report/findings/report_support.hpp"

using namespace shapelint;

TEST_CASE("a finding shows its line, what it costs and what to try", "[report]") {
  CHECK(report::text(tests::one_gpu_report(), {report::Style{}}) ==
        R"(warning[SL201]: `head_dim` 80 is not a multiple of 64 (head-dim-misaligned)
  --> gpt.toml:4:23
   |
 2 | hidden_size = 2560
   |               ----
...
 4 | num_attention_heads = 32
   |                       ^^ QK^T and PV GEMMs are misaligned
   = cost: 16.2 ± 3.0 % of the step (measured)
   = fix: num_attention_heads = 20 (head_dim 128)

error[SL401]: 32 attention heads are not divisible by `tensor` 3 (heads-not-divisible)
  --> gpt.toml
   = note: tensor = 3 was given on the command line

a100-sxm4-80gb: training step, 2.652 B parameters, bf16, unfused attention,
  8,192 tokens
  now  n/a until fixed: SL401
gpt.toml: 1 error, 1 warning
Explain a rule: shapelint explain SL201
)");
}

TEST_CASE("a table has the step now and with the fixes that go together", "[report]") {
  lint::Report report = tests::one_gpu_report();
  lint::ModelReport& model = report.models[0];
  model.result.findings.pop_back();  // the run starts
  model.result.gpus[0].gain = 0.162;
  const std::string text = report::text(report, {});
  CHECK(text.substr(text.find("a100-sxm4-80gb: ")) ==
        R"(a100-sxm4-80gb: training step, 2.652 B parameters, bf16, unfused attention,
  8,192 tokens
              step    MFU
  now         1.50 s  41.2 %
              1.40 s to 1.83 s (80 % interval)
  with SL201  1.26 s  49.1 %                     16.2 % less time
gpt.toml: 1 warning
Explain a rule: shapelint explain SL201
)");
}

TEST_CASE("a label that its line has no room for stands below the carets", "[report]") {
  auto report = tests::one_gpu_report();
  lint::ModelReport& model = report.models[0];
  rules::Finding& finding = model.result.findings[0];
  finding.related.clear();
  finding.label = "32 x 2048 x 2048 scores per sequence and layer are written";
  CHECK(report::text(finding, model, {}).find(R"(
 4 | num_attention_heads = 32
   |                       ^^
   |                  32 x 2048 x 2048 scores per sequence and layer are written
)") != std::string::npos);
}

TEST_CASE("with several GPUs each figure says which", "[report]") {
  const auto several = tests::two_gpu_report();
  CHECK(report::text(several, {report::Style{}}) ==
        R"(warning[SL101]: 50257 rows of vocabulary are odd (vocab-misaligned)
  --> gpt.toml:5:14
   |
 5 | vocab_size = 50257
   |              ^^^^^
   = cost: 7.3 % of the step on a100-sxm4-80gb, 4.1 % on h100-sxm (estimated)
   = fix: vocab_size = 50304 [*]

training step, 2.652 B parameters, bf16, unfused attention, 8,192 tokens
                           step    MFU
  a100-sxm4-80gb           1.50 s  41.2 %
                           1.40 s to 1.83 s (80 % interval)
  h100-sxm (uncalibrated)  700 ms  38.0 %
                           605 ms to 1.04 s (80 % interval)
gpt.toml: 1 warning, 1 fixable with --fix [*]
assumed GPUs: a100-sxm4-80gb, h100-sxm; set with `--gpu`, list with
`shapelint gpus`
Explain a rule: shapelint explain SL101
)");
}

TEST_CASE("a value that another file states is shown in that file", "[report]") {
  auto report = tests::two_gpu_report();
  lint::ModelReport& model = report.models[0];
  model.result.findings[0].path = "base.toml";
  model.result.findings[0].span = {6, 11};
  CHECK(report::text(model.result.findings[0], model, report::Style{}).find("  --> base.toml\n") !=
        std::string::npos);
  model.other_sources["base.toml"] = "x = 1\n50257\n";
  CHECK(report::text(model.result.findings[0], model, report::Style{})
            .find("  --> base.toml:2:1\n   |\n 2 | 50257\n   | ^^^^^\n") != std::string::npos);
  CHECK(report::json(report).find("\"path\": \"base.toml\"") != std::string::npos);
}

TEST_CASE("nothing found is said in one line per model", "[report]") {
  auto report = tests::one_gpu_report();
  report.models[0].result.findings.clear();
  report.models[0].result.gpus[0].applied.clear();
  CHECK(report::text(report, {report::Style{}}) ==
        R"(a100-sxm4-80gb: training step, 2.652 B parameters, bf16, unfused attention,
  8,192 tokens
       step    MFU
  now  1.50 s  41.2 %
       1.40 s to 1.83 s (80 % interval)
gpt.toml: nothing found
)");
}

TEST_CASE("what is not shown is counted, and what was not looked at is said", "[report]") {
  auto report = tests::one_gpu_report();
  lint::ModelReport& model = report.models[0];
  model.result.gpus[0].applied.clear();
  rules::Finding micro = model.result.findings[0];
  micro.severity = rules::Severity::info;
  rules::Finding gap = micro;
  gap.code = "SL912";
  gap.brief = "not costed: linear attention in 24 of 32 layers";
  model.result.findings.clear();
  model.hidden = {micro, gap};
  CHECK(report::text(report, {}) ==
        R"(a100-sxm4-80gb: training step, 2.652 B parameters, bf16, unfused attention,
  8,192 tokens
  not costed: linear attention in 24 of 32 layers (SL912)
       step    MFU
  now  1.50 s  41.2 %
       1.40 s to 1.83 s (80 % interval)
gpt.toml: no error or warning; 2 infos hidden (the largest, SL201, saves
16.2 ± 3.0 %): `--min-severity info` shows them
)");
  CHECK(report::text(report, {{}, true}).empty());
}

TEST_CASE("what rests on an assumed number of tokens is folded into one line", "[report]") {
  auto report = tests::one_gpu_report();
  lint::ModelReport& model = report.models[0];
  model.result.gpus[0].applied.clear();
  model::set(model.reading.setup, model::FieldId::micro_batch_size, 1);
  model::set(model.reading.setup, model::FieldId::sequence_length, 2048);
  const auto by_default = [&](model::FieldId field, const char* note) {
    model.reading.origins[field].kind = model::Origin::Kind::defaulted;
    model.reading.origins[field].note = note;
  };
  by_default(model::FieldId::micro_batch_size, "shapelint's default");
  by_default(model::FieldId::sequence_length, "assumed: the file does not state it");
  // What a framework does unless it is told is no guess.
  by_default(model::FieldId::dtype, "Megatron's default");
  rules::Finding waves = model.result.findings[0];
  waves.code = "SL301";
  waves.rule = "wave-tail";
  waves.gain = 0.015;
  waves.assumed = {model::FieldId::micro_batch_size, model::FieldId::sequence_length};
  rules::Finding tiles = waves;
  tiles.code = "SL202";
  tiles.rule = "partial-token-tiles";
  tiles.assumed = {model::FieldId::micro_batch_size};
  model.result.findings = {waves, tiles};
  CHECK(report::text(report, {}) ==
        R"(warning: 2 findings with an assumed micro_batch_size 1 and sequence_length
  2048 (`--verbose` shows them): wave-tail (SL301) 1.5 %, partial-token-tiles
  (SL202) 1.5 %

a100-sxm4-80gb: training step, 2.652 B parameters, bf16, unfused attention,
  8,192 tokens
  assumed: micro_batch_size 1, sequence_length 2048; set with
    `--micro-batch-size` …
       step    MFU
  now  1.50 s  41.2 %
       1.40 s to 1.83 s (80 % interval)
gpt.toml: 2 warnings
Explain a rule: shapelint explain SL301
)");
  CHECK(report::text(report, {{}, false, true}).find("   = note: assumes micro_batch_size 1 and") !=
        std::string::npos);
  CHECK(report::json(report).find("\"micro_batch_size\",\n") != std::string::npos);
}

TEST_CASE("how a framework does what is proposed stands with the finding", "[report]") {
  auto report = tests::one_gpu_report();
  lint::ModelReport& model = report.models[0];
  // What the file states is told as it is written there.
  model.result.findings[0].how = "`--num-attention-heads 20`";
  CHECK(report::text(model.result.findings[0], model, {})
            .find("   = fix: num_attention_heads = 20 (head_dim 128)\n") != std::string::npos);
}

TEST_CASE("quiet shows what fails alone", "[report]") {
  auto report = tests::one_gpu_report();
  report.models[0].fail_level = rules::Severity::error;
  CHECK(report::text(report, {{}, true}) ==
        R"(error[SL401]: 32 attention heads are not divisible by `tensor` 3 (heads-not-divisible)
  --> gpt.toml
   = note: tensor = 3 was given on the command line

)");
}

TEST_CASE("findings of several files are grouped by file, a few lines each", "[report]") {
  lint::Report report = tests::one_gpu_report();
  report.models.push_back(tests::two_gpu_report().models[0]);
  lint::ModelReport& second = report.models[1];
  second.path = second.reading.path = "two models.toml";
  second.result.findings[0].path = second.path;
  second.gpus_assumed = false;
  report.models.push_back(second);
  report.models[2].reading.name = "vision";
  report.models[2].result.findings[0].path = "base.toml";
  lint::ModelReport clean = tests::gpt();
  clean.path = "clean.toml";
  report.models.push_back(clean);
  report.not_whole = 2;
  report.not_recognised = 1300;
  CHECK(report::text(report, {}) ==
        R"(gpt.toml: 1 error, 1 warning
  4:23 warning[SL201]: `head_dim` 80 is not a multiple of 64 (16.2 ± 3.0 %)
  - error[SL401]: 32 attention heads are not divisible by `tensor` 3

two models.toml: 2 warnings
  5:14 warning[SL101]: gpt: 50257 rows of vocabulary are odd (7.3 % on
      a100-sxm4-80gb, 4.1 % on h100-sxm)
  base.toml:- warning[SL101]: vision: 50257 rows of vocabulary are odd
      (7.3 % on a100-sxm4-80gb, 4.1 % on h100-sxm)

checked 4 models in 3 files for a100-sxm4-80gb: 1 error, 3 warnings
not checked: 2 files with an incomplete model, 1,300 files without a model (see
`--verbose`)
Explain a rule: shapelint explain SL201
)");
  // In full where it is asked for, with every way out.
  const std::string full = report::text(report, {{}, false, true});
  CHECK(full.find("  --> gpt.toml:4:23\n") != std::string::npos);
  CHECK(full.find("= 40 (head_dim 64); saves 11.0 %") != std::string::npos);
  CHECK(full.find("clean.toml: nothing found\n") != std::string::npos);
}

TEST_CASE("findings of many files are listed by rule, with the worst place of each", "[report]") {
  lint::Report report;
  for (int i = 0; i < 40; ++i) {
    lint::Report one = i == 3 ? tests::one_gpu_report() : tests::two_gpu_report();
    lint::ModelReport& model = one.models[0];
    model.path = "configs/m" + std::to_string(i) + ".toml";
    model.gpus_assumed = false;
    for (rules::Finding& finding : model.result.findings) finding.path = model.path;
    if (i != 3) model.result.findings[0].gain = 0.001 * i;
    report.models.push_back(model);
  }
  CHECK(report::text(report, {}) ==
        R"(rule                                         files   saves  largest in
  error[SL401] heads-not-divisible               1   fails  m3.toml
warning[SL201] head-dim-misaligned               1  16.2 %  m3.toml:4:23
warning[SL101] vocab-misaligned                 39   3.9 %  m39.toml:5:14

checked 40 models: 1 error, 40 warnings
Explain a rule: shapelint explain SL101
)");
}

TEST_CASE("a long path in the list by rule keeps the name of its file", "[report]") {
  lint::Report report;
  for (int i = 0; i < 40; ++i) {
    lint::Report one = tests::two_gpu_report();
    lint::ModelReport& model = one.models[0];
    model.path = fmt::format("{}/vision-language/pretraining/m{}.toml", i == 0 ? "a" : "experiments", i);
    for (rules::Finding& finding : model.result.findings) finding.path = model.path;
    model.result.findings[0].gain = 0.001 * i;
    report.models.push_back(model);
  }
  report::RenderOptions options;
  options.style.window = 80;
  const std::string text = report::text(report, options);
  CHECK(text.find("…/m39.toml:5:14\n") != std::string::npos);
  options.style.window = 100;
  CHECK(report::text(report, options).find("experiments/…/m39.toml:5:14\n") != std::string::npos);
}

TEST_CASE("colour changes nothing but colour", "[report]") {
  const auto report = tests::one_gpu_report();
  std::string colored = report::text(report, {report::Style{true}});
  CHECK(colored.find("\x1b[1;33mwarning[SL201]\x1b[0m") != std::string::npos);
  std::string plain;
  for (std::size_t i = 0; i < colored.size(); ++i) {
    if (colored[i] == '\x1b') {
      i = colored.find('m', i);
    } else {
      plain += colored[i];
    }
  }
  CHECK(plain == report::text(report, {report::Style{}}));
}
