// Whole conversations with the language server.
#include <algorithm>
#include <sstream>
#include <stdexcept>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "lsp/documents.hpp"
#include "lsp/frame.hpp"
#include "lsp/lsp.hpp"
#include "tests/catch.hpp"
#include "text/errors.hpp"

using namespace shapelint;
using Json = nlohmann::json;

namespace {

using Texts = std::vector<std::string>;

const std::string gpt2 =
    "[model]\nhidden_size = 768\nnum_layers = 12\nnum_attention_heads = 12\nvocab_size = 50257\n"
    "[run]\nmicro_batch_size = 8\nsequence_length = 1024\n";

const std::string start = R"({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": {}})";

std::string frame(const std::string& content) {
  return fmt::format("Content-Length: {}\r\n\r\n{}", content.size(), content);
}

std::string request(const Json& id, const std::string& method, const Json& params) {
  return Json{{"jsonrpc", "2.0"}, {"id", id}, {"method", method}, {"params", params}}.dump();
}
std::string note(const std::string& method, const Json& params) {
  return Json{{"jsonrpc", "2.0"}, {"method", method}, {"params", params}}.dump();
}
std::string open(const std::string& uri, const std::string& text) {
  return note("textDocument/didOpen",
              {{"textDocument", {{"uri", uri}, {"languageId", "toml"}, {"version", 1}, {"text", text}}}});
}
Json range(int line, int begin, int end) {
  return {{"start", {{"line", line}, {"character", begin}}}, {"end", {{"line", line}, {"character", end}}}};
}
std::string change(const std::string& uri, int version, const Json& changes) {
  return note("textDocument/didChange",
              {{"textDocument", {{"uri", uri}, {"version", version}}}, {"contentChanges", changes}});
}
std::string close(const std::string& uri) {
  return note("textDocument/didClose", {{"textDocument", {{"uri", uri}}}});
}
std::string hover(const Json& id, const std::string& uri) {
  return request(id, "textDocument/hover",
                 {{"textDocument", {{"uri", uri}}}, {"position", {{"line", 4}, {"character", 14}}}});
}

struct Talk {
  std::vector<Json> answers;
  bool ended_well = false;
};

Talk talk_bytes(const std::string& bytes, const api::FileSystem& files, bool isolated,
                const std::string& gpu = "a100") {
  std::istringstream in(bytes);
  std::ostringstream out;
  api::LintOptions options;
  options.gpus.names = {gpu};
  options.read.isolated = isolated;
  options.select = {"SL101"};
  Talk talk;
  talk.ended_well = lsp::serve(in, out, options, files);
  lsp::Frames frames;
  frames.push(out.str());
  while (const auto each = frames.next()) talk.answers.push_back(Json::parse(each->content));
  return talk;
}

Talk talk_bytes(const std::string& bytes) {
  return talk_bytes(bytes, *api::memory_files({}), true);
}

Talk talk(const Texts& messages) {
  std::string bytes;
  for (const std::string& each : messages) bytes += frame(each);
  return talk_bytes(bytes);
}

// One line for each answer: `ID: result`, `ID: -32600 text`, `log: text`, `URI: codes`.
Texts lines(const Talk& talk) {
  Texts out;
  for (const Json& each : talk.answers) {
    if (each.contains("error")) {
      out.push_back(fmt::format("{}: {} {}", each["id"].dump(), each["error"]["code"].dump(),
                                each["error"]["message"].get<std::string>()));
    } else if (each.contains("result")) {
      out.push_back(fmt::format("{}: {}", each["id"].dump(),
                                each["result"].is_null() ? "null" : each["result"].begin().key()));
    } else if (each["method"] == "window/logMessage") {
      out.push_back("log: " + each["params"]["message"].get<std::string>());
    } else {
      std::string line = each["params"]["uri"].get<std::string>() + ":";
      for (const Json& one : each["params"]["diagnostics"]) line += " " + one["code"].get<std::string>();
      out.push_back(line);
    }
  }
  return out;
}

// What is answered to one message after the server was initialized.
std::string answer_to(const std::string& message) {
  const Texts all = lines(talk({start, message, request(1, "shutdown", {})}));
  REQUIRE(all.size() == 3);
  CHECK(all.back() == "1: null");
  return all[1];
}

// The diagnostics that are shown last.
Json shown(const Talk& talk) {
  Json last;
  for (const Json& each : talk.answers) {
    if (each.value("method", "") == "textDocument/publishDiagnostics") last = each["params"]["diagnostics"];
  }
  return last;
}

