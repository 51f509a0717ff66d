// Files on disk: what a write leaves behind, and what it must not touch.
#include "text/files.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <thread>

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
  // Through a link, so that a mistake here replaces the link and not the system's device.
  const fs::path link = folder.path / "full";
  const text::RealFileSystem files(folder.path.string(), {link.string()});
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

namespace {

std::string message_of(const Result<std::string>& content) {
  REQUIRE_FALSE(content);
  return content.error().message;
}

constexpr const char* follows_no_link = "is a link out of its tree, which is not followed";

}  // namespace

TEST_CASE("what nobody named is read when it is a regular file, and never waited for") {
  const Folder folder;
  const text::RealFileSystem files(folder.path.string());
  const fs::path pipe = folder.path / "pipe.toml";
  REQUIRE(::mkfifo(pipe.c_str(), 0600) == 0);
  fs::create_symlink("/dev/zero", folder.path / "zero.toml");
  fs::create_symlink("pipe.toml", folder.path / "link.toml");
  std::int64_t bytes = 0;
  for (const char* name : {"pipe.toml", "zero.toml", "link.toml"}) {
    CAPTURE(name);
    CHECK(message_of(files.read(name, 100)) == "is not a regular file");
    CHECK(message_of(files.read_start(name, 100, bytes)) == "is not a regular file");
    CHECK_FALSE(files.is_plain_file(name));
    CHECK(files.write(name, "x").error().message == "cannot be written: it is not a regular file");
  }
  // Named, a pipe is what `<(command)` and /dev/stdin are.
  const text::RealFileSystem named(folder.path.string(), {"pipe.toml"});
  std::thread writer([&] { std::ofstream(pipe) << "x = 1"; });
  CHECK(named.read("./pipe.toml", 100).value() == "x = 1");
  writer.join();
  const text::RealFileSystem zeros(folder.path.string(), {(folder.path / "zero.toml").string()});
  CHECK(message_of(zeros.read("zero.toml", 1'000'000)) == "more than 1 MB: not a configuration");
}

TEST_CASE("links out of the repository are not followed, those inside it are") {
  const Folder folder;
  const text::RealFileSystem outside(folder.path.string());
  fs::create_directories(folder.path / "repo" / ".git");
  fs::create_directories(folder.path / "repo" / "sub");
  fs::create_directories(folder.path / "other" / ".git");
  REQUIRE(outside.write("secret.toml", "swordfish"));
  REQUIRE(outside.write("other/secret.toml", "swordfish"));
  REQUIRE(outside.write("repo/base.toml", "base"));
  const fs::path sub = folder.path / "repo" / "sub";
  fs::create_symlink("../../secret.toml", sub / "out.toml");
  fs::create_symlink("../base.toml", sub / "in.toml");
  fs::create_directory_symlink("../../other", sub / "folder");  // which is a repository, but not this one
  for (const char* here : {"repo", "repo/sub", "."}) {
    const text::RealFileSystem files((folder.path / here).lexically_normal().string());
    CAPTURE(here);
    CHECK(files.read((sub / "in.toml").string(), 100).value() == "base");
    CHECK(files.is_plain_file((sub / "in.toml").string()));
    // From above the repository the tree is that folder.
    if (std::string(here) == ".") continue;
    CHECK(message_of(files.read((sub / "out.toml").string(), 100)) == follows_no_link);
    CHECK(message_of(files.read((sub / "folder/secret.toml").string(), 100)) == follows_no_link);
    CHECK_FALSE(files.is_plain_file((sub / "out.toml").string()));
    CHECK(files.write((sub / "out.toml").string(), "x").error().message ==
          std::string("cannot be written: it ") + follows_no_link);
  }
  CHECK(content_of(folder.path / "secret.toml") == "swordfish");
  // A server's working directory is anywhere: the repository is found anyway.
  const text::RealFileSystem server("/");
  CHECK(message_of(server.read((sub / "out.toml").string(), 100)) == follows_no_link);
  CHECK(message_of(server.read((sub / "folder/secret.toml").string(), 100)) == follows_no_link);
  // Who names a link means what it leads to.
  const text::RealFileSystem named((folder.path / "repo").string(), {"sub/out.toml"});
  CHECK(named.read("sub/out.toml", 100).value() == "swordfish");
}

