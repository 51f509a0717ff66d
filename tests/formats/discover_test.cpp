// From arguments to files: folders, .gitignore, and the patterns of gitignore(5).
#include "formats/discover.hpp"

#include <string>
#include <vector>

#include <fmt/format.h>

#include "formats/dialect/paths.hpp"
#include "tests/catch.hpp"
#include "text/files.hpp"

using namespace shapelint;
using formats::Gitignore;

namespace {

std::string found(const text::FileSystem& files, const std::vector<std::string>& paths) {
  std::string out;
  for (const formats::DiscoveredFile& each : formats::discover(files, paths).files) {
    out += (out.empty() ? "" : " ") + each.path + (each.named ? "!" : "");
  }
  return out;
}

std::string verdict(std::string_view patterns, std::string_view path, bool is_folder = false) {
  switch (Gitignore(patterns).check(path, is_folder)) {
    case Gitignore::Verdict::ignored:
      return "ignored";
    case Gitignore::Verdict::kept:
      return "kept";
    case Gitignore::Verdict::silent:
      return "silent";
  }
  return {};
}

}  // namespace

TEST_CASE("a folder stands for the configurations below it", "[formats][discover]") {
  text::MemoryFileSystem files;
  files.files["repo/.git/HEAD"] = "";
  files.files["repo/.git/config.json"] = "{}";
  files.files["repo/b.yaml"] = "";
  files.files["repo/a/config.json"] = "";
  files.files["repo/a/readme.md"] = "";
  files.files["repo/a/weights.bin"] = "";
  files.files["repo/train.sh"] = "";
  CHECK(found(files, {"repo"}) == "repo/a/config.json repo/b.yaml repo/train.sh");
  CHECK(found(files, {"repo/a"}) == "repo/a/config.json");
  // What is named is taken whatever it is, and each file once.
  CHECK(found(files, {"repo/a/readme.md", "repo", "repo/b.yaml"}) ==
        "repo/a/readme.md! repo/a/config.json repo/b.yaml repo/train.sh");
  CHECK(found(files, {"absent.yaml"}) == "absent.yaml!");
}

TEST_CASE("folders of tools are passed over, also where no .gitignore says so", "[formats][discover]") {
  text::MemoryFileSystem files;
  for (const char* const folder :
       {".venv/lib", "node_modules/x", "build", "_build", "dist", "a/__pycache__", "a/b"}) {
    files.files[std::string("repo/") + folder + "/config.json"] = "";
  }
  CHECK(found(files, {"repo"}) == "repo/a/b/config.json");
  // Who names one wants it.
  CHECK(found(files, {"repo/build"}) == "repo/build/config.json");
}

TEST_CASE(".gitignore files of the folder, below it, and above it up to the repository count",
          "[formats][discover]") {
  text::MemoryFileSystem files;
  files.files["repo/.git/HEAD"] = "";
  files.files["repo/.gitignore"] = "build/\n*.tmp.json\n";
  files.files["repo/build/x.json"] = "";
  files.files["repo/src/build/x.json"] = "";
  files.files["repo/src/a.tmp.json"] = "";
  files.files["repo/src/a.json"] = "";
  files.files["repo/src/.gitignore"] = "!keep.tmp.json\n/local.yaml\n";
  files.files["repo/src/keep.tmp.json"] = "";
  files.files["repo/src/local.yaml"] = "";
  files.files["repo/src/deep/local.yaml"] = "";
  CHECK(found(files, {"repo"}) == "repo/src/a.json repo/src/deep/local.yaml repo/src/keep.tmp.json");
  CHECK(found(files, {"repo/src"}) == "repo/src/a.json repo/src/deep/local.yaml repo/src/keep.tmp.json");
  // A file that is named is read even so.
  CHECK(found(files, {"repo/build/x.json"}) == "repo/build/x.json!");
}

TEST_CASE("patterns of .gitignore", "[formats][discover]") {
  CHECK(verdict("*.json", "a/b.json") == "ignored");
  CHECK(verdict("/a.json", "b/a.json") == "silent");
  CHECK(verdict("/a.json", "a.json") == "ignored");
  CHECK(verdict("a/b.json", "a/b.json") == "ignored");
  CHECK(verdict("a/b.json", "c/a/b.json") == "silent");
  CHECK(verdict("**/b.json", "c/a/b.json") == "ignored");
  CHECK(verdict("a/**/b", "a/b") == "ignored");
  CHECK(verdict("a/**/b", "a/x/y/b") == "ignored");
  CHECK(verdict("a/**", "a/x/y") == "ignored");
  CHECK(verdict("out/", "out", true) == "ignored");
  CHECK(verdict("out/", "out", false) == "silent");
  CHECK(verdict("*.json\n!keep.json", "keep.json") == "kept");
  CHECK(verdict("# *.json\n\n", "a.json") == "silent");
  CHECK(verdict("\\#a", "#a") == "ignored");
  CHECK(verdict("a.json  ", "a.json") == "ignored");
  CHECK(verdict("a.json\r\n", "a.json") == "ignored");
  CHECK(verdict("[a-c]?.json", "b1.json") == "ignored");
  CHECK(verdict("[!a-c].json", "b.json") == "silent");
}

TEST_CASE("paths", "[formats][discover]") {
  CHECK(formats::join("a/b", "../c.yaml") == "a/c.yaml");
  CHECK(formats::join("", "./a//b") == "a/b");
  CHECK(formats::join("/a", "../../b") == "/b");
  CHECK(formats::join("a", "../../b") == "../b");
  CHECK(formats::is_inside("a/b", "a"));
  CHECK_FALSE(formats::is_inside("ab", "a"));
  CHECK_FALSE(formats::is_inside("../b", "."));
  CHECK(formats::extension("x/Y.YAML") == "yaml");
  CHECK(formats::folder_of("a") == ".");
}

TEST_CASE("what a search leaves out is an error that names it", "[formats][discover]") {
  text::MemoryFileSystem files;
  std::string folder = "repo";
  for (int i = 0; i < 66; ++i) folder += "/d";
  files.files[folder + "/m.toml"] = "";
  files.files["repo/m.toml"] = "";
  const formats::Discovery out = formats::discover(files, std::vector<std::string>{"repo"});
  CHECK(out.files.size() == 1);
  REQUIRE(out.errors.size() == 1);
  CHECK(out.errors[0].message == "folders are nested more than 64 deep; deeper ones are not searched");
  CHECK(out.errors[0].path == folder.substr(0, folder.size() - 2));
}

TEST_CASE("what is beyond the most files is told, with the first that is left out", "[formats][discover]") {
  text::MemoryFileSystem files;
  constexpr int most = 500'000;
  for (int i = 0; i <= most; ++i) files.files[fmt::format("repo/{:06}.toml", i)] = "";
  const std::vector<std::string> paths{"repo"};
  const formats::Discovery all = formats::discover(files, paths);
  CHECK(all.files.size() == most);
  REQUIRE(all.errors.size() == 1);
  CHECK(all.errors.front().path == "repo/500000.toml");
  CHECK(all.errors.front().message.starts_with("more than 500000 files"));
}
