// Every output format against its golden file (tests/golden/formats; UPDATE_GOLDEN=1 rewrites them). That
// other programs can read them is checked by tests/program/formats.py.
#include "report/formats.hpp"

#include "report/items.hpp"
#include "tests/catch.hpp"
#include "tests/golden.hpp"
#include "tests/report/findings/report_support.hpp"

using namespace shapelint;
using report::Format;

namespace {

// Findings with and without a place, two files, and two errors; text that needs escapes everywhere.
lint::Report sample() {
  lint::Report report = tests::one_gpu_report();
  lint::ModelReport odd = tests::two_gpu_report().models[0];
  odd.path = "./configs/a b/caf\xC3\xA9 & <co>.toml";
  odd.result.gpus.resize(1);
  for (rules::Finding& finding : odd.result.findings) {
    finding.path = odd.path;
    finding.severity = rules::Severity::info;
    finding.message = "50257 rows: 100% odd,\nor <so> | \"it\" `seems` @all";
    finding.gains.clear();
    finding.key_path = "model.vocab_size";
  }
  for (model::Origin& origin : odd.reading.origins) origin.path = odd.path;
  report.models.push_back(odd);
  report.errors.push_back(
      {{"unknown key `hiden_size`", "did you mean `hidden_size`?", "broken.toml", Span{8, 18}},
       "[model]\nhiden_size = 1\n"});
  report.errors.push_back({{"cannot be read: No such file or directory", "", "gone.toml", {}}, ""});
  lint::RuleInfo rule;
  rule.code = "SL201";
  rule.name = "head-dim-misaligned";
  rule.summary = "heads whose size is not aligned";
  rule.mechanism = "tensor cores read 64 elements at a time";
  rule.why = "A page with `code`.\n\nAnd a second paragraph.";
  rule.sources = {"a book", "a measurement"};
  rule.confidence = rules::Confidence::measured;
  report.rules = {rule};
  report.suppressed = 2;
  report.baselined = 12;
  return report;
}

std::string golden_name(std::string_view format) {
  const bool is_json = format == "json-lines" || format == "sarif" || format == "gitlab" ||
                       format == "rdjson" || format == "json" || format == "compact";
  const bool is_xml = format == "junit" || format == "checkstyle";
  return "tests/golden/formats/" + std::string(format) +
         (is_json                ? ".json"
          : is_xml               ? ".xml"
          : format == "markdown" ? ".md"
                                 : ".txt");
}

}  // namespace

TEST_CASE("each output format prints what its golden file says", "[report][formats]") {
  for (std::size_t i = 0; i < report::format_names.size(); ++i) {
    const std::string out = report::render(static_cast<Format>(i), sample());
    CHECK((out.empty() || out.back() == '\n'));
    const std::string difference =
        tests::compare_with_file(golden_name(report::format_names[i]), tests::wherever_home_is(out));
    CHECK(difference == "");
  }
}

TEST_CASE("statistics count findings and files by rule", "[report][formats]") {
  CHECK(report::statistics(sample(), {}) ==
        "     2  unreadable  unreadable (files: 2)\n"
        "     1  SL101  vocab-misaligned (files: 1)\n"
        "     1  SL201  head-dim-misaligned (files: 1)\n"
        "     1  SL401  heads-not-divisible (files: 1)\n");
}

TEST_CASE("a clean run prints nothing, or what a reader takes for success", "[report][formats]") {
  lint::Report clean = tests::one_gpu_report();
  clean.models[0].result.findings.clear();
  CHECK(report::render(Format::concise, clean).empty());
  CHECK(report::render(Format::github, clean).empty());
  const std::string lines = report::render(Format::json_lines, clean);
  CHECK(lines.starts_with("{\"type\":\"header\","));
  CHECK(lines.find("{\"type\":\"end\",\"error\":0,") != std::string::npos);
  CHECK(lines.find("\"finding\"") == std::string::npos);
  CHECK(report::render(Format::gitlab, clean) == "[]\n");
  CHECK(report::render(Format::text, clean, {{}, true}).empty());
  CHECK(report::render(Format::markdown, clean) == "<!-- shapelint -->\n### shapelint: nothing to improve\n");
  CHECK(report::render(Format::junit, clean).find("tests=\"1\" failures=\"0\"") != std::string::npos);
}

