// The rules of the house that a machine can check: which room may use which, how long a file may be, and that
// nothing committed knows of the machine it was written on.
#include <algorithm>
#include <array>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "tests/catch.hpp"
#include "tests/source_dir.hpp"

namespace fs = std::filesystem;

namespace {

// A room (folder of src/) and the rooms that it may include. The way of the data is
//   text -> formats -> model -> cost -> suggest -> rules -> contracts -> project -> lint -> report -> chart,
//   and cli on top. `api` implements what include/shapelint declares: all that users of the library, and lsp,
//   have.
// `a/b` is an inner room: it may use the flat files of its own room, and other rooms as its room may; of its
// room's other inner rooms only those named here. A room's flat files may use all of its inner rooms.
const std::map<std::string, std::set<std::string>> may_use{
    {"base", {}},
    {"text", {"base"}},
    {"text/gin", {"text/python"}},
    {"text/header", {"text/json"}},
    {"text/interpolation", {"text/python", "text/yaml"}},
    {"text/json", {}},
    {"text/python", {}},
    {"text/shell", {}},
    {"text/shell/grammar", {}},
    {"text/toml", {}},
    {"text/yaml", {}},
    {"expr", {"base"}},
    {"model", {"base"}},
    {"model/cnn", {}},
    {"model/lower", {"model/cnn"}},
    {"model/lower/attention", {}},
    {"model/lower/learning", {}},
    {"model/lower/mixture", {"model/lower/learning"}},
    {"model/memory", {"model/cnn", "model/lower", "model/lower/learning"}},
    {"catalog", {"base", "text", "model"}},
    {"formats", {"base", "text", "expr", "catalog", "model"}},
    {"formats/dialect", {}},
    {"formats/native", {}},
    {"formats/onnx", {"formats/dialect"}},
    {"formats/onnx/module", {"formats/onnx"}},
    {"gpu", {"base", "text", "catalog"}},
    {"cost", {"base", "model", "gpu"}},
    {"cost/engines", {"cost/kernels"}},
    {"cost/kernels", {}},
    {"calibrate", {"base", "text", "model", "gpu", "cost"}},
    {"suggest", {"base", "expr", "model", "gpu", "cost"}},
    {"suggest/edit", {}},
    {"suggest/search", {"suggest/edit"}},
    {"suggest/serving", {"suggest/edit"}},
    {"rules", {"base", "text", "expr", "catalog", "model", "gpu", "cost", "suggest"}},
    {"rules/book", {"rules/scope"}},
    {"rules/engine", {"rules/book", "rules/scope"}},
    {"rules/scope", {}},
    {"contracts", {"base", "text", "expr", "catalog", "model", "formats", "gpu", "cost", "suggest", "rules"}},
    {"contracts/plan", {}},
    {"prove", {"base", "text", "model", "gpu", "cost", "suggest", "rules"}},
    {"trace", {"base", "text", "catalog", "model", "gpu", "cost"}},
    {"objects", {"base", "text", "model", "gpu", "cost", "suggest", "rules", "lint"}},
    {"report", {"base", "text", "model", "gpu", "cost", "suggest", "rules", "trace", "lint", "objects"}},
    {"objects/printed", {}},
    {"report/exchange", {}},
    {"report/findings", {}},
    {"report/profile", {"report/roofline"}},
    {"report/roofline", {}},
    {"report/suggestions", {"report/findings"}},
    {"chart", {"base", "text", "model", "gpu", "cost", "suggest", "lint", "report"}},
    {"project", {"base", "text", "catalog", "model", "formats", "gpu", "rules", "contracts"}},
    {"lint",
     {"base", "text", "model", "formats", "gpu", "suggest", "rules", "contracts", "project", "prove"}},
    {"lint/suppression", {}},
    {"lint/proofs", {}},
    {"lint/stack", {}},
    {"api",
     {"base", "text", "expr", "catalog", "model", "formats", "gpu", "cost", "suggest", "rules", "contracts",
      "project", "lint", "objects"}},
    {"lsp", {"base", "api"}},
    {"cli",
     {"base", "text", "model", "formats", "gpu", "cost", "calibrate", "suggest", "rules", "contracts",
      "prove", "trace", "objects", "report", "chart", "project", "lint", "lsp", "api"}},
    {"cli/commands",
     {"cli/commands/calibrate", "cli/commands/contracts", "cli/commands/fits", "cli/commands/gpus",
      "cli/commands/kernels", "cli/commands/lint", "cli/commands/plan", "cli/commands/profile",
      "cli/commands/prove", "cli/commands/roofline", "cli/commands/rules", "cli/commands/show",
      "cli/commands/suggest", "cli/commands/sweep"}},
    {"cli/commands/calibrate", {}},
    {"cli/commands/contracts", {}},
    {"cli/commands/fits", {}},
    {"cli/commands/gpus", {}},
    {"cli/commands/kernels", {}},
    {"cli/commands/lint", {}},
    {"cli/commands/plan", {"cli/commands/roofline", "cli/commands/suggest"}},
    {"cli/commands/profile", {"cli/commands/roofline"}},
    {"cli/commands/prove", {}},
    {"cli/commands/roofline", {}},
    {"cli/commands/rules", {}},
    {"cli/commands/show", {}},
    {"cli/commands/suggest", {}},
    {"cli/commands/sweep", {"cli/commands/roofline"}},
    {"tools", {"base", "text", "expr"}},
};

// What the command line uses beside the public face (api), base, text and what draws and prints. Each needs
// it for what the face does not carry, as it would be of use to no program but this one.
const std::set<std::string> all_of_cli_use{"base", "text", "objects", "report", "chart", "calibrate", "api"};
const std::map<std::string, std::set<std::string>> beside_the_face{
    // Options fill what a project takes; models are read with the configuration and messages of a command.
    {"cli", {"contracts", "formats", "gpu", "lint", "model", "project", "rules"}},
    // `gemm` shows every candidate of a kernel, `formats` the dialects themselves, `config` a configuration;
    // what a
    // stack can be asked holds for several commands.
    {"cli/commands", {"contracts", "cost", "formats", "gpu", "lsp", "model", "project"}},
    // A GPU's constants, searched for and written down, and the proofs that they are adjusted to.
    {"cli/commands/calibrate", {"formats", "gpu", "lint", "project", "prove"}},
    // The face has findings of contracts, not the contracts.
    {"cli/commands/contracts", {"contracts", "project"}},
    // Plans that a stack takes are priced with the command line's own project.
    {"cli/commands/fits", {"contracts", "project"}},
    // Every figure with its source and its error.
    {"cli/commands/gpus", {"gpu"}},
    // The engines behind a kernel's price.
    {"cli/commands/kernels", {"cost", "gpu"}},
    // Fixes and baselines are written to files, many files are linted at a time, and versions are told of
    // once.
    {"cli/commands/lint", {"contracts", "lint", "project"}},
    // Plans that a stack takes, priced and written into the file.
    {"cli/commands/plan", {"contracts", "project"}},
    // A step op by op beside a trace's, and the findings weighed by it.
    {"cli/commands/profile", {"cost", "lint", "model", "prove", "suggest", "trace"}},
    // Changed files as they would be run.
    {"cli/commands/prove", {"lint", "prove"}},
    // A step op by op, drawn, as a stack runs it.
    {"cli/commands/roofline", {"contracts", "cost", "gpu", "lint", "model", "project", "suggest"}},
    // The examples of rules are linted where they stand.
    {"cli/commands/rules", {"lint", "rules"}},
    // How every value was read, and which dialect was nearly meant.
    {"cli/commands/show", {"formats", "model", "project"}},
    // Whole families of models, edits of their files, and what a stack makes of them.
    {"cli/commands/suggest", {"contracts", "gpu", "lint", "project", "rules", "suggest"}},
    // Rows by the million, without a copy of any.
    {"cli/commands/sweep", {"cost", "gpu", "model", "rules", "suggest"}},
};

constexpr std::size_t most_flat_files = 15;

std::string outer(const std::string& room) {
  return room.substr(0, room.find('/'));
}

// Whether a file of `room` may include one of `used`.
bool may_include(const std::string& room, const std::string& used) {
  if (room == used || used.starts_with(room + '/')) return true;
  if (outer(room) != outer(used)) return may_use.at(outer(room)).contains(outer(used));
  return room.starts_with(used + '/') || may_use.at(room).contains(used);
}

constexpr std::size_t longest_file = 600;  // lines

const fs::path source_root(shapelint::tests::source_dir());

std::vector<std::string> lines_of(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::vector<std::string> lines;
  for (std::string line; std::getline(file, line);) lines.push_back(line);
  return lines;
}

std::vector<fs::path> sources(const char* folder) {
  std::vector<fs::path> paths;
  for (const auto& entry : fs::recursive_directory_iterator(source_root / folder)) {
    const auto extension = entry.path().extension();
    if (extension == ".cpp" || extension == ".hpp")
      paths.push_back(entry.path().lexically_relative(source_root));
  }
  std::sort(paths.begin(), paths.end());
  return paths;
}

// Tracked and new files, as git lists them; none outside a repository.
std::vector<fs::path> committed_files() {
  const std::string command =
      "git -C '" + source_root.string() + "' ls-files --cached --others --exclude-standard 2>&1";
  std::FILE* pipe = popen(command.c_str(), "r");
  REQUIRE(pipe != nullptr);
  std::string listing;
  std::array<char, 4096> chunk{};
  while (const std::size_t got = std::fread(chunk.data(), 1, chunk.size(), pipe))
    listing.append(chunk.data(), got);
  if (pclose(pipe) != 0) return {};
  std::vector<fs::path> paths;
  std::istringstream lines(listing);
  for (std::string line; std::getline(lines, line);) {
    if (fs::is_regular_file(source_root / line)) paths.emplace_back(line);
  }
  return paths;
}

}  // namespace

