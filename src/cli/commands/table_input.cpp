// Reads what commands that answer tables need.
#include "cli/commands/table_input.hpp"

#include <istream>
#include <iterator>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "cli/output.hpp"
#include "contracts/stack.hpp"
#include "project/applied.hpp"

namespace shapelint::cli {

namespace {

constexpr std::int64_t largest_table_bytes = 2'000'000'000;

}  // namespace

std::vector<Option> one_gpu_options(ProjectOptions& options) {
  std::vector<Option> all = gpu_options(options);
  all.front().value = "NAME";
  all.front().doc = "GPU (`shapelint gpus`) [default: the configuration's]";
  return all;
}

std::optional<gpu::Gpu> one_gpu(const ProjectOptions& options, Io& io) {
  auto request = request_of(options, io);
  if (!request) return std::nullopt;
  return one_gpu(project::Project(*std::move(request), io.files), io);
}

std::optional<gpu::Gpu> one_gpu(const project::Project& project, Io& io) {
  if (!are_configured(project, {}, io)) return std::nullopt;
  std::vector<Error> errors;
  project::Applied applied = project::what_applies(project.here(), {}, {}, errors);
  if (applied.gpus_from == project::GpusFrom::assumption) applied.gpus.clear();
  if (applied.gpus.size() != 1) {
    print_error(io,
                applied.gpus.empty() ? std::string("`--gpu` is missing")
                                     : fmt::format("{} GPUs are given", applied.gpus.size()),
                "this command takes one GPU, such as `--gpu h100`");
    return std::nullopt;
  }
  return std::move(applied.gpus.front());
}

std::optional<std::string> table_text(const std::string& path, Io& io) {
  if (path == "-") {
    return std::string(std::istreambuf_iterator<char>(io.in), std::istreambuf_iterator<char>());
  }
  auto text = io.files.read(path, largest_table_bytes);
  if (text) return *std::move(text);
  print_error(io, fmt::format("{}: {}", path, text.error().message), text.error().hint);
  return std::nullopt;
}

bool requires_stated_mode(const project::Configured& configured, const contracts::Stack& stack,
                          const ModelInput& input, Io& io) {
  const model::Reading& reading = input.reading();
  const bool is_said = model::origin(reading, model::FieldId::mode).kind != model::Origin::Kind::defaulted;
  if (is_said || reading.setup.plan.mode != model::Mode::train) return true;
  const std::string_view serves = contracts::inference_only_package(project::contracts_of(configured), stack);
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
