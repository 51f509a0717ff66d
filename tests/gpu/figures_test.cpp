// Sources: every figure of the catalogue has some, and each is registered.
#include "gpu/figures.hpp"

#include <algorithm>
#include <set>
#include <string>

#include "catalog/catalog.hpp"
#include "gpu/registry.hpp"
#include "tests/catch.hpp"
#include "text/toml/toml.hpp"

using namespace shapelint;
using namespace shapelint::gpu;

namespace {

const Figure* find(const Facts& facts, std::string_view name) {
  const auto found = std::find_if(facts.figures.begin(), facts.figures.end(),
                                  [&](const Figure& figure) { return figure.name == name; });
  return found == facts.figures.end() ? nullptr : &*found;
}

void check_sources(const Facts& facts) {
  for (const Figure& figure : facts.figures) {
    INFO(figure.file << " " << figure.name);
    CHECK_FALSE(figure.sources.empty());
  }
  for (const std::string_view key : facts.sources) {
    INFO(key);
    CHECK(find_source(key));
  }
}

}  // namespace

TEST_CASE("every figure of the catalogue has a source, and every source is registered") {
  for (const text::Document& document : catalog::builtin("gpus")) check_sources(facts_of_gpu(document));
  for (const text::Document& document : catalog::builtin("gpus/architectures")) {
    check_sources(facts_of_architecture(document));
  }
}

TEST_CASE("every registered source says what it is and how it was read") {
  const std::set<std::string_view> grades = {"read", "quoted", "measured", "unverified"};
  REQUIRE(catalog::builtin("gpus/sources").size() == 1);
  for (const text::NodeRef entry : catalog::builtin("gpus/sources")[0].root()) {
    INFO(entry.key());
    const auto source = find_source(entry.key());
    REQUIRE(source);
    CHECK_FALSE(source->title.empty());
    CHECK(grades.count(source->grade) == 1);
    for (const text::NodeRef field : entry) {
      INFO(field.key());
      const std::set<std::string_view> known = {"title", "url", "grade", "note"};
      CHECK(known.count(field.key()) == 1);
    }
  }
  CHECK_FALSE(find_source("no-such-source"));
}

TEST_CASE("a figure has its own sources, or else its file's") {
  const Facts facts = facts_of_gpu(**find_profile("h100"));
  const Figure* sms = find(facts, "sm_count");
  REQUIRE(sms != nullptr);
  CHECK(sms->value.as_integer() == 132);
  CHECK(sms->sources ==
        std::vector<std::string_view>{"hopper-in-depth", "device-blackwell", "hopper-readings"});
  CHECK(sms->note.find("144") != std::string_view::npos);
  const Figure* power = find(facts, "tdp_w");
  REQUIRE(power != nullptr);
  CHECK(power->unit == "W");
  CHECK(power->sources.front() == "ml-engineering");
}

TEST_CASE("figures of a profile that builds on another say which file states them") {
  const auto document = text::parse_toml("mine.toml",
                                         "based_on = \"t4\"\n"
                                         "boost_clock_mhz = 1005\n"
                                         "sources = [\"our own reading\"]\n");
  REQUIRE(document);
  const Facts facts = facts_of_gpu(*document);
  CHECK(find(facts, "boost_clock_mhz")->file == "mine");
  CHECK(find(facts, "boost_clock_mhz")->sources == std::vector<std::string_view>{"our own reading"});
  CHECK(find(facts, "sm_count")->file == "t4");
}