TEST_CASE("a room includes only the rooms before it", "[architecture]") {
  std::size_t includes = 0;
  for (const fs::path& path : sources("src")) {
    const std::string room = path.parent_path().lexically_relative("src").generic_string();
    if (room == ".") continue;  // main.cpp
    INFO(path.string());
    REQUIRE(may_use.contains(room));  // a new room belongs in the table
    for (const std::string& line : lines_of(source_root / path)) {
      const bool is_public = line.starts_with("#include <shapelint/");
      if (!is_public && !line.starts_with("#include \"")) continue;
      const std::string header = is_public ? "objects/" : line.substr(10, line.find('"', 10) - 10);
      INFO(line);
      // The public structs are made in `objects`, and the functions beside them in `api`.
      const bool is_of_face = is_public && may_include(room, "api");
      CHECK((is_of_face || may_include(room, fs::path(header).parent_path().generic_string())));
      ++includes;
    }
  }
  CHECK(includes > 0);
}

TEST_CASE("a command of the command line uses beside the face what it is said to need", "[architecture]") {
  std::map<std::string, std::set<std::string>> used;
  for (const fs::path& path : sources("src/cli")) {
    const std::string room = path.parent_path().lexically_relative("src").generic_string();
    used[room];
    for (const std::string& line : lines_of(source_root / path)) {
      if (!line.starts_with("#include \"")) continue;
      const std::string other = outer(line.substr(10, line.find('"', 10) - 10));
      if (other != "cli" && !all_of_cli_use.contains(other)) used[room].insert(other);
    }
  }
  CHECK(used == beside_the_face);  // neither more nor less: what is no longer used does not belong in it
}

