// Diagnostics while typing, hover on dimensions, proposals as edits.
// Source: Language Server Protocol 3.17.
#include "lsp/lsp.hpp"

#include <algorithm>
#include <map>
#include <tuple>

#include <nlohmann/json.hpp>

#include "lsp/hover.hpp"
#include "lsp/text.hpp"

namespace shapelint::lsp {

namespace {

using Json = nlohmann::json;

// Numbers of the protocol and of JSON-RPC 2.0.
constexpr int severity_error = 1;
constexpr int severity_warning = 2;
constexpr int severity_information = 3;
constexpr int full_sync = 1;
constexpr int parse_error = -32700;
constexpr int method_not_found = -32601;
constexpr int invalid_params = -32602;

struct OpenFile {
  std::string path;
  std::string text;
  api::LintResult result;     // of the last text that could be understood
  std::string linted;         // that text
  Json good = Json::array();  // its diagnostics
};

int severity_of(api::Severity severity) {
  switch (severity) {
    case api::Severity::info:
      return severity_information;
    case api::Severity::warning:
      return severity_warning;
    case api::Severity::error:
      break;
  }
  return severity_error;
}

// By place, code and message.
void sort(std::vector<api::Finding>& findings) {
  std::stable_sort(findings.begin(), findings.end(), [&](const api::Finding& a, const api::Finding& b) {
    const api::Place first = a.range ? a.range->begin : api::Place{0, 0};
    const api::Place second = b.range ? b.range->begin : api::Place{0, 0};
    return std::tie(a.path, first.line, first.column, a.code, a.message) <
           std::tie(b.path, second.line, second.column, b.code, b.message);
  });
}

class Server {
 public:
  Server(std::istream& in, std::ostream& out, api::LintOptions options, const api::FileSystem& files)
      : in_(in), out_(out), options_(std::move(options)), files_(files) {
    options_.with_operations = true;
    options_.with_known = true;  // an editor shows what is there
  }

  bool serve() {
    while (const auto content = read_message(in_)) {
      const Json message = Json::parse(*content, nullptr, false);
      if (!message.is_object()) {
        respond_error(Json(), parse_error, "the message is no JSON object");
        continue;
      }
      const std::string method = message.value("method", "");
      if (method == "exit") return shut_down_;
      try {
        handle(method, message.value("params", Json::object()), message.value("id", Json()));
      } catch (const Json::exception&) {
        // What a client left out or gave another type: its mistake, and no reason to end.
        if (message.contains("id")) respond_error(message["id"], invalid_params, "the parameters do not fit");
      }
    }
    return shut_down_;
  }

 private:
  void send(const Json& message) {
    write_message(out_, message.dump(-1, ' ', false, Json::error_handler_t::replace));
  }
  void respond(const Json& id, Json result) {
    send({{"jsonrpc", "2.0"}, {"id", id}, {"result", std::move(result)}});
  }
  void respond_error(const Json& id, int code, const char* text) {
    send({{"jsonrpc", "2.0"}, {"id", id}, {"error", {{"code", code}, {"message", text}}}});
  }

  void handle(const std::string& method, const Json& params, const Json& id) {
    if (method == "initialize") {
      respond(id, initialize(params));
    } else if (method == "shutdown") {
      shut_down_ = true;
      respond(id, Json());
    } else if (method == "textDocument/didOpen") {
      const Json& document = params.at("textDocument");
      change(document.at("uri"), document.at("text"));
    } else if (method == "textDocument/didChange") {
      change(params.at("textDocument").at("uri"), params.at("contentChanges").back().at("text"));
    } else if (method == "textDocument/didSave") {
      // The configuration may have changed in the meantime.
      for (auto& [uri, file] : open_) lint(uri, file);
    } else if (method == "textDocument/didClose") {
      const std::string uri = params.at("textDocument").at("uri");
      open_.erase(uri);
      publish(uri, Json::array());
    } else if (method == "textDocument/hover") {
      respond(id, hover(params));
    } else if (method == "textDocument/codeAction") {
      respond(id, code_actions(params));
    } else if (!id.is_null()) {
      respond_error(id, method_not_found, "the server does not know this method");
    }
  }

  Json initialize(const Json& params) {
    const Json encodings =
        params.value(Json::json_pointer("/capabilities/general/positionEncodings"), Json());
    const bool takes_bytes =
        encodings.is_array() && std::find(encodings.begin(), encodings.end(), "utf-8") != encodings.end();
    encoding_ = takes_bytes ? PositionEncoding::utf8 : PositionEncoding::utf16;
    return {{"capabilities",
             {{"positionEncoding", takes_bytes ? "utf-8" : "utf-16"},
              {"textDocumentSync", {{"openClose", true}, {"change", full_sync}, {"save", true}}},
              {"hoverProvider", true},
              {"codeActionProvider", {{"codeActionKinds", Json::array({"quickfix"})}}}}},
            {"serverInfo", {{"name", "shapelint"}, {"version", api::version()}}}};
  }

  Json range(const std::string& text, const std::optional<api::Range>& range) const {
    const Position begin = position_of(text, range ? range->begin_byte : 0, encoding_);
    const Position end = position_of(text, range ? range->end_byte : 0, encoding_);
    return {{"start", {{"line", begin.line}, {"character", begin.character}}},
            {"end", {{"line", end.line}, {"character", end.character}}}};
  }

