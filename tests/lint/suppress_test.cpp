// Comments that silence findings: every form takes away exactly the finding that it names.
#include "lint/suppression/suppress.hpp"

#include <fmt/format.h>
#include <rapidcheck.h>

#include "tests/catch.hpp"

using namespace shapelint;

namespace {

// A finding about the first value after `key` in the text.
rules::Finding about(const std::string& source, const std::string& key, std::string_view code,
                     std::string_view rule) {
  rules::Finding finding;
  finding.code = code;
  finding.rule = rule;
  finding.path = "m";
  const std::size_t begin = source.find_first_of("0123456789", source.find(key));
  const std::size_t end = source.find_first_not_of("0123456789", begin);
  finding.span = {static_cast<std::int64_t>(begin), static_cast<std::int64_t>(std::min(end, source.size()))};
  return finding;
}

std::vector<lint::Suppression> suppressions(const std::string& path, const std::string& source) {
  return lint::read_suppressions(text::parse_source(path, source, text::Syntax::toml));
}

struct Applied {
  std::vector<std::string> left;
  std::vector<std::string> complaints;
  std::size_t removed = 0;
};

Applied apply(const std::string& path, const std::string& source, std::vector<rules::Finding> findings) {
  for (rules::Finding& finding : findings) finding.path = path;
  std::vector<rules::Finding> unused;
  Applied out;
  out.removed = lint::apply_suppressions(suppressions(path, source), path, {&findings},
                                         rules::builtin_rules(), {}, unused);
  for (const rules::Finding& finding : findings) out.left.emplace_back(finding.code);
  for (const rules::Finding& finding : unused) {
    CHECK(finding.code == "SL900");
    out.complaints.push_back(source.substr(static_cast<std::size_t>(finding.span.begin),
                                           static_cast<std::size_t>(finding.span.end - finding.span.begin)) +
                             ": " + finding.message + "; " + finding.note);
  }
  return out;
}

using Codes = std::vector<std::string>;

}  // namespace

TEST_CASE("a comment after a value holds for its line", "[suppress]") {
  const std::string source =
      "[model]\nhidden_size = 2570 # shapelint: ignore[SL102] the tokens are odd\nvocab_size = 50257\n";
  const Applied applied = apply("m.toml", source,
                                {about(source, "hidden_size", "SL102", "hidden-misaligned"),
                                 about(source, "hidden_size", "SL301", "wave-tail"),
                                 about(source, "vocab_size", "SL102", "hidden-misaligned")});
  CHECK(applied.left == Codes{"SL301", "SL102"});
  CHECK(applied.removed == 1);
  CHECK(applied.complaints.empty());
  CHECK(suppressions("m.toml", source).at(0).reason == "the tokens are odd");
}

TEST_CASE("a comment on its own line holds for the next key and what is in it", "[suppress]") {
  const std::string source =
      "# shapelint: ignore[SL1]\n\n# something else\nmodel:\n  hidden: 2570\n  vocab: 50257\nrun:\n  batch: "
      "7\n";
  const Applied applied = apply("m.yaml", source,
                                {about(source, "hidden", "SL102", "hidden-misaligned"),
                                 about(source, "vocab", "SL101", "vocab-misaligned"),
                                 about(source, "batch", "SL105", "sequence-misaligned")});
  CHECK(applied.left == Codes{"SL105"});
  const std::string inner =
      "model:\n  # shapelint: ignore[vocab-misaligned, SL102]\n  vocab: 50257\n  hidden: 2570\n";
  const Applied second = apply("m.yaml", inner,
                               {about(inner, "hidden", "SL102", "hidden-misaligned"),
                                about(inner, "vocab: ", "SL101", "vocab-misaligned")});
  CHECK(second.left == Codes{"SL102"});
  CHECK(second.complaints == Codes{"SL102: `SL102` reports nothing here; remove the comment"});
  // A name that the rule had in an earlier version.
  const std::string former = "model:\n  # shapelint: ignore[mlp-width-misaligned]\n  width: 3414\n";
  const Applied third =
      apply("m.yaml", former, {about(former, "width: ", "SL103", "intermediate-size-misaligned")});
  CHECK(third.left.empty());
  CHECK(third.complaints.empty());
}

