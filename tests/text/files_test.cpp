// Files on disk: what a write leaves behind, and what it must not touch.
#include "text/files.hpp"

#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "tests/catch.hpp"

using namespace shapelint;
namespace fs = std::filesystem;

namespace {

// A folder that is gone after the test.
struct Folder {
  fs::path path = fs::temp_directory_path() / ("shapelint-files-" + std::to_string(::getpid()));
  Folder() { fs::create_directories(path); }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  ~Folder() {
    std::error_code ignored;
    fs::remove_all(path, ignored);
  }
};

std::string content_of(const fs::path& path) {
  std::ifstream in(path);
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

}  // namespace

TEST_CASE("what cannot be read says by its code why") {
  const Folder folder;
  const text::RealFileSystem disk;
  text::MemoryFileSystem memory;
  const std::string path = (folder.path / "model.toml").string();
  for (const text::FileSystem* files :
       {static_cast<const text::FileSystem*>(&disk), static_cast<const text::FileSystem*>(&memory)}) {
    REQUIRE(files->write(path, "12345"));
    const auto code = [&](const std::string& name, std::int64_t max_bytes) {
      const auto content = files->read(name, max_bytes);
      REQUIRE_FALSE(content);
      return content.error().code;
    };
    CHECK(files->read(path, 5).value() == "12345");
    CHECK(code(path, 4) == ErrorCode::too_large);
    CHECK(code(folder.path.string(), 5) == ErrorCode::is_directory);
    CHECK(code(path + "x", 5) == ErrorCode::not_found);
    CHECK(code(path + "/x", 5) == ErrorCode::not_found);
  }
}

TEST_CASE("a file is replaced as a whole, with nothing left beside it") {
  const Folder folder;
  const text::RealFileSystem files;
  const std::string path = (folder.path / "out.json").string();
  REQUIRE(files.write(path, "first"));
  REQUIRE(files.write(path, "second"));
  CHECK(content_of(path) == "second");
  CHECK(std::distance(fs::directory_iterator(folder.path), fs::directory_iterator()) == 1);
}

TEST_CASE("writing through a link keeps the link") {
  const Folder folder;
  const text::RealFileSystem files;
  const fs::path link = folder.path / "link.json";
  REQUIRE(files.write((folder.path / "real.json").string(), "before"));
  fs::create_symlink("real.json", link);
  REQUIRE(files.write(link.string(), "after"));
  CHECK(fs::is_symlink(link));
  CHECK(content_of(folder.path / "real.json") == "after");
}

TEST_CASE("a device is written to, never replaced") {
  if (!fs::is_character_file("/dev/full")) SHAPELINT_SKIP("this system has no /dev/full");
  const Folder folder;
  const text::RealFileSystem files;
  // Through a link, so that a mistake here replaces the link and not the system's device.
  const fs::path link = folder.path / "full";
  fs::create_symlink("/dev/full", link);
  const auto written = files.write(link.string(), "anything");
  REQUIRE_FALSE(written);
  CHECK(written.error().message == "cannot be written: No space left on device");
  CHECK(fs::is_symlink(link));
  CHECK(fs::is_character_file("/dev/full"));
}

TEST_CASE("what cannot be written is said, and nothing is left behind") {
  const Folder folder;
  const text::RealFileSystem files;
  const auto written = files.write((folder.path / "no" / "such" / "folder.json").string(), "x");
  REQUIRE_FALSE(written);
  CHECK(written.error().message == "cannot be written: No such file or directory");
  CHECK(fs::is_empty(folder.path));
}

TEST_CASE("relative paths start from the working directory of the file system, not of the process") {
  const Folder folder;
  const text::RealFileSystem files(folder.path.string());
  CHECK(files.working_directory() == folder.path.string());
  CHECK(text::RealFileSystem().working_directory() == fs::current_path().string());
  fs::create_directory(folder.path / "a");
  REQUIRE(files.write("a/m.toml", "x = 1"));
  CHECK(content_of(folder.path / "a" / "m.toml") == "x = 1");
  CHECK(files.read("a/m.toml", 100).value() == "x = 1");
  CHECK(files.exists("a/m.toml"));
  CHECK(files.is_directory("a"));
  CHECK(files.list("a").value() == std::vector<std::string>{"a/m.toml"});
  CHECK(files.list(".").value() == std::vector<std::string>{"./a"});
  CHECK(files.list((folder.path / "a").string()).value() ==
        std::vector<std::string>{(folder.path / "a" / "m.toml").string()});
  const auto missing = files.read("b.toml", 100);
  REQUIRE_FALSE(missing);
  CHECK(missing.error().path == "b.toml");
}

TEST_CASE("a file that is replaced keeps its permissions, and a read-only one stays as it is") {
  const Folder folder;
  const text::RealFileSystem files;
  const fs::path script = folder.path / "run.sh";
  REQUIRE(files.write(script.string(), "old"));
  fs::permissions(script, fs::perms(0754));
  REQUIRE(files.write(script.string(), "new"));
  CHECK(content_of(script) == "new");
  CHECK(fs::status(script).permissions() == fs::perms(0754));
  fs::permissions(script, fs::perms(0444));
  const auto refused = files.write(script.string(), "newer");
  REQUIRE_FALSE(refused);
  CHECK(refused.error().message == "cannot be written: it is read-only");
  CHECK(content_of(script) == "new");
}
