// Of stacks that only serve.
#include "cli/commands/asked.hpp"

#include <string_view>

#include <fmt/format.h>

#include "cli/messages.hpp"
#include "contracts/known_versions.hpp"
#include "project/stack.hpp"

namespace shapelint::cli {

bool says_what_is_run(const project::Configured& configured, const contracts::Stack& stack,
                      const ModelInput& input, Io& io) {
  const model::Reading& reading = input.reading();
  const bool is_said = model::origin(reading, model::FieldId::mode).kind != model::Origin::Kind::defaulted;
  if (is_said || reading.setup.plan.mode != model::Mode::train) return true;
  const std::string_view serves = contracts::serves_alone(project::contracts_of(configured), stack);
  if (serves.empty()) return true;
  print_error(
      io,
      fmt::format(
          "{} has no requirement about training, and `{}` does not state a mode, so it counts as training",
          serves, reading.path),
      "`--mode decode` (with `--micro-batch-size` and `--context-length`) or `--mode prefill` checks "
      "serving, `--mode train` training");
  return false;
}

}  // namespace shapelint::cli
