// Diagnostics while typing, hover on dimensions, proposals as edits: the protocol's messages.
// Source: Language Server Protocol 3.17, and JSON-RPC 2.0.
#include "lsp/lsp.hpp"

#include <algorithm>
#include <deque>
#include <limits>
#include <map>
#include <stdexcept>

#include <nlohmann/json.hpp>

#include "lsp/documents.hpp"
#include "lsp/frame.hpp"

namespace shapelint::lsp {

namespace {

using Json = nlohmann::json;

// Numbers of the protocol.
constexpr int incremental_sync = 2;
constexpr int log_error = 1;
constexpr int parse_error = -32700;
constexpr int invalid_request = -32600;
constexpr int method_not_found = -32601;
constexpr int invalid_params = -32602;
constexpr int internal_error = -32603;
constexpr int not_initialized = -32002;
constexpr int request_cancelled = -32800;

// What JSON-RPC or the protocol answer with an error.
struct Refused : std::runtime_error {
  Refused(int code_of_it, const std::string& text) : std::runtime_error(text), code(code_of_it) {}
  int code;
};

enum class Kind : std::uint8_t { request, notification, response, refused };

struct Message {
  Kind kind = Kind::refused;
  Json id;  // null where there is none
  std::string method;
  Json params = Json::object();
  int code = 0;  // why it is refused
  std::string problem;
};

Json parse(const std::string& content) {
  if (is_too_much(content)) {
    throw Refused(parse_error, "the message is nested too deep or holds too many values");
  }
  try {
    return Json::parse(content);
  } catch (const Json::exception&) {
    throw Refused(parse_error, "the message is not JSON");
  }
}

void take_apart(Json content, Message& message) {
  if (!content.is_object()) throw Refused(invalid_request, "the message is not a JSON object");
  const auto id = content.find("id");
  if (id != content.end()) {
    if (!id->is_number_integer() && !id->is_string()) {
      throw Refused(invalid_request, "the id is neither a whole number nor a text");
    }
    message.id = *id;
  }
  const auto version = content.find("jsonrpc");
  if (version == content.end() || *version != "2.0")
    throw Refused(invalid_request, "this is not JSON-RPC 2.0");
  const auto method = content.find("method");
  if (method == content.end() && (content.contains("result") || content.contains("error"))) {
    message.kind = Kind::response;
    return;
  }
  if (method == content.end() || !method->is_string()) throw Refused(invalid_request, "no method is named");
  message.method = method->get<std::string>();
  const auto params = content.find("params");
  if (params != content.end() && params->is_structured()) {
    message.params = std::move(*params);
  } else if (params != content.end() && !params->is_null()) {
    throw Refused(invalid_request, "the parameters are neither an object nor a list");
  }
  message.kind = id == content.end() ? Kind::notification : Kind::request;
}

Message message_of(const Frame& frame) {
  Message message;
  try {
    if (!frame.problem.empty()) throw Refused(parse_error, frame.problem);
    take_apart(parse(frame.content), message);
  } catch (const Refused& refused) {
    message.code = refused.code;
    message.problem = refused.what();
  } catch (const std::exception& problem) {
    message.code = internal_error;
    message.problem = problem.what();
  }
  return message;
}

// Requests that the client takes back while they wait are refused.
void cancel(std::deque<Message>& messages) {
  std::map<Json, Message*> waiting;
  for (Message& each : messages) {
    if (each.kind == Kind::request) waiting[each.id] = &each;
    if (each.kind != Kind::notification || each.method != "$/cancelRequest") continue;
    const auto id = each.params.find("id");
    const auto found = id == each.params.end() ? waiting.end() : waiting.find(*id);
    if (found == waiting.end()) continue;
    found->second->kind = Kind::refused;
    found->second->code = request_cancelled;
    found->second->problem = "the request was cancelled";
  }
}

template <class List, class Make>
Json list_of(const List& list, const Make& make) {
  Json out = Json::array();
  for (const auto& each : list) out.push_back(make(each));
  return out;
}

Json json_of(Position place) {
  return {{"line", place.line}, {"character", place.character}};
}

Json json_of(const TextRange& range) {
  return {{"start", json_of(range.begin)}, {"end", json_of(range.end)}};
}

Json json_of(const Diagnostic& diagnostic) {
  Json out{{"range", json_of(diagnostic.range)},
           {"severity", diagnostic.severity},
           {"code", diagnostic.code},
           {"source", "shapelint"},
           {"message", diagnostic.message}};
  if (!diagnostic.url.empty()) out["codeDescription"] = {{"href", diagnostic.url}};
  return out;
}

Json json_of(const Action& action, const std::string& uri) {
  Json edits = list_of(action.edits, [](const TextChange& edit) {
    return Json{{"range", json_of(*edit.range)}, {"newText", edit.text}};
  });
  return {{"title", action.title},
          {"kind", "quickfix"},
          {"isPreferred", action.is_preferred},
          {"diagnostics", Json::array({json_of(action.diagnostic)})},
          {"edit", {{"changes", {{uri, std::move(edits)}}}}}};
}

// Reading what a client says throws Json::exception where it does not fit.
std::int64_t count_of(const Json& number) {
  if (!number.is_number_unsigned())
    throw Refused(invalid_params, "a position is not a whole number from 0 on");
  constexpr std::uint64_t most = std::numeric_limits<std::int32_t>::max();
  return static_cast<std::int64_t>(std::min(number.get<std::uint64_t>(), most));
}

Position position_in(const Json& place) {
  return {count_of(place.at("line")), count_of(place.at("character"))};
}

TextRange range_in(const Json& range) {
  return {position_in(range.at("start")), position_in(range.at("end"))};
}

std::vector<TextChange> changes_in(const Json& list) {
  if (!list.is_array()) throw Refused(invalid_params, "the changes are not a list");
  std::vector<TextChange> changes;
  for (const Json& each : list) {
    TextChange& change = changes.emplace_back();
    change.text = each.at("text").get_ref<const std::string&>();
    const auto range = each.find("range");
    if (range != each.end() && !range->is_null()) change.range = range_in(*range);
  }
  return changes;
}

std::string uri_in(const Json& params) {
  return params.at("textDocument").at("uri");
}

std::optional<std::int64_t> version_in(const Json& params) {
  const Json& document = params.at("textDocument");
  const auto version = document.find("version");
  if (version == document.end() || !version->is_number_integer()) return std::nullopt;
  return version->get<std::int64_t>();
}

class Server {
 public:
  Server(std::istream& in, std::ostream& out, api::LintOptions options, const api::FileSystem& files)
      : in_(in), out_(out), documents_(std::move(options), files) {}