  Json diagnostic(const api::Finding& finding, const std::string& text) const {
    std::string message = finding.message;
    if (!finding.note.empty()) message += "\nnote: " + finding.note;
    if (!finding.why.empty()) message += "\nwhy: " + finding.why;
    if (!finding.cost.empty()) message += "\ncost: " + finding.cost;
    for (const api::Proposal& proposal : finding.proposals) message += "\ntry: " + proposal.summary;
    Json out{{"range", range(text, finding.range)},
             {"severity", severity_of(finding.severity)},
             {"code", finding.code},
             {"source", "shapelint"},
             {"message", std::move(message)}};
    if (!finding.url.empty()) out["codeDescription"] = {{"href", finding.url}};
    return out;
  }

  // Of a mistake elsewhere (in the configuration) the path is said, since it has no place in this file.
  Json diagnostic(const api::Error& error, const OpenFile& file) const {
    const bool is_here = error.path == file.path;
    std::string message = is_here ? error.message : error.path + ": " + error.message;
    if (!error.hint.empty()) message += "\nhelp: " + error.hint;
    return {{"range", range(file.text, is_here ? error.range : std::nullopt)},
            {"severity", severity_error},
            {"code", "unreadable"},
            {"source", "shapelint"},
            {"message", std::move(message)}};
  }

  void publish(const std::string& uri, const Json& diagnostics) {
    send({{"jsonrpc", "2.0"},
          {"method", "textDocument/publishDiagnostics"},
          {"params", {{"uri", uri}, {"diagnostics", diagnostics}}}});
  }

  void change(const std::string& uri, const std::string& text) {
    OpenFile& file = open_[uri];
    file.path = path_of_uri(uri);
    file.text = text;
    lint(uri, file);
  }

  // A text that cannot be understood keeps the findings of the last one that could, besides its own errors.
  void lint(const std::string& uri, OpenFile& file) {
    api::LintOptions options = options_;
    // What was a model a moment ago and cannot be parsed now is being edited, whatever it looks like
    // meanwhile.
    options.expect_models = !file.result.models.empty();
    // An empty buffer is one in which nothing was written yet.
    const bool is_blank = file.text.find_first_not_of(" \t\r\n") == std::string::npos;
    api::LintResult result;
    if (!is_blank) result = api::lint(files_, {{file.path, file.text}}, options);
    sort(result.findings);
    Json diagnostics = Json::array();
    for (const api::Error& error : result.errors) diagnostics.push_back(diagnostic(error, file));
    for (const api::Finding& each : result.findings) diagnostics.push_back(diagnostic(each, file.text));
    if (result.errors.empty()) {
      file.good = diagnostics;
      file.result = std::move(result);
      file.linted = file.text;
      publish(uri, file.good);
      return;
    }
    for (const Json& old : file.good) diagnostics.push_back(old);
    publish(uri, diagnostics);
  }

  const OpenFile* find(const Json& params) const {
    const auto found = open_.find(params.at("textDocument").at("uri").get<std::string>());
    // While the text cannot be understood, nothing is known of its places.
    if (found == open_.end() || found->second.linted != found->second.text) return nullptr;
    return &found->second;
  }

  std::int64_t offset(const OpenFile& file, const Json& position) const {
    return offset_of(file.text, Position{position.at("line"), position.at("character")}, encoding_);
  }

  Json hover(const Json& params) const {
    const OpenFile* file = find(params);
    if (file == nullptr) return {};
    const std::int64_t at = offset(*file, params.at("position"));
    for (std::size_t model = 0; model < file->result.models.size(); ++model) {
      const Hover found = hover_at(file->result, model, at);
      if (found.text.empty()) continue;
      return {{"contents", {{"kind", "markdown"}, {"value", found.text}}},
              {"range", range(file->text, found.range)}};
    }
    return {};
  }

  Json code_actions(const Json& params) const {
    Json actions = Json::array();
    const OpenFile* file = find(params);
    if (file == nullptr) return actions;
    const std::int64_t begin = offset(*file, params.at("range").at("start"));
    const std::int64_t end = offset(*file, params.at("range").at("end"));
    for (const api::Finding& finding : file->result.findings) {
      if (!finding.range || finding.range->begin_byte > end || finding.range->end_byte < begin) continue;
      for (const api::Proposal& proposal : finding.proposals) {
        if (proposal.edits.empty()) continue;
        Json edits = Json::array();
        for (const api::Edit& edit : proposal.edits) {
          edits.push_back({{"range", range(file->text, edit.range)}, {"newText", edit.text}});
        }
        Json changes = Json::object();
        changes[params.at("textDocument").at("uri").get<std::string>()] = std::move(edits);
        actions.push_back({{"title", proposal.summary},
                           {"kind", "quickfix"},
                           {"diagnostics", Json::array({diagnostic(finding, file->text)})},
                           {"edit", {{"changes", std::move(changes)}}}});
      }
    }
    return actions;
  }

  std::istream& in_;
  std::ostream& out_;
  api::LintOptions options_;
  const api::FileSystem& files_;
  PositionEncoding encoding_ = PositionEncoding::utf16;
  bool shut_down_ = false;
  std::map<std::string, OpenFile> open_;  // by address
};

}  // namespace

bool serve(std::istream& in, std::ostream& out, const api::LintOptions& options,
           const api::FileSystem& files) {
  return Server(in, out, options, files).serve();
}

}  // namespace shapelint::lsp
