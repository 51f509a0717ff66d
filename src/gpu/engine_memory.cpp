// The memory of serving engines.
#include "gpu/engine_memory.hpp"

#include <algorithm>

#include "catalog/catalog.hpp"
#include "gpu/figures.hpp"
#include "gpu/registry.hpp"

namespace shapelint::gpu {
namespace {

using text::NodeRef;

constexpr std::string_view file_kind = "serving-memory";
constexpr double most_gib = 1e3;
constexpr double most_sequences = 1e6;

constexpr Field<EngineMemory> engine_memory_table[] = {
    {"", "engine", "", Type::text, &EngineMemory::engine, 0, 0, "as the field `engine` names it"},
    {"", "package", "", Type::text, &EngineMemory::package, 0, 0, "of contracts"},
    {"", "memory_percent", "percent", Type::integer, &EngineMemory::memory_percent, 1, 100,
     "of the memory, by default"},
    {"", "cache_percent", "percent", Type::integer, &EngineMemory::cache_percent, 1, 100,
     "of what weights leave, by default"},
    {"", "checks_longest", "", Type::boolean, &EngineMemory::checks_longest, 0, 0,
     "stops at startup where the cache does not hold the longest sequence"},
    {"", "activation_gib", "GiB", Type::number, &EngineMemory::activation_gib, 0, most_gib,
     "activations of its longest step"},
    {"", "mixture_gib", "GiB", Type::number, &EngineMemory::mixture_gib, 0, most_gib, "and of mixtures"},
    {"", "sampler_bytes", "bytes", Type::number, &EngineMemory::sampler_bytes, 0, 1e3,
     "for each row of the vocabulary and sequence"},
    {"", "runtime_gib", "GiB", Type::number, &EngineMemory::runtime_gib, 0, most_gib, "context and kernels"},
    {"", "runtime_ranks_gib", "GiB", Type::number, &EngineMemory::runtime_ranks_gib, 0, most_gib,
     "the same where ranks exchange tensors"},
    {"", "sequences", "sequences", Type::integer, &EngineMemory::sequences, 1, most_sequences,
     "at a time, by default"},
    {"", "small_sequences", "sequences", Type::integer, &EngineMemory::small_sequences, 1, most_sequences,
     "on small GPUs"},
    {"", "small_below_gib", "GiB", Type::number, &EngineMemory::small_below_gib, 0, most_gib,
     "memory of which GPUs count as small"},
};

const std::vector<EngineMemory>& known() {
  static const std::vector<EngineMemory>& all = *[] {
    auto* out = new std::vector<EngineMemory>;
    std::vector<Error> errors;  // the file is checked by a test
    for (const text::Document& document : catalog::builtin("gpus/engines")) {
      if (document.root()["kind"].as_string() == file_kind)
        *out = read_engine_memory(document.root(), errors);
    }
    return out;
  }();
  return all;
}

const EngineMemory* find(std::string EngineMemory::*name, std::string_view text) {
  const auto& all = known();
  const auto found =
      std::find_if(all.begin(), all.end(), [&](const EngineMemory& each) { return each.*name == text; });
  return found == all.end() ? nullptr : &*found;
}

}  // namespace

std::span<const Field<EngineMemory>> engine_memory_fields() {
  return engine_memory_table;
}

std::vector<EngineMemory> read_engine_memory(NodeRef root, std::vector<Error>& errors) {
  constexpr std::string_view file_keys[] = {"kind", "sources", "notes", "engines"};
  check_keys(root, file_keys, errors);
  std::vector<EngineMemory> out;
  for (const NodeRef item : root["engines"])
    read_fields<EngineMemory>(item, "", engine_memory_table, {}, out.emplace_back(), errors);
  return out;
}

const EngineMemory* engine_memory(std::string_view engine) {
  return find(&EngineMemory::engine, engine);
}

const EngineMemory* engine_memory_of_package(std::string_view package) {
  return find(&EngineMemory::package, package);
}

}  // namespace shapelint::gpu
