// Names of GPUs as drivers print them (nvidia-smi -L, rocm-smi --showproductname).
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace shapelint::gpu {

// A name without its vendor's words (`NVIDIA`, `GeForce`, `Tesla`, `AMD Instinct`), and again without words
// at its end that tell no products apart (`Generation`, `Edition`, `OAM`).
struct ShorterName {
  std::string name;
  // Memory that was left off its end (`480GB`), in GB: only a GPU that has so much is meant.
  std::optional<double> memory_gb;
};

// From the longest to the shortest; empty for a name without such words.
std::vector<ShorterName> without_vendor(std::string_view name);

}  // namespace shapelint::gpu
