// A configuration file from its path to what it says.
#include "cli/model_file.hpp"

#include <array>
#include <istream>

#include <fmt/format.h>

#include "base/names.hpp"
#include "formats/onnx/onnx.hpp"
#include "formats/read.hpp"
#include "project/configured_reader.hpp"
#include "text/header/model_header.hpp"
#include "text/limits.hpp"

namespace shapelint::cli {

namespace {

// `examples/gpt3.toml` is not there, `examples/gpt3-2.7b.toml` is.
std::string nearest_file(const std::string& path, const text::FileSystem& files) {
  const std::size_t slash = path.rfind('/');
  const std::string folder = slash == std::string::npos ? "." : path.substr(0, slash);
  const auto listed = files.list(folder);
  if (!listed) return {};
  std::vector<std::string_view> names;
  for (const std::string& each : *listed) {
    const std::string_view name = std::string_view(each).substr(each.rfind('/') + 1);
    if (!files.is_directory(each)) names.push_back(name);
  }
  const std::string_view near = nearest_name(std::string_view(path).substr(slash + 1), names);
  if (near.empty()) return {};
  return fmt::format("did you mean `{}{}`", path.substr(0, slash + 1), near);
}

}  // namespace

Result<std::string> read_all(std::istream& in, const std::string& name) {
  std::string content;
  std::array<char, 1U << 16U> chunk{};
  while (in.read(chunk.data(), chunk.size()) || in.gcount() > 0) {
    content.append(chunk.data(), static_cast<std::size_t>(in.gcount()));
    if (static_cast<std::int64_t>(content.size()) > text::max_source_bytes) {
      return Error{fmt::format("more than {} MB were given, so it is no configuration",
                               text::max_source_bytes / 1'000'000),
                   {},
                   name,
                   {}};
    }
  }
  return content;
}

Result<std::string> read_named(const std::string& path, const text::FileSystem& files) {
  auto source = text::read_source(files, path, formats::size_limit(path));
  if (source || files.exists(path)) return source;
  Error error = source.error();
  error.hint = nearest_file(path, files);
  return error;
}

ModelFile read_model_file(const std::string& path, const std::string& stdin_name,
                          const std::vector<model::Override>& overrides, Io& io,
                          const std::vector<formats::GraphDimension>& dimensions) {
  ModelFile file;
  file.path = path == "-" ? stdin_name : path;
  auto source = path == "-" ? read_all(io.in, file.path) : read_named(path, io.files);
  if (!source) {
    file.errors.push_back(source.error());
    return file;
  }
  file.source = *std::move(source);
  if (file.source.find_first_not_of(" \t\r\n") == std::string::npos) {
    file.errors.push_back({"the file is empty", "see examples/ for what a model looks like", file.path, {}});
    return file;
  }
  formats::ReadOptions options;
  options.overrides = overrides;
  options.dimensions = dimensions;
  options.assume_native = path == "-";
  formats::ReadResult result = ConfiguredReader(io).read(file.path, file.source, options);
  file.readings = std::move(result.readings);
  file.lint = std::move(result.lint);
  file.errors = std::move(result.errors);
  file.notes = std::move(result.notes);
  return file;
}

}  // namespace shapelint::cli
