// Every golden file, and the examples. See tests/golden.hpp.
#include "tests/golden.hpp"

#include <algorithm>
#include <filesystem>
#include <vector>

#include "cli/command.hpp"
#include "tests/catch.hpp"
#include "tests/formats/native/native_support.hpp"
#include "tests/source_dir.hpp"

namespace fs = std::filesystem;
using shapelint::tests::compare_with_file;
using shapelint::tests::read_source_file;
using shapelint::tests::transcript;

namespace {

std::vector<fs::path> files_under(const std::string& folder) {
  std::vector<fs::path> paths;
  for (const auto& entry :
       fs::recursive_directory_iterator(fs::path(shapelint::tests::source_dir()) / folder)) {
    if (entry.is_regular_file())
      paths.push_back(entry.path().lexically_relative(shapelint::tests::source_dir()));
  }
  REQUIRE_FALSE(paths.empty());
  std::sort(paths.begin(), paths.end());
  return paths;
}

}  // namespace

TEST_CASE("command lines print what their golden files say", "[golden]") {
  for (const fs::path& path : files_under("tests/golden")) {
    if (path.extension() == ".cmd") {
      const std::string out = fs::path(path).replace_extension(".out").string();
      const std::string difference = compare_with_file(out, transcript(read_source_file(path.string())));
      CHECK(difference == "");
    }
    if (path.extension() == ".toml" &&
        !fs::exists(fs::path(shapelint::tests::source_dir()) / fs::path(path).replace_extension(".cmd"))) {
      const std::string difference =
          compare_with_file(fs::path(path).replace_extension(".out").string(),
                            transcript("shapelint " + path.string() + " --gpu a100"));
      CHECK(difference == "");
    }
  }
}

TEST_CASE("each example is linted as its golden file says", "[golden]") {
  for (const fs::path& path : files_under("examples")) {
    if (path.extension() != ".toml") continue;  // scripts
    // An A100 has no fp8.
    const std::string gpu =
        read_source_file(path.string()).find("dtype = \"fp8\"") == std::string::npos ? "a100" : "h100";
    const std::string out = "tests/golden/examples/" + path.stem().string() + ".out";
    const std::string difference =
        compare_with_file(out, transcript("shapelint " + path.string() + " --gpu " + gpu));
    CHECK(difference == "");
  }
}

TEST_CASE("each command's help is what its golden file says", "[golden]") {
  for (const auto& command : shapelint::cli::commands()) {
    const std::string name(command.name);
    const std::string difference =
        compare_with_file("tests/golden/help/" + name + ".out", transcript("shapelint " + name + " --help"));
    CHECK(difference == "");
  }
}

TEST_CASE("no golden output is left over from an input that is gone", "[golden]") {
  const fs::path root(shapelint::tests::source_dir());
  for (const fs::path& path : files_under("tests/golden")) {
    if (path.extension() != ".out" || path.parent_path().filename() == "help") continue;
    INFO(path.string());
    const bool has_input =
        fs::exists(root / fs::path(path).replace_extension(".cmd")) ||
        fs::exists(root / fs::path(path).replace_extension(".toml")) ||
        (path.parent_path().filename() == "examples" &&
         fs::exists(root / "examples" / fs::path(path.filename()).replace_extension(".toml")));
    CHECK(has_input);
  }
}
