// The frame of the command line: usage errors, exit codes, colour.
#include "cli/io.hpp"

#include <algorithm>

#include "cli/option.hpp"
#include "cli/project_options.hpp"
#include "tests/catch.hpp"
#include "tests/cli/run_support.hpp"

using shapelint::tests::run;

TEST_CASE("wrong usage is exit code 2 and says what was wrong", "[cli]") {
  struct Case {
    std::vector<std::string> args;
    std::string first_line;
  };
  const std::vector<Case> cases{
      {{"--gup", "a100", "x.toml"}, "error: unknown option `--gup`; did you mean `--gpu`?"},
      {{"x.toml", "--colour=never"}, "error: unknown option `--colour`; did you mean `--color`?"},
      {{"x.toml", "--color"}, "error: `--color` needs a value"},
      {{"x.toml", "--color=", "auto"}, "error: `--color` has no value"},
      {{"x.toml", "--color", "nevr"},
       "error: `--color` is `nevr`; expected one of `auto`, `always`, `never`; did you mean `never`?"},
      {{"lnit"}, "error: no command or file `lnit`; did you mean `lint`?"},
      {{"lint"}, "error: `FILE` is missing"},
  };
  for (const Case& each : cases) {
    const auto ran = run(each.args);
    CHECK(ran.code == 2);
    CHECK(ran.out.empty());
    CHECK(ran.err.substr(0, ran.err.find('\n')) == each.first_line);
  }
}

TEST_CASE("options and files may be mixed, and files may be many", "[cli]") {
  std::vector<std::string> files;
  std::vector<std::string> gpus;
  std::int64_t count = 0;
  bool flag = false;
  using shapelint::cli::into;
  const std::vector<shapelint::cli::Option> options{
      {.names = "FILE", .value = "FILE", .doc = "", .set = into(files), .many = true},
      {.names = "--gpu", .value = "NAMES", .doc = "", .set = shapelint::cli::into_list(gpus), .many = true},
      {.names = "-n,--count", .value = "N", .doc = "", .set = into(count)},
      {.names = "--flag", .doc = "", .set = into(flag)}};
  const auto args = std::vector<std::string>{"a",          "--gpu",  "x,y", "b",       "-n", "3",
                                             "--count=-5", "--flag", "-",   "--gpu=z", "--", "--c"};
  CHECK(shapelint::cli::parse(options, args).empty());
  CHECK(files == std::vector<std::string>{"a", "b", "-", "--c"});
  CHECK(gpus == std::vector<std::string>{"x", "y", "z"});
  CHECK(count == -5);
  CHECK(flag);
}

// Names as a hook passes them on: those of a pull request's files.
TEST_CASE("a file's name is never an option", "[cli]") {
  shapelint::text::MemoryFileSystem files;
  files.files["/project/.git/HEAD"] = "";
  for (const char* name :
       {"--exit-zero", "--fix", "-q", "--help", "--version", "-", "--", "--output=json=x", "--gpu=a100"}) {
    files.files[name] = "";
    const auto ran = run({"lint", "x.toml", name}, files);
    CHECK(ran.code == 2);
    CHECK(ran.out.empty());
    CHECK(ran.err.find("`" + std::string(name) + "` is a file or folder whose name begins like an option") !=
          std::string::npos);
    CHECK(ran.err.find("write `./" + std::string(name) + "`") != std::string::npos);
    files.files.erase(name);
  }
  // A folder, by what lies in it; and from below the root, where lists of git count from.
  files.files["--output=concise=/outside/p.toml"] = "";
  CHECK(run({"lint", "--output=concise=/outside"}, files).code == 2);
  files.files["/project/--fix"] = "";
  files.here = "/project/models";
  CHECK(run({"lint", "--fix"}, files).err.find("name begins like an option") != std::string::npos);
  // Behind `--` it is the file.
  files.files["--fix"] = "";
  CHECK(run({"lint", "--", "--fix"}, files).err.find("name begins like an option") == std::string::npos);
}

TEST_CASE("help and version go to standard output", "[cli]") {
  CHECK(run({"--version"}).out == "shapelint " SHAPELINT_VERSION "\n");
  CHECK(run({"--help"}).code == 0);
  CHECK(run({"lint", "--help"}).out.find("Usage: shapelint lint [OPTIONS] FILE…") != std::string::npos);
  CHECK(run({"help"}).out == run({"--help"}).out);
  CHECK(run({"help", "gemm"}).out == run({"gemm", "--help"}).out);
  CHECK(run({}).code == 2);
}

