// Configuration files: which one counts, what it says, and every mistake at its place.
#include "project/config.hpp"
#include "project/data_files.hpp"

#include <fmt/format.h>

#include "tests/catch.hpp"
#include "tests/golden.hpp"

using namespace shapelint;

namespace {

struct Read {
  project::Config config;
  std::string errors;  // "path:byte: message; hint", one per line
};

Read read(const text::MemoryFileSystem& files, const std::string& path) {
  std::vector<text::LocatedError> errors;
  Read out{project::read_config(files, path, errors), {}};
  for (const auto& [error, source] : errors) {
    out.errors += error.path;
    if (error.span) out.errors += fmt::format(":{}", error.span->begin);
    out.errors += ": " + error.message + (error.hint.empty() ? "" : "; " + error.hint) + "\n";
  }
  return out;
}

Read read(const std::string& text) {
  text::MemoryFileSystem files;
  files.files["shapelint.toml"] = text;
  return read(files, "shapelint.toml");
}

std::vector<std::string> values(const std::vector<project::Name>& names) {
  std::vector<std::string> out;
  for (const project::Name& name : names) out.push_back(name.value);
  return out;
}

using Strings = std::vector<std::string>;

}  // namespace

TEST_CASE("the closest configuration counts, alone", "[config]") {
  text::MemoryFileSystem files;
  files.files["shapelint.toml"] = "";
  files.files["a/pyproject.toml"] = "[tool.shapelint]\n";
  files.files["a/b/pyproject.toml"] = "[tool.ruff]\n";
  files.files["a/b/c/shapelint.toml"] = "";
  files.files["a/b/c/.shapelint.toml"] = "";
  // Each alone, and one after the other.
  project::ConfigOfFolder seen;
  const auto find = [&](std::string_view path) {
    const std::string found = project::find_config(files, path);
    CHECK(project::find_config(files, path, seen) == found);
    return found;
  };
  CHECK(find("m.toml") == "shapelint.toml");
  CHECK(find("./m.toml") == "shapelint.toml");
  CHECK(find("a/m.toml") == "a/pyproject.toml");
  CHECK(find("a/b/m.toml") == "a/pyproject.toml");  // no table in the nearer one
  CHECK(find("a/b/c/m.toml") == "a/b/c/.shapelint.toml");
  CHECK(find("a/b/c/../m.toml") == "a/pyproject.toml");
  CHECK(find("other/deep/m.toml") == "shapelint.toml");
  CHECK(project::find_config(text::MemoryFileSystem{}, "m.toml").empty());

  files.files.clear();
  seen.clear();
  files.files["../../shapelint.toml"] = "";
  files.here = "/deep/project";
  CHECK(find("m.toml") == "../../shapelint.toml");
  seen.clear();
  files.here = "/project";  // there is nothing above its folder
  CHECK(find("m.toml").empty());
}

TEST_CASE("every key is read", "[config]") {
  const Read got = read(R"(
gpu = ["a100", "h100"]
select = ["SL1"]
extend-select = "SL3"
ignore = ["SL105"]
min-gain = "2%"
fail_level = "error"
min-severity = "info"
baseline = "ci/baseline.json"
rule-folders = ["my-rules"]
gpu-folders = "my-gpus"
format-folders = "./my-formats"
model-folders = ["my-models"]
exclude = ["old/**"]
severity.SL101 = "info"
severity.SL102 = "off"
params.SL104 = { multiple = 128 }
[per-file-ignores]
"configs/old/*.toml" = ["SL2"]
[[files]]
match = "configs/7b/*.yaml"
gpu = "h100"
tensor = 8
attention = "unfused"
[[ignore-keys]]
path = "**/*.json"
key = "vocab_size"
rules = ["SL101"]
reason = "padded when loaded"
)");
  CHECK(got.errors.empty());
  const project::Config& config = got.config;
  CHECK(values(config.gpus.value()) == Strings{"a100", "h100"});
  CHECK(values(config.select.value()) == Strings{"SL1"});
  CHECK(values(config.extend_select) == Strings{"SL3"});
  CHECK(config.min_gain == 0.02);
  CHECK(config.fail_level == rules::Severity::error);
  CHECK(config.min_severity == rules::Severity::info);
  CHECK(config.baseline == "ci/baseline.json");
  CHECK(config.rule_folders == Strings{"my-rules"});
  CHECK(config.format_folders == Strings{"my-formats"});
  CHECK(config.model_folders == Strings{"my-models"});
  CHECK(config.severities.at(0).severity == rules::Severity::info);
  CHECK_FALSE(config.severities.at(1).severity);
  CHECK(config.parameters.at(0).value == 128);

  const project::FileSettings plain = project::settings_for(config, "a.toml");
  CHECK(values(plain.gpus) == Strings{"a100", "h100"});
  CHECK(values(plain.ignore) == Strings{"SL105"});
  CHECK(plain.overrides.empty());
  CHECK(plain.ignore_keys.empty());
  CHECK(values(project::settings_for(config, "configs/old/x.toml").ignore) == Strings{"SL105", "SL2"});
  const project::FileSettings matched = project::settings_for(config, "./configs/7b/x.yaml");
  CHECK(values(matched.gpus) == Strings{"h100"});
  REQUIRE(matched.overrides.size() == 2);
  CHECK(matched.overrides[0].value == 8);
  CHECK(project::settings_for(config, "deep/x.json").ignore_keys.size() == 1);
}

