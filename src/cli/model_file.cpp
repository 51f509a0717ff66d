// A configuration file from its path to what it says.
#include "cli/model_file.hpp"

#include <array>
#include <istream>

#include <fmt/format.h>

#include "formats/discover.hpp"
#include "project/named.hpp"
#include "text/limits.hpp"

namespace shapelint::cli {

Result<std::string> read_all(std::istream& in, const std::string& name) {
  std::string content;
  std::array<char, 1U << 16U> chunk{};
  while (in.read(chunk.data(), chunk.size()) || in.gcount() > 0) {
    content.append(chunk.data(), static_cast<std::size_t>(in.gcount()));
    if (static_cast<std::int64_t>(content.size()) > text::max_source_bytes) {
      return Error{fmt::format("more than {} MB: not a configuration", text::max_source_bytes / 1'000'000),
                   {},
                   name,
                   {},
                   ErrorCode::too_large};
    }
  }
  return content;
}

ModelFile read_model_file(const std::string& path, const std::string& stdin_name,
                          const project::Project& project, Io& io) {
  ModelFile file;
  file.is_stdin = path == "-";
  const Result<std::string> named = project::file_named(project, path);
  file.path = file.is_stdin ? stdin_name : named ? *named : path;
  file.configured = &project.of(file.path);
  if (!named) {
    file.errors.push_back({named.error(), {}});
    return file;
  }
  auto source = file.is_stdin ? read_all(io.in, file.path) : project::text_named(project, file.path);
  if (!source) {
    file.errors.push_back({source.error(), {}});
    return file;
  }
  file.source = formats::parse(file.path, *std::move(source), file.is_stdin);
  if (auto empty = formats::check_is_filled(file.path, file.source.text)) {
    file.errors.push_back({*std::move(empty), {}});
    return file;
  }
  formats::ReadResult result = project::read_model(*file.configured, file.source, io.files, file.is_stdin);
  file.applied = project::what_applies(*file.configured, file.path, result.lint, result.errors);
  file.readings = std::move(result.readings);
  file.notes = std::move(result.notes);
  for (Error& error : result.errors) {
    const bool is_here = error.path == file.path;
    file.errors.push_back({std::move(error), is_here ? file.source.text : text::SharedText{}});
  }
  return file;
}

}  // namespace shapelint::cli