  bool serve() {
    while (take_waiting()) {
      cancel(waiting_);
      for (; !waiting_.empty(); waiting_.pop_front()) {
        Message& message = waiting_.front();
        if (message.kind == Kind::notification && message.method == "exit") return state_ == State::shut_down;
        guard(message, [&] { handle(message); });
      }
      // Changes that waited together are linted once.
      guard({}, [&] { lint_due(); });
    }
    return state_ == State::shut_down;
  }

 private:
  enum class State : std::uint8_t { started, initialized, shut_down };

  // At least one message, and with it those that are there already; false at the end of the stream.
  bool take_waiting() {
    for (const Frame& each : read_waiting(in_, frames_)) waiting_.push_back(message_of(each));
    return !waiting_.empty();
  }

  // The one place where whatever a message leads to ends. Errors of notifications have no answer: the
  // editor's log has them.
  template <class Work>
  void guard(const Message& message, const Work& work) {
    int code = internal_error;
    std::string problem;
    try {
      return work();
    } catch (const Refused& refused) {
      code = refused.code;
      problem = refused.what();
    } catch (const Json::exception&) {
      code = invalid_params;
      problem = "invalid parameters";
    } catch (const std::exception& failed) {
      problem = std::string("it failed: ") + failed.what();
    }
    if (message.kind == Kind::request) {
      respond_error(message.id, code, problem);
    } else {
      log(message.method.empty() ? problem : message.method + ": " + problem);
    }
  }

  void send(const Json& message) {
    write_message(out_, message.dump(-1, ' ', false, Json::error_handler_t::replace));
  }
  void respond_error(const Json& id, int code, const std::string& text) {
    send({{"jsonrpc", "2.0"}, {"id", id}, {"error", {{"code", code}, {"message", text}}}});
  }
  void notify(const char* method, Json params) {
    send({{"jsonrpc", "2.0"}, {"method", method}, {"params", std::move(params)}});
  }
  void log(const std::string& text) { notify("window/logMessage", {{"type", log_error}, {"message", text}}); }

  void handle(const Message& message) {
    switch (message.kind) {
      case Kind::refused:
        return respond_error(message.id, message.code, message.problem);
      case Kind::response:
        return;  // to nothing: the server asks for nothing
      case Kind::request:
        return send(
            {{"jsonrpc", "2.0"}, {"id", message.id}, {"result", answer(message.method, message.params)}});
      case Kind::notification:
        if (state_ == State::initialized) take_note(message.method, message.params);  // else only `exit`
    }
  }

  Json answer(const std::string& method, const Json& params) {
    if (state_ == State::shut_down) throw Refused(invalid_request, "the server was shut down");
    if (method == "initialize") return initialize(params);
    if (state_ == State::started) throw Refused(not_initialized, "the server is not initialized yet");
    lint_due();
    if (method == "textDocument/hover") return hover(params);
    if (method == "textDocument/codeAction") return code_actions(params);
    if (method == "textDocument/completion") return completion(params);
    if (method == "textDocument/inlayHint") return inlay_hints(params);
    if (method != "shutdown") throw Refused(method_not_found, "the server does not know this method");
    state_ = State::shut_down;
    return {};
  }