TEST_CASE("a line says which model and GPU it is about where there are several", "[report][formats]") {
  lint::Report report = tests::two_gpu_report();
  CHECK(report::render(Format::concise, report) ==
        "gpt.toml:5:14: warning: 50257 rows of vocabulary are odd [SL101] (7.3 % on a100-sxm4-80gb, 4.1 % on "
        "h100-sxm)\n");
  report.models.push_back(report.models[0]);
  report.models[1].reading.name = "vision";
  report.models[1].result.findings[0].gains.clear();
  report.models[1].result.findings[0].gain = 0;
  report.models[1].result.findings[0].gpu = "h100-sxm";
  CHECK(report::render(Format::concise, report) ==
        "gpt.toml:5:14: warning: gpt: 50257 rows of vocabulary are odd [SL101] (7.3 % on a100-sxm4-80gb, 4.1 "
        "% on "
        "h100-sxm)\n"
        "gpt.toml:5:14: warning: vision: 50257 rows of vocabulary are odd [SL101] (on h100-sxm)\n");
}

TEST_CASE("machine formats do not depend on the order of the files", "[report][formats]") {
  const lint::Report forth = sample();
  lint::Report back = sample();
  std::swap(back.models[0], back.models[1]);
  std::swap(back.errors[0], back.errors[1]);
  for (const Format format :
       {Format::concise, Format::json_lines, Format::sarif, Format::github, Format::gitlab, Format::junit,
        Format::checkstyle, Format::rdjson, Format::markdown}) {
    CHECK(report::render(format, forth) == report::render(format, back));
  }
}

TEST_CASE("GitHub is told the most severe first", "[report][formats]") {
  const std::string out = report::github(sample());
  CHECK(out.starts_with("::error "));
  CHECK(out.find("::notice ") > out.rfind("::warning "));
  CHECK(out.find("file=configs/a b/caf\xC3\xA9 & <co>.toml,") != std::string::npos);
  CHECK(out.find("100%25 odd, or") != std::string::npos);
}

TEST_CASE("a fix is offered only where the file states exactly the old value", "[report][formats]") {
  lint::Report report = tests::one_gpu_report();
  const auto fixes = [&] {
    for (const report::Item& item : report::items(report)) {
      if (item.code == "SL201") return item.fixes;
    }
    return std::vector<report::ItemFix>{};
  };
  REQUIRE(fixes().size() == 2);
  CHECK(fixes()[0].edits.at(0).text == "20");
  CHECK(fixes()[0].edits.at(0).region.begin.line == 4);
  // The file writes something else (32 in hexadecimal, an expression): nothing to put in its place.
  const std::string written = report.models[0].source;
  const std::size_t at = written.find("heads = 32") + 8;
  const auto write = [&](const std::string& value) {
    report.models[0].source = std::string(written).replace(at, 2, value);
  };
  write("xx");
  CHECK(fixes().empty());
  // Quotes are kept.
  write("\"32\"");
  const auto field = model::FieldId::num_attention_heads;
  report.models[0].reading.origins[field].span = {static_cast<std::int64_t>(at),
                                                  static_cast<std::int64_t>(at + 4)};
  REQUIRE(fixes().size() == 2);
  CHECK(fixes()[0].edits.at(0).text == "\"20\"");
}

TEST_CASE("fingerprints survive lines added above and tell findings apart", "[report][formats]") {
  const lint::Report report = sample();
  const std::vector<report::Item> before = report::items(report);
  lint::Report moved = sample();
  for (lint::ModelReport& model : moved.models) {
    model.source = "# a comment\n\n" + model.source.str();
    for (rules::Finding& finding : model.result.findings) {
      if (finding.span.end > 0) finding.span = {finding.span.begin + 13, finding.span.end + 13};
    }
  }
  const std::vector<report::Item> after = report::items(moved);
  REQUIRE(before.size() == after.size());
  for (std::size_t i = 0; i < before.size(); ++i) {
    CHECK(report::fingerprint(before[i], true) == report::fingerprint(after[i], true));
    for (std::size_t j = 0; j < i; ++j) {
      CHECK(report::fingerprint(before[i], true) != report::fingerprint(before[j], true));
    }
  }
}

TEST_CASE("a comment on a pull request stays short enough for GitHub", "[report][formats]") {
  lint::Report report = tests::one_gpu_report();
  const rules::Finding finding = report.models[0].result.findings[0];
  report.models[0].result.findings.assign(2000, finding);
  const std::string out = report::markdown(report);
  CHECK(out.size() <= 65'536);
  CHECK(out.find("more are not shown here") != std::string::npos);
}

TEST_CASE("paths are given without detours", "[report][formats]") {
  CHECK(report::tidy_path("./a//b/../c.toml") == "a/c.toml");
  CHECK(report::tidy_path("<stdin>") == "<stdin>");
  CHECK(report::tidy_path("../x.toml") == "../x.toml");
}

TEST_CASE("SARIF lists the rules that occur, not all that ran", "[report][formats]") {
  lint::Report report = sample();
  lint::RuleInfo other;
  other.code = "SL999";
  other.name = "never-found";
  report.rules.push_back(other);
  const std::string out = report::sarif(report);
  CHECK(out.find("SL201") != std::string::npos);
  CHECK(out.find("SL999") == std::string::npos);
}
