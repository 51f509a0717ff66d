// The linter as a whole, on files in memory: configuration, suppressions, baselines, outputs, order.
#include <fmt/format.h>
#include <rapidcheck.h>
#include <nlohmann/json.hpp>

#include "report/formats.hpp"
#include "tests/catch.hpp"
#include "tests/cli/run_support.hpp"
#include "tests/golden.hpp"
#include "tests/replaced.hpp"

using namespace shapelint;
using tests::odd;
using tests::plus;
using tests::replaced;
using tests::run;
using tests::with;

namespace {

// GPT-2 with a vocabulary that is fine.
const std::string even =
    "[model]\nhidden_size = 768\nnum_layers = 12\nnum_attention_heads = 12\nvocab_size = 50304\n"
    "[run]\nmicro_batch_size = 8\nsequence_length = 1024\n";

// The concise lines about rule SL101.
std::string vocabulary_lines(const tests::Ran& ran) {
  std::istringstream lines(ran.out);
  std::string out;
  for (std::string line; std::getline(lines, line);) {
    if (line.find("SL101") != std::string::npos) out += line.substr(0, line.find(": ")) + "\n";
  }
  return out;
}

const std::vector<std::string> concise{"lint", "m.toml", "--gpu", "a100", "--format", "concise"};

}  // namespace

TEST_CASE("`--exclude` leaves out what a folder holds, and with `--force-exclude` what is named", "[lint]") {
  const auto files = with({{"a/m.toml", odd}, {"a/old/m.toml", odd}, {"a/x.toml", odd}});
  const auto checked = [&](const std::vector<std::string>& more) {
    return vocabulary_lines(run(plus({"lint", "--gpu", "a100", "--format", "concise"}, more), files));
  };
  CHECK(checked({"a"}) == "a/m.toml:5:14\na/old/m.toml:5:14\na/x.toml:5:14\n");
  CHECK(checked({"a", "--exclude", "a/old/**"}) == "a/m.toml:5:14\na/x.toml:5:14\n");
  CHECK(checked({"a", "--exclude", "m.toml"}) == "a/x.toml:5:14\n");
  CHECK(checked({"a", "--exclude", "m.toml", "--exclude", "x.toml"}).empty());
  CHECK(checked({"a/m.toml", "--exclude", "m.toml"}) == "a/m.toml:5:14\n");
  CHECK(checked({"a/m.toml", "--exclude", "m.toml", "--force-exclude"}).empty());
}

TEST_CASE("a finding, and what silences it", "[lint]") {
  CHECK(vocabulary_lines(run(concise, with({{"m.toml", odd}}))) == "m.toml:5:14\n");
  CHECK(vocabulary_lines(run(concise, with({{"m.toml", even}}))).empty());
  const std::string commented = replaced(odd, "50257", "50257 # shapelint: ignore[SL101] as trained");
  CHECK(vocabulary_lines(run(concise, with({{"m.toml", commented}}))).empty());
  CHECK(vocabulary_lines(run(plus(concise, {"--no-ignores"}), with({{"m.toml", commented}}))) ==
        "m.toml:5:14\n");
  const std::string needless = replaced(even, "50304", "50304 # shapelint: ignore[SL101] as trained");
  const tests::Ran told = run(plus(concise, {"--min-severity", "info"}), with({{"m.toml", needless}}));
  CHECK(told.out.find("m.toml:5:40: info: `SL101` reports nothing here") != std::string::npos);
  const tests::Ran ignored = run(plus(concise, {"--ignore", "SL900"}), with({{"m.toml", needless}}));
  CHECK(ignored.out.find("SL900") == std::string::npos);
}

TEST_CASE("the configuration chooses rules, severities and GPUs", "[lint]") {
  const auto findings = [](const std::string& config, const std::vector<std::string>& more = {}) {
    return run(plus({"lint", "a/m.toml", "--format", "concise", "--select", "SL101"}, more),
               with({{"a/m.toml", odd}, {"shapelint.toml", config}}));
  };
  CHECK(findings("gpu = \"a100\"\n").code == 1);
  CHECK(vocabulary_lines(findings("gpu = \"a100\"\nignore = [\"SL101\"]\n")).empty());
  CHECK(vocabulary_lines(findings("gpu = \"a100\"\n[per-file-ignores]\n\"a/*\" = [\"SL1\"]\n")).empty());
  CHECK(vocabulary_lines(findings("gpu = \"a100\"\nseverity.SL101 = \"off\"\n")).empty());
  CHECK(findings("gpu = \"a100\"\nseverity.SL101 = \"info\"\n").code == 0);
  CHECK(findings("gpu = \"a100\"\nmin-gain = \"99%\"\n").code == 0);
  CHECK(findings("gpu = \"a100\"\nfail-level = \"error\"\n").code == 0);
  CHECK(findings("gpu = \"a100\"\nfail-level = \"error\"\n", {"--fail-level", "warning"}).code == 1);
  CHECK(findings("gpu = \"a100\"\n[[ignore-keys]]\nkey = \"model.vocab_size\"\nrules = [\"SL101\"]\n").code ==
        0);
  CHECK(findings("ignore = [\"SL101\"]\n", {"--isolated"}).code == 1);
  CHECK(findings("exclude = [\"a/*\"]\n").code == 1);  // named files are linted anyway
  CHECK(findings("exclude = [\"a/*\"]\n", {"--force-exclude"}).code == 0);
}

