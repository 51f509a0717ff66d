// What a measuring script wrote, read and run.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <memory>
#include <system_error>

#include <fmt/format.h>

#include "base/counted.hpp"
#include "base/number.hpp"
#include "cli/commands/prove/prove.hpp"
#include "cli/model_input.hpp"
#include "cli/output.hpp"
#include "lint/phrases.hpp"
#include "lint/process.hpp"
#include "prove/proofs.hpp"
#include "prove/sweep.hpp"
#include "text/errors.hpp"
#include "text/printable.hpp"

namespace shapelint::cli {

namespace {

std::string changes_text(const prove::ChangedValues& changes) {
  std::string out;
  for (const auto& [field, values] : changes)
    out += fmt::format("{}{} {} → {}", out.empty() ? "" : ", ", field, values.first, values.second);
  return out;
}

// What the table and the verdicts are of.
std::string heading(const prove::Measured& measured) {
  std::string software;
  for (const auto& [name, version] : measured.software)
    software += fmt::format("{}{} {}", software.empty() ? "" : ", ", name, version);
  return text::one_line(
      fmt::format("{}: measured on {}, {} ({})", measured.file, measured.device, measured.date, software));
}

void print_table(const prove::Measured& measured, Io& io) {
  io.out << heading(measured) << '\n';
  for (const prove::Proof& proof : measured.proofs) {
    io.out << text::one_line(
                  fmt::format("  {} ({}): {}", proof.code, proof.rule, changes_text(proof.changes)))
           << '\n';
    io.out << fmt::format("    predicted  saves {}\n", lint::share(proof.predicted, proof.predicted_error));
    if (proof.measured_share > 0)
      io.out << fmt::format("    measured   saves {} (95 %), {} of the change{}\n",
                            lint::share(proof.gain, proof.half_width), percent(proof.measured_share),
                            proof.whole == "step" ? ", the step run as a whole" : "");
    if (proof.whole == "step")
      io.out << fmt::format("    one by one saves {}\n",
                            lint::share(proof.operations_gain, proof.operations_half_width));
    if (proof.whole == "layer")
      io.out << fmt::format("    a layer    saves {} of itself, run as a whole\n",
                            lint::share(proof.whole_gain, proof.whole_half_width));
    // What a CPU or another GPU takes says nothing of this one.
    if (measured.on_gpu) io.out << fmt::format("    verdict    {}\n", prove::name(proof.verdict));
  }
  for (const auto& [reason, count] : measured.left_out)
    io.out << text::one_line(fmt::format("  not measured: {} ({})", counted(count, "comparison"), reason))
           << '\n';
}

}  // namespace

ExitCode read_result(const ProveOptions& options, Io& io) {
  const auto fail = [&](const Error& error) {
    print_error(io, error);
    return ExitCode::error;
  };
  auto content = io.files.read(options.read, text::max_source_bytes);
  if (!content) {
    Error error = content.error();
    error.path = options.read;
    return fail(error);
  }
  return show_result(options, options.read, *content, io);
}

ExitCode show_result(const ProveOptions& options, const std::string& from, const std::string& text, Io& io) {
  const auto fail = [&](const Error& error) {
    print_error(io, error);
    return ExitCode::error;
  };
  if (prove::is_swept(text)) return show_sweeps(options, from, text, io);
  const auto measured = prove::read_result(from, text);
  if (!measured) {
    print_error(io, measured.error(), text);
    return ExitCode::error;
  }
  if (options.format == proved_as_json) {
    io.out << proved_json(*measured);
  } else {
    print_table(*measured, io);
  }
  if (!measured->throttled.empty()) {
    print_note(io, text::one_line(fmt::format("the GPU was throttled ({}): measure again when it is cool",
                                              fmt::join(measured->throttled, ", "))));
  }
  if (!measured->on_gpu) {
    print_note(io, fmt::format("{} is not the GPU of the plan ({}): no verdict, and nothing is stored",
                               text::one_line(measured->device), measured->gpu));
    return ExitCode::clean;
  }
  const std::string file = options.file.empty() ? measured->file : options.file;
  if (file.empty() || file == "-" || file == "<stdin>") {
    print_note(io, "the model came from standard input: nothing is stored");
    return ExitCode::clean;
  }
  // A result may be a stranger's: where something is written, it names no place outside of this folder.
  const std::filesystem::path inside = std::filesystem::path(file).lexically_normal();
  if (options.file.empty() && (inside.is_absolute() || inside.begin()->string() == "..")) {
    print_error(
        io, text::one_line(fmt::format("the model that was measured is outside of this folder: {}", file)),
        fmt::format("name it: `shapelint prove FILE --read {}`", from));
    return ExitCode::error;
  }
  const auto project = open_project(options.project, {&file, 1}, io);
  if (!project) return ExitCode::error;
  const auto input = read_model_input({file, measured->model, true}, *project, io);
  if (!input) return ExitCode::error;
  const std::string why = prove::difference(measured->sizes, input->reading());
  if (!why.empty()) {
    print_error(io,
                fmt::format("{}: the model has changed since the measurement: {}", file, text::one_line(why)),
                "`shapelint prove` writes a new script; repeat its options here");
    return ExitCode::error;
  }
  namespace fs = std::filesystem;
  const fs::path path(input->file.path);
  const std::string target = (path.parent_path() / prove::proofs_name).generic_string();
  std::vector<prove::StoredProof> proofs;
  if (io.files.exists(target)) {
    auto known = io.files.read(target, text::max_source_bytes);
    if (!known) return fail(known.error());
    const std::string known_text = *known;
    auto read = prove::read_proofs(target, *std::move(known));
    if (!read) {
      print_error(io, read.error(), known_text);
      return ExitCode::error;
    }
    proofs = *std::move(read);
  }
  const std::size_t added = prove::add_proofs(*measured, path.filename().generic_string(), proofs);
  if (added == 0) {
    print_note(io, "no finding has a verdict that could be stored");
    return ExitCode::clean;
  }
  if (const auto written = io.files.write(target, prove::proofs_text(proofs)); !written)
    return fail(written.error());
  print_note(io, fmt::format("{}: {} written", target, counted(added, "proof")));
  return ExitCode::clean;
}

namespace {

namespace fs = std::filesystem;

// A folder of this process's own, which goes with everything in it.
class Workplace {
 public:
  Workplace() {
    std::string name = (fs::temp_directory_path(problem_) / "shapelint-XXXXXX").string();
    if (!problem_ && ::mkdtemp(name.data()) != nullptr) path_ = name;
  }
  ~Workplace() {
    if (!path_.empty()) fs::remove_all(path_, problem_);
  }
  Workplace(const Workplace&) = delete;
  Workplace& operator=(const Workplace&) = delete;

