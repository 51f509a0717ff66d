// What is understood of a file.
#include "api/load.hpp"

namespace shapelint::api {

ReadResult read(const FileSystem& files, const Source& source, const ReadOptions& options) {
  const auto loaded = load(files, source, options, {});
  ReadResult out;
  out.recognised = loaded->result.recognised;
  for (const model::Reading& reading : loaded->result.readings) {
    out.models.push_back(model_of(reading, loaded->sources, true));
  }
  out.notes = notes_of(loaded->result.notes, loaded->sources);
  out.errors = loaded->errors;
  return out;
}

}  // namespace shapelint::api