TEST_CASE("[[files]] states what the file does not", "[lint]") {
  const auto files = with(
      {{"m.toml", odd}, {"shapelint.toml", "[[files]]\nmatch = \"*.toml\"\ngpu = \"a100\"\ntensor = 5\n"}});
  const auto report =
      nlohmann::json::parse(run({"lint", "m.toml", "--format", "json", "--with", "fields"}, files).out);
  CHECK(report["gpus"].size() == 1);
  CHECK(report["models"][0]["fields"]["tensor"]["value"] == 5);
  const auto given = nlohmann::json::parse(
      run({"lint", "m.toml", "--format", "json", "--with", "fields", "--tensor", "1"}, files).out);
  CHECK(given["models"][0]["fields"]["tensor"]["value"] == 1);
}

TEST_CASE("an entry of ignore-keys for one file that silences nothing is told where it stands", "[lint]") {
  const auto lines = [](const std::string& config, const std::vector<std::string>& more = {}) {
    return run(plus({"lint", "a/m.toml", "--gpu", "a100", "--format", "concise", "--select",
                     "SL101,SL104,SL900"},
                    more),
               with({{"a/m.toml", odd}, {"shapelint.toml", config}}))
        .out;
  };
  const std::string entry = "[[ignore-keys]]\npath = \"a/m.toml\"\nkey = \"model.vocab_size\"\n";
  CHECK(lines(entry + "rules = [\"SL101\"]\n").empty());
  CHECK(lines(entry + "rules = [\"SL101\", \"SL104\"]\n") ==
        "shapelint.toml:4:19: info: `SL104` reports nothing at `model.vocab_size` of a/m.toml [SL900]\n");
  CHECK(lines(entry + "rules = [\"SL101\", \"SL102\"]\n").empty());  // SL102 did not run
  CHECK(lines(entry + "rules = [\"SL101\", \"SL104\"]\n", {"--ignore", "SL900"}).empty());
  // Other files of a pattern may need it.
  CHECK(lines("[[ignore-keys]]\npath = \"a/*.toml\"\nkey = \"model.vocab_size\"\nrules = [\"SL10\"]\n")
            .empty());
  CHECK(lines("[[ignore-keys]]\npath = \"a/*\"\nkey = \"model.num_layers\"\nrules = [\"SL104\"]\n")
            .find("SL900") == std::string::npos);
}

TEST_CASE("annotations link to the pages of the rules", "[lint][formats]") {
  const std::string page = "https://example.org/rules/SL101-vocab-misaligned.md";
  const auto files = with(
      {{"m.toml", odd}, {"shapelint.toml", "rule-url = \"https://example.org/rules/{code}-{name}.md\"\n"}});
  const auto printed = [&](const char* format) {
    return run({"lint", "m.toml", "--gpu", "a100", "--select", "SL101", "--format", format}, files).out;
  };
  CHECK(printed("github").ends_with("%0Amore: `shapelint explain SL101`, " + page + "\n"));
  CHECK(nlohmann::json::parse(printed("gitlab"))[0]["content"]["body"].get<std::string>().ends_with(
      "\nmore: [vocab-misaligned](" + page + ")"));
  CHECK(nlohmann::json::parse(printed("sarif"))["runs"][0]["tool"]["driver"]["rules"][0]["helpUri"] == page);
  CHECK(nlohmann::json::parse(printed("rdjson"))["diagnostics"][0]["code"]["url"] == page);
  CHECK(printed("markdown").find("| warning [SL101](" + page + ") |") != std::string::npos);
  // Without it they link to the documentation.
  const auto none = with({{"m.toml", odd}});
  const auto documented = [&](const std::vector<std::string>& args) {
    return tests::wherever_home_is(run(args, none).out);
  };
  CHECK(documented({"lint", "m.toml", "--gpu", "a100", "--select", "SL101", "--format", "github"})
            .ends_with("%0Amore: `shapelint explain SL101`, https://home.example/rules/SL101/\n"));
  const auto sarif = nlohmann::json::parse(
      documented({"lint", "m.toml", "--gpu", "a100", "--select", "SL101", "--format", "sarif"}));
  CHECK(sarif["runs"][0]["tool"]["driver"]["informationUri"] == "https://home.example/");
  CHECK(sarif["runs"][0]["tool"]["driver"]["rules"][0]["helpUri"] == "https://home.example/rules/SL101/");
  CHECK(documented({"explain", "SL101"}).ends_with("\npage: https://home.example/rules/SL101/\n"));
  const auto wrong =
      with({{"m.toml", odd}, {"shapelint.toml", "rule-url = \"https://example.org/rules\"\n"}});
  CHECK(run({"lint", "m.toml"}, wrong).err.find("write an address such as") != std::string::npos);
}