TEST_CASE("`file-ignore` holds wherever a finding is, and where nothing states the value", "[suppress]") {
  const std::string source = "[model]\nvocab_size = 50257\n# shapelint: file-ignore[SL101]\n";
  rules::Finding nowhere;
  nowhere.code = "SL101";
  const Applied applied =
      apply("m.toml", source, {about(source, "vocab_size", "SL101", "vocab-misaligned"), nowhere});
  CHECK(applied.left.empty());
  CHECK(applied.removed == 2);
}

TEST_CASE("shell scripts and JSON with comments", "[suppress]") {
  const std::string shell =
      "#!/bin/bash\nARGS=\"# shapelint: ignore[SL101]\"\n# shapelint: ignore[SL102]\ntrain --hidden-size "
      "2570 \\\n"
      "  --vocab 50257\nother --seq 7 # shapelint: ignore[SL105]\n";
  CHECK(suppressions("m.sh", shell).size() == 2);
  CHECK(apply("m.sh", shell,
              {about(shell, "--hidden", "SL102", "hidden-misaligned"),
               about(shell, "--vocab", "SL102", "hidden-misaligned"),
               about(shell, "--seq", "SL105", "sequence-misaligned"),
               about(shell, "--seq", "SL102", "hidden-misaligned")})
            .left == Codes{"SL102"});
  const std::string commented =
      "{\"vocab\": 50257, // shapelint: ignore[SL101] padded later\n \"hidden\": 2570}\n";
  CHECK(apply("m.json", commented,
              {about(commented, "vocab", "SL101", "vocab-misaligned"),
               about(commented, "hidden", "SL101", "x")})
            .left == Codes{"SL101"});
}

TEST_CASE("what stands in a string is no comment", "[suppress]") {
  CHECK(suppressions("m.toml", "name = \"# shapelint: ignore[SL101]\"\n").empty());
  CHECK(suppressions("m.toml", "name = '''\n# shapelint: ignore[SL101]\n'''\n").empty());
  CHECK(suppressions("m.yaml", "name: |\n  # shapelint: ignore[SL101]\n").empty());
  CHECK(suppressions("m.yaml", "name: a# shapelint: ignore[SL101]\n").empty());
  CHECK(suppressions("m.toml", "# see shapelint: ignore[SL101] there\n").empty());
  CHECK(suppressions("m.toml", "# shapelint: whatever\n").empty());
}

TEST_CASE("any number of comments, each for its own line or key", "[suppress]") {
  static constexpr int count = 20000;
  const auto of_syntax = [](const std::string& path, const std::string& assigned) {
    std::string source;
    for (int i = 0; i < count; ++i) {
      source += i % 2 == 0 ? fmt::format("k{}{}{} # shapelint: ignore[SL101]\n", i, assigned, i)
                           : fmt::format("# shapelint: ignore[SL101]\nk{}{}'# shapelint: ignore[SL102]'\n", i,
                                         assigned);
    }
    const std::vector<lint::Suppression> all = suppressions(path, source);
    REQUIRE(all.size() == count);
    for (std::size_t i = 0; i < all.size(); ++i) {
      const auto covered = static_cast<std::size_t>(all[i].covered->at(0).begin);
      const std::string line = source.substr(source.rfind('\n', covered) + 1, 10);
      REQUIRE(line.starts_with(fmt::format("k{}{}", i, assigned)));
    }
  };
  of_syntax("m.toml", " = ");
  of_syntax("m.yaml", ": ");
  of_syntax("m.sh", "=");
}