  bool is_there() const { return !path_.empty(); }
  std::string file(const char* name) const { return (path_ / name).string(); }

 private:
  std::error_code problem_;
  fs::path path_;
};

}  // namespace

ExitCode run_script(const ProveOptions& options, const std::string& script, double budget_s, Io& io) {
  const auto fail = [&](std::string_view message, std::string_view hint = {}) {
    print_error(io, message, hint);
    return ExitCode::error;
  };
  const Workplace place;
  const std::string path = place.is_there() ? place.file("prove.py") : std::string();
  std::ofstream file(path, std::ios::binary);
  file << script;
  file.close();
  if (!place.is_there() || !file) return fail("no space for the script in the temporary folder");
  std::vector<std::string> command{options.python, path, "--budget", exact(budget_s)};
  if (!options.device.empty()) command.insert(command.end(), {"--device", options.device});
  // Its progress, and what it cannot do, it prints itself.
  const auto ran = lint::run_process(command, {}, std::int64_t{1} << 30, true);
  if (!ran)
    return fail(ran.error().message,
                "`--python` names one; without `--run` the script is written, for a machine that has it");
  constexpr int reported = 1;
  if (ran->exit_code == reported) return ExitCode::error;
  if (ran->exit_code != 0)
    return fail(fmt::format("`{}` ended with code {}", options.python, ran->exit_code));
  if (options.output != "-") {
    if (const auto written = io.files.write(options.output, ran->out); !written)
      return fail(fmt::format("{}: {}", options.output, written.error().message), written.error().hint);
  }
  return show_result(options, options.output == "-" ? "the result" : options.output, ran->out, io);
}

}  // namespace shapelint::cli