TEST_CASE("mistakes in the configuration stop the run", "[lint]") {
  const auto message = [](const std::string& config) {
    const tests::Ran ran = run(concise, with({{"m.toml", even}, {"shapelint.toml", config}}));
    CHECK(ran.code == 2);
    CHECK(ran.out.empty());
    return ran.err;
  };
  CHECK(message("gpus = \"a100\"\n").find("unknown key `gpus`") != std::string::npos);
  CHECK(message("gpus = \"a100\"\n").find("did you mean `gpu`?") != std::string::npos);
  CHECK(message("gpu = \"a10000\"\n").find("shapelint.toml:1:7") != std::string::npos);
  CHECK(message("ignore = [\"SL999\"]\n").find("unknown rule `SL999`") != std::string::npos);
  CHECK(message("params.SL101.x = 1\n").find("has no parameter `x`") != std::string::npos);
  CHECK(message("extend = \"gone.toml\"\n").find("`gone.toml` cannot be read") != std::string::npos);
}

TEST_CASE("`config --show` tells what applies to a file", "[lint][config]") {
  const auto files = with(
      {{".git/HEAD", ""},
       {"shapelint.toml", "gpu = \"h100\"\nmin-gain = 0.02\n"},
       {"a/.shapelint.toml", "extend = \"../shapelint.toml\"\n[[files]]\nmatch = \"*.toml\"\ntensor = 4\n"}});
  CHECK(run({"config", "--show", "a/m.toml"}, files).out ==
        "# effective configuration of a/m.toml\n# from shapelint.toml\n# from a/.shapelint.toml\n"
        "gpu = [\"h100\"]\nmin-gain = 0.02\n\n[[files]]\nmatch = \"a/m.toml\"\ntensor = 4\n");
  CHECK(run({"config", "--show", "m.toml"}, with({})).out == "# no configuration file applies to m.toml\n");
  CHECK(run({"config"}, with({})).code == 2);
}

TEST_CASE("a written baseline leaves nothing, and a new finding is told", "[lint][baseline]") {
  const auto files = with({{"m.toml", odd}, {"n.toml", odd}});
  const tests::Ran written = run({"lint", "m.toml", "n.toml", "--gpu", "a100", "--write-baseline"}, files);
  CHECK(written.code == 0);
  CHECK(written.out.empty());
  REQUIRE(files.files.contains("shapelint-baseline.json"));
  const std::vector<std::string> known{
      "lint", "m.toml", "n.toml", "--gpu", "a100", "--baseline", "shapelint-baseline.json"};
  const tests::Ran clean = run(known, files);
  CHECK(clean.code == 0);
  CHECK(clean.out.find("\n0 new, ") != std::string::npos);
  files.files["m.toml"] = "# moved\n\n" + replaced(odd, "50257", "50259");
  const tests::Ran found = run(plus(known, {"--format", "concise"}), files);
  CHECK(found.code == 1);
  CHECK(vocabulary_lines(found) == "m.toml:7:14\n");
  CHECK(found.err.find("no longer found; `--prune-baseline` removes them") != std::string::npos);
  const std::string before = files.files["shapelint-baseline.json"];
  CHECK(run(plus(known, {"--prune-baseline"}), files).err.find("taken out") != std::string::npos);
  CHECK(files.files["shapelint-baseline.json"].size() < before.size());
  CHECK(run(known, files).err.empty());
  CHECK(run(plus(concise, {"--baseline", "gone.json"}), files).code == 2);
}