// Where reading a file fails in a way that nobody thought of.
class Broken final : public api::FileSystem {
 public:
  std::string working_directory() const override { throw std::runtime_error("no such thing"); }
  api::Result<std::string> read(const std::string& path, std::int64_t max_bytes) const override {
    (void)max_bytes;
    throw std::runtime_error(path);
  }
  bool exists(const std::string& path) const override { throw std::runtime_error(path); }
  bool is_folder(const std::string& path) const override { throw std::runtime_error(path); }
  api::Result<std::vector<std::string>> list(const std::string& folder) const override {
    throw std::runtime_error(folder);
  }
};

}  // namespace

TEST_CASE("a malformed message is answered with an error, and the server lives on", "[lsp]") {
  const std::string no_rpc = "this is not JSON-RPC 2.0";
  CHECK(answer_to(R"({"method": 5})") == "null: -32600 " + no_rpc);
  CHECK(answer_to(R"({"id": 7, "method": "shutdown"})") == "7: -32600 " + no_rpc);
  CHECK(answer_to(R"({"jsonrpc": "2.0", "method": 5})") == "null: -32600 no method is named");
  CHECK(answer_to(R"({"jsonrpc": "2.0", "id": 7})") == "7: -32600 no method is named");
  CHECK(answer_to(R"({"jsonrpc": "2.0", "id": "a", "method": null})") == "\"a\": -32600 no method is named");
  for (const char* id : {"null", "1.5", "true", "[]", "{}"}) {
    CHECK(answer_to(fmt::format(R"({{"jsonrpc": "2.0", "id": {}, "method": "shutdown"}})", id)) ==
          "null: -32600 the id is neither a whole number nor a text");
  }
  CHECK(answer_to(R"({"jsonrpc": "2.0", "id": 7, "method": "shutdown", "params": 5})") ==
        "7: -32600 the parameters are neither an object nor a list");
  for (const char* text : {"[]", "5", "null", "\"exit\"", "[{\"jsonrpc\": \"2.0\", \"method\": \"exit\"}]"}) {
    CHECK(answer_to(text) == "null: -32600 the message is not a JSON object");
  }
  for (const char* text : {"", "{", "{}{}", "\xff", "{\"jsonrpc\": \"2.0\", \"method\": \"\xc3\"}", "nul"}) {
    CHECK(answer_to(text) == "null: -32700 the message is not JSON");
  }
}

TEST_CASE("a message that is nested or filled without end is refused", "[lsp]") {
  const std::string refused = "null: -32700 the message is nested too deep or holds too many values";
  CHECK(answer_to(std::string(1000000, '[')) == refused);
  std::string deep = R"({"jsonrpc": "2.0", "id": )";
  for (int i = 0; i < 100000; ++i) deep += R"({"a":)";
  CHECK(answer_to(deep) == refused);
  std::string wide = "[0";
  for (int i = 0; i < 2000000; ++i) wide += ",0";
  CHECK(answer_to(wide + "]") == refused);
  // What is in a text counts for nothing, and many values are taken in good time.
  std::string brackets = R"({"jsonrpc": "2.0", "id": 7, "method": "x", "params": {"a": ")";
  for (int i = 0; i < 1000; ++i) brackets += R"([\"{\\)";
  std::string objects = R"("}, "b": [0)";
  for (int i = 0; i < 300000; ++i) objects += ",{}";
  CHECK(answer_to(brackets + objects + "]}") == "7: -32601 the server does not know this method");
}

TEST_CASE("parameters that do not fit are an error of their request", "[lsp]") {
  const std::string bad = "7: -32602 invalid parameters";
  CHECK(answer_to(request(7, "textDocument/hover", Json::array({1}))) == bad);
  CHECK(answer_to(request(7, "textDocument/hover", {{"textDocument", 1}})) == bad);
  CHECK(answer_to(request(7, "textDocument/codeAction", {{"textDocument", {{"uri", "a"}}}})) == bad);
  for (const Json& line : {Json(-1), Json(1.5), Json(true), Json("1"), Json()}) {
    CHECK(answer_to(request(
              7, "textDocument/hover",
              {{"textDocument", {{"uri", "a"}}}, {"position", {{"line", line}, {"character", 0}}}})) ==
          "7: -32602 a position is not a whole number from 0 on");
  }
  CHECK(answer_to(request(7, "no/such", {})) == "7: -32601 the server does not know this method");
  CHECK(answer_to(request(7, "$/such", {})) == "7: -32601 the server does not know this method");
}

