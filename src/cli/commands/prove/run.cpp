// `shapelint prove --run`: the script run in place.
#include <filesystem>
#include <fstream>
#include <system_error>

#include <fmt/format.h>

#include "base/number.hpp"
#include "cli/commands/prove/prove.hpp"
#include "cli/messages.hpp"
#include "lint/process.hpp"

namespace shapelint::cli {

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
  // Its progress, and what it cannot do, are told by itself.
  const auto ran = lint::run_process(command, {}, std::int64_t{1} << 30, true);
  if (!ran)
    return fail(ran.error().message,
                "`--python` names one; without `--run` the script is written, for a machine that has it");
  constexpr int told = 1;
  if (ran->exit_code == told) return ExitCode::error;
  if (ran->exit_code != 0)
    return fail(fmt::format("`{}` ended with code {}", options.python, ran->exit_code));
  if (options.output != "-") {
    if (const auto written = io.files.write(options.output, ran->out); !written)
      return fail(fmt::format("{}: {}", options.output, written.error().message), written.error().hint);
  }
  return show_result(options, options.output == "-" ? "the result" : options.output, ran->out, io);
}

}  // namespace shapelint::cli