TEST_CASE("mistakes are all told, each at its place", "[config]") {
  CHECK(read("gpus = 1\nmin-gain = 3\nseverity.SL101 = \"hint\"\n").errors ==
        "shapelint.toml:0: unknown key `gpus`; did you mean `gpu`?\n"
        "shapelint.toml:20: `min-gain` is not a share; write `0.01` or `\"1%\"`\n"
        "shapelint.toml:39: `severity.SL101` is `hint`; expected one of `info`, `warning`, `error`, `off`\n");
  CHECK(read("[[files]]\nmatch = \"a\"\ntensr = 8\n").errors ==
        "shapelint.toml:22: unknown key `tensr` in `[[files]]`; did you mean `tensor`?\n");
  CHECK(read("[[files]]\nmatch = \"a\"\ntensor = 0\n")
            .errors.find("`tensor` is not allowed here; write a whole") != std::string::npos);
  CHECK(read("[[ignore-keys]]\nkey = \"a\"\n").errors.find("needs `key` and `rules`") != std::string::npos);
  CHECK(read("select = [1]\n").errors ==
        "shapelint.toml:10: `select[0]` is an integer; write a string or a list of strings\n");
  CHECK_FALSE(read("a = \n").errors.empty());
}

TEST_CASE("a file adds to the one that it extends, whose paths stay its own", "[config]") {
  text::MemoryFileSystem files;
  files.files[".git/HEAD"] = "";
  files.files["base/shapelint.toml"] =
      "gpu = \"a100\"\nignore = [\"SL1\"]\nrule-folders = [\"rules\"]\nmin-gain = 0.05\n"
      "[per-file-ignores]\n\"old/*\" = [\"SL2\"]\n";
  files.files["team/shapelint.toml"] =
      "extend = \"../base/shapelint.toml\"\ngpu = \"h100\"\nrule-folders = [\"rules\"]\n"
      "[per-file-ignores]\n\"old/*\" = [\"SL3\"]\n";
  const Read got = read(files, "team/shapelint.toml");
  CHECK(got.errors.empty());
  CHECK(got.config.sources == Strings{"base/shapelint.toml", "team/shapelint.toml"});
  CHECK(values(got.config.gpus.value()) == Strings{"h100"});
  CHECK(got.config.min_gain == 0.05);
  CHECK(got.config.rule_folders == Strings{"base/rules", "team/rules"});
  CHECK(values(project::settings_for(got.config, "base/old/x").ignore) == Strings{"SL1", "SL2"});
  CHECK(values(project::settings_for(got.config, "team/old/x").ignore) == Strings{"SL1", "SL3"});
}

