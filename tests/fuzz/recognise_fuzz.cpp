// Fuzz target of formats::read_text: recognising a dialect, following what a file builds on, reading every
// field. The first byte chooses the name, and so the reader.
#include <array>
#include <cstddef>
#include <cstdint>
#include <string>

#include "formats/read.hpp"
#include "model/fields.hpp"
#include "tests/fuzz/check.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace shapelint;
  constexpr std::array<const char*, 8> names{"m/config.json",     "m/a.yaml",      "m/run.sh",
                                             "m/config/train.py", "m/m.toml",      "m/base",
                                             "m/conf/b.yaml",     "m/x.index.json"};
  if (size == 0) return 0;
  const std::string path = names[data[0] % names.size()];
  const std::string source(reinterpret_cast<const char*>(data) + 1, size - 1);
  text::MemoryFileSystem files;
  files.files["m/.git/HEAD"] = "";
  files.files[path] = source;
  files.files["m/other.yaml"] = source;  // for what refers to another file, and cycles
  const formats::ReadResult result = formats::read(files, formats::parse(path, source));
  for (const Error& error : result.errors) fuzz::require(!error.message.empty());
  const auto check = [&](const std::string& where, Span span) {
    fuzz::require(span.begin >= 0 && span.begin <= span.end);
    if (where == path) fuzz::require(span.end <= static_cast<std::int64_t>(source.size()));
  };
  for (const model::Remark& remark : result.remarks) check(remark.path, remark.span);
  for (const model::Reading& reading : result.readings) {
    for (const model::FieldInfo& field : model::fields()) {
      const model::Origin& origin = reading.origins[field.id];
      if (origin.kind == model::Origin::Kind::unknown) continue;
      const std::int64_t value = field.get(reading.setup);
      fuzz::require(value >= 0 && value <= field.maximum);
      check(origin.path, origin.span);
    }
  }
  return 0;
}
