// What is understood of a file.
#include <fmt/format.h>

#include "api/convert.hpp"
#include "api/load.hpp"
#include "model/fields.hpp"
#include "model/lower/lower.hpp"
#include "text/printable.hpp"

namespace shapelint::api {

namespace {

Origin origin_of(model::Origin::Kind kind) {
  switch (kind) {
    case model::Origin::Kind::unknown:
      return Origin::unknown;
    case model::Origin::Kind::stated:
      return Origin::stated;
    case model::Origin::Kind::command_line:
      return Origin::given;
    case model::Origin::Kind::derived:
      return Origin::derived;
    case model::Origin::Kind::defaulted:
      break;
  }
  return Origin::defaulted;
}

Value value_of(const model::Reading& reading, const model::FieldInfo& field, Sources& sources) {
  const model::Origin& origin = model::origin(reading, field.id);
  Value out;
  out.field = field.name;
  out.origin = origin_of(origin.kind);
  out.note = origin.note;
  if (origin.kind == model::Origin::Kind::unknown) return out;
  out.number = field.get(reading.setup);
  out.text = model::value_text(field.id, out.number);
  if (origin.kind != model::Origin::Kind::stated) return out;
  out.path = origin.path;
  out.key_path = origin.key_path;
  out.range = sources.range(origin.path, origin.span);
  out.key_range = sources.range(origin.path, origin.key_span);
  return out;
}

std::vector<Note> notes_of(const std::vector<model::Note>& notes, Sources& sources) {
  std::vector<Note> out;
  for (const model::Note& note : notes) {
    out.push_back(
        {text::one_line(note.message), note.path, note.key_path, sources.range(note.path, note.span)});
  }
  return out;
}

}  // namespace

Model model_of(const model::Reading& reading, Sources& sources) {
  Model out;
  out.name = reading.name;
  out.path = reading.path;
  out.dialect = reading.dialect;
  out.type = reading.model_type;
  out.part = reading.part;
  out.complete = reading.complete;
  for (const model::FieldInfo& field : model::fields()) {
    out.values.push_back(value_of(reading, field, sources));
  }
  if (reading.complete) {
    out.parameters = model::parameter_count(reading.setup);
    out.active_parameters = model::active_parameter_count(reading.setup);
  }
  out.notes = notes_of(reading.notes, sources);
  return out;
}

ReadResult read(const FileSystem& files, const Source& source, const ReadOptions& options) {
  const auto loaded = load(files, source, options, {});
  ReadResult out;
  out.recognised = loaded->result.recognised;
  for (const model::Reading& reading : loaded->result.readings) {
    out.models.push_back(model_of(reading, loaded->sources));
  }
  out.notes = notes_of(loaded->result.notes, loaded->sources);
  out.errors = loaded->errors;
  return out;
}

}  // namespace shapelint::api
