// Reads a configuration of any known dialect.
#include "formats/read.hpp"

#include <algorithm>
#include <array>
#include <cctype>

#include <fmt/format.h>

#include "base/strings.hpp"
#include "catalog/catalog.hpp"
#include "formats/charge.hpp"
#include "formats/colocated.hpp"
#include "formats/commands.hpp"
#include "formats/dense.hpp"
#include "formats/dialect/inherit.hpp"
#include "formats/dialect/known.hpp"
#include "formats/dialect/paths.hpp"
#include "formats/dialect/resolve.hpp"
#include "formats/native/keys.hpp"
#include "formats/neighbours.hpp"
#include "formats/onnx/onnx.hpp"
#include "formats/recognise.hpp"
#include "formats/remarks.hpp"
#include "model/lower/lower.hpp"
#include "model/reading.hpp"
#include "text/errors.hpp"
#include "text/header/model_header.hpp"

namespace shapelint::formats {

namespace {

using text::NodeRef;

constexpr std::string_view native_name = "native";

// The places of a part: the first that exists, or all of them.
std::vector<Place> places_of(const Part& part, const View& view) {
  std::vector<Place> out;
  const auto is_so = [&](const KeyTest& test) { return holds(view, test); };
  if (!std::all_of(part.when.begin(), part.when.end(), is_so)) return out;
  if (std::any_of(part.unless.begin(), part.unless.end(), is_so)) return out;
  const KeyPath maker = parse_key_path("()");
  for (const KeyPath& path : part.at) {
    for (Place& place : view.places(path)) {
      const auto is_made_by = [&] {
        return matches_any(part.made_by, view.find(maker, place).as_string().value_or(""));
      };
      if (!part.made_by.empty() && !is_made_by()) continue;
      if (!part.needs.empty() && !view.find_first(part.needs, place)) continue;
      if (!part.lacks.empty() && view.find_first(part.lacks, place)) continue;
      if (std::find(out.begin(), out.end(), place) == out.end()) out.push_back(std::move(place));
      if (!part.each) return out;
    }
  }
  return out;
}

// What a person calls the model: a stated name, otherwise the file's, or its folder's when the file is just
// called `config.json`.
std::string model_name(const std::string& path) {
  if (std::string published = hub_name(path); !published.empty()) return published;
  std::string name(file_name(path));
  // An ending begins with a letter: `Qwen3-0.6B` has none.
  const auto dot = name.find_last_of('.');
  if (dot != std::string::npos && dot > 0 && dot + 1 < name.size() &&
      std::isalpha(static_cast<unsigned char>(name[dot + 1])) != 0)
    name.resize(dot);
  constexpr std::string_view empty_names = "config|params|model_config|model|train";
  const std::string folder = folder_of(path);
  if (matches_any(empty_names, name) && folder != "." && folder != "/") name = file_name(folder);
  return name;
}

// The branches that a script takes to come here, and the like.
std::string label_of(const Part& part, const View& view, const Place& place) {
  std::string out = part.name;
  if (part.named_by_key && !place.empty()) {
    out = place.front();
    for (const KeyPath& path : part.at) {
      const auto star = std::find(path.components.begin(), path.components.end(), "*");
      const auto at = static_cast<std::size_t>(star - path.components.begin());
      if (path.components.size() == place.size() && at < place.size()) out = place[at];
    }
    if (out.ends_with("()")) out.resize(out.size() - 2);
  }
  const NodeRef node = view.find_first(part.label, place);
  const auto add = [&](NodeRef value) {
    if (const auto text = value.as_string()) out += (out.empty() ? "" : ", ") + std::string(*text);
  };
  add(node);
  for (const NodeRef item : node) add(item);
  return out;
}

bool same_values(const model::Reading& a, const model::Reading& b) {
  if (a.runs_in_whole > 0 || b.runs_in_whole > 0) return false;  // each is run
  if (!a.setup.model.conv.empty() && model::parameter_count(a.setup) != model::parameter_count(b.setup))
    return false;
  for (const model::FieldInfo& field : model::fields()) {
    if (field.get(a.setup) != field.get(b.setup)) return false;
  }
  return true;
}

// Encoders have no decoding step: one alone (BERT) reads its input in one pass, and that of an
// encoder-decoder has read all of it before the first step.
void read_before_decoding(model::Reading& reading) {
  if (reading.setup.plan.mode != model::Mode::decode || model::decodes(reading.setup.model)) return;
  const bool is_half = reading.runs_in_whole > 0;
  const bool is_asked =
      model::origin(reading, model::FieldId::mode).kind == model::Origin::Kind::command_line;
  if (!is_half && (is_asked || !reading.complete || !reading.setup.model.conv.empty())) return;
  read_in_one_pass(reading, is_half ? "an encoder reads its input before the decoder's first step"
                                    : "an encoder has no decoding step");
  reading.runs_in_whole = 0;
}

// Weights that are stored in an unstated, smaller number of bits. Also of what trains: a caller may ask how
// the same is served.
void note_unknown_weights(model::Reading& reading) {
  using model::FieldId;
  const model::Plan& plan = reading.setup.plan;
  const bool is_told = plan.weight_bits > 0 || plan.expert_weight_bits > 0 || bytes_of(plan.dtype) < 2;
  if (is_told || extra(reading, "packs_weights") <= 0) return;
  if (model::is_stated(reading, FieldId::unknown_weights)) return;
  model::set_derived(reading, FieldId::unknown_weights, 1,
                     "the checkpoint is quantized in several or unknown formats");
}

// The variable that the text at `span` is assigned to: `hidden` of `hidden = 4096`, `H` of `H=4096`.
std::string_view assigned_name(std::string_view source, Span span) {
  std::size_t end = std::min(static_cast<std::size_t>(span.begin), source.size());
  const auto skip_blanks = [&] {
    while (end > 0 && (source[end - 1] == ' ' || source[end - 1] == '"')) --end;
  };
  skip_blanks();
  if (end == 0 || source[end - 1] != '=') return {};
  --end;
  skip_blanks();
  std::size_t begin = end;
  while (begin > 0 && is_name_character(source[begin - 1])) --begin;
  return source.substr(begin, end - begin);
}

// An MLP width that a script computes from the variable of hidden_size follows it.
void note_computed_width(std::string_view source, model::Reading& reading) {
  const model::Origin& hidden = model::origin(reading, model::FieldId::hidden_size);
  model::Origin& width = reading.origins[model::FieldId::intermediate_size];
  const model::ModelSpec& model = reading.setup.model;
  const bool are_here = hidden.kind == model::Origin::Kind::stated &&
                        width.kind == model::Origin::Kind::stated && hidden.path == reading.path &&
                        width.path == reading.path;
  if (!are_here || model.hidden_size <= 0 || model.intermediate_size % model.hidden_size != 0) return;
  const Span span = width.use_span.end > width.use_span.begin ? width.use_span : width.span;
  const auto begin = static_cast<std::size_t>(span.begin);
  const auto end = static_cast<std::size_t>(span.end);
  const std::string_view name = assigned_name(source, hidden.span);
  if (name.empty() || begin >= end || end > source.size() || span == hidden.span) return;
  if (count_word(source.substr(begin, end - begin), name) > 0) width.scales_with_width = true;
}

bool is_read(const AssembledConfig& whole, const std::string& path) {
  return std::any_of(whole.documents.begin(), whole.documents.end(),
                     [&](const text::Document& each) { return each.path() == path; });
}

void read_document(const text::FileSystem& files, const Dialects& dialects, const Dialect& dialect,
                   const text::Document& document, std::string_view syntax, const ReadOptions& options,
                   ReadResult& result) {
  remark_on(dialect, document, syntax, result.remarks);
  AssembledConfig whole = assemble(files, dialect, document);
  std::vector<Part> parts = dialect.parts;
  if (parts.empty()) {
    parts.emplace_back();
    parts.back().at.emplace_back();
  }
  const FindModel find = [&](const std::string& name) -> std::optional<Checkpoint> {
    if (auto own = find_checkpoint(name, options.models)) return own;
    // What a dialect itself builds on says more than the shape: where each of its values stands.
    const std::string folder =
        options.names_folders ? config_of_folder(files, std::string(document.path()), name) : std::string();
    if (!folder.empty() && !is_read(whole, folder)) {
      if (auto local = model_in(files, folder, folder)) return local;
    }
    if (auto cached = find_in_cache(files, options.model_cache, name)) return cached;
    return find_checkpoint(name);
  };
  const std::size_t first = result.readings.size();
  std::string why;
  for (const Part& part : parts) {
    for (const Place& place : places_of(part, whole.view)) {
      charge_reading();
      model::Reading reading = resolve(dialect, dialects.common(), part, whole.view, place, options.overrides,
                                       find, result.errors);
      add_dense_layers(dialect, whole.view, place, reading, result.errors);
      reading.path = std::string(document.path());
      reading.name = model_name(reading.path);
      reading.part = label_of(part, whole.view, place);
      reading.notes.insert(reading.notes.end(), whole.notes.begin(), whole.notes.end());
      read_before_decoding(reading);
      note_computed_width(document.source(), reading);
      add_remarks(reading.remarks, result.remarks);
      if (model::is_known(reading, model::FieldId::hidden_size) || !reading.setup.model.conv.empty() ||
          part.keep_incomplete) {
        result.readings.push_back(std::move(reading));
      } else {
        if (why.empty()) why = why_unknown(reading);
        result.notes.insert(result.notes.end(), reading.notes.begin(), reading.notes.end());
      }
    }
  }
  add_towers(std::span(result.readings).subspan(first));
  add_colocated(std::span(result.readings).subspan(first));
  if (result.readings.size() == first) {
    result.notes.push_back({fmt::format("{}: recognized, but it holds no complete model{}", dialect.title,
                                        why.empty() ? "" : fmt::format(" ({})", why)),
                            std::string(document.path()),
                            Span{},
                            {}});
  }
}

// A script that starts the same model twice has one model. Names are distinguished by the part only where
// there is more than one.
void tell_apart(std::vector<model::Reading>& readings) {
  std::vector<model::Reading> kept;
  for (model::Reading& reading : readings) {
    const bool seen = std::any_of(kept.begin(), kept.end(), [&](const model::Reading& each) {
      return each.dialect == reading.dialect && same_values(each, reading);
    });
    if (!seen) kept.push_back(std::move(reading));
  }
  readings = std::move(kept);
  if (readings.size() < 2) return;
  for (model::Reading& reading : readings) {
    if (!reading.part.empty()) reading.name += " (" + reading.part + ")";
  }
}

// A table of the model with a key of ours, or nearly one, says that a native file is meant, whatever else is
// wrong with it. Other programs have tables of these names, too (`[lint]` of ruff.toml).
bool looks_native(NodeRef root) {
  if (root["conv"].is(text::Kind::list)) return true;
  if (root["run"].is(text::Kind::table) && root["parallel"].is(text::Kind::table)) return true;
  const NodeRef model = root["model"];
  if (!model.is(text::Kind::table)) return false;
  std::vector<std::string_view> names;
  for (const model::FieldInfo& field : model::fields()) {
    if (field.section == "model") names.push_back(field.key);
  }
  // Another program's `[model]` may have a key or two of the same name.
  std::size_t own = 0;
  std::size_t others = 0;
  for (const NodeRef each : model) {
    if (each.is(text::Kind::table) && is_model_table(each.key())) return true;
    if (each.key() == "name") continue;
    ++(nearest_name(each.key(), names).empty() ? others : own);
  }
  return own > 0 && own >= others;
}

bool names_model(std::string_view text) {
  return text.find("[model]") != std::string_view::npos;
}

// No other dialect's file has these tables only, and a width under this name.
bool is_plainly_native(NodeRef root) {
  constexpr std::array<std::string_view, 6> tables{"model", "run", "parallel", "plan", "lint", "conv"};
  for (const NodeRef each : root) {
    if (std::find(tables.begin(), tables.end(), each.key()) == tables.end()) return false;
  }
  return (root["run"].is(text::Kind::table) || root["plan"].is(text::Kind::list)) &&
         (root["model"]["hidden_size"] || root["conv"]);
}

// A file that says how something is run, with the model next to it.
void run_neighbours(const text::FileSystem& files, const std::string& path, const ReadOptions& options,
                    const Dialects& dialects, ReadResult& result) {
  if (result.readings.size() != 1) return;
  const Dialect* dialect = dialects.find(result.dialect);
  if (dialect == nullptr || dialect->runs.empty()) return;
  // What a command names goes before what happens to lie next to it, which may be what it names.
  const std::string named = model::published_shape(result.readings.front());
  if (!named.empty() && named != join(folder_of(path), dialect->runs)) return;
  auto other = read_beside(files, path, dialect->runs, options, dialects);
  if (!other) return;
  const model::Reading plan = std::move(result.readings.front());
  result.readings = std::move(other->readings);
  result.notes.insert(result.notes.end(), other->notes.begin(), other->notes.end());
  for (model::Reading& reading : result.readings) run_as(plan, reading);
}

void read_as_native(const text::Document& document, const ReadOptions& options, ReadResult& result) {
  result.recognised = true;
  result.dialect = native_name;
  auto file = read_native(document, result.errors, options.overrides);
  text::summarize_rest(result.errors);
  if (!file) return;
  for (model::Reading& reading : file->readings) {
    if (reading.name.empty()) reading.name = model_name(std::string(document.path()));
    result.readings.push_back(std::move(reading));
  }
  result.lint = std::move(file->lint);
}

// What a command line starts: a program of Python, an image, or the first word.
std::string started_by(const text::Document& command) {
  for (const std::string_view key : {"program", "image"}) {
    if (const auto text = command.root()[key].as_string()) return std::string(*text);
  }
  const std::string line(command.root()["command"].as_string().value_or(""));
  return line.substr(0, line.find(' '));
}

// What a file holds that starts something: its command lines, each read by its own dialect. Those that
// none reads are added to `others`.
void read_commands(const text::FileSystem& files, const Dialects& dialects, const Dialect& dialect,
                   const text::Document& document, const ReadOptions& options, ReadResult& result,
                   std::vector<std::string>& others) {
  constexpr std::string_view syntax = "shell";
  for (const text::Document& command : held_commands(dialect, document)) {
    const Dialect* its = recognise(dialects, command, syntax);
    if (its == nullptr) {
      std::string name = started_by(command);
      if (!name.empty() && std::find(others.begin(), others.end(), name) == others.end())
        others.push_back(std::move(name));
      continue;
    }
    result.recognised = true;
    result.dialect = its->name;
    read_document(files, dialects, *its, command, syntax, options, result);
  }
  for (const text::Document& file : held_files(dialect, document)) {
    const Dialect* its = recognise(dialects, file, text::name(text::Syntax::yaml));
    const bool holds_commands = its != nullptr && its != &dialect && !its->commands.empty();
    if (holds_commands) read_commands(files, dialects, *its, file, options, result, others);
  }
}

// Why nothing was read of a file that holds command lines.
std::string nothing_started(const Dialect& dialect, const std::vector<std::string>& started) {
  if (started.empty()) return fmt::format("{}: it starts no server or trainer", dialect.title);
  constexpr std::size_t most_named = 3;
  std::string names;
  for (std::size_t i = 0; i < std::min(started.size(), most_named); ++i)
    names += fmt::format("{}`{}`", i > 0 ? ", " : "", started[i]);
  if (started.size() > most_named) names += ", …";
  return fmt::format("{}: no format reads the program that it starts ({})", dialect.title, names);
}

// Why no format reads them.
std::string unrecognised(const std::vector<text::Document>& documents) {
  std::string why = "unrecognized config format";
  const bool is_composed = std::any_of(documents.begin(), documents.end(), [](const text::Document& each) {
    return each.root()["defaults"].is(text::Kind::list) && each.root()["defaults"].size() > 0;
  });
  if (is_composed) why += ": a part of a Hydra configuration, whose `defaults` name other files";
  return why;
}

// What the documents of a source say, which may be an error.
ReadResult read_documents(const text::FileSystem& files, const text::Source& source,
                          const ReadOptions& options, const Dialects& dialects) {
  const std::string& path = source.path;
  ReadResult result;
  const std::string_view syntax = text::name(*source.syntax);
  if (!source.documents) {
    // Templates and data files that cannot be parsed are no error; a broken configuration is.
    const Error& problem = source.documents.error();
    const bool is_meant = options.assume_native || names_model(source.text);
    const std::string_view placeholder = placeholder_at(source.text, problem.span.value_or(Span{}));
    if (!placeholder.empty() && !options.assume_native) {
      result.notes.push_back(
          {fmt::format("the file is a template: `{}` must be filled in first", placeholder),
           path,
           problem.span.value_or(Span{}),
           {}});
    } else if (source.syntax == text::Syntax::toml && is_meant) {
      result.errors.push_back(problem);
    } else if (const Dialect* dialect = recognise_broken(dialects, source.text, path, syntax)) {
      result.recognised = true;
      result.dialect = dialect->name;
      Error error = problem;
      if (error.hint.empty()) error.hint = fmt::format("its keys look like {}", dialect->title);
      result.errors.push_back(std::move(error));
    } else {
      result.notes.push_back({problem.message, path, problem.span.value_or(Span{}), {}});
    }
    return result;
  }
  const Dialect* holder = nullptr;  // of command lines
  std::vector<std::string> started;
  for (const text::Document& document : *source.documents) {
    const Dialect* dialect = recognise(dialects, document, syntax);
    if (dialect == nullptr) {
      if (syntax == "toml" && (options.assume_native || looks_native(document.root())))
        read_as_native(document, options, result);
      continue;
    }
    if (!dialect->commands.empty()) {
      read_commands(files, dialects, *dialect, document, options, result, started);
      holder = dialect;
      continue;
    }
    if (!dialect->beside.empty()) {
      if (auto other = read_beside(files, path, dialect->beside, options, dialects)) return *std::move(other);
    }
    result.recognised = true;
    result.dialect = dialect->name;
    read_document(files, dialects, *dialect, document, syntax, options, result);
  }
  if (auto error = too_many_remarks(result.remarks)) result.errors.push_back(*std::move(error));
  run_neighbours(files, path, options, dialects, result);
  tell_apart(result.readings);
  if (!result.recognised) {
    result.notes.push_back(
        {holder == nullptr ? unrecognised(*source.documents) : nothing_started(*holder, started),
         path,
         {},
         {}});
  }
  return result;
}

}  // namespace

void read_in_one_pass(model::Reading& reading, std::string note) {
  reading.setup.plan.context_length = 0;
  model::set_derived(reading, model::FieldId::mode, static_cast<std::int64_t>(model::Mode::prefill),
                     std::move(note));
}

ReadResult read_any(const text::FileSystem& files, const std::string& path, const ReadOptions& options,
                    const Dialects& dialects) {
  Result<std::string> content = text::read_source(files, path, size_limit(path));
  if (!content) {
    ReadResult result;
    result.errors.push_back(content.error());
    return result;
  }
  return read(files, parse(path, *std::move(content), options.assume_native), options, dialects);
}

text::Source parse(std::string path, text::SharedText text, bool assume_native) {
  if (is_onnx(path)) return {std::move(path), std::move(text), std::nullopt, Error{}};
  const bool may_be_native = assume_native || names_model(text);
  // A native file may be called anything.
  return text::parse_source(std::move(path), std::move(text),
                            may_be_native ? std::optional(text::Syntax::toml) : std::nullopt);
}

ReadResult read(const text::FileSystem& files, const text::Source& source, const ReadOptions& options,
                const Dialects& dialects) {
  const std::string& path = source.path;
  if (is_onnx(path)) return read_onnx(path, source.text, options);
  ReadResult result;
  if (!source.syntax) {
    result.notes.push_back({"the file is not in a known configuration syntax", path, {}, {}});
    return result;
  }
  const auto followed = with_sourced_scripts(files, source);
  result = read_documents(files, followed ? *followed : source, options, dialects);
  for (model::Reading& reading : result.readings) note_unknown_weights(reading);
  return result;
}

ReadResult read(const text::FileSystem& files, const text::Source& source, const ReadOptions& options) {
  if (source.syntax == text::Syntax::toml && source.documents &&
      is_plainly_native(source.documents->front().root())) {
    ReadResult result;
    read_as_native(source.documents->front(), options, result);
    return result;
  }
  return read(files, source, options, Dialects::builtin());
}

}  // namespace shapelint::formats