  void take_note(const std::string& method, const Json& params) {
    if (method == "textDocument/didOpen") {
      const Json& document = params.at("textDocument");
      if (!documents_.open(document.at("uri"), document.at("text"), version_in(params))) log_lost(document);
    } else if (method == "textDocument/didChange") {
      change(params);
    } else if (method == "textDocument/didSave") {
      documents_.relint();  // the configuration may have changed in the meantime
    } else if (method == "textDocument/didClose") {
      const std::string uri = uri_in(params);
      documents_.close(uri);
      publish(uri, {}, std::nullopt);
    }
  }

  void change(const Json& params) {
    const std::string uri = uri_in(params);
    if (!documents_.is_open(uri)) throw Refused(invalid_params, uri + " is not open");
    std::vector<TextChange> changes;
    try {
      changes = changes_in(params.at("contentChanges"));
    } catch (const std::exception&) {
      documents_.lose(uri);
      throw;
    }
    if (!documents_.change(uri, changes, version_in(params))) log_lost(params.at("textDocument"));
  }

  void log_lost(const Json& document) {
    log(document.at("uri").get<std::string>() +
        " is not looked at: it is too large, or a change of it was not understood");
  }

  Json initialize(const Json& params) {
    if (state_ != State::started) throw Refused(invalid_request, "the server was initialized before");
    const Json encodings =
        params.value(Json::json_pointer("/capabilities/general/positionEncodings"), Json());
    const bool takes_bytes =
        encodings.is_array() && std::find(encodings.begin(), encodings.end(), "utf-8") != encodings.end();
    documents_.set_encoding(takes_bytes ? PositionEncoding::utf8 : PositionEncoding::utf16);
    takes_versions_ =
        params.value(Json::json_pointer("/capabilities/textDocument/publishDiagnostics/versionSupport"),
                     Json()) == true;
    state_ = State::initialized;
    return {{"capabilities",
             {{"positionEncoding", takes_bytes ? "utf-8" : "utf-16"},
              {"textDocumentSync", {{"openClose", true}, {"change", incremental_sync}, {"save", true}}},
              {"hoverProvider", true},
              {"inlayHintProvider", true},
              {"completionProvider", {{"triggerCharacters", Json::array({"[", "\"", "="})}}},
              {"codeActionProvider", {{"codeActionKinds", Json::array({"quickfix"})}}}}},
            {"serverInfo", {{"name", "shapelint"}, {"version", api::version()}}}};
  }

  void lint_due() {
    while (const auto uri = documents_.due()) {
      publish(*uri, documents_.lint(*uri), documents_.version(*uri));
    }
  }

  void publish(const std::string& uri, const std::vector<Diagnostic>& diagnostics,
               std::optional<std::int64_t> version) {
    Json list = list_of(diagnostics, [](const Diagnostic& each) { return json_of(each); });
    Json params{{"uri", uri}, {"diagnostics", std::move(list)}};
    if (takes_versions_ && version) params["version"] = *version;
    notify("textDocument/publishDiagnostics", std::move(params));
  }

  Json hover(const Json& params) {
    const auto found = documents_.hover(uri_in(params), position_in(params.at("position")));
    if (!found) return {};
    return {{"contents", {{"kind", "markdown"}, {"value", found->text}}}, {"range", json_of(found->range)}};
  }

  Json code_actions(const Json& params) {
    const std::string uri = uri_in(params);
    return list_of(documents_.actions(uri, range_in(params.at("range"))),
                   [&](const Action& each) { return json_of(each, uri); });
  }

  Json inlay_hints(const Json& params) {
    return list_of(documents_.hints(uri_in(params), range_in(params.at("range"))), [](const Hint& each) {
      return Json{{"position", json_of(each.place)},
                  {"label", each.label},
                  {"tooltip", each.tooltip},
                  {"paddingLeft", true}};
    });
  }

  Json completion(const Json& params) const {
    const Offer offer = documents_.completions(uri_in(params), position_in(params.at("position")));
    return list_of(offer.items, [&](const Completion& each) {
      return Json{{"label", each.label},
                  {"kind", static_cast<int>(each.kind)},
                  {"detail", each.detail},
                  {"documentation", each.documentation},
                  {"textEdit", {{"range", json_of(offer.typed)}, {"newText", each.text}}}};
    });
  }

  std::istream& in_;
  std::ostream& out_;
  Frames frames_;
  std::deque<Message> waiting_;
  Documents documents_;
  State state_ = State::started;
  bool takes_versions_ = false;
};

}  // namespace

bool serve(std::istream& in, std::ostream& out, const api::LintOptions& options,
           const api::FileSystem& files) {
  return Server(in, out, options, files).serve();
}

}  // namespace shapelint::lsp