TEST_CASE("the public headers include the standard library and each other alone", "[architecture]") {
  // What a user of the library must have, and what its bindings see.
  std::size_t includes = 0;
  for (const fs::path& path : sources("include")) {
    for (const std::string& line : lines_of(source_root / path)) {
      if (!line.starts_with("#include ")) continue;
      INFO(path.string() << ": " << line);
      const bool is_standard =
          line.starts_with("#include <") && line.find_first_of("/.") == std::string::npos;
      CHECK((is_standard || line.starts_with("#include \"shapelint/")));
      ++includes;
    }
  }
  CHECK(includes > 0);
}

TEST_CASE("the table of rooms has no circle and no room that is gone", "[architecture]") {
  for (const auto& [room, used] : may_use) {
    INFO(room);
    CHECK(fs::is_directory(source_root / "src" / room));
    std::vector<std::string> left(used.begin(), used.end());
    std::set<std::string> reached;
    while (!left.empty()) {
      const std::string next = left.back();
      left.pop_back();
      if (!reached.insert(next).second) continue;
      INFO(next);
      REQUIRE(may_use.contains(next));
      left.insert(left.end(), may_use.at(next).begin(), may_use.at(next).end());
    }
    CHECK_FALSE(reached.contains(room));
  }
}

TEST_CASE("a room has at most fifteen flat files, then inner rooms", "[architecture]") {
  std::map<std::string, std::size_t> flat;
  for (const fs::path& path : sources("src")) {
    if (path.extension() == ".cpp") ++flat[path.parent_path().generic_string()];
  }
  for (const auto& [room, count] : flat) {
    INFO(room);
    CHECK(count <= most_flat_files);
  }
}

