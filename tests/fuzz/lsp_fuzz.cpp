// Fuzz target of the language server. The first byte chooses: the input as it comes, in pieces, or each of
// its lines as a message, the server being initialized already or not.
#include <cstddef>
#include <cstdint>
#include <sstream>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "lsp/frame.hpp"
#include "lsp/lsp.hpp"
#include "tests/fuzz/check.hpp"

namespace {

using namespace shapelint;

constexpr const char* initialize =
    R"({"jsonrpc":"2.0","id":0,"method":"initialize","params":{"capabilities":{}}})";

std::string frame(std::string_view content) {
  return "Content-Length: " + std::to_string(content.size()) + "\r\n\r\n" + std::string(content);
}

std::vector<std::string> frames_of(std::string_view bytes, std::size_t piece) {
  lsp::Frames frames;
  std::vector<std::string> out;
  for (std::size_t at = 0; at < bytes.size(); at += piece) {
    frames.push(bytes.substr(at, piece));
    while (const auto each = frames.next()) out.push_back(each->problem + each->content);
  }
  return out;
}

// Every answer is a message that a client can read.
void check_answers(const std::string& bytes) {
  lsp::Frames frames;
  frames.push(bytes);
  std::size_t read = 0;
  while (const auto each = frames.next()) {
    fuzz::require(each->problem.empty());
    const auto answer = nlohmann::json::parse(each->content, nullptr, false);
    fuzz::require(answer.is_object() && answer["jsonrpc"] == "2.0");
    fuzz::require(answer.contains("method") != answer.contains("id"));
    if (answer.contains("id")) fuzz::require(answer.contains("result") != answer.contains("error"));
    read += frame(each->content).size();
  }
  fuzz::require(read == bytes.size());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  constexpr std::uint8_t as_lines = 1;
  constexpr std::uint8_t initialized = 2;
  if (size == 0) return 0;
  const std::string_view text(reinterpret_cast<const char*>(data) + 1, size - 1);
  std::string bytes;
  if ((data[0] & initialized) != 0) bytes += frame(initialize);
  if ((data[0] & as_lines) != 0) {
    for (std::size_t begin = 0; begin < text.size();) {
      const std::size_t end = std::min(text.find('\n', begin), text.size());
      bytes += frame(text.substr(begin, end - begin));
      begin = end + 1;
    }
  } else {
    bytes += text;
    fuzz::require(frames_of(bytes, 1) == frames_of(bytes, bytes.size() + 1));
  }
  static const auto files = api::memory_files({{"/project/.git/HEAD", ""}}, "/project");
  api::LintOptions options;
  options.gpus.names = {"a100"};
  options.read.isolated = true;
  std::istringstream in(bytes);
  std::ostringstream out;
  lsp::serve(in, out, options, *files);
  check_answers(out.str());
  return 0;
}
