// What a fit came to, for programs.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "calibrate/fit.hpp"
#include "gpu/gpu.hpp"
#include "prove/proofs.hpp"

namespace shapelint::cli {

// A set of constants that was searched for.
struct FittedSet {
  std::string_view name;
  std::size_t rows = 0;
  gpu::GemmConstants before;
  calibrate::Fit fit;
};

// One that stays as it is.
struct UnchangedSet {
  std::string_view name;
  std::string reason;
};

// A proof and what the profiles predict of it.
struct ProvedFinding {
  std::string file;
  prove::StoredProof proof;
  std::optional<prove::Predicted> before;
  std::optional<prove::Predicted> after;
  std::string no_longer_fits;  // why; empty: it does
};

struct FitReport {
  std::string gpu;      // id
  std::string profile;  // the file that was written
  std::string source;   // what the measurements are
  std::vector<FittedSet> sets;
  std::vector<UnchangedSet> stayed;
  std::vector<ProvedFinding> findings;  // of --proofs
};

// Whether a fit moved this constant by more than rounding.
bool has_moved(double before, double after);

std::string fit_json(const FitReport& report);

}  // namespace shapelint::cli
