// `shapelint suggest --family`.
#include "cli/commands/suggest/family.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "cli/messages.hpp"
#include "report/suggestions/family.hpp"
#include "suggest/family.hpp"

namespace shapelint::cli {

ExitCode suggest_family(const suggest::Problem& problem, const SuggestOptions& options, Io& io) {
  std::vector<std::int64_t> sizes;
  bool failed = false;
  for (const std::string& text : options.family) {
    const auto size = suggest::parse_size(text);
    if (size) {
      sizes.push_back(*size);
      continue;
    }
    print_error(io, fmt::format("`{}` is not a number of parameters", text),
                "such as 125m, 1.3b or 350000000");
    failed = true;
  }
  if (!options.axes.vary.empty() || !options.axes.fix.empty() || !options.ranges.empty() || options.apply ||
      options.diff) {
    print_error(io, "`--family` chooses all dimensions itself",
                "`--vary`, `--fix`, `--range`, `--apply` and `--diff` do not go with it");
    failed = true;
  }
  if (problem.start.model.mla.kv_lora_rank > 0) {
    print_error(io,
                "a family has one `head_dim`, and the heads of latent attention (MLA) have several widths");
    failed = true;
  }
  if (failed) return ExitCode::error;
  suggest::SearchOptions search;
  search.threads = static_cast<std::size_t>(options.threads.value_or(0));
  const suggest::Family family = suggest::find_family(problem, sizes, search);
  const bool none =
      std::none_of(family.rungs.begin(), family.rungs.end(), [](const auto& rung) { return rung.found; });
  if (none) {
    print_error(io, "no size of the family has a shape that meets the constraints",
                "`--params` may allow more");
    return ExitCode::error;
  }
  std::vector<std::string> gpus;
  for (const gpu::Gpu* gpu : problem.gpus) gpus.push_back(gpu->id);
  switch (options.format) {
    case 0:
      io.out << report::family_text(family, gpus, out_style(io));
      break;
    case 1:
      io.out << report::family_json(family, gpus);
      break;
    case 2:
      io.out << report::family_csv(family, gpus);
      break;
    default:
      io.out << report::family_toml(family);
      break;
  }
  return ExitCode::clean;
}

}  // namespace shapelint::cli