TEST_CASE("the order of the protocol is kept", "[lsp]") {
  // Before `initialize`.
  CHECK(lines(talk({hover(1, "a"), open("a", gpt2), request(2, "shutdown", {})})) ==
        Texts{"1: -32002 the server is not initialized yet", "2: -32002 the server is not initialized yet"});
  // Twice.
  CHECK(answer_to(request(7, "initialize", {})) == "7: -32600 the server was initialized before");
  CHECK(lines(talk({request(7, "initialize", Json::array({1}))})) == Texts{"7: -32602 invalid parameters"});
  // After `shutdown`.
  CHECK(lines(talk({start, request(1, "shutdown", {}), hover(2, "a"), open("a", gpt2),
                    request(3, "shutdown", {})})) == Texts{"0: capabilities", "1: null",
                                                           "2: -32600 the server was shut down",
                                                           "3: -32600 the server was shut down"});
  // Notifications that it does not know, and answers to nothing.
  CHECK(lines(talk({start, note("initialized", {}), note("$/what", {}), note("what", Json::array()),
                    R"({"jsonrpc": "2.0", "id": 9, "result": null})",
                    R"({"jsonrpc": "2.0", "id": 9, "error": {}})"})) == Texts{"0: capabilities"});
}

TEST_CASE("the end is a good one after `shutdown` only", "[lsp]") {
  const std::string exit = note("exit", {});
  CHECK(talk({start, request(1, "shutdown", {}), exit}).ended_well);
  CHECK(talk({start, request(1, "shutdown", nullptr), R"({"jsonrpc": "2.0", "method": "exit"})"}).ended_well);
  CHECK_FALSE(talk({start, exit, request(1, "shutdown", {})}).ended_well);
  CHECK_FALSE(talk({exit}).ended_well);
  CHECK_FALSE(talk({request(1, "shutdown", {}), exit}).ended_well);  // was refused
  CHECK_FALSE(talk({start}).ended_well);
  CHECK_FALSE(talk_bytes("").ended_well);
  CHECK_FALSE(talk_bytes(frame(start) + "Content-Length: 100\r\n\r\n{").ended_well);
}

TEST_CASE("what is no frame is told, and the next message is taken", "[lsp]") {
  CHECK(lines(talk_bytes("Content-Length: -5\r\n\r\n" + frame(start))) ==
        Texts{"null: -32700 the Content-Length is not a length", "0: capabilities"});
  CHECK(lines(talk_bytes("Content-Type: a/b\r\n\r\n{}" + frame(start))) ==
        Texts{"null: -32700 the message has no Content-Length", "0: capabilities"});
  CHECK(lines(talk_bytes("Content-Length: 1\r\n\r\n{}" + frame(start))) ==
        Texts{"null: -32700 the message is not JSON", "0: capabilities"});
}

TEST_CASE("ten thousand changes that wait are linted once", "[lsp]") {
  Texts messages{R"({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": {"capabilities":
      {"textDocument": {"publishDiagnostics": {"versionSupport": true}}}}})",
                 open("a.toml", "")};
  for (int i = 0; i < 10000; ++i) {
    // A character at a time, at the end of what is there.
    const std::string next(1, gpt2[static_cast<std::size_t>(i) % gpt2.size()]);
    messages.push_back(change("a.toml", i,
                              i % static_cast<int>(gpt2.size()) == 0
                                  ? Json::array({{{"text", next}}})
                                  : Json::array({{{"range", range(99, 0, 0)}, {"text", next}}})));
  }
  messages.push_back(change("a.toml", 10000, {{{"text", gpt2}}}));
  const Talk all = talk(messages);
  CHECK(lines(all) == Texts{"0: capabilities", "a.toml: SL101"});
  CHECK(all.answers.back()["params"]["version"] == 10000);
}

TEST_CASE("a request is answered after the changes that came before it", "[lsp]") {
  CHECK(lines(talk({start, open("a.toml", ""), change("a.toml", 2, {{{"text", gpt2}}}), hover(1, "a.toml"),
                    change("a.toml", 3, {{{"text", ""}}}), hover(2, "a.toml")})) ==
        Texts{"0: capabilities", "a.toml: SL101", "1: contents", "a.toml:", "2: null"});
}