TEST_CASE("the order of files and the number of threads make no difference", "[lint][property]") {
  std::map<std::string, std::string> content;
  std::vector<std::string> names;
  for (int i = 0; i < 8; ++i) {
    const std::string path = fmt::format("{}m{}.toml", i % 2 == 0 ? "" : "a b/", i);
    content[path] = i % 3 == 0 ? even : replaced(odd, "50257", std::to_string(50001 + 2 * i));
    names.push_back(path);
  }
  content["broken.toml"] = "[model]\nhiden_size = 1\n";
  names.emplace_back("broken.toml");
  names.emplace_back("gone.toml");
  content["a b/shapelint.toml"] =
      "params.SL110.least_share = 2.0\n[[files]]\nmatch = \"m3.toml\"\ntensor = 2\n";
  const auto files = with(content);
  std::map<std::string, tests::Ran> first;
  const bool holds = rc::check([&] {
    const std::string format(*rc::gen::elementOf(
        std::vector<std::string_view>(report::format_names.begin(), report::format_names.end())));
    std::vector<std::string> order = names;
    // A permutation, then some of them once more.
    for (std::size_t i = order.size(); i > 1; --i) {
      std::swap(order[i - 1], order[*rc::gen::inRange<std::size_t>(0, i)]);
    }
    for (std::size_t more = *rc::gen::inRange<std::size_t>(0, 3); more > 0; --more) {
      order.push_back(*rc::gen::elementOf(names));
    }
    const std::string jobs = std::to_string(*rc::gen::inRange(1, 9));
    const std::vector<std::string> head{"lint", "--gpu", "a100", "--format", format, "--jobs", jobs};
    const tests::Ran ran = run(plus(head, order), files);
    const tests::Ran& expected = first.try_emplace(format, ran).first->second;
    RC_ASSERT(ran.code == 2);
    RC_ASSERT(ran.out == expected.out);
    RC_ASSERT(ran.err == expected.err);
  });
  CHECK(holds);
}

TEST_CASE("a parameter that one file sets holds for no other", "[lint]") {
  const std::string strict = odd + "[lint.params.SL110]\nleast_share = 2.0\n";
  const auto lines = [](const tests::Ran& ran) {
    std::istringstream in(ran.out);
    std::string out;
    for (std::string line; std::getline(in, line);) {
      if (line.starts_with("b.toml")) out += line + "\n";
    }
    return out;
  };
  const std::vector<std::string> args{"lint",     "--gpu",   "a100",   "--select", "SL110",
                                      "--format", "concise", "--jobs", "1"};
  const tests::Ran alone = run(plus(args, {"b.toml"}), with({{"b.toml", odd}}));
  const tests::Ran after = run(plus(args, {"a.toml", "b.toml"}), with({{"a.toml", strict}, {"b.toml", odd}}));
  CHECK_FALSE(lines(alone).empty());
  CHECK(lines(alone) == lines(after));
}

TEST_CASE("`full` is another name of the text format", "[lint][formats]") {
  const auto files = with({{"m.toml", odd}});
  const std::vector<std::string> args{"lint", "m.toml", "--gpu", "a100"};
  CHECK(run(plus(args, {"--format", "full"}), files).out == run(plus(args, {"--format", "text"}), files).out);
  run(plus(args, {"-q", "--output", "full=a.txt", "--output", "text=b.txt"}), files);
  CHECK(files.files["a.txt"] == files.files["b.txt"]);
}

TEST_CASE("several outputs at once, each to its file", "[lint][formats]") {
  const auto files = with({{"m.toml", odd}});
  const tests::Ran ran =
      run({"lint", "m.toml", "--gpu", "a100", "--quiet", "-o", "sarif=a.sarif", "--output", "gitlab=b.json"},
          files);
  CHECK(nlohmann::json::parse(files.files["a.sarif"])["version"] == "2.1.0");
  CHECK(nlohmann::json::parse(files.files["b.json"]).is_array());
  CHECK(ran.code == 1);
  CHECK(run({"lint", "m.toml", "--output", "sarif"}, files).err.find("a format and a file such as") !=
        std::string::npos);
  CHECK(run({"lint", "m.toml", "--output", "sarf=x"}, files).err.find("did you mean `sarif`?") !=
        std::string::npos);
  CHECK(run({"lint", "m.toml", "--gpu", "a100", "--statistics"}, files).out.find("SL101  vocab-misaligned") !=
        std::string::npos);
}