TEST_CASE("colour: the flag, then FORCE_COLOR, then NO_COLOR, then the terminal", "[cli]") {
  const shapelint::text::MemoryFileSystem files;
  const auto colored = [&](const std::vector<std::string>& flags,
                           std::map<std::string, std::string> variables, bool terminal) {
    std::vector<std::string> args{"lint"};
    args.insert(args.end(), flags.begin(), flags.end());
    args.emplace_back("--no-such-option");
    return run(args, files, std::move(variables), terminal).err.find('\x1b') != std::string::npos;
  };
  CHECK(colored({}, {}, true));
  CHECK_FALSE(colored({}, {}, false));
  CHECK_FALSE(colored({}, {{"NO_COLOR", "1"}}, true));
  CHECK(colored({}, {{"NO_COLOR", ""}}, true));
  CHECK(colored({}, {{"FORCE_COLOR", "1"}}, false));
  CHECK(colored({}, {{"FORCE_COLOR", "1"}, {"NO_COLOR", "1"}}, false));
  CHECK_FALSE(colored({}, {{"FORCE_COLOR", ""}}, false));
  CHECK(colored({}, {{"CLICOLOR_FORCE", "1"}}, false));
  CHECK(colored({}, {{"CLICOLOR_FORCE", "1"}, {"CLICOLOR", "0"}}, false));
  CHECK_FALSE(colored({}, {{"CLICOLOR_FORCE", "0"}}, false));
  CHECK_FALSE(colored({}, {{"CLICOLOR_FORCE", "1"}, {"NO_COLOR", "1"}}, true));
  CHECK_FALSE(colored({}, {{"CLICOLOR", "0"}}, true));
  CHECK(colored({}, {{"CLICOLOR", "1"}}, true));
  CHECK_FALSE(colored({}, {{"CLICOLOR", "1"}}, false));
  CHECK_FALSE(colored({}, {{"TERM", "dumb"}}, true));
  CHECK_FALSE(colored({"--color", "never"}, {{"FORCE_COLOR", "1"}}, true));
  CHECK(colored({"--color=always"}, {{"NO_COLOR", "1"}}, false));
}

TEST_CASE("shares are read with and without a percent sign", "[cli]") {
  double share = -1;
  const auto set = shapelint::cli::into_share(share);
  CHECK_FALSE(set("2%"));
  CHECK(share == Approx(0.02));
  CHECK_FALSE(set("0.5"));
  CHECK(share == Approx(0.5));
  CHECK(set("150%"));
  CHECK(set("-1%"));
  CHECK(set("nan"));
  CHECK(set(""));
}

TEST_CASE("lists are split at commas and an empty item is refused", "[cli]") {
  std::vector<std::string> names;
  const auto set = shapelint::cli::into_list(names);
  CHECK_FALSE(set("a100,h100"));
  CHECK(names == std::vector<std::string>{"a100", "h100"});
  CHECK(set("a100,"));
  CHECK(set(""));
}

TEST_CASE("every field of a model has an option that keeps to its bounds", "[cli]") {
  std::vector<shapelint::model::Override> overrides;
  const auto options = shapelint::cli::field_options(overrides);
  REQUIRE(options.size() == shapelint::model::fields().size() + 1);  // and --set
  const auto set = [&](const std::string& name, const std::string& value) {
    const auto found =
        std::find_if(options.begin(), options.end(), [&](const auto& each) { return each.names == name; });
    REQUIRE(found != options.end());
    return found->set(value).value_or("");
  };
  CHECK(set("--vocab-size", "-5") == "a whole number from 1 to 134,217,728");
  CHECK(set("--vocab-size", "1e5") == "a whole number from 1 to 134,217,728");
  CHECK(set("--attention", "flsh") ==
        "one of `flash`, `unfused`, `flash1`, `flash2`, `cudnn`; did you mean `flash`?");
  CHECK(set("--mlp-gated", "yes") == "one of `false`, `true`");
  CHECK(overrides.empty());
  CHECK(set("--moe-num-experts", "8").empty());
  CHECK(set("--dtype", "fp8").empty());
  CHECK(overrides.size() == 2);
  CHECK(overrides[0].flag == "--moe-num-experts");
  CHECK(overrides[0].value == 8);
}