TEST_CASE("a request that is cancelled while it waits costs nothing", "[lsp]") {
  CHECK(lines(talk({start, open("a.toml", gpt2), hover(1, "a.toml"), hover("x", "a.toml"),
                    note("$/cancelRequest", {{"id", 1}}), change("a.toml", 2, {{{"text", ""}}}),
                    note("$/cancelRequest", {{"id", "x"}}), note("$/cancelRequest", {{"id", 99}}),
                    note("$/cancelRequest", Json::array({5})), note("$/cancelRequest", {{"id", {1, 2}}})})) ==
        Texts{"0: capabilities", "1: -32800 the request was cancelled",
              "\"x\": -32800 the request was cancelled", "a.toml:"});
}

TEST_CASE("changes of ranges make the text that the editor has", "[lsp]") {
  // The vocabulary, behind a character past the basic plane and lines that end in two bytes.
  std::string text = "# 😀\r\n";
  for (const char c : gpt2) text += c == '\n' ? std::string("\r\n") : std::string(1, c);
  const Json first = shown(talk({start, open("a.toml", text)}));
  REQUIRE(first.size() == 1);
  CHECK(first[0]["range"] == range(5, 13, 18));
  const auto after = [&](const Json& changes) {
    return shown(talk({start, open("a.toml", text), change("a.toml", 2, changes)}));
  };
  CHECK(after({{{"range", range(5, 13, 18)}, {"text", "50304"}}}).empty());
  CHECK(after({{{"range", range(5, 13, 99999)}, {"text", "50304"}}}).empty());  // past the end of the line
  // One after the other, each in the text that those before it made; within the line of the surrogate pair.
  CHECK(after({{{"range", range(0, 2, 4)}, {"text", "\n"}}, {{"range", range(6, 13, 18)}, {"text", "50258"}}})
            .at(0)["range"] == range(6, 13, 18));
  CHECK(after(Json::array()) == first);
}

TEST_CASE("a change that is not understood leaves nothing to be wrong about", "[lsp]") {
  const auto after = [](const Json& params) {
    Texts all = lines(talk({start, open("a.toml", gpt2), hover(1, "a.toml"),
                            note("textDocument/didChange", params), hover(2, "a.toml")}));
    return Texts(all.begin() + 3, all.end());
  };
  const Json document{{"uri", "a.toml"}, {"version", 2}};
  const std::string bad = "log: textDocument/didChange: invalid parameters";
  CHECK(after({{"textDocument", document}}) == Texts{bad, "a.toml:", "2: null"});
  CHECK(after({{"textDocument", document}, {"contentChanges", {5}}}) == Texts{bad, "a.toml:", "2: null"});
  CHECK(after({{"textDocument", document}, {"contentChanges", Json::array({Json::object()})}}) ==
        Texts{bad, "a.toml:", "2: null"});
  CHECK(after({{"textDocument", document}, {"contentChanges", nullptr}}) ==
        Texts{"log: textDocument/didChange: the changes are not a list", "a.toml:", "2: null"});
  CHECK(
      after({{"textDocument", document}, {"contentChanges", {{{"range", range(-1, 0, 0)}, {"text", ""}}}}}) ==
      Texts{"log: textDocument/didChange: a position is not a whole number from 0 on", "a.toml:", "2: null"});
  // Nothing is known to have changed: of which document is not said.
  CHECK(after({{"contentChanges", Json::array()}}) == Texts{bad, "2: contents"});
  // Until the whole text comes again.
  const Texts all = lines(talk({start, open("a.toml", gpt2), change("a.toml", 2, {5}), hover(1, "a.toml"),
                                change("a.toml", 3, {{{"range", range(0, 0, 0)}, {"text", "#"}}}),
                                hover(2, "a.toml"), change("a.toml", 4, {{{"text", gpt2}}})}));
  CHECK(Texts(all.begin() + 2, all.end()) ==
        Texts{"a.toml:", "1: null",
              "log: a.toml is not looked at: it is too large, or a change of it was not understood",
              "a.toml:", "2: null", "a.toml: SL101"});
}

