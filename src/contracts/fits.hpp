// Which ways of dividing a model over GPUs run, and what each costs: all degrees whose product is the number
// of GPUs, with what the stack's packages say of them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "contracts/check.hpp"
#include "contracts/plan/layouts.hpp"
#include "contracts/price.hpp"
#include "rules/book/rule.hpp"
#include "suggest/serving/capacity.hpp"

namespace shapelint::contracts {

// A number format and how it is scaled.
struct Format {
  DType dtype = DType::bf16;
  Recipe recipe = Recipe::none;
};
// `fp8`, `fp8:block128`. Error: no such format, or a recipe of another.
Result<Format> parse_format(std::string_view text);
// The first error of several.
Result<std::vector<Format>> parse_formats(const std::vector<std::string>& texts);
std::string name(const Format& format);

enum class Fit : std::uint8_t { runs, pads, slower, falls_back, too_large, refused };
std::string_view name(Fit fit);

struct FitRow : Layout {
  std::int64_t zero = 0;  // in training: what is sharded over the data-parallel ranks (3: as FSDP)
  Format format;
  Fit fit = Fit::runs;
  std::vector<Verdict> unmet;       // all of them
  std::vector<std::string> broken;  // codes of hard rules, which any framework has
  std::string broken_summary;       // of the first of them
  double memory_gb = 0;             // on one GPU
  double usable_gb = 0;
  suggest::Capacity capacity;  // of an engine that serves
  Price price;
  double tokens_per_s = 0;  // of all GPUs together; 0: refused
};

struct FitRequest {
  const model::Reading* reading = nullptr;
  const gpu::Gpu* gpu = nullptr;
  const rules::RuleBook* rules = nullptr;
  Checker* checker = nullptr;        // of the stack; null: rules alone
  std::vector<std::int64_t> counts;  // of GPUs
  std::vector<Format> formats;       // empty: the file's own
};

// For each count all rows: those that run first, the fastest of them first, then what does not fit into
// memory, then what is refused. In serving the sequences of the file are shared by the data-parallel ranks,
// and those that are decoded by the stages of a pipeline, each of which works on a share at a time.
std::vector<FitRow> fits(const FitRequest& request);

}  // namespace shapelint::contracts
