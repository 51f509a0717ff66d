// Messages behind headers, whole or not.
#include "lsp/frame.hpp"

#include <sstream>

#include <fmt/format.h>

#include "tests/catch.hpp"

using namespace shapelint::lsp;

namespace {

// What comes out of a stream: `content`, or `!why there is none`.
std::vector<std::string> frames_of(const std::string& bytes, std::size_t piece) {
  Frames frames;
  std::vector<std::string> out;
  for (std::size_t at = 0; at < bytes.size(); at += piece) {
    frames.push(std::string_view(bytes).substr(at, piece));
    while (const auto frame = frames.next()) {
      out.push_back(frame->problem.empty() ? frame->content : "!" + frame->problem);
    }
  }
  return out;
}

// The same in whatever pieces they come.
std::vector<std::string> frames_of(const std::string& bytes) {
  std::vector<std::string> whole = frames_of(bytes, bytes.size());
  CHECK(frames_of(bytes, 1) == whole);
  CHECK(frames_of(bytes, 7) == whole);
  return whole;
}

using Texts = std::vector<std::string>;

}  // namespace

TEST_CASE("headers come in any case and order, with blanks or without", "[lsp]") {
  CHECK(frames_of("Content-Length: 2\r\n\r\n{}") == Texts{"{}"});
  CHECK(frames_of("content-length:2\n\n{}CONTENT-LENGTH:\t 2 \r\n\r\n[]") == Texts{"{}", "[]"});
  CHECK(frames_of("Content-Type: application/vscode-jsonrpc; charset=utf-8\r\nContent-Length: 2\r\n\r\n{}") ==
        Texts{"{}"});
  CHECK(frames_of("Content-Length: 2\r\nX-Other: 1\r\nContent-Type: a/b; charset=\"UTF8\"\r\n\r\n{}") ==
        Texts{"{}"});
  CHECK(frames_of("\r\n\r\nContent-Length: 2\r\n\r\n{}\r\n\r\nContent-Length: 2\r\n\r\n[]") ==
        Texts{"{}", "[]"});
  CHECK(frames_of("Content-Length: 0\r\n\r\nContent-Length: 2\r\n\r\n{}") == Texts{"", "{}"});
}

TEST_CASE("a message without a length is told, and the next one found", "[lsp]") {
  const std::string good = "Content-Length: 2\r\n\r\n{}";
  CHECK(frames_of("Content-Type: a/b\r\n\r\n" + good) == Texts{"!the message has no Content-Length", "{}"});
  for (const char* length : {"-5", "", "two", "2x", "0x2", "99999999999999999999"}) {
    INFO(length);
    // The body that nobody knows the length of runs into the next header.
    CHECK(frames_of(fmt::format("Content-Length: {}\r\n\r\n{{\"a\": 1}}{}", length, good)) ==
          Texts{"!the Content-Length is not a length", "{}"});
  }
  CHECK(frames_of("Content-Length: 1\r\n\r\n{}" + good) == Texts{"{", "{}"});
}

TEST_CASE("a message in another encoding is passed over", "[lsp]") {
  const Texts expected{"!the message is in another encoding than UTF-8", "{}"};
  CHECK(frames_of("Content-Type: a/b; charset=utf-16\r\nContent-Length: 4\r\n\r\n1234"
                  "Content-Length: 2\r\n\r\n{}") == expected);
  CHECK(frames_of("Content-Length: 4\r\nContent-Type: a/b; charset=latin1\r\n\r\n1234"
                  "Content-Length: 2\r\n\r\n{}") == expected);
}

TEST_CASE("a message that is cut short is none", "[lsp]") {
  CHECK(frames_of("Content-Length: 5\r\n\r\n{}").empty());
  CHECK(frames_of("Content-Length: 5\r\n").empty());
  CHECK(frames_of("Content-Length: 134217728\r\n\r\n{}").empty());
}

TEST_CASE("a message that is too long is passed over without being kept", "[lsp]") {
  Frames frames;
  frames.push(fmt::format("Content-Length: {}\r\n\r\n", longest_message + 1));
  const std::string piece(1024 * 1024, 'x');
  for (int i = 0; i < 128; ++i) {
    frames.push(piece);
    REQUIRE_FALSE(frames.next());
  }
  frames.push("xContent-Length: 2\r\n\r\n{}");
  CHECK(frames.next()->problem == "the message has 134217729 bytes, and at most 134217728 are read");
  CHECK(frames.next()->content == "{}");
  frames.push("Content-Length: 9223372036854775807\r\n\r\n{}");
  CHECK_FALSE(frames.next());
}

TEST_CASE("a line that does not end is not kept, and a header at its end is found", "[lsp]") {
  CHECK(frames_of(std::string(1000000, '{') + "Content-Length: 2\r\n\r\n{}", 4096) == Texts{"{}"});
  // Whether it came in pieces makes no difference.
  CHECK(frames_of("Content-Length: 2" + std::string(10000, ' ') + "\r\n\r\n{}").empty());
}

TEST_CASE("all messages that are there are taken at once", "[lsp]") {
  std::istringstream in("Content-Length: 2\r\n\r\n{}Content-Length: 2\r\n\r\n[]Content-Length: 7\r\n\r\ncut");
  Frames frames;
  const std::vector<Frame> both = read_waiting(in, frames);
  REQUIRE(both.size() == 2);
  CHECK(both[0].content == "{}");
  CHECK(both[1].content == "[]");
  CHECK(read_waiting(in, frames).empty());
}
