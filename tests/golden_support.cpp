// Runs command lines in this process and compares what they print with files.
#include "tests/golden.hpp"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>
#include <vector>

#include "base/docs_url.hpp"
#include "tests/cli/run_support.hpp"
#include "tests/source_dir.hpp"

namespace shapelint::tests {

namespace {

struct CommandLine {
  std::vector<std::string> args;
  std::map<std::string, std::string> environment;
  std::string input;
};

// Words at blanks; single quotes keep what they hold together.
std::vector<std::string> words(const std::string& line) {
  std::vector<std::string> out;
  std::string word;
  bool quoted = false;
  bool started = false;
  for (const char c : line) {
    if (c == '\'') {
      quoted = !quoted;
      started = true;
    } else if (c == ' ' && !quoted) {
      if (started) out.push_back(word);
      word.clear();
      started = false;
    } else {
      word += c;
      started = true;
    }
  }
  if (started) out.push_back(word);
  return out;
}

std::string content(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream out;
  out << file.rdbuf();
  return out.str();
}

CommandLine parse(const std::string& line) {
  CommandLine command;
  std::vector<std::string> all = words(line);
  std::size_t first = 0;
  for (; first < all.size() && all[first] != "shapelint"; ++first) {
    const std::size_t equals = all[first].find('=');
    command.environment[all[first].substr(0, equals)] = all[first].substr(equals + 1);
  }
  for (std::size_t i = first + 1; i < all.size(); ++i) {
    if (all[i] == "<" && i + 1 < all.size()) {
      command.input = content(all[++i]);
    } else {
      command.args.push_back(all[i]);
    }
  }
  return command;
}

std::string ended(std::string text) {
  if (!text.empty() && !text.ends_with('\n')) text += "\n(no line feed)\n";
  return text;
}

}  // namespace

std::string wherever_home_is(std::string text) {
  const std::string_view address = docs_url();
  for (std::size_t at = 0; !address.empty() && (at = text.find(address, at)) != std::string::npos;) {
    text.replace(at, address.size(), "https://home.example/");
  }
  return text;
}

std::string transcript(const std::string& command_lines) {
  std::filesystem::current_path(tests::source_dir());
  const text::RealFileSystem files;
  std::istringstream lines(command_lines);
  std::string out;
  for (std::string line; std::getline(lines, line);) {
    if (line.empty() || line.starts_with('#')) continue;
    const CommandLine command = parse(line);
    const Ran ran = run(command.args, files, command.environment, false, command.input);
    if (!out.empty()) out += '\n';
    out += "$ " + line + '\n' + wherever_home_is(ended(ran.out));
    if (!ran.err.empty()) out += "--- stderr\n" + ended(ran.err);
    out += "--- exit " + std::to_string(ran.code) + '\n';
  }
  return out;
}

std::string compare_with_file(const std::string& path, const std::string& actual) {
  const std::string full = tests::source_dir() + "/" + path;
  const std::string expected = content(full);
  if (expected == actual) return {};
  const char* update = std::getenv("UPDATE_GOLDEN");
  if (update != nullptr && *update != '\0') {
    std::filesystem::create_directories(std::filesystem::path(full).parent_path());
    std::ofstream(full, std::ios::binary) << actual;
    return {};
  }
  std::istringstream left(expected);
  std::istringstream right(actual);
  std::string a;
  std::string b;
  for (int number = 1;; ++number) {
    const bool has_a = static_cast<bool>(std::getline(left, a));
    const bool has_b = static_cast<bool>(std::getline(right, b));
    if (has_a && has_b && a == b) continue;
    return path + ":" + std::to_string(number) +
           " differs (UPDATE_GOLDEN=1 rewrites it)\n  expected: " + (has_a ? a : "(end)") +
           "\n  actual:   " + (has_b ? b : "(end)");
  }
}

}  // namespace shapelint::tests