TEST_CASE("a diagnostic says how the file's framework does what is proposed", "[lsp]") {
  const std::string config = R"({"model_type": "gpt2", "architectures": ["GPT2LMHeadModel"], "n_embd": 768,
    "n_layer": 12, "n_head": 12, "n_positions": 1024, "vocab_size": 50257})";
  const Json diagnostics = shown(talk({start, open("config.json", config)}));
  REQUIRE(diagnostics.size() == 1);
  const std::string message = diagnostics[0]["message"];
  CHECK(message.find("\nhow: `model.resize_token_embeddings(len(tokenizer), pad_to_multiple_of=64)`; the new "
                     "rows are never used, and the tokenizer stays as it is") != std::string::npos);
}

TEST_CASE("a file that is no model is passed over, and one that was a model is not", "[lsp]") {
  const std::string other = "version = 1\n[tool]\nname = \"x\"\n";
  CHECK(lines(talk({start, open("a.toml", other), open("b.json", "{\"a\": 1}"), open("c.yaml", "a: [")})) ==
        Texts{"0: capabilities", "a.toml:", "b.json:", "c.yaml:"});
  CHECK(lines(talk(
            {start, open("a.toml", gpt2), hover(1, "a.toml"), change("a.toml", 2, {{{"text", other}}})})) ==
        Texts{"0: capabilities", "a.toml: SL101", "1: contents", "a.toml: unreadable SL101"});
}

TEST_CASE("what the server was started with wrongly is blamed on no file", "[lsp]") {
  const Json diagnostics =
      shown(talk_bytes(frame(start) + frame(open("a.toml", gpt2)), *api::memory_files({}), true, "h10"));
  REQUIRE(diagnostics.size() == 1);
  CHECK(diagnostics[0]["code"] == "invalid-option");
  CHECK(diagnostics[0]["message"].get<std::string>().starts_with("unknown GPU `h10`\nhelp: "));
}

TEST_CASE("a file that is not open is not looked at", "[lsp]") {
  CHECK(lines(talk({start, change("a.toml", 2, {{{"text", gpt2}}}), hover(1, "a.toml")})) ==
        Texts{"0: capabilities", "log: textDocument/didChange: a.toml is not open", "1: null"});
  CHECK(lines(talk({start, open("a.toml", gpt2), close("a.toml"), change("a.toml", 2, {{{"text", gpt2}}}),
                    close("a.toml"), hover(1, "a.toml"), open("a.toml", gpt2)})) ==
        Texts{"0: capabilities", "a.toml:", "log: textDocument/didChange: a.toml is not open",
              "a.toml:", "1: null", "a.toml: SL101"});
}

TEST_CASE("the text of a document that is too large is not kept", "[lsp]") {
  CHECK(lsp::largest_document == static_cast<std::size_t>(text::max_source_bytes));
  const std::string large = gpt2 + "#" + std::string(lsp::largest_document, '-');
  const std::string told =
      "log: a.toml is not looked at: it is too large, or a change of it was not understood";
  CHECK(lines(talk(
            {start, open("a.toml", large), hover(1, "a.toml"), change("a.toml", 2, {{{"text", gpt2}}})})) ==
        Texts{"0: capabilities", told, "a.toml:", "1: null", "a.toml: SL101"});
  CHECK(lines(talk({start, open("a.toml", gpt2), hover(1, "a.toml"),
                    change("a.toml", 2, {{{"range", range(99, 0, 0)}, {"text", large}}})})) ==
        Texts{"0: capabilities", "a.toml: SL101", "1: contents", told, "a.toml:"});
  // So many changes that each is looked for from the beginning.
  constexpr std::size_t megabyte = std::size_t{1024} * 1024;
  const Json here{{"range", range(0, 0, 0)}, {"text", ""}};
  const std::vector<Json> many(lsp::max_edited_bytes / megabyte + 1, here);
  CHECK(lines(talk({start, open("a.toml", gpt2 + "#" + std::string(megabyte, '-')),
                    change("a.toml", 2, Json(many))})) == Texts{"0: capabilities", told, "a.toml:"});
}

TEST_CASE("what fails in the server is told, and the server lives on", "[lsp]") {
  const Talk all = talk_bytes(frame(start) + frame(open("a.toml", gpt2)) + frame(hover(1, "a.toml")) +
                                  frame(hover(2, "b.toml")) + frame(open("b.toml", gpt2)),
                              Broken(), false);
  const Texts told = lines(all);
  REQUIRE(told.size() == 4);
  CHECK(told[1].starts_with("1: -32603 it failed: "));
  CHECK(told[2] == "2: null");
  CHECK(told[3].starts_with("log: it failed: "));
}
