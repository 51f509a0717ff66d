// GPU profiles by name: the files of gpus/ compiled in, and a user's own.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.hpp"
#include "gpu/gpu.hpp"
#include "text/document.hpp"

namespace shapelint::gpu {

// Names of GPUs as drivers print them (nvidia-smi -L, rocm-smi --showproductname).

// A name without its vendor's words (`NVIDIA`, `GeForce`, `Tesla`, `AMD Instinct`), and again without words
// at its end that tell no products apart (`Generation`, `Edition`, `OAM`).
struct ShorterName {
  std::string name;
  // Memory that was left off its end (`480GB`), in GB: only a GPU that has so much is meant.
  std::optional<double> memory_gb;
};

// From the longest to the shortest; empty for a name without such words.
std::vector<ShorterName> without_vendor(std::string_view name);

// `own`, in everything below: a user's profiles, which come before the built-in ones of the same name; a file
// with `kind = "architecture"` describes an architecture.

// The profile with this id or alias (case, `-` and `_` do not matter). Error: did you mean, or the first
// error of the profile.
Result<Gpu> find_gpu(std::string_view name_or_alias, std::span<const text::Document> own = {});

// Its file. Error: did you mean.
Result<const text::Document*> find_profile(std::string_view name_or_alias,
                                           std::span<const text::Document> own = {});

// All ids, a user's own first, then in the order of the catalogue.
std::vector<std::string_view> gpu_ids(std::span<const text::Document> own = {});

// A profile from a file: everything stated in it, or `based_on = "h100"` and what differs. All errors found
// (unknown keys, wrong types, implausible figures) are appended to `errors`; the profile is usable only when
// there are none.
Gpu read_gpu(const text::Document& document, std::vector<Error>& errors,
             std::span<const text::Document> own = {});

// An architecture by its id (exactly). Error: did you mean, or the file's first error.
Result<Architecture> find_architecture(std::string_view id, std::span<const text::Document> own = {});
Architecture read_architecture(const text::Document& document, std::vector<Error>& errors);

// The file of an architecture, or nothing.
const text::Document* find_architecture_file(std::string_view id, std::span<const text::Document> own = {});

// An error at `item` unless there is a built-in architecture of that id.
void check_architecture(text::NodeRef item, std::string_view id, std::vector<Error>& errors);

// The same product with another number of SMs: B300 is sold with 148 and 152. Peaks, achievable rates and the
// L2's bandwidth, which is limited by the SMs' ports, scale with the count; DRAM, links and cache sizes do
// not. Error: fewer than 1, or more than the full die has.
Result<Gpu> with_sm_count(Gpu gpu, std::int64_t sm_count);

// The same product locked at a lower clock than its boost clock (nvidia-smi --lock-gpu-clocks): peaks, what
// SMs load and the L2's bandwidth go with it, the tensor cores' from the clock that these are rated at. DRAM
// and links do not. Error: a higher clock, or one that no board has.
Result<Gpu> with_clock(Gpu gpu, double mhz);

// The same product held to fewer watts than its board allows: what computes for long runs at a lower clock.
// In dynamic power, C V^2 f, the voltage follows the clock, so that the clock goes by the cube root. Memory
// keeps its bandwidth. Error: no such limit, or the product's own limit is unknown.
Result<Gpu> with_power_limit(Gpu gpu, double watts);

// Whether this is the GPU's id or one of its aliases (case, `-` and `_` do not matter).
bool is_called(const Gpu& gpu, std::string_view name);

// Adds a GPU unless one with its id is there.
void add(std::vector<Gpu>& gpus, Gpu gpu);
// Among those of a run. Null if none has this name.
const Gpu* find_by_id(std::span<const Gpu> gpus, std::string_view id);

// File name without folders and extension: the id of a profile or an architecture.
std::string_view id_of(const text::Document& document);

// What is wrong where these have no units for a number format: one at least.
Error cannot_multiply(std::span<const Gpu> gpus, DType dtype);

}  // namespace shapelint::gpu