TEST_CASE("infos are shown where somebody asks for them", "[lint]") {
  // Few tokens: SL302 is an info that rests on an assumed micro-batch, and the vocabulary is a warning.
  const std::string small = replaced(replaced(odd, "micro_batch_size = 8\n", ""), "sequence_length = 1024",
                                     "sequence_length = 512");
  const auto codes = [&](const std::vector<std::string>& more, const std::string& config = "") {
    std::string out;
    std::istringstream lines(
        run(plus(concise, more), with({{"m.toml", small}, {"shapelint.toml", config}})).out);
    for (std::string line; std::getline(lines, line);) {
      const std::size_t code = line.find("[SL");
      if (line.find(": info: ") != std::string::npos) out += line.substr(code + 1, 5) + " ";
    }
    return out;
  };
  CHECK(codes({}).empty());
  const std::string all = codes({"--min-severity", "info"});
  CHECK(all.find("SL302") != std::string::npos);
  CHECK(codes({}, "min-severity = \"info\"") == all);
  CHECK(codes({"--fail-level", "info"}) == all);  // what fails a run is shown
  CHECK(codes({"--extend-select", "SL302"}) == "SL302 ");
  CHECK(codes({"--extend-select", "too-few-tiles"}) == "SL302 ");
  CHECK(codes({"--select", "SL3"}).empty());  // a family is not that very rule
  CHECK(codes({"--min-severity", "warning"}, "min-severity = \"info\"").empty());

  const auto files = with({{"m.toml", small}});
  const std::vector<std::string> args{"lint", "m.toml", "--gpu", "a100"};
  CHECK(run(args, files).out.find("1 info hidden (SL302 saves ") != std::string::npos);
  const auto json = [&](const std::vector<std::string>& more) {
    return nlohmann::json::parse(run(plus(plus(args, {"--format", "json"}), more), files).out)["counts"];
  };
  CHECK(json({})["info"] > 0);
  CHECK(json({})["hidden"] == 0);
  CHECK(json({"--min-severity", "warning"})["info"] == 0);
  CHECK(json({"--min-severity", "warning"})["hidden"] == json({})["info"]);
  // The minimum is never above the fail level.
  CHECK(json({"--min-severity", "error"})["warning"] == json({})["warning"]);
  CHECK(json({"--min-severity", "error", "--fail-level", "error"})["warning"] == 0);
  // What saves time whatever is assumed is shown, unless somebody says how severe it has to be.
  const auto stated = with({{"m.toml", small + "micro_batch_size = 1\n"}});
  CHECK(run(concise, stated).out.find(": info: ") != std::string::npos);
  CHECK(run(plus(concise, {"--min-severity", "warning"}), stated).out.find(": info: ") == std::string::npos);
  // In the file itself.
  const auto own = with({{"m.toml", small + "[lint]\nmin_severity = \"info\"\n"}});
  CHECK(run(concise, own).out.find(": info: ") != std::string::npos);
}

TEST_CASE("a baseline knows what is not shown, too", "[lint]") {
  const auto files = with({{"m.toml", replaced(odd, "micro_batch_size = 8", "micro_batch_size = 1")}});
  run({"lint", "m.toml", "--gpu", "a100", "--write-baseline"}, files);
  const tests::Ran ran =
      run(plus(concise, {"--baseline", "shapelint-baseline.json", "--min-severity", "info"}), files);
  CHECK(ran.out.empty());
  CHECK(ran.err.empty());
}

TEST_CASE("files of a folder in which nothing is checked are counted", "[lint]") {
  const auto files = with({{"d/m.toml", even},
                           {"d/package.json", "{\"name\": \"x\"}"},
                           {"d/config.json", R"({"model_type": "llama", "hidden_size": 4096})"}});
  const std::vector<std::string> args{"lint", "d", "--gpu", "a100", "--select", "SL101"};
  CHECK(run(args, files).out.find("not checked: 1 file without a model (see `--verbose`)") !=
        std::string::npos);
  const auto summary = nlohmann::json::parse(run(plus(args, {"--format", "json"}), files).out)["counts"];
  CHECK(summary["not_recognised"] == 1);
}

TEST_CASE("quiet prints nothing for what is clean", "[lint]") {
  const auto files = with({{"m.toml", even}, {"other.json", "{\"a\": 1}"}});
  const tests::Ran ran = run({"lint", "m.toml", "other.json", "--gpu", "a100", "--quiet", "--fail-level",
                              "error", "--select", "SL101", "--allow-unrecognised"},
                             files);
  CHECK(ran.out.empty());
  CHECK(ran.err.empty());
  CHECK(ran.code == 0);
}

TEST_CASE("standard input is linted under its name, with that name's configuration", "[lint]") {
  const auto files = with({{"a/shapelint.toml", "gpu = \"a100\"\n"}});
  const tests::Ran ran =
      run({"lint", "-", "--stdin-filename", "a/m.toml", "--format", "concise"}, files, {}, false, odd);
  CHECK(vocabulary_lines(ran) == "a/m.toml:5:14\n");
}
