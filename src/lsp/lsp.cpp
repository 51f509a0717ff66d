// Diagnostics while typing, hover on dimensions, proposals as edits.
// Source: Language Server Protocol 3.17.
#include "lsp/lsp.hpp"

#include <algorithm>
#include <map>

#include <nlohmann/json.hpp>

#include "lint/file.hpp"
#include "lsp/hover.hpp"
#include "lsp/text.hpp"
#include "project/project.hpp"
#include "report/items.hpp"
#include "text/parse_any.hpp"

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
  lint::Report report;        // of the last text that could be understood
  std::string linted;         // that text
  Json good = Json::array();  // its diagnostics
};

class Server {
 public:
  Server(std::istream& in, std::ostream& out, const project::Request& request, const text::FileSystem& files)
      : in_(in), out_(out), request_(request), files_(files) {}

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
            {"serverInfo", {{"name", "shapelint"}, {"version", SHAPELINT_VERSION}}}};
  }

  Json range(const std::string& text, Span span) const {
    const Position begin = position_of(text, span.begin, encoding_);
    const Position end = position_of(text, span.end, encoding_);
    return {{"start", {{"line", begin.line}, {"character", begin.character}}},
            {"end", {{"line", end.line}, {"character", end.character}}}};
  }

  Json diagnostic(const report::Item& item, const std::string& text) const {
    std::string message = item.message;
    for (const std::string& detail : item.details) message += '\n' + detail;
    const int severity = item.severity == rules::Severity::error     ? severity_error
                         : item.severity == rules::Severity::warning ? severity_warning
                                                                     : severity_information;
    Json out{{"range", range(text, item.region ? item.region->span : Span{})},
             {"severity", severity},
             {"code", item.code},
             {"source", "shapelint"},
             {"message", std::move(message)}};
    if (!item.url.empty()) out["codeDescription"] = {{"href", item.url}};
    return out;
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
    lint::Report report;
    // A new one each time: the configuration may have changed.
    const project::Project project(request_, files_);
    const project::Configured& configured = project.of(file.path);
    report.errors = configured.errors;
    if (report.errors.empty()) {
      lint::FileOutcome outcome = lint::lint_text(configured, file.path, file.text, files_);
      report.models = std::move(outcome.models);
      report.errors = std::move(outcome.errors);
      report.gpus = std::move(outcome.gpus);
      add_syntax_error(file, report);
    } else {
      // The configuration's own errors have no place in this file.
      for (text::LocatedError& each : report.errors) {
        each.error.message = each.error.path + ": " + each.error.message;
        each.source.clear();
      }
    }
    Json diagnostics = Json::array();
    for (const report::Item& item : report::items(report)) diagnostics.push_back(diagnostic(item, file.text));
    if (report.errors.empty()) {
      file.good = diagnostics;
      file.report = std::move(report);
      file.linted = file.text;
      publish(uri, file.good);
      return;
    }
    for (const Json& old : file.good) diagnostics.push_back(old);
    publish(uri, diagnostics);
  }

  // What was a model a moment ago and cannot be parsed now is being edited, whatever it looks like meanwhile.
  static void add_syntax_error(const OpenFile& file, lint::Report& report) {
    if (!report.models.empty() || !report.errors.empty() || file.report.models.empty()) return;
    if (!text::guess_syntax(file.path, file.text)) return;
    const auto parsed = text::parse_any(file.path, file.text);
    if (!parsed) report.errors.push_back({parsed.error(), file.text});
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
    for (const lint::ModelReport& model : file->report.models) {
      const Hover found = hover_at(model, at);
      if (found.text.empty()) continue;
      return {{"contents", {{"kind", "markdown"}, {"value", found.text}}},
              {"range", range(file->text, found.span)}};
    }
    return {};
  }

  Json code_actions(const Json& params) const {
    Json actions = Json::array();
    const OpenFile* file = find(params);
    if (file == nullptr) return actions;
    const std::int64_t begin = offset(*file, params.at("range").at("start"));
    const std::int64_t end = offset(*file, params.at("range").at("end"));
    for (const report::Item& item : report::items(file->report)) {
      if (!item.region || item.region->span.begin > end || item.region->span.end < begin) continue;
      for (const report::ItemFix& fix : item.fixes) {
        Json edits = Json::array();
        for (const report::Edit& edit : fix.edits) {
          edits.push_back({{"range", range(file->text, edit.region.span)}, {"newText", edit.text}});
        }
        Json changes = Json::object();
        changes[params.at("textDocument").at("uri").get<std::string>()] = std::move(edits);
        actions.push_back({{"title", fix.description},
                           {"kind", "quickfix"},
                           {"diagnostics", Json::array({diagnostic(item, file->text)})},
                           {"edit", {{"changes", std::move(changes)}}}});
      }
    }
    return actions;
  }

  std::istream& in_;
  std::ostream& out_;
  const project::Request& request_;
  const text::FileSystem& files_;
  PositionEncoding encoding_ = PositionEncoding::utf16;
  bool shut_down_ = false;
  std::map<std::string, OpenFile> open_;  // by address
};

}  // namespace

bool serve(std::istream& in, std::ostream& out, const project::Request& request,
           const text::FileSystem& files) {
  return Server(in, out, request, files).serve();
}

}  // namespace shapelint::lsp