TEST_CASE("heavy libraries stay inside one source file each", "[architecture]") {
  // nlohmann's: its reader, and one file for each JSON that is written, none of which another file includes.
  constexpr std::size_t one_per_format = 29;
  const std::map<std::string, std::size_t> most{{"<CLI/", 1},
                                                {"<toml++/", 1},
                                                {"<nlopt", 1},
                                                {"<yaml.h>", 1},
                                                {"<zlib.h>", 1},
                                                {"<sqlite3.h>", 1},
                                                {"<nlohmann/", one_per_format}};
  for (const auto& [library, limit] : most) {
    std::vector<std::string> users;
    for (const fs::path& path : sources("src")) {
      const std::vector<std::string> lines = lines_of(source_root / path);
      const bool uses =
          std::any_of(lines.begin(), lines.end(), [&, prefix = library](const std::string& line) {
            // Forward declarations are made for headers.
            return line.starts_with("#include " + prefix) && line.find("_fwd.hpp") == std::string::npos;
          });
      if (!uses) continue;
      INFO(path.string() << " includes " << library);
      CHECK(path.extension() == ".cpp");
      users.push_back(path.string());
    }
    INFO(library);
    CHECK(users.size() <= limit);
    CHECK_FALSE(users.empty());  // a library that is gone does not belong in the table
  }
}

TEST_CASE("a source file says what it is for, and is short enough to read", "[architecture]") {
  std::vector<fs::path> all = sources("src");
  for (const char* folder : {"include", "tests"}) {
    for (const fs::path& path : sources(folder)) all.push_back(path);
  }
  for (const fs::path& path : all) {
    INFO(path.string());
    const std::vector<std::string> lines = lines_of(source_root / path);
    REQUIRE_FALSE(lines.empty());
    CHECK(lines.front().starts_with("// "));
    CHECK(lines.size() <= longest_file);
  }
}

TEST_CASE("nothing committed names a place on somebody's machine", "[architecture]") {
  // Written in pieces, so that this file does not name them.
  const std::array<std::string, 5> places{
      "/ho"
      "me/",
      "/ro"
      "ot/",
      "/wo"
      "rk/",
      "/Us"
      "ers/",
      "/bash_"
      "jobs"};
  const std::vector<fs::path> committed = committed_files();
  if (committed.empty()) SHAPELINT_SKIP("this folder is no git repository");
  CHECK(committed.size() > 100);
  for (const fs::path& path : committed) {
    std::size_t number = 0;
    for (const std::string& line : lines_of(source_root / path)) {
      ++number;
      for (const std::string& place : places) {
        if (line.find(place) == std::string::npos) continue;
        FAIL_CHECK(path.string() << ':' << number << " names `" << place << '`');
      }
    }
  }
}
