// Files that are handed to the library: the machine's, in memory, a caller's own.
#include <shapelint/shapelint.hpp>

#include <filesystem>
#include <fstream>

#include "api/files.hpp"
#include "tests/catch.hpp"

using namespace shapelint;
namespace fs = std::filesystem;
using Strings = std::vector<std::string>;

TEST_CASE("files in memory are found by relative and absolute paths", "[api]") {
  const auto files =
      api::memory_files({{"a.toml", "A"}, {"b/c.toml", "C"}, {"/elsewhere/d", "D"}}, "/project");
  CHECK(files->working_directory() == "/project");
  CHECK(files->read("a.toml", 10).value() == "A");
  CHECK(files->read("./b/../a.toml", 10).value() == "A");
  CHECK(files->read("/project/b/c.toml", 10).value() == "C");
  CHECK(files->read("../elsewhere/d", 10).value() == "D");
  CHECK(files->exists("b"));
  CHECK(files->is_folder("b/"));
  CHECK_FALSE(files->is_folder("a.toml"));
  CHECK_FALSE(files->exists("b/a.toml"));
  CHECK(files->list(".").value() == Strings{"./a.toml", "./b"});
  CHECK(files->list("b").value() == Strings{"b/c.toml"});
  CHECK(files->list("/").value() == Strings{"/elsewhere", "/project"});
}

TEST_CASE("what is not in memory is an error with a code", "[api]") {
  const auto files = api::memory_files({{"b/c.toml", "content"}});
  const auto missing = files->read("a.toml", 10);
  REQUIRE_FALSE(missing);
  CHECK(missing.errors().front().code == "not-found");
  CHECK(api::to_string(missing.errors().front()) ==
        "a.toml: error: cannot be read: No such file or directory");
  CHECK(files->read("b", 10).errors().front().message == "is a directory, not a file");
  CHECK(files->read("b", 10).errors().front().code == "unreadable");
  CHECK(files->read("b/c.toml", 3).errors().front().message == "is larger than 3 bytes");
  CHECK(files->read("b/c.toml", 3).errors().front().code == "too-large");
  CHECK(files->list("d").errors().front().message == "cannot be listed: No such file or directory");
}

TEST_CASE("the machine's files start from the folder that is named", "[api]") {
  const fs::path folder = fs::temp_directory_path() / "shapelint-api-files-test";
  fs::create_directories(folder);
  std::ofstream(folder / "m.toml") << "x = 1";
  const auto files = api::local_files(folder.string());
  CHECK(files->read("m.toml", 10).value() == "x = 1");
  CHECK(files->exists("m.toml"));
  CHECK(files->list(".").value() == Strings{"./m.toml"});
  std::int64_t bytes = 0;
  CHECK(files->read_start("m.toml", 1, bytes).value() == "x");
  CHECK(bytes == 5);
  const auto missing = files->read("no.toml", 10);
  REQUIRE_FALSE(missing);
  CHECK(missing.errors().front().code == "not-found");
  CHECK(missing.errors().front().path == "no.toml");
  CHECK(api::local_files()->working_directory() == fs::current_path().string());
  // What leads elsewhere is read where a caller says that it is meant.
  fs::create_symlink("/dev/null", folder / "null.toml");
  CHECK(files->read("null.toml", 10).errors().front().message == "is not a regular file");
  CHECK(files->read("null.toml", 10).errors().front().code == "unreadable");
  CHECK(api::local_files(folder.string(), {"null.toml"})->read("null.toml", 10).value().empty());
  fs::remove_all(folder);
}

namespace {

// What a caller may write with the least effort.
class OneFile final : public api::FileSystem {
 public:
  std::string working_directory() const override { return "/"; }
  api::Result<std::string> read(const std::string& path, std::int64_t) const override {
    if (path == "/one") return std::string("content");
    return api::Error{"not-found", "is not the one", "", ""};
  }
  bool exists(const std::string& path) const override { return path == "/one"; }
  bool is_folder(const std::string& path) const override { return path == "/"; }
  api::Result<Strings> list(const std::string&) const override { return Strings{"/one"}; }
};

}  // namespace

TEST_CASE("a caller's own files are read inside as any others, and never written", "[api]") {
  const OneFile own;
  const api::InnerFiles files(own);
  CHECK(files.read("/one", 100).value() == "content");
  std::int64_t bytes = 0;
  CHECK(files.read_start("/one", 3, bytes).value() == "con");
  CHECK(bytes == 7);
  CHECK(files.list("/").value() == Strings{"/one"});
  CHECK_FALSE(files.is_link("/one"));
  CHECK(files.is_directory("/"));
  const auto missing = files.read("/two", 100);
  REQUIRE_FALSE(missing);
  CHECK(missing.error().message == "is not the one");
  CHECK(missing.error().code == ErrorCode::not_found);
  CHECK(missing.error().path == "/two");
  CHECK(files.write("/one", "x").error().message == "cannot be written: the library only reads");
}
