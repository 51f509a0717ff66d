// Baselines: written and read back they know every finding, and nothing else.
#include "lint/suppression/baseline.hpp"

#include <rapidcheck.h>

#include "tests/catch.hpp"

using namespace shapelint;

namespace {

const std::vector<std::string_view> known_codes{"SL101", "SL102", "SL301"};

rules::Finding finding(std::size_t code, std::string key, Span span) {
  rules::Finding out;
  out.code = known_codes[code];
  out.key_path = std::move(key);
  out.span = span;
  return out;
}

std::size_t apply(lint::Baseline& known, const std::string& path, const std::string& source,
                  std::vector<rules::Finding>& findings) {
  return std::erase_if(findings, [&](const rules::Finding& each) {
    return lint::take(known, lint::baseline_key(each, path, source));
  });
}

}  // namespace

TEST_CASE("a baseline is sorted and names no lines", "[baseline]") {
  lint::Baseline baseline;
  const std::string source = "a = 50257\n";
  ++baseline[lint::baseline_key(finding(1, "model.b", {}), "z.toml", source)];
  ++baseline[lint::baseline_key(finding(0, "model.a", {4, 9}), "a \"b\".toml", source)];
  ++baseline[lint::baseline_key(finding(0, "model.a", {4, 9}), "a \"b\".toml", source)];
  CHECK(lint::baseline_text(baseline) == R"({
  "format": "shapelint-baseline",
  "version": 1,
  "findings": [
    {
      "path": "a \"b\".toml",
      "rule": "SL101",
      "key": "model.a",
      "value": "50257",
      "count": 2
    },
    {
      "path": "z.toml",
      "rule": "SL102",
      "key": "model.b",
      "value": "",
      "count": 1
    }
  ]
}
)");
}

TEST_CASE("a changed value is new, and so is one more of the same", "[baseline]") {
  const std::string source = "a = 50257\n";
  lint::Baseline known;
  ++known[lint::baseline_key(finding(0, "a", {4, 9}), "m", source)];
  std::vector<rules::Finding> same{finding(0, "a", {4, 9})};
  lint::Baseline copy = known;
  CHECK(apply(copy, "m", source, same) == 1);
  std::vector<rules::Finding> twice{finding(0, "a", {4, 9}), finding(0, "a", {4, 9})};
  copy = known;
  CHECK(apply(copy, "m", source, twice) == 1);
  CHECK(twice.size() == 1);
  std::vector<rules::Finding> other{finding(0, "a", {4, 9})};
  copy = known;
  CHECK(apply(copy, "m", "a = 50259\n", other) == 0);
  // Lines above do not matter.
  std::vector<rules::Finding> moved{finding(0, "a", {6, 11})};
  copy = known;
  CHECK(apply(copy, "m", "\n\na = 50257\n", moved) == 1);
}

TEST_CASE("a baseline written and read back leaves nothing", "[baseline][property]") {
  const bool holds = rc::check([] {
    const auto source = *rc::gen::container<std::string>(rc::gen::arbitrary<char>());
    const auto count = *rc::gen::inRange<std::size_t>(0, 12);
    std::vector<rules::Finding> findings;
    lint::Baseline written;
    const auto path = *rc::gen::arbitrary<std::string>();
    for (std::size_t i = 0; i < count; ++i) {
      const auto size = static_cast<std::int64_t>(source.size());
      const auto begin = *rc::gen::inRange<std::int64_t>(0, size + 1);
      const auto end = *rc::gen::inRange<std::int64_t>(begin, size + 1);
      findings.push_back(finding(*rc::gen::inRange<std::size_t>(0, known_codes.size()),
                                 *rc::gen::arbitrary<std::string>(), {begin, end}));
      ++written[lint::baseline_key(findings.back(), "p", source)];
    }
    auto read = lint::read_baseline("b.json", lint::baseline_text(written));
    RC_ASSERT(static_cast<bool>(read));
    RC_ASSERT(*read == written);
    RC_ASSERT(apply(*read, "p", source, findings) == count);
    RC_ASSERT(findings.empty());
  });
  CHECK(holds);
}

TEST_CASE("what is no baseline is refused at its place", "[baseline]") {
  const auto message = [](const char* text) {
    const auto read = lint::read_baseline("b.json", text);
    return read ? std::string("read") : read.error().message;
  };
  CHECK(message("{\"findings\": []}") == "not a shapelint baseline file");
  CHECK(message("{\"format\": \"shapelint-baseline\", \"version\": 2}") ==
        "only version 1 of a baseline is supported");
  CHECK(message("{\"format\": \"shapelint-baseline\", \"version\": 1, \"findings\": [{\"path\": \"a\"}]}") ==
        "an entry needs `path`, `rule`, `key`, `value` and a `count` of 1 or more");
  CHECK(message("{\"format\": \"shapelint-baseline\", \"version\": 1, \"findings\": []}") == "read");
}

TEST_CASE("counts of a baseline that add up to more than any file has stay at the most", "[baseline]") {
  const std::string entry =
      R"({"path": "a", "rule": "SL101", "key": "", "value": "", "count": 9223372036854775807})";
  const auto read =
      lint::read_baseline("b.json", R"({"format": "shapelint-baseline", "version": 1, "findings": [)" +
                                        entry + "," + entry + "]}");
  REQUIRE(read);
  REQUIRE(read->size() == 1);
  CHECK(read->begin()->second == 1'000'000'000);
}

TEST_CASE("paths in a baseline are relative to it", "[baseline]") {
  CHECK(lint::path_in_baseline("baseline.json", "./a/b.toml", "/project") == "a/b.toml");
  CHECK(lint::path_in_baseline("ci/baseline.json", "a/b.toml", "/project") == "../a/b.toml");
}
