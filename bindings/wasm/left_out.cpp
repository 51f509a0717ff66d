// What the module has no use for, so that pages need not download it: the program has both. These stand in
// place of the library's own, which are then not linked.
#include "calibrate/fit.hpp"
#include "cli/commands/commands.hpp"
#include "cli/output.hpp"

namespace shapelint {

namespace {

constexpr std::string_view elsewhere = "it is part of the program; `npx shapelint` runs that";

}  // namespace

// Minutes of work over a table of measurements, and NLopt.
Result<calibrate::Fit> calibrate::fit(const gpu::Gpu& /*gpu*/, gpu::ConstantSet /*set*/,
                                      std::span<const MeasuredShape> /*rows*/,
                                      const FitOptions& /*options*/) {
  return Error{.message = "the module fits no constants", .hint = std::string(elsewhere)};
}

std::vector<cli::Option> cli::lsp_options(LspOptions& /*options*/) {
  return {};
}

// A conversation over two streams, where a call of the module has one answer.
cli::ExitCode cli::lsp(const LspOptions& /*options*/, Io& io) {
  print_error(io, "the module serves no editors", elsewhere);
  return ExitCode::error;
}

}  // namespace shapelint