TEST_CASE("comments that silence nothing are told", "[suppress]") {
  CHECK(apply("m.toml", "a = 1 # shapelint: ignore[SL101]\n", {}).complaints ==
        Codes{"SL101: `SL101` reports nothing here; remove the comment"});
  CHECK(apply("m.toml", "a = 1 # shapelint: ignore\n", {}).complaints ==
        Codes{"# shapelint: ignore: the comment names no rule and has no effect; write `ignore[SL101]`, "
              "then why"});
  CHECK(apply("m.toml", "a = 1 # shapelint: ignore[vocab-misalinged]\n", {}).complaints ==
        Codes{"vocab-misalinged: unknown rule `vocab-misalinged`; did you mean `vocab-misaligned`?"});
}

TEST_CASE("every form takes away exactly its finding", "[suppress][property]") {
  const bool holds = rc::check([] {
    const int keys = *rc::gen::inRange(1, 8);
    const int target = *rc::gen::inRange(0, keys);
    const int form = *rc::gen::inRange(0, 3);
    const int syntax = *rc::gen::inRange(0, 3);
    const std::vector<std::string> paths{"m.toml", "m.yaml", "m.json"};
    const std::string sign = syntax == 2 ? "//" : "#";
    std::string source = syntax == 2 ? "{\n" : "";
    for (int i = 0; i < keys; ++i) {
      const std::string comment =
          fmt::format("{} shapelint: {}[SL10{}]", sign, form == 2 ? "file-ignore" : "ignore", i);
      if (i == target && form == 1) source += comment + "\n";
      const std::string value = std::to_string(*rc::gen::inRange(1, 99999));
      source += syntax == 0   ? fmt::format("key{} = {}", static_cast<char>('a' + i), value)
                : syntax == 1 ? fmt::format("key{}: {}", static_cast<char>('a' + i), value)
                              : fmt::format("\"key{}\": {}{}", static_cast<char>('a' + i), value,
                                            i + 1 < keys ? "," : "");
      if (i == target && form != 1) source += " " + comment;
      source += *rc::gen::element(std::string("\n"), std::string("\n\n"), std::string("\r\n"));
    }
    if (syntax == 2) source += "}\n";
    std::vector<std::string> codes;
    for (int i = 0; i < keys; ++i) codes.push_back(fmt::format("SL10{}", i));
    std::vector<rules::Finding> findings;
    Codes expected;
    for (int i = 0; i < keys; ++i) {
      // Each key has its own finding and one of the target's rule; a file-ignore takes all of the latter.
      const std::string key = fmt::format("key{}", static_cast<char>('a' + i));
      const auto index = static_cast<std::size_t>(i);
      findings.push_back(about(source, key, codes[index], "none"));
      if (i != target) expected.push_back(codes[index]);
      if (form != 2 && i != target) {
        findings.push_back(about(source, key, codes[static_cast<std::size_t>(target)], "none"));
        expected.push_back(codes[static_cast<std::size_t>(target)]);
      }
    }
    RC_LOG() << source;
    RC_ASSERT(apply(paths[static_cast<std::size_t>(syntax)], source, findings).left == expected);
  });
  CHECK(holds);
}

TEST_CASE("a thousand comments that silence nothing are listed, and no more", "[suppress]") {
  const auto refused = [](const std::string& source) {
    std::vector<rules::Finding> unused;
    lint::apply_suppressions(suppressions("m.toml", source), "m.toml", {}, rules::builtin_rules(), {},
                             unused);
    CHECK(unused.size() <= 1001);
    const auto error = lint::too_many_unused(unused);
    return error ? error->message : std::string();
  };
  std::string comments;
  std::string rules;
  for (int i = 0; i < 1000; ++i) {
    comments += "# shapelint: ignore[SL101]\n";
    rules += fmt::format("{}SL101", i == 0 ? "" : ",");
  }
  const std::string why = "more than 1,000 comments silence nothing";
  CHECK(refused(comments + "a = 1\n").empty());
  CHECK(refused(comments + comments + "a = 1\n") == why);
  CHECK(refused("# shapelint: ignore\n" + comments + "a = 1\n") == why);
  CHECK(refused("# shapelint: file-ignore[" + rules + "]\na = 1\n").empty());
  CHECK(refused("# shapelint: file-ignore[" + rules + ",SL102]\na = 1\n") == why);
}
