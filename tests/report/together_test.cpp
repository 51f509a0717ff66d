// A change that mends several findings is told once.
#include "report/together.hpp"

#include "tests/catch.hpp"

using namespace shapelint;
using rules::Finding;
using rules::Severity;

namespace {

Finding finding(std::int32_t number, std::string_view code, Severity severity,
                std::vector<std::int32_t> mends) {
  Finding out;
  out.number = number;
  out.code = code;
  out.rule = "rule";
  out.severity = severity;
  out.mends = std::move(mends);
  return out;
}

// "A1: mends rule (A2), too", one line for each finding that is tied to others.
std::string ties_text(const std::vector<Finding>& findings) {
  std::vector<const Finding*> shown;
  for (const Finding& each : findings) shown.push_back(&each);
  auto ties = report::ties_of(shown);
  std::string out;
  for (const Finding& each : findings) {
    const report::Tie& tie = ties[&each];
    const std::string text = report::also_mends(tie) + report::mended_text(tie);
    if (!text.empty()) out += std::string(each.code) + ": " + text + '\n';
  }
  return out;
}

}  // namespace

TEST_CASE("the change that mends most findings is told, and the others refer to it", "[report]") {
  CHECK(ties_text({finding(0, "A1", Severity::error, {1}), finding(1, "A2", Severity::error, {0, 2}),
                   finding(2, "A3", Severity::warning, {}), finding(3, "A4", Severity::warning, {2})}) ==
        "A1: what rule (A2) proposes mends this, too\n"
        "A2: mends rule (A1) and rule (A3), too\n"
        "A3: what rule (A2) proposes mends this, too\n");
}

TEST_CASE("nothing hangs on a lesser finding, nor on one that is not shown", "[report]") {
  CHECK(ties_text({finding(0, "A1", Severity::warning, {}), finding(1, "A2", Severity::info, {0})}).empty());
  CHECK(
      ties_text({finding(0, "A1", Severity::warning, {7}), finding(1, "A2", Severity::warning, {})}).empty());
  CHECK(ties_text({finding(-1, "A1", Severity::warning, {}), finding(-1, "A2", Severity::warning, {})})
            .empty());
}
