// ONNX graphs: loads the module that reads them, when the first is asked for.
#include "formats/onnx/onnx.hpp"

#include <array>
#include <filesystem>
#include <vector>

#include <dlfcn.h>

#include "formats/onnx/graph.hpp"
#include "model/fields.hpp"
#include "text/errors.hpp"

namespace shapelint::formats {

namespace {

constexpr std::int64_t largest_graph_bytes = std::int64_t{1} << 30;  // protobuf itself ends at 2^31
constexpr const char* module_name = "libshapelint-onnx.so";

// The folders of the program and, where this is a part of one, of the shared library.
std::vector<std::filesystem::path> homes() {
  std::vector<std::filesystem::path> out;
  std::error_code error;
  const std::filesystem::path program = std::filesystem::read_symlink("/proc/self/exe", error);
  if (!error) out.push_back(program.parent_path());
  Dl_info here{};
  if (dladdr(module_name, &here) != 0 && here.dli_fname != nullptr) {
    const std::filesystem::path file = std::filesystem::canonical(here.dli_fname, error);
    if (!error) out.push_back(file.parent_path());
  }
  return out;
}

// Beside them where they were built (tests are one folder deeper), and where they are installed: the program
// in bin, the library in lib or, on Debian, in a folder of the architecture.
ParseGraph* load() {
  std::error_code error;
  for (const std::filesystem::path& home : homes()) {
    for (const char* folder :
         {".", "..", "shapelint", "../shapelint", "../lib/shapelint", "../lib64/shapelint"}) {
      const std::filesystem::path path = home / folder / module_name;
      if (!std::filesystem::exists(path, error)) continue;
      void* module = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
      if (module == nullptr) continue;
      if (void* symbol = dlsym(module, "shapelint_parse_onnx_2")) {
        return reinterpret_cast<ParseGraph*>(symbol);
      }
    }
  }
  return nullptr;
}

ParseGraph* parser() {
  static ParseGraph* const loaded = load();
  return loaded;
}

std::int64_t sequence_length(const ReadOptions& options) {
  for (const model::Override& each : options.overrides) {
    if (each.field == model::FieldId::sequence_length) return each.value;
  }
  return 0;
}

}  // namespace

bool is_onnx(std::string_view path) {
  return path.ends_with(".onnx");
}

std::int64_t size_limit(std::string_view path) {
  return is_onnx(path) ? largest_graph_bytes : text::max_source_bytes;
}

bool reads_onnx() {
  return parser() != nullptr;
}

ReadResult read_onnx(const std::string& path, std::string_view bytes, const ReadOptions& options) {
  ReadResult result;
  result.recognised = true;
  result.dialect = "onnx";
  Error error;
  Graph graph;
  if (parser() == nullptr) {
    error.message = "this program was built without ONNX";
    error.hint = "install libonnx-dev and libprotobuf-dev, and build again";
  } else if (static_cast<std::int64_t>(bytes.size()) > largest_graph_bytes) {
    error.message = "the graph is larger than 1 GiB";
    error.hint = "export it with external weights";
  } else {
    const GraphRequest request{options.dimensions, sequence_length(options), &builtin_operators()};
    parser()(bytes.data(), bytes.size(), &request, &graph, &error);
  }
  if (error.message.empty()) {
    lower_graph(graph, path, options, result);
  } else {
    error.path = path;
    result.errors.push_back(std::move(error));
  }
  return result;
}

}  // namespace shapelint::formats