TEST_CASE("what a configuration names lies in its repository, or its folder where there is none",
          "[config]") {
  constexpr std::string_view refused =
      "is outside the repository (or the configuration's folder without one); "
      "`--allow-outside` "
      "allows it, for a configuration of your own\n";
  text::MemoryFileSystem files;
  files.files["secret.toml"] = "password = \"swordfish\"\n";
  for (const char* path :
       {"../secret.toml", "/project/secret.toml", "/etc/passwd", "../../secret.toml", "x/../.."}) {
    const auto naming = [&](const std::string& key) {
      const bool is_list = key.ends_with("-folders");
      files.files["a/shapelint.toml"] =
          key + " = " + (is_list ? "[\"" : "\"") + path + (is_list ? "\"]\n" : "\"\n");
      return read(files, "a/shapelint.toml");
    };
    for (const std::string key :
         {"extend", "baseline", "rule-folders", "gpu-folders", "format-folders", "model-folders"}) {
      CAPTURE(path, key);
      const std::size_t at = key.size() + 3;
      CHECK(naming(key).errors == fmt::format("a/shapelint.toml:{}: `{}` {}", at, key, refused));
    }
    CHECK_FALSE(naming("baseline").config.baseline);
    CHECK(naming("rule-folders").config.rule_folders.empty());
  }
  // In a repository up to its root.
  files.files[".git/HEAD"] = "";
  files.files["base.toml"] = "gpu = \"a100\"\n";
  files.files["a/shapelint.toml"] = "extend = \"../base.toml\"\nbaseline = \"../known.json\"\n";
  const Read inside = read(files, "a/shapelint.toml");
  CHECK(inside.errors.empty());
  CHECK(inside.config.baseline == "known.json");
  CHECK(values(inside.config.gpus.value()) == Strings{"a100"});
  // A caller may allow it; what is extended then may name others in its turn.
  files.files.erase(".git/HEAD");
  files.files["base.toml"] = "baseline = \"/srv/known.json\"\n";
  std::vector<text::LocatedError> errors;
  const project::Config allowed = project::read_config(files, "a/shapelint.toml", errors, true);
  CHECK(errors.empty());
  CHECK(allowed.sources == Strings{"base.toml", "a/shapelint.toml"});
}

TEST_CASE("files that extend nothing, or each other", "[config]") {
  text::MemoryFileSystem files;
  files.files["a.toml"] = "extend = \"b.toml\"\n";
  files.files["b.toml"] = "extend = \"a.toml\"\n";
  files.files["c.toml"] = "extend = \"gone.toml\"\n";
  CHECK(read(files, "a.toml").errors ==
        "b.toml:9: the file extends itself, directly or through other files\n");
  CHECK(read(files, "c.toml").errors == "c.toml:9: `gone.toml` cannot be read: No such file or directory\n");
}

TEST_CASE("patterns match names anywhere, or paths from their file's folder", "[config]") {
  CHECK(project::matches({".", "*.yaml"}, "a/b/c.yaml", "/project"));
  CHECK(project::matches({"a", "b/*.yaml"}, "a/b/c.yaml", "/project"));
  CHECK_FALSE(project::matches({".", "b/*.yaml"}, "a/b/c.yaml", "/project"));
  CHECK(project::matches({".", "**/*.yaml"}, "a/b/c.yaml", "/project"));
  CHECK(project::matches({"..", "**/*.yaml"}, "a/b/c.yaml", "/project"));
  CHECK_FALSE(project::matches({"a/x", "b/*.yaml"}, "a/b/c.yaml", "/project"));
  // Above the working directory its own name counts.
  CHECK(project::matches({"..", "project/a/**"}, "a/b/c.yaml", "/project"));
  CHECK_FALSE(project::matches({"..", "project/a/**"}, "a/b/c.yaml", "/other"));
  CHECK(project::matches({".", "/project/**"}, "a/b/c.yaml", "/project"));
}

TEST_CASE("schemas and the page of data files are what their tables of keys say", "[config][docs]") {
  for (const auto& [path, content] :
       {std::pair{"docs/schema/shapelint-config.schema.json", project::schema()},
        std::pair{"docs/schema/shapelint-native.schema.json", project::native_schema()},
        std::pair{"docs/reference/data-files.md", project::data_files_page()}}) {
    CHECK(tests::compare_with_file(path, content) == "");
  }
  for (const project::DataFile& each : project::data_files()) {
    const std::string path = fmt::format("docs/schema/shapelint-{}.schema.json", each.name);
    CHECK(tests::compare_with_file(path, project::schema(each)) == "");
  }
}

TEST_CASE("lists of names are short, and paths no longer than a system opens", "[config]") {
  const auto list = [](int count) {
    std::string out = "gpu = [";
    for (int i = 0; i < count; ++i) out += "\"a100\",";
    return out + "]\n";
  };
  CHECK(read(list(1000)).errors.empty());
  CHECK(read(list(1001)).errors == "shapelint.toml:6: there are more than 1000 names in lists\n");
  CHECK(read(list(600) + "stack" + list(600).substr(3)).errors.find("more than 1000 names") !=
        std::string::npos);

  text::MemoryFileSystem files;
  files.files["/shapelint.toml"] = "";
  std::string deep = "/";
  for (int i = 0; i < 1500; ++i) deep += "aa/";
  CHECK(project::find_config(files, deep + "m.toml").empty());
}
