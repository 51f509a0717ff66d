// `shapelint show`: what was understood of a file: dialect, each field with its value and where it came from.
#include "cli/show.hpp"

#include <array>
#include <map>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/number.hpp"
#include "cli/messages.hpp"
#include "formats/discover.hpp"
#include "formats/read.hpp"
#include "model/fields.hpp"
#include "text/limits.hpp"
#include "text/source.hpp"

namespace shapelint::cli {

namespace {

using Json = nlohmann::ordered_json;
using model::FieldInfo;
using model::FieldType;
using model::Origin;

constexpr std::array<std::string_view, 2> format_names{"text", "json"};

std::string_view kind_name(Origin::Kind kind) {
  constexpr std::array<std::string_view, 5> names{"unknown", "stated", "command line", "derived", "default"};
  return names[static_cast<std::size_t>(kind)];
}

// Sources are read again for lines and columns; each once.
class Places {
 public:
  explicit Places(const text::FileSystem& files) : files_(files) {}
  text::Place of(const std::string& path, Span span) {
    auto found = sources_.find(path);
    if (found == sources_.end()) {
      auto content = files_.read(path, text::max_source_bytes);
      found = sources_.emplace(path, content ? *std::move(content) : std::string()).first;
    }
    return text::place_of(found->second, span.begin);
  }

 private:
  const text::FileSystem& files_;
  std::map<std::string, std::string> sources_;
};

Json value_of(const FieldInfo& field, const model::Setup& setup) {
  const std::int64_t value = field.get(setup);
  if (field.type == FieldType::boolean) return value != 0;
  if (field.type == FieldType::choice) return std::string(field.choices[static_cast<std::size_t>(value)]);
  return value;
}

Json to_json(const model::Reading& reading, Places& places) {
  Json out;
  out["name"] = reading.name;
  out["dialect"] = reading.dialect;
  out["part"] = reading.part;
  out["model_type"] = reading.model_type;
  out["complete"] = reading.complete;
  Json& fields = out["fields"] = Json::object();
  const auto table = model::fields();
  for (std::size_t i = 0; i < table.size(); ++i) {
    const Origin& origin = reading.origins[i];
    Json field;
    if (origin.kind == Origin::Kind::unknown) {
      field["value"] = nullptr;
    } else {
      field["value"] = value_of(table[i], reading.setup);
    }
    field["origin"] = kind_name(origin.kind);
    if (origin.kind == Origin::Kind::stated) {
      const text::Place place = places.of(origin.path, origin.span);
      field["key"] = origin.key_path;
      field["path"] = origin.path;
      field["line"] = place.line;
      field["column"] = place.column;
    }
    if (!origin.note.empty()) field["note"] = origin.note;
    fields[std::string(table[i].name)] = std::move(field);
  }
  Json notes = Json::array();
  for (const model::Note& note : reading.notes) notes.push_back(note.message);
  out["notes"] = std::move(notes);
  return out;
}

void print_text(const model::Reading& reading, Places& places, Io& io) {
  io.out << fmt::format("{}: {}", reading.path, reading.dialect);
  if (!reading.model_type.empty()) io.out << fmt::format(", {}", reading.model_type);
  if (!reading.part.empty()) io.out << fmt::format(" ({})", reading.part);
  io.out << "\n";
  const auto table = model::fields();
  std::string_view section;
  for (std::size_t i = 0; i < table.size(); ++i) {
    const Origin& origin = reading.origins[i];
    if (table[i].section != section) {
      section = table[i].section;
      io.out << fmt::format("[{}]\n", section);
    }
    std::string where;
    switch (origin.kind) {
      case Origin::Kind::stated: {
        const text::Place place = places.of(origin.path, origin.span);
        where = fmt::format("{}:{}:{} `{}`", origin.path, place.line, place.column, origin.key_path);
        if (!origin.note.empty()) where += fmt::format(" ({})", origin.note);
        break;
      }
      case Origin::Kind::derived:
        where = fmt::format("= {}", origin.note);
        break;
      default:
        where = origin.note;
    }
    const Json value = value_of(table[i], reading.setup);
    io.out << fmt::format("  {:<28} {:>10}  {:<12} {}\n", table[i].key,
                          origin.kind == Origin::Kind::unknown ? "?"
                          : value.is_string()                  ? value.get<std::string>()
                                                               : value.dump(),
                          kind_name(origin.kind), where);
  }
}

}  // namespace

std::vector<Option> show_options(ShowOptions& options) {
  return {
      {.names = "FILE",
       .value = "FILE",
       .doc = "configurations, or folders to search for them",
       .set = into(options.files),
       .many = true,
       .required = true},
      {.names = "--format",
       .value = "FORMAT",
       .doc = "how to print it",
       .set = into_choice(options.format, format_names),
       .choices = strings(format_names)},
      {.names = "--verbose", .doc = "also say what was not understood", .set = into(options.verbose)},
  };
}

ExitCode show(const ShowOptions& options, Io& io) {
  const formats::Discovery found = formats::discover(io.files, options.files);
  ExitCode code = ExitCode::clean;
  const auto fail = [&](const Error& error) {
    print_error(io, error.path.empty() ? error.message : fmt::format("{}: {}", error.path, error.message),
                error.hint);
    code = ExitCode::error;
  };
  for (const Error& error : found.errors) fail(error);
  Places places(io.files);
  Json all = Json::array();
  for (const formats::Found& file : found.files) {
    const formats::ReadResult result = formats::read_any(io.files, file.path);
    if (file.named || result.recognised) {
      for (const Error& error : result.errors) fail(error);
    }
    if (format_names[options.format] == "json") {
      if (!result.recognised && !file.named) continue;
      Json entry;
      entry["path"] = file.path;
      entry["dialect"] = result.recognised ? Json(result.dialect) : Json(nullptr);
      Json models = Json::array();
      for (const model::Reading& reading : result.readings) models.push_back(to_json(reading, places));
      entry["models"] = std::move(models);
      Json notes = Json::array();
      for (const model::Note& note : result.notes) notes.push_back(note.message);
      entry["notes"] = std::move(notes);
      all.push_back(std::move(entry));
      continue;
    }
    for (const model::Reading& reading : result.readings) print_text(reading, places, io);
    if (options.verbose || (file.named && result.readings.empty() && result.errors.empty())) {
      for (const model::Note& note : result.notes) {
        io.err << fmt::format("note: {}: {}\n", note.path.empty() ? file.path : note.path, note.message);
      }
    }
  }
  if (format_names[options.format] == "json") io.out << all.dump(1) << "\n";
  return code;
}

}  // namespace shapelint::cli