TEST_CASE("a model in the local cache is links to blobs beside it, and stays within its folder") {
  const Folder folder;
  const fs::path model = folder.path / "hub" / "models--org--name";
  const fs::path snapshot = model / "snapshots" / "0123abcd";
  fs::create_directories(snapshot);
  fs::create_directories(model / "blobs");
  const text::RealFileSystem files(snapshot.string());  // the smallest tree that it can be in
  const text::RealFileSystem writing(folder.path.string());
  REQUIRE(writing.write("hub/models--org--name/blobs/77", "{}"));
  REQUIRE(writing.write("hub/secret", "swordfish"));
  fs::create_symlink("../../blobs/77", snapshot / "config.json");
  fs::create_symlink("../../../secret", snapshot / "params.json");
  CHECK(files.read("config.json", 100).value() == "{}");
  CHECK(message_of(files.read("params.json", 100)) == follows_no_link);
}

TEST_CASE("files know which of them were read, by any name") {
  const Folder folder;
  const text::RealFileSystem files(folder.path.string());
  REQUIRE(files.write("a.toml", "1"));
  REQUIRE(files.write("b.toml", "1"));
  fs::create_symlink("a.toml", folder.path / "link.toml");
  fs::create_hard_link(folder.path / "a.toml", folder.path / "hard.toml");
  CHECK_FALSE(files.was_read("a.toml"));
  REQUIRE(files.read("link.toml", 100));
  for (const char* name : {"a.toml", "./a.toml", "link.toml", "hard.toml"}) CHECK(files.was_read(name));
  CHECK_FALSE(files.was_read("b.toml"));
  CHECK_FALSE(files.was_read("none.toml"));
}

TEST_CASE("no link that lies in wait beside a file is written through") {
  const Folder folder;
  const text::RealFileSystem files(folder.path.string());
  REQUIRE(files.write("precious", "as it was"));
  REQUIRE(files.write("out.json", "old"));
  // What a process of this number would have called it.
  const std::string foreseen = ".out.json." + std::to_string(::getpid()) + ".tmp";
  fs::create_symlink("precious", folder.path / foreseen);
  REQUIRE(files.write("out.json", "new"));
  CHECK(content_of(folder.path / "out.json") == "new");
  CHECK(content_of(folder.path / "precious") == "as it was");
  CHECK(fs::is_symlink(folder.path / foreseen));
}

TEST_CASE("a link to nothing is told, and stays") {
  const Folder folder;
  const text::RealFileSystem files(folder.path.string());
  fs::create_symlink("gone.json", folder.path / "link.json");
  CHECK(files.write("link.json", "x").error().message ==
        "cannot be written: it is a link to `gone.json`, which does not exist");
  CHECK(fs::is_symlink(folder.path / "link.json"));
  CHECK_FALSE(fs::exists(folder.path / "gone.json"));
}

TEST_CASE("a file that is replaced keeps its mode, to the last bit, and its owner") {
  const Folder folder;
  const text::RealFileSystem files(folder.path.string());
  const fs::path path = folder.path / "secret.toml";
  for (const mode_t mode : {0600U, 0755U, 0640U}) {
    REQUIRE(files.write("secret.toml", "old"));
    REQUIRE(::chmod(path.c_str(), mode) == 0);
    if (::getuid() == 0) REQUIRE(::chown(path.c_str(), 1234, 4321) == 0);
    REQUIRE(files.write("secret.toml", "new"));
    struct stat now {};
    REQUIRE(::stat(path.c_str(), &now) == 0);
    CHECK((now.st_mode & 07777) == mode);
    CHECK(now.st_uid == (::getuid() == 0 ? 1234U : ::getuid()));
    CHECK(now.st_gid == (::getuid() == 0 ? 4321U : ::getgid()));
    CHECK(content_of(path) == "new");
  }
}

TEST_CASE("who locks a file waits for others that did") {
  const Folder folder;
  const text::RealFileSystem files(folder.path.string());
  auto held = files.lock("known.json");
  REQUIRE(held);
  REQUIRE(*held);
  const int other = ::open(folder.path.c_str(), O_RDONLY | O_DIRECTORY);
  REQUIRE(other >= 0);
  CHECK(::flock(other, LOCK_EX | LOCK_NB) != 0);
  held->reset();
  CHECK(::flock(other, LOCK_EX | LOCK_NB) == 0);
  ::close(other);
}
