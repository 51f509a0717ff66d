// JUnit's XML, as continuous integration reads it: what a test is called, and what is no pass.
#include <regex>
#include <set>
#include <string>
#include <vector>

#include "report/formats.hpp"
#include "tests/catch.hpp"
#include "tests/report/findings/report_support.hpp"

using namespace shapelint;

namespace {

// "SL101 | gpt.toml:5:14: SL101 vocab-misaligned".
std::vector<std::string> tests_of(const std::string& xml) {
  static const std::regex test("<testcase name=\"([^\"]*)\" classname=\"(?:shapelint\\.)?([^\"]*)\"");
  std::vector<std::string> tests;
  for (auto at = std::sregex_iterator(xml.begin(), xml.end(), test); at != std::sregex_iterator(); ++at)
    tests.push_back((*at)[2].str() + " | " + (*at)[1].str());
  return tests;
}

std::string element_after(const std::string& xml, const std::string& name) {
  const std::size_t at = xml.find("name=\"" + name + "\"");
  if (at == std::string::npos) return {};
  const std::size_t begin = xml.find('<', at);
  return xml.substr(begin, xml.find('\n', begin) - begin);
}

rules::Finding gap(const lint::ModelReport& model) {
  rules::Finding finding;
  finding.code = "SL912";
  finding.rule = "layers-not-modeled";
  finding.severity = rules::Severity::info;
  finding.message = "4 of 8 layers have linear attention, which is not costed";
  finding.brief = "not costed: linear attention in 4 of 8 layers";
  finding.path = model.path;
  return finding;
}

}  // namespace

TEST_CASE("a test is called by file, place, rule, model and GPU, and no two alike", "[report][junit]") {
  lint::Report report = tests::two_gpu_report();
  report.models.push_back(report.models[0]);
  report.models[1].reading.name = "vision";
  // Each GPU has a finding of its own, at one place.
  for (lint::ModelReport& model : report.models) {
    model.result.findings.push_back(model.result.findings[0]);
    model.result.findings[0].gpu = "a100-sxm4-80gb";
    model.result.findings[1].gpu = "h100-sxm";
  }
  // Twice the same, as far as names tell.
  report.models[1].result.findings.push_back(report.models[1].result.findings[1]);
  const std::vector<std::string> names = tests_of(report::junit(report));
  CHECK(names ==
        std::vector<std::string>{"SL101 | gpt.toml:5:14: SL101 vocab-misaligned, gpt, on a100-sxm4-80gb",
                                 "SL101 | gpt.toml:5:14: SL101 vocab-misaligned, gpt, on h100-sxm",
                                 "SL101 | gpt.toml:5:14: SL101 vocab-misaligned, vision, on a100-sxm4-80gb",
                                 "SL101 | gpt.toml:5:14: SL101 vocab-misaligned, vision, on h100-sxm",
                                 "SL101 | gpt.toml:5:14: SL101 vocab-misaligned, vision, on h100-sxm (2)"});
}

TEST_CASE("a test keeps its name when its numbers change", "[report][junit]") {
  lint::Report report = tests::two_gpu_report();
  const auto before = tests_of(report::junit(report));
  report.models[0].result.findings[0].message = "50258 rows of vocabulary are even";
  CHECK(tests_of(report::junit(report)) == before);
  REQUIRE(before.size() == 1);
}

TEST_CASE("what was not looked at is skipped, shown or not", "[report][junit]") {
  lint::Report report = tests::two_gpu_report();
  lint::ModelReport& model = report.models[0];
  const std::string name = "gpt.toml: SL912 layers-not-modeled";
  const std::string skipped =
      "<skipped message=\"4 of 8 layers have linear attention, which is not costed\" "
      "type=\"info\">gpt.toml</skipped>";
  const rules::Finding vocab = model.result.findings[0];
  model.hidden = {gap(model)};
  const std::string hidden = report::junit(report);
  CHECK(element_after(hidden, name) == skipped);
  CHECK(hidden.find("tests=\"2\" failures=\"1\" errors=\"0\" skipped=\"1\"") != std::string::npos);
  model.result.findings.push_back(gap(model));
  model.hidden.clear();
  CHECK(report::junit(report) == hidden);
  // What was looked at is fine.
  model.result.findings = {gap(model)};
  CHECK(tests_of(report::junit(report)) ==
        std::vector<std::string>{"SL912 | " + name, "shapelint | gpt.toml: no findings"});
}

TEST_CASE("a model of which nothing could be predicted has not passed", "[report][junit]") {
  lint::Report report = tests::two_gpu_report();
  report.models[0].result.gpus.clear();
  report.models[0].result.findings.clear();
  CHECK(
      element_after(report::junit(report), "gpt.toml: not checked") ==
      "<skipped message=\"too little is known about the model to predict a step\" type=\"info\"></skipped>");
  CHECK(element_after(report::junit({}), "shapelint: not checked") ==
        "<skipped message=\"no file was checked\" type=\"info\"></skipped>");
}

TEST_CASE("an info passes and says what it says", "[report][junit]") {
  lint::Report report = tests::two_gpu_report();
  report.models[0].result.findings[0].severity = rules::Severity::info;
  const std::string out = report::junit(report);
  CHECK(element_after(out, "gpt.toml:5:14: SL101 vocab-misaligned")
            .starts_with("<system-out>gpt.toml:5:14&#10;50257 rows of vocabulary are odd&#10;"));
  CHECK(out.find("tests=\"1\" failures=\"0\" errors=\"0\" skipped=\"0\"") != std::string::npos);
}
